/** The form: how much protection, which answer, what is sensitive to oneself, and a ticket. */
import { type Device, explain, type Odds, price, type Study } from "../../src/index.js";
import { h } from "../dom.js";
import { groupNames, itemName, shownFrom } from "../items.js";
import { type Picker, pickerFor } from "./pickers.js";

export interface Choice {
  readonly code: number;
  readonly level: string;
}

export interface FormOptions {
  readonly study: Study;
  readonly device: Device;
  /** Whether a ticket has to be typed in. */
  readonly asksTicket: boolean;
  readonly chosen: (choice: Choice, ticket: string) => void;
  readonly wrong: (message: string) => void;
}

/** The form, and what draws its marks anew when another page changed them. */
export function surveyForm({ study, device, asksTicket, chosen, wrong }: FormOptions): { form: HTMLElement; refresh: () => void } {
  const levels = study.blocks.map(({ level }) => level);
  let level = levels.length === 1 ? levels[0]! : (study.blocks.find(({ promised }) => promised) ?? study.blocks[0]!).level;
  const marksOf = () => device.marks(study);
  const tag = (code: number) => Object.entries(marksOf()).find(([, items]) => items.some((item) => study.domain.code(item) === code))?.[0];
  const protects = (code: number) => {
    const { promised } = study.blocks.find((block) => block.level === level)!;
    return promised !== null && !["ldp", "lip", "minid"].includes(promised.notion) && promised.sensitive(code);
  };
  const promise = h("div");
  const tellPromise = () => promise.replaceChildren(...promised(study, level), given(study, device, level));
  const picker: Picker = pickerFor(study, { protects, tag }, () => marking.refresh());
  const marking = marksFieldset(study, device, () => picker.value(), tag, () => picker.refresh(), wrong);
  const ticket = h("input", { type: "text", id: "ticket", autocomplete: "off", spellcheck: "false" });
  tellPromise();

  const submit = (event: Event) => {
    event.preventDefault();
    const code = picker.value();
    if (code === null) {
      wrong(picker.missing);
      picker.element.querySelector<HTMLElement>("input, select, [tabindex='0']")?.focus();
    } else if (asksTicket && !/^[!-~]+$/.test(ticket.value.trim())) {
      wrong("Type in your ticket first, as it was given to you: this study is for people who have one.");
      ticket.focus();
    } else chosen({ code, level }, ticket.value.trim());
  };
  const form = h(
    "form",
    { submit, novalidate: true },
    levels.length > 1 && levelFieldset(study, level, (now) => ((level = now), tellPromise(), picker.refresh())),
    picker.element,
    study.tags.length > 0 && marking.element,
    asksTicket && h("p", {}, h("label", { for: "ticket" }, "Your ticket"), ticket),
    promise,
    h("p", { class: "actions" }, h("button", { type: "submit", class: "main" }, "See what will be sent")),
    h("p", { class: "soft small" }, "Nothing is sent yet."),
  );
  const refresh = () => {
    picker.refresh();
    marking.refresh();
    tellPromise();
  };
  return { form, refresh };
}

function levelFieldset(study: Study, level: string, changed: (level: string) => void): HTMLElement {
  const choices = study.blocks.map((block) => {
    const input = h("input", { type: "radio", name: "level", value: block.level, change: () => changed(block.level) });
    input.checked = block.level === level;
    return h("label", { class: "choice tall" }, input, h("span", {}, h("strong", {}, block.level), h("span", { class: "soft small" }, explain(study, { level: block.level }).promise)));
  });
  return h("fieldset", {}, h("legend", {}, "How much protection do you want?"), h("div", { class: "choices" }, ...choices));
}

/** A privacy budget, such as "1" or "0.25". */
export const amount = (epsilon: number): string => epsilon.toLocaleString("en", { maximumFractionDigits: 3 });

/** What this browser has given on this site so far, in words, and what an answer adds. */
export function givenSoFar(device: Device, adds = ""): string {
  const { epsilon, shown } = device.spent();
  const used = `This browser has used ${epsilon ? amount(epsilon) : "nothing"} of its privacy budget of ${amount(device.cap)} on this site.`;
  const bare = shown === 1 ? "1 earlier answer went to a study" : `${shown} earlier answers went to studies`;
  return [used, adds, shown && `${bare} where some answers may be shown as they are. The budget doesn't cover those.`].filter(Boolean).join(" ");
}

const ADDS = "Each report gives away a little about you. Several reports together give away more, even if they go to different studies. So this browser adds up what it gives to studies on this site, and stops when the budget is used up.";

