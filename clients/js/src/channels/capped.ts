import { must } from "../errors.js";
import { type Fraction, ONE } from "../exact.js";
import { selection, type Source, uniform } from "../source.js";
import { AGAINST, count, type WireForm, integer, type Value, type Wire } from "./channel.js";
import { ascending, packed } from "./sets.js";

/** Several choices with a cap: a set of at most `cap` of the boxes, or one of the marks (such as a refusal), reported as a set of fixed size. */
export interface Capped extends Wire {
  readonly boxes: number;
  readonly marks: number;
  readonly cap: number;
  /** The largest Q(y|set)/Q(y|other set) over all reports and sets. No report shows a set. */
  readonly ratio: Fraction;
  /** A report about boxes that are ticked, or a mark (numbered behind the boxes). */
  draw(own: readonly number[], source: Source): Value;
}

/** How many ways there are to choose so many of n. */
function ways(n: number, chosen: number): bigint {
  let found = 1n;
  for (let k = 0; k < chosen; k += 1) found = (found * BigInt(n - k)) / BigInt(k + 1);
  return found;
}

export function capped(form: WireForm): Capped {
  const [boxes, marks, cap, chosen] = [count(form["boxes"]), count(form["marks"], 0), count(form["cap"]), count(form["chosen"])];
  const include = integer(form["include"]);
  const items = boxes + marks;
  const all = items + cap;
  must(items <= 1024 && cap <= boxes && chosen <= items, "a count is out of range");
  const misses = ways(items, chosen);
  const hits = ways(all, chosen) - misses;
  must((ONE - include) * hits <= include * misses && include < ONE, AGAINST);
  /** A report that contains a member of the set: one comes first, and others at random. A report with i members can come about in i ways. */
  const meeting = (members: readonly number[], source: Source): readonly number[] => {
    for (;;) {
      const first = members[Number(uniform(BigInt(cap), source))]!;
      const found = [first, ...[...selection(all - 1, chosen - 1, source)].map((j) => (j < first ? j : j + 1))];
      const inside = found.filter((item) => members.includes(item)).length;
      if (inside < 2 || !uniform(BigInt(inside), source)) return found;
    }
  };
  return {
    boxes,
    marks,
    cap,
    ratio: [include * misses, (ONE - include) * hits],
    draw(own, source) {
      const members = [...own, ...Array.from({ length: cap - own.length }, (_, k) => items + k)];
      if (source.word() < include) return { set: ascending(meeting(members, source)) };
      const others = Array.from({ length: all }, (_, item) => item).filter((item) => !members.includes(item));
      return { set: ascending([...selection(items, chosen, source)].map((j) => others[j]!)) };
    },
    ...packed(all),
  };
}
