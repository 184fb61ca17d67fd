/** Keeping answers for later, and removing them. */
import { h } from "../dom.js";
import type { Texts } from "../texts.js";
import type { Drafts } from "./draft.js";

/** Whether answers are kept on the device until they are sent. */
export function keeping(say: Texts, drafts: Drafts, changed: () => void): HTMLElement {
  const box = h("input", {
    type: "checkbox",
    name: "keep",
    change: () => {
      drafts.lasting = box.checked;
      changed();
    },
  });
  box.checked = drafts.lasting;
  return h("label", { class: "choice tall keep" }, box, h("span", {}, h("span", {}, say.t("keep")), h("span", { class: "soft small" }, say.t("keep_explained"))));
}

/** What can be done at any question besides answering it. */
export const pause = (say: Texts, keep: HTMLElement | false, clear: () => void): HTMLElement =>
  h("details", { class: "pause" }, h("summary", { class: "small" }, say.t("pause")), keep, h("p", {}, h("button", { type: "button", class: "slight", id: "clear", click: clear }, say.t("clear_answers"))));
