import { h } from "../dom.js";
import type { Texts } from "../texts.js";

/** How much protection a person wants: a choice among levels, each with a line about it. */
export function levelFieldset(levels: readonly (readonly [name: string, words: string])[], level: string, say: Texts, changed: (level: string) => void, fixed = false): HTMLElement {
  const choices = levels.map(([name, words]) => {
    const input = h("input", { type: "radio", name: "level", value: name, disabled: fixed, change: () => changed(name) });
    input.checked = name === level;
    return h("label", { class: "choice tall" }, input, h("span", {}, h("strong", { dir: "auto" }, name), h("span", { class: "soft small" }, words)));
  });
  return h("fieldset", {}, h("legend", {}, say.t("level_question")), h("p", { class: "soft small" }, say.t("level_meaning")), fixed && h("p", { id: "fixed" }, say.t("level_fixed")), h("div", { class: "choices" }, ...choices));
}

/** Whether a text can be a ticket: it goes into a header. */
export const isTicket = (text: string): boolean => /^[!-~]+$/.test(text);