/** How much was given, and what this answer adds. */
function given(study: Study, device: Device, level: string): HTMLElement {
  const { epsilon, shown } = price(study, { level });
  const adds = epsilon ? `This answer uses ${amount(epsilon)}.` : "This answer uses nothing of it, because it isn't protected at all.";
  const enough = device.spent().epsilon + epsilon < device.cap + 1e-6;
  return h(
    "div",
    { class: enough ? "given" : "given notice warn", id: "given" },
    h("p", {}, h("strong", {}, "How much you give away. "), givenSoFar(device, enough ? adds : `${adds} That is more than what is left, so it can't be given.`)),
    h("details", {}, h("summary", {}, "What is a privacy budget?"), h("p", { class: "small" }, `${ADDS} The unit is epsilon: an answer that uses 1 changes the odds between two answers by a factor of at most 2.72, and one that uses 2 by at most 7.39.${shown ? " In this study, some answers may be shown as they are." : ""}`)),
  );
}

/** Why the question isn't asked: every level of the study uses more than what is left. Null if one can be given. */
export function overCap(study: Study, device: Device): HTMLElement | null {
  const least = Math.min(...study.blocks.map(({ level }) => price(study, { level }).epsilon));
  if (device.spent().epsilon + least < device.cap + 1e-6) return null;
  return h(
    "div",
    { id: "capped" },
    h("p", { class: "notice warn" }, h("strong", {}, "This browser can't answer this study. "), givenSoFar(device, `An answer to this study would use ${amount(least)}, which is more than what is left.`)),
    h("p", {}, `${ADDS} Your answer wasn't asked for, and nothing was sent.`),
  );
}

/** What is promised, and what any report can do to the odds of each answer: read off the study's tables by this page. */
function promised(study: Study, level: string): HTMLElement[] {
  const { promise, odds } = explain(study, { level });
  const promises = study.blocks.some((block) => block.level === level && block.promised);
  const rows = groupNames(study, odds).map(([name, { words }]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, words)));
  return [
    h("div", { class: "notice" }, h("p", {}, h("strong", {}, "What is promised. "), promise), promises && h("p", { class: "small" }, example(odds)), h("p", { class: "small" }, shownFrom(study))),
    h(
      "details",
      {},
      h("summary", {}, "What a report can do to the odds of each answer"),
      h("table", {}, h("caption", { class: "soft small" }, "Against any other answer, before and after somebody sees one report."), h("tbody", {}, ...rows)),
      h("p", { class: "soft small" }, "Your device worked this out from the study's tables, and checked that they keep the promise."),
    ),
  ];
}

/** The promise from the side of somebody who sees a report. */
function example(odds: readonly Odds[]): string {
  const factors = odds.flatMap(({ raised, lowered }) => [raised, lowered]).map((text) => [text === "infinity" ? Infinity : Number(text), text] as const);
  const [, most] = factors.reduce((a, b) => (b[0] > a[0] ? b : a));
  const but = odds.some(({ shown }) => shown) ? ", unless the report shows an answer as it is" : "";
  if (most === "1") return `Somebody who sees a report learns nothing from it${but}.`;
  return `Somebody to whom two answers seem equally likely will, having seen one report, take one of them to be at most ${most} times as likely as the other${but}.`;
}

interface Marking {
  readonly element: HTMLElement;
  refresh(): void;
}

/** The person's own sensitive items. */
function marksFieldset(
  study: Study,
  device: Device,
  current: () => number | null,
  tag: (code: number) => string | undefined,
  changed: () => void,
  wrong: (message: string) => void,
): Marking {
  const about = h("p", { class: "soft small" });
  const list = h("ul", { class: "marks" });
  const mark = async (code: number, under: string | null) => {
    try {
      await device.mark(study, study.domain.text(code), under);
    } catch (error) {
      wrong(`The mark could not be kept: ${(error as Error).message}.`);
    }
    refresh(); // what is shown is what is kept
    changed();
  };
  const inputs = [null, ...study.tags].map((each) => {
    const input = h("input", { type: "radio", name: "mark", value: each ?? "", change: () => void mark(current()!, each) });
    return { each, input, label: h("label", { class: "choice" }, input, h("span", {}, each ?? "not marked")) };
  });
  const refresh = () => {
    const code = current();
    about.textContent = code === null ? "Choose an item first; then say here whether it is one of yours." : `${itemName(study, code)} is, for me:`;
    for (const { each, input } of inputs) {
      input.disabled = code === null;
      input.checked = code !== null && (tag(code) ?? null) === each;
    }
    const marked = Object.entries(device.marks(study)).flatMap(([under, items]) => items.map((item) => [under, study.domain.code(item)] as const));
    list.replaceChildren(
      ...marked.map(([under, each]) =>
        h("li", {}, h("span", {}, `${itemName(study, each)}: ${under} `), h("button", { type: "button", class: "slight", "aria-label": `Take the mark off ${itemName(study, each)}`, click: () => void mark(each, null) }, "remove")),
      ),
    );
  };
  refresh();
  const words = "What you mark is protected like the answers that are sensitive to everybody. Your marks stay on this device, and are never sent.";
  return {
    element: h(
      "fieldset",
      { id: "marks" },
      h("legend", {}, "What is sensitive to you?"),
      h("p", {}, words),
      about,
      h("div", { class: "choices row" }, ...inputs.map(({ label }) => label)),
      list,
    ),
    refresh,
  };
}
