import { h } from "../dom.js";
import type { Texts } from "../texts.js";

/** A level: its name in the study, what it is called, and a line about it. */
export type LevelShown = readonly [name: string, called: string, words: HTMLElement];

/** How much protection a person wants. `note` is about when it can be changed. */
export function levelFieldset(levels: readonly LevelShown[], level: string, say: Texts, changed: (level: string) => void, { fixed = false, note = "" } = {}): HTMLElement {
  const choices = levels.map(([name, called, words]) => {
    const input = h("input", { type: "radio", name: "level", value: name, disabled: fixed, change: () => changed(name) });
    input.checked = name === level;
    return h("label", { class: "choice tall" }, input, h("span", {}, h("strong", { dir: "auto" }, called), words));
  });
  return h("fieldset", {}, h("legend", {}, say.t("level_question")), h("p", { class: "soft small" }, say.t("level_meaning")), note && h("p", { id: fixed ? "fixed" : "level-note" }, note), h("div", { class: "choices" }, ...choices));
}

/** Whether a text can be a ticket: it goes into a header. */
export const isTicket = (text: string): boolean => /^[!-~]+$/.test(text);
