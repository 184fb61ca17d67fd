/** The guarantee for people: how sure someone can become of an answer by seeing the report, in words and as dots. */
import { percentOf } from "../src/beliefs.js";
import { digits, type Fraction, largest } from "../src/exact.js";
import type { Study } from "../src/index.js";
import { representatives } from "../src/judge.js";
import { h, s } from "./dom.js";
import type { Texts } from "./texts.js";

/** What reports can do to the chance that someone gives to an answer. */
export interface Raised {
  /** The most by which all reports of a person together raise its odds, exact. */
  readonly odds: Fraction;
  /** What a chance of 1 in 100 can become: whole, or with tenths below 2. It is never understated. */
  readonly number: number;
}

/** Answers of a study of one question that are protected alike. */
export interface Group extends Raised {
  readonly inputs: readonly number[];
}

/** Notions that protect every answer. With others, an answer that isn't sensitive may be sent as it is. */
const WHOLE = ["ldp", "lip", "minid"];

/** Whether a level protects an answer. */
export function isProtectedAt(study: Study, level: string, input: number): boolean {
  const { promised } = study.blocks.find((block) => block.level === level)!;
  return promised !== null && (WHOLE.includes(promised.notion) || promised.sensitive(input));
}

/** Kinds of inputs that are told apart. Of more, all get the largest factor among them. */
const KINDS = 256;

/** What odds can become, in numbers. */
export function raisedBy(odds: Fraction): Raised {
  const tenths = percentOf(odds, 10);
  return { odds, number: tenths < 2 ? tenths : percentOf(odds) };
}

/** Whether odds stay as they are, up to rounding. */
export const isSame = ({ odds }: Raised): boolean => digits(odds) === "1";

/** The guarantee from the side of someone who sees the reports, read off the tables: the protected answers in groups, the best protected first. */
export function raisedAt(study: Study, level: string): Group[] {
  const { channel } = study.blocks.find((block) => block.level === level)!;
  const some = representatives(channel);
  const kinds = new Map<string | number, number[]>();
  for (let input = 0; input < channel.size; input += 1) {
    if (!isProtectedAt(study, level, input)) continue;
    const kind = channel.kind(input);
    if (!kinds.get(kind)?.push(input)) kinds.set(kind, [input]);
  }
  const found = [...kinds.values()].map((inputs) => {
    const [a, b] = largest(some.filter((other) => other !== inputs[0]).map((other) => channel.pair(inputs[0]!, other)));
    return { ...raisedBy([a ** BigInt(study.reports), b ** BigInt(study.reports)]), inputs };
  });
  const groups = new Map<number, Group>();
  const all = found.length > KINDS && raisedBy(largest(found.map(({ odds }) => odds)));
  for (const each of found) {
    const { odds, number } = all || each;
    const group = groups.get(number);
    groups.set(number, { odds: largest([odds, group?.odds ?? odds]), number, inputs: [...(group?.inputs ?? []), ...each.inputs].sort((a, b) => a - b) });
  }
  return [...groups.values()].sort((a, b) => a.number - b.number);
}

/** What a chance of 1 in 100 can become: "3 in 100". */
export const raisedTo = ({ number }: Raised, say: Texts): string => say.t("in_hundred", { number });

/** The measure that the page speaks of: what 1 in 100 can become at most, and 50 in 100. */
export const risen = (raised: Raised, say: Texts) => ({ chance: raisedTo(raised, say), half: say.t("in_hundred", { number: percentOf(raised.odds, 1, 50) }) });

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

/** Groups of answers that are drawn: of more, the first ones and the last one. */
const DRAWN = 4;

/** Before and after: 1 in 100, and at most so many, for an answer or for each of several groups. The sentence above it explains the pictures. */
export function beliefs(groups: readonly (readonly [about: string, raised: Raised])[], say: Texts): HTMLElement {
  const drawn = groups.length > DRAWN ? [...groups.slice(0, DRAWN - 1), groups.at(-1)!] : groups;
  const after = drawn.map(([about, raised]) => {
    const head = drawn.length > 1 ? `${say.t("belief_after")}: ${about}` : say.t("belief_after");
    return [head, raised.number, say.t("belief_at_most", { chance: raisedTo(raised, say) }), raised.number > WEAK ? "weak" : ""] as const;
  });
  return h(
    "div",
    { class: "beliefs" },
    drawn.length === 1 && h("p", { class: "whose" }, drawn[0]![0]),
    hundreds([say.t("belief_before"), 1, say.t("in_hundred", { number: 1 })], ...after),
    groups.at(-1)![1].number > WEAK && h("p", { class: "weak-protection" }, say.t("belief_weak")),
  );
}
