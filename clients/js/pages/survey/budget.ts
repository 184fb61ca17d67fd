/** How much this browser has given away, and what an answer adds. */
import type { Device, Spent } from "../../src/index.js";
import { h } from "../dom.js";
import type { Key, Texts } from "../texts.js";

/** What an answer to the study would give, at the level that is chosen. */
export type Priced = (level?: string) => Spent;

/** Whether so much is left. */
export const fits = (device: Device, adds: number): boolean => device.spent().epsilon + adds < device.cap + 1e-6;

/** What this browser has given on this site so far, in words. */
export function givenSoFar(device: Device, say: Texts, ...added: string[]): string {
  const { epsilon, shown } = device.spent();
  const used = say.t(epsilon ? "budget_used" : "budget_unused", { used: epsilon, cap: device.cap });
  return say.sentences(used, ...added, shown && say.t("budget_shown", { count: shown }));
}

/** How much was given, and what this answer adds. `adds` says what uses it: one answer, or those to a questionnaire. */
export function given(device: Device, say: Texts, { epsilon, shown }: Spent, adds: Key): HTMLElement {
  const amount = epsilon ? say.t(adds, { amount: epsilon }) : say.t("budget_adds_nothing");
  const affordable = fits(device, epsilon);
  return h(
    "div",
    { class: affordable ? "given" : "given notice warn", id: "given" },
    h("p", {}, h("strong", { class: "head" }, say.t("budget")), givenSoFar(device, say, amount, affordable ? "" : say.t("budget_too_much"))),
    h(
      "details",
      {},
      h("summary", {}, say.t("budget_what")),
      h("p", { class: "small" }, say.sentences(say.t("budget_explained"), say.t("budget_unit"), shown && say.t("budget_may_show"))),
    ),
  );
}

/** Why nothing is asked: every level of the study uses more than what is left. Null if one can be given. */
export function overCap(device: Device, say: Texts, levels: readonly string[], price: Priced): HTMLElement[] | null {
  const least = Math.min(...levels.map((level) => price(level).epsilon));
  if (fits(device, least)) return null;
  return [
    h("p", { class: "notice warn", id: "capped" }, givenSoFar(device, say, say.t("capped_least", { amount: least }))),
    h("p", {}, say.t("budget_explained")),
    h("p", {}, say.t("capped_end")),
  ];
}
