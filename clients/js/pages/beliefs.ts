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

/** What 50 in 100 can become. */
const halfOf = ({ odds }: Raised): number => percentOf(odds, 1, 50);

/** The size of a dot, as in reports (src/sottovoce/findings/pages/pictures.html). */
const DOT = 3.6;

/** A hundred people as dots, in rows. So many are in colour, and one of them in part if the number isn't whole. */
function people(number: number, weak: boolean): SVGSVGElement {
  const dots = Array.from({ length: 100 }, (_, k) => {
    const place = { cx: 5 + 10 * (k % 10), cy: 5 + 10 * Math.floor(k / 10) };
    const part = Math.min(1, number - k);
    const plain = part < 1 && s("circle", { ...place, r: DOT });
    return [plain, part > 0 && s("circle", { ...place, r: DOT * Math.sqrt(part), class: "one" })];
  });
  return s("svg", { class: weak ? "people weak" : "people", viewBox: "0 0 100 100", "aria-hidden": "true", focusable: "false" }, ...dots.flat());
}

/** Above so many in 100 for what 1 in 100 becomes, a guarantee is called weak, and an answer can seem likelier than all others together. As in src/sottovoce/notions/beliefs.py. */
const [WEAK, LITTLE] = [20, 50];

/** Whether a guarantee is called weak. */
export const isWeak = ({ number }: Raised): boolean => number > WEAK;

/** Whether an answer can seem almost certain, so that "no one can tell for sure" would mislead. */
export const isLittle = ({ number }: Raised): boolean => number > LITTLE;

const arrow = (): SVGElement => s("svg", { class: "arrow", viewBox: "0 0 40 20", "aria-hidden": "true", focusable: "false" }, s("path", { d: "M2 10H36M28 3l8 7-8 7" }));

/** One measure, drawn twice: what 1 in 100 and 50 in 100 become at most. The sentence above it explains the pictures. */
export function beliefs(raised: Raised, say: Texts): HTMLElement {
  const weak = isWeak(raised);
  const panel = (when: string, number: number, said: string) => h("div", {}, people(number, weak), h("p", {}, h("span", { class: "soft small" }, when), " ", h("strong", {}, said)));
  const pair = (before: number, after: number) =>
    h("div", { class: "pair" }, panel(say.t("belief_before"), before, say.t("in_hundred", { number: before })), arrow(), panel(say.t("belief_after"), after, say.t("belief_at_most", { chance: say.t("in_hundred", { number: after }) })));
  return h("div", { class: "beliefs" }, pair(1, raised.number), pair(50, halfOf(raised)), isLittle(raised) && h("p", { class: "caution" }, say.t("belief_weak")));
}
