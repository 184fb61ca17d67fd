/** What is sent, word for word, and what each part of it is. */
import type { Report } from "../../src/index.js";
import { h } from "../dom.js";
import type { Key, Texts } from "../texts.js";
import type { Section } from "./experts.js";

/** Exactly the text that is sent. */
const bodyOf = (reports: readonly Report[]): string => JSON.stringify(reports.length === 1 ? reports[0] : reports);

/** The text that is sent. `level` says what the report's level is. */
export function wordForWord(reports: readonly Report[], say: Texts, level: Key): Section {
  const fields: [string, Key][] = [
    ["study", "field_study"],
    ["id", "field_id"],
    ["report", "field_report"],
    ...(reports[0]!.level === undefined ? [] : [["level", level] as [string, Key]]),
  ];
  return {
    head: "word_for_word",
    parts: [
      h("pre", { id: "body", tabindex: 0, role: "region", dir: "ltr", "aria-label": say.t("word_for_word") }, bodyOf(reports)),
      h("dl", { class: "fields small" }, ...fields.flatMap(([name, key]) => [h("dt", { dir: "ltr" }, name), h("dd", {}, say.t(key))])),
    ],
  };
}

/** What goes with a report besides itself. */
export const goesAlong = (say: Texts, { ticket = "", marks = false, sent = false }): (HTMLElement | false)[] => [
  ticket !== "" && h("p", { class: "small" }, say.t("ticket_goes_too")),
  h("p", { class: "soft small" }, say.sentences(say.t(sent ? (marks ? "nothing_else_marks_sent" : "nothing_else_sent") : marks ? "nothing_else_marks" : "nothing_else"), !sent && say.t("browser_tells"))),
];

/** That a report can't be withdrawn, unless the answers that it `shows` tell whose it is. */
export const withdrawal = (say: Texts, shows: boolean): string => say.sentences(say.t("not_withdrawn"), shows && say.t("withdrawal_shown"));

/** The last step: that it can't be undone, the buttons, and that nothing has happened so far. While it is sent, the page says so there. On phones the buttons stay in view. */
export const sendOrBack = (say: Texts, label: Key, shows: boolean, send: () => void, back: () => void): HTMLElement[] => [
  h("p", { class: "small", id: "final" }, withdrawal(say, shows)),
  h(
    "div",
    { class: "bar" },
    h("p", { class: "actions" }, h("button", { type: "button", class: "back", id: "back", click: back }, say.t("back")), h("button", { type: "button", class: "main", id: "send", click: send }, say.t(label))),
    h("p", { class: "soft small", id: "unsent" }, say.t("nothing_sent_yet")),
  ),
];
