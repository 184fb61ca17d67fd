/** How much this browser has given away, and what an answer adds. */
import type { Device, Questionnaire, Spent, Study } from "../../src/index.js";
import { h } from "../dom.js";
import type { Key, Texts } from "../texts.js";
import { whomToAsk } from "./asker.js";
import type { Section } from "./experts.js";
import type { Frame, Screen } from "./frame.js";

/** What an answer to the study would give, at the level that is chosen. */
export type Priced = (level?: string) => Spent;

/** Whether so much is left. */
export const fits = (device: Device, adds: number): boolean => device.spent().epsilon + adds < device.cap + 1e-6;

/** What several studies mean together, and how much of the budget is used, in words. */
function inAll(device: Device, say: Texts, ...added: string[]): string {
  const { epsilon, shown } = device.spent();
  return say.sentences(say.t("budget_explained"), say.t("budget_used", { used: epsilon, cap: device.cap }), ...added, shown && say.t("budget_shown", { count: shown }));
}

/** How much an answer adds, in words. */
const amount = (say: Texts, adds?: Spent): string => (adds ? (adds.epsilon ? say.t("budget_adds", { amount: adds.epsilon }) : say.t("budget_adds_nothing")) : "");

/** What it means to answer other studies too, for the fold. `adds` is what this one uses. A `shared` device counts for no one. */
export function given(device: Device, say: Texts, adds?: Spent, shared = false): Section {
  const words = shared ? say.sentences(say.t("budget_shared"), amount(say, adds)) : inAll(device, say, amount(say, adds));
  return { head: "budget", parts: [h("p", { class: "small", id: "given" }, words)] };
}

/** Too little is left for this answer: that isn't folded away. */
export const beyond = (device: Device, say: Texts, adds: Spent): HTMLElement | false =>
  !fits(device, adds.epsilon) && h("p", { class: "notice warn", id: "beyond" }, inAll(device, say, amount(say, adds), say.t("budget_too_much")));

/** Why nothing is asked: every level of the study uses more than what is left. Null if one can be given. */
export function overCap(device: Device, frame: Frame, study: Study | Questionnaire, levels: readonly string[], price: Priced): Screen | null {
  const { say } = frame;
  const least = Math.min(...levels.map((level) => price(level).epsilon));
  if (fits(device, least)) return null;
  const { epsilon, shown } = device.spent();
  const never = least > device.cap + 1e-6;
  const rows: [Key, number][] = [["capped_limit", device.cap], ["capped_used", epsilon], ["capped_needed", least]];
  return {
    heading: say.t(never ? "capped_here" : "capped"),
    parts: [
      h(
        "div",
        { id: "capped" },
        h("p", {}, say.t("budget_explained")),
        h("dl", { class: "amounts" }, ...rows.map(([key, value]) => h("div", {}, h("dt", {}, say.t(key)), h("dd", {}, say.number(value, { maximumFractionDigits: 3 }))))),
        shown > 0 && h("p", { class: "small" }, say.t("budget_shown", { count: shown })),
        h("p", {}, say.t(never ? "capped_always" : "capped_next")),
        h("p", { class: "soft" }, say.t("nothing_asked")),
      ),
      ...whomToAsk(study, frame),
    ],
  };
}
