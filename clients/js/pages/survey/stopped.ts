/** Screens on which nothing is asked: what happened, why, what to do about it, and whom to ask. */
import type { Questionnaire, Study } from "../../src/index.js";
import { type Child, h } from "../dom.js";
import type { Key, Texts } from "../texts.js";
import type { openingError } from "./errors.js";
import type { Screen } from "./frame.js";
import { asker } from "./start.js";

/** Whom to ask: the people whom the study names, or those from whom the link came. */
export function whomToAsk(study: Study | Questionnaire, say: Texts): Child[] {
  const named = "questions" in study ? asker(study, say).filter(Boolean) : [];
  return named.length ? named : [h("p", { class: "soft small" }, say.t("ask_senders"))];
}

/** Why nothing can be asked at all. */
export type Stop = ReturnType<typeof openingError> | "error_storage";

/** What is to blame: the link, the connection, the study or the browser. */
const HEADINGS: Partial<Record<Stop, Key>> = { error_missing: "head_missing", error_line: "head_line", error_study: "head_study", error_other: "head_study" };

/** What a page shows that can't ask anything. The texts say what to do. */
export const brokenScreen = (stop: Stop, say: Texts): Screen => ({
  heading: say.t(HEADINGS[stop] ?? "capped"),
  parts: [h("p", { class: "notice bad", role: "alert" }, say.t(stop)), h("p", { class: "soft" }, say.t("nothing_asked"))],
});
