/** Ways to choose an item: a list, one label on each axis, a grid of places, or coordinates. Numbers and scales have their own file. */
import type { Study } from "../../src/index.js";
import { h } from "../dom.js";
import { gridPicker } from "./grid.js";
import { numberPicker, scalePicker } from "./numbers.js";

export interface Picker {
  readonly element: HTMLElement;
  /** The number of the chosen item, or null. */
  value(): number | null;
  /** What to say while nothing is chosen. */
  readonly missing: string;
  /** Draw marks and protection anew. */
  refresh(): void;
}

export const CHOOSE = "Choose an answer first.";

/** What is said about an item beside its name: that everybody's answer is protected, or the person's own mark. */
export interface About {
  protects(code: number): boolean;
  tag(code: number): string | undefined;
}

/** Items up to which a list needs no search, items of a list that are shown at a time, cells of a grid that can be clicked, and steps of a scale. */
const [SHORT, SHOWN, CELLS, STEPS] = [12, 60, 4096, 11];

/** The picker that suits the items. */
export function pickerFor(study: Study, about: About, changed: () => void): Picker {
  const { axes, size } = study.domain;
  if (axes[0]!.bounds) return axes.length === 2 && size <= CELLS ? gridPicker(study, about, changed) : coordinates(study, changed);
  if (axes.length === 1 && axes[0]!.edges) return numberPicker(study, changed);
  if (axes.length === 1 && axes[0]!.scale && size <= STEPS) return scalePicker(study, about, changed);
  return axes.length > 1 ? axesPicker(study, changed) : listPicker(study, about, changed);
}

function listPicker(study: Study, about: About, changed: () => void): Picker {
  const texts = Array.from({ length: study.domain.size }, (_, code) => study.domain.text(code));
  const list = h("div", { class: "choices" });
  const note = h("p", { class: "soft small", role: "status" });
  let chosen: number | null = null;
  const search = h("input", { type: "search", id: "search", autocomplete: "off", input: () => draw() });
  const choice = (code: number) => {
    const tag = about.tag(code);
    const input = h("input", { type: "radio", name: "item", value: code, change: () => ((chosen = code), changed()) });
    input.checked = chosen === code;
    return h(
      "label",
      { class: "choice" },
      input,
      h("span", {}, texts[code]!),
      about.protects(code) && h("span", { class: "badge" }, "protected"),
      tag && h("span", { class: "badge own" }, tag),
    );
  };
  const draw = () => {
    const wanted = search.value.trim().toLocaleLowerCase();
    const found = texts.flatMap((text, code) => (text.toLocaleLowerCase().includes(wanted) ? [code] : []));
    const shown = found.slice(0, SHOWN);
    if (chosen !== null && !shown.includes(chosen)) shown.unshift(chosen);
    list.replaceChildren(...shown.map(choice));
    const more = found.length - Math.min(found.length, SHOWN);
    note.textContent = found.length === 0 ? "No item is written like this." : more ? `${more.toLocaleString("en")} more: type to find yours.` : "";
  };
  draw();
  const long = texts.length > SHORT;
  if (long) list.classList.add("long");
  return {
    element: h(
      "fieldset",
      { id: "answer" },
      h("legend", {}, "Your answer"),
      long && h("p", {}, h("label", { for: "search" }, `Search among ${texts.length.toLocaleString("en")} items`), search),
      list,
      long && note,
    ),
    value: () => chosen,
    missing: CHOOSE,
    refresh: draw,
  };
}

/** A label on each axis: buttons for few, a menu for many. */
function axesPicker(study: Study, changed: () => void): Picker {
  const { axes, domain } = { axes: study.domain.axes, domain: study.domain };
  const chosen: (number | null)[] = axes.map(() => null);
  const parts = axes.map(({ name, labels }, k) => {
    const pick = (place: number | null) => ((chosen[k] = place), changed());
    if (labels.length > SHORT) {
      const menu = h("select", { id: `axis-${k}`, change: () => pick(menu.value === "" ? null : Number(menu.value)) });
      menu.append(h("option", { value: "" }, "choose …"));
      for (const [place, label] of labels.entries()) menu.append(h("option", { value: place }, String(label)));
      return h("p", {}, h("label", { for: `axis-${k}` }, name), menu);
    }
    const choices = labels.map((label, place) =>
      h("label", { class: "choice" }, h("input", { type: "radio", name: `axis-${k}`, value: place, change: () => pick(place) }), h("span", {}, String(label))),
    );
    return h("fieldset", { class: "inner" }, h("legend", {}, name), h("div", { class: "choices" }, ...choices));
  });
  return {
    element: h("fieldset", { id: "answer" }, h("legend", {}, "Your answer"), ...parts),
    missing: CHOOSE,
    value: () => (chosen.includes(null) ? null : domain.code(chosen.map((place, k) => axes[k]!.labels[place!]!))),
    refresh: () => undefined,
  };
}

/** Numbers on each axis of a grid that is too fine, or has too many axes, to be clicked. */
function coordinates(study: Study, changed: () => void): Picker {
  const { axes } = study.domain;
  const fields = axes.map(({ name, bounds }, k) => {
    const input = h("input", { type: "number", id: `axis-${k}`, min: bounds![0], max: bounds![1], step: "any", input: changed });
    return { name, input, part: h("p", {}, h("label", { for: `axis-${k}` }, `${name} (${bounds![0]} to ${bounds![1]})`), input) };
  });
  return {
    element: h("fieldset", { id: "answer" }, h("legend", {}, "Your answer"), ...fields.map(({ part }) => part)),
    missing: "Give a place within the ranges.",
    value() {
      if (fields.some(({ input }) => input.value === "")) return null;
      try {
        return study.domain.code(Object.fromEntries(fields.map(({ name, input }) => [name, input.valueAsNumber])));
      } catch {
        return null;
      }
    },
    refresh: () => undefined,
  };
}
