/** Ways to answer a question. Each takes what can be answered and not a whole study, so that questions of every kind of study share them. */
import type { Domain } from "../../src/index.js";
import { h } from "../dom.js";
import type { Key, Texts } from "../texts.js";
import { coordinates } from "./coordinates.js";
import { axesPicker } from "./crossed.js";
import { gridPicker } from "./grid.js";
import { listPicker } from "./lists.js";
import { numberPicker, scalePicker } from "./numbers.js";

/** An answer: the text of an item, a number, or the texts of several choices. */
export type Value = string | number | readonly string[];

export interface Picker {
  readonly element: HTMLElement;
  /** The answer, or null while there is none. */
  value(): Value | null;
  /** What to say while there is none. */
  readonly missing: Key;
  /** What to ask once about an answer that looks like a mistake; null if there is nothing to ask. */
  doubt?(): readonly [Key, Record<string, string>] | null;
  /** Draw marks and protection again. */
  refresh(): void;
  /** Take the answer back, because one beside it was chosen. */
  clear(): void;
}

/** What is said about an item beside its name: that everyone's answer is protected, or the person's own mark. */
export interface About {
  protects(code: number): boolean;
  /** Some reports show it as it is. */
  shows(code: number): boolean;
  tag(code: number): string | undefined;
}

/** What a picker is for. */
export interface Asked {
  readonly domain: Domain;
  readonly say: Texts;
  /** What is asked, at the head of the field. */
  readonly legend: Node | string;
  /** A hint below it. */
  readonly help?: Node | null;
  /** An answer that was given before. */
  readonly given: Value | null;
  /** Items behind the answers: "other", and a refusal. */
  readonly extras: readonly string[];
  /** What an item is called; and a label, or an axis. */
  name(code: number): string;
  called(text: string): string;
  readonly about: About;
  /** Names of the person's own tags. */
  readonly tags: readonly string[];
  /** Several items can be chosen, up to a cap if there is one. */
  readonly several?: { readonly atMost?: number | undefined; readonly refusal?: string | undefined };
  /** The id of an element, which is the only one of the page. */
  id(name: string): string;
  changed(): void;
}

/** Items up to which a list needs no search, cells of a grid that can be clicked, and steps of a scale. */
export const SHORT = 12;
const [CELLS, STEPS] = [4096, 11];

/** The picker that suits the answers. */
export function pickerFor(asked: Asked): Picker {
  const { axes, size } = asked.domain;
  const [axis] = axes;
  if (axis!.bounds) return axes.length === 2 && size <= CELLS ? gridPicker(asked) : coordinates(asked);
  if (axes.length > 1) return axesPicker(asked);
  if (axis!.edges) return beside(asked, numberPicker);
  return axis!.scale && size <= STEPS ? beside(asked, scalePicker) : listPicker(asked);
}

/** A picker with the extra items below: to choose one takes back the other. */
function beside(asked: Asked, make: (asked: Asked) => Picker): Picker {
  const { extras, domain } = asked;
  if (!extras.length) return make(asked);
  let chosen = typeof asked.given === "string" && extras.includes(asked.given) ? asked.given : null;
  const inputs = extras.map((extra, k) => {
    const input = h("input", { type: "radio", name: asked.id("extra"), value: domain.size + k, change: () => choose(extra) });
    input.checked = chosen === extra;
    return input;
  });
  const main = make({
    ...asked,
    given: chosen === null ? asked.given : null,
    changed() {
      chosen = null;
      for (const input of inputs) input.checked = false;
      asked.changed();
    },
  });
  const choose = (extra: string) => {
    chosen = extra;
    main.clear();
    asked.changed();
  };
  const labels = inputs.map((input, k) => h("label", { class: "choice" }, input, h("span", { dir: "auto" }, asked.name(domain.size + k))));
  main.element.append(h("div", { class: "choices extras" }, ...labels));
  return {
    ...main,
    value: () => chosen ?? main.value(),
    get missing() {
      return main.missing;
    },
  };
}

/** A field with its question on top. */
export const field = ({ id, legend, help }: Asked, ...children: (Node | string | false | null | undefined)[]): HTMLElement =>
  h("fieldset", { id: id("answer") }, h("legend", {}, legend), help, ...children);

/** What stands beside an item: that it is protected, and the person's own mark. */
export function badges({ about, say }: Asked, code: number): (HTMLElement | false)[] {
  const tag = about.tag(code);
  return [about.protects(code) && h("span", { class: "badge" }, say.t("protected")), about.shows(code) && h("span", { class: "badge clear" }, say.t("maybe_shown")), tag !== undefined && h("span", { class: "badge own" }, tag)];
}
