/** Screens on which nothing is asked: what happened, why, and what to do about it. */
import { h } from "../dom.js";
import type { Key, Texts } from "../texts.js";
import type { openingError } from "./errors.js";
import type { Screen } from "./frame.js";

/** Why nothing can be asked at all. */
export type Stop = ReturnType<typeof openingError> | "error_storage";

/** What is to blame: the link, the connection, the study or the browser. */
const HEADINGS: Partial<Record<Stop, Key>> = { error_missing: "head_missing", error_line: "head_line", error_study: "head_study", error_other: "head_study" };

/** What a page shows that can't ask anything. The texts say what to do. */
export const brokenScreen = (stop: Stop, say: Texts): Screen => ({
  heading: say.t(HEADINGS[stop] ?? "capped"),
  parts: [h("p", { class: "notice bad", role: "alert" }, say.t(stop)), h("p", { class: "soft" }, say.t("nothing_asked"))],
});
