/** The guarantee for people: how sure someone can become of an answer by seeing the report, in words and as dots. */
import { percentOf } from "../src/beliefs.js";
import { explain, type Study } from "../src/index.js";
import { h, s } from "./dom.js";
import type { Texts } from "./texts.js";

/** What a study of one question guarantees someone: the input that is protected the least, of those that are protected at all. */
export interface Raised {
  readonly input: number;
  /** The most by which all reports of a person together raise its odds. */
  readonly factor: number;
}

/** Notions that protect every answer. With others, an answer that isn't sensitive may be sent as it is. */
const WHOLE = ["ldp", "lip", "minid"];

/** Whether a level protects an answer. */
export function isProtectedAt(study: Study, level: string, input: number): boolean {
  const { promised } = study.blocks.find((block) => block.level === level)!;
  return promised !== null && (WHOLE.includes(promised.notion) || promised.sensitive(input));
}

/** The guarantee from the side of someone who sees the reports. It is read off the tables. Null if nothing is guaranteed. */
export function raisedAt(study: Study, level: string): Raised | null {
  let found: Raised | null = null;
  for (const { inputs, raised } of explain(study, { level }).odds) {
    const input = inputs.find((each) => isProtectedAt(study, level, each));
    const factor = (Number(raised) || Infinity) ** study.reports; // the library writes "infinity"
    if (input !== undefined && (!found || !(factor <= found.factor))) found = { input, factor };
  }
  return found;
}

/** What a chance of 1 in 100 can become, as a number: whole, or with tenths below 2. It is never understated. */
export function raisedNumber(factor: number): number {
  const tenths = percentOf(factor, 10);
  return tenths < 2 ? tenths : percentOf(factor);
}

/** What a chance of 1 in 100 can become: "3 in 100". */
export const raisedTo = (factor: number, say: Texts): string => say.t("in_hundred", { number: raisedNumber(factor) });

/** The measure that the page speaks of: what 1 in 100 can become at most, and 50 in 100. */
export const risen = (factor: number, say: Texts) => ({ chance: raisedTo(factor, say), half: say.t("in_hundred", { number: percentOf(factor, 1, 50) }) });

/** A hundred people as dots, in rows. So many are in colour, and one of them in part if the number isn't whole. */
export function people(number: number, kind = "", row = 10): SVGSVGElement {
  const dots = Array.from({ length: 100 }, (_, k) => {
    const place = { cx: 5 + 10 * (k % row), cy: 5 + 10 * Math.floor(k / row) };
    const part = Math.min(1, number - k);
    const plain = part < 1 && s("circle", { ...place, r: 2.8 });
    return [plain, part > 0 && s("circle", { ...place, r: part < 1 ? 4.2 * Math.sqrt(part) : 4.2, class: "one" })];
  });
  return s("svg", { class: `people ${kind}`, viewBox: `0 0 ${10 * row} ${1000 / row}`, "aria-hidden": "true", focusable: "false" }, ...dots.flat());
}

/** Several hundreds of people side by side, each with what is said about it. */
export const hundreds = (...panels: readonly (readonly [head: string, number: number, said: string, kind?: string])[]): HTMLElement =>
  h("div", { class: "hundreds" }, ...panels.map(([head, number, said, kind]) => h("div", {}, h("p", { class: "small" }, head), people(number, kind), h("p", {}, h("strong", {}, said)))));

/** Above so many in 100, the guarantee is called weak. */
const WEAK = 50;

/** Before and after: 1 in 100, and at most so many. The sentence above it explains the two pictures. */
export function beliefs(factor: number, say: Texts): HTMLElement {
  const number = raisedNumber(factor);
  const [before, after] = [say.t("in_hundred", { number: 1 }), say.t("belief_at_most", { chance: raisedTo(factor, say) })];
  return h(
    "div",
    { class: "beliefs" },
    hundreds([say.t("belief_before"), 1, before], [say.t("belief_after"), number, after, number > WEAK ? "weak" : ""]),
    number > WEAK && h("p", { class: "weak-protection" }, say.t("belief_weak")),
  );
}
