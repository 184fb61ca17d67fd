import { must } from "../errors.js";
import { above, below, type Fraction, largest, less, ONE, over, times, UNIT } from "../exact.js";
import { selection, type Source } from "../source.js";
import { AGAINST, count, type WireForm, integer, integers, type Prior, records, type SetLike, type Value, type Wire } from "./channel.js";

/** Sets of items as bits, item 0 in the lowest bit of the first byte. */
export const packed = (size: number): Wire => {
  const width = (size + 7) >> 3;
  const record: Wire["record"] = ({ set }) => {
    const found = new Uint8Array(width);
    for (const item of set!) found[item >> 3]! |= 1 << (item & 7);
    return found;
  };
  return records(width, record, (found) => {
    const set: number[] = [];
    for (let item = 0; item < size; item += 1) if ((found[item >> 3]! >> (item & 7)) & 1) set.push(item);
    return { set };
  });
};

const holds = ({ set }: Value) => {
  const inside = new Set(set);
  return (item: number) => inside.has(item);
};
/** The weights of a report that one item alone can have made. */
export const only = (bare: number) => (item: number): Fraction => [bare === item ? 1n : 0n, 1n];
export const ascending = (items: Iterable<number>): number[] => [...items].sort((a, b) => a - b);

/** The largest change of belief by reports that stand for sets of any size, from each item's low and high weight; rounded up. */
function belief(low: readonly Fraction[], high: readonly Fraction[], { weights, total }: Prior): Fraction {
  const share = (weight: Fraction, x: number) => times(weight, [weights[x]!, total]);
  const sum = (list: readonly Fraction[], round: (fraction: Fraction) => bigint) => list.map(share).reduce((a, b) => a + round(b), 0n);
  const [most, least] = [sum(high, above), sum(low, below)];
  return largest(
    low.flatMap((small, x): Fraction[] => {
      const [own, gone] = [below(share(high[x]!, x)), above(share(small, x))];
      return [
        [most + gone - own, below(small)],
        [above(high[x]!), least + own - gone],
      ];
    }),
  );
}

/** What all channels share that treat items alike and stand for sets. */
export const evenly = (size: number, chosen: number, high: Fraction, low: Fraction, holds: SetLike["holds"]) => ({
  size,
  high,
  low,
  chosen,
  even: true,
  holds,
  weights: (value: Value) => {
    const held = holds(value);
    return (item: number) => (held(item) ? high : low);
  },
  kind: () => 0,
  reveals: () => false,
  pair: () => (size > 1 && chosen < size ? atLeast1(high, low) : UNIT),
  belief: () => atLeast1(high, low), // beliefs change by no more than odds
});

/** a/b, or 1 where that is more. */
const atLeast1 = (a: Fraction, b: Fraction): Fraction => largest([over(a, b)]);

/** A bit for each item: set with probability `present` for the own item, `absent` for the others. */
export function unary(form: WireForm): SetLike {
  const present = integers(form["present"]);
  const absent = integers(form["absent"]);
  const size = present.length;
  must(absent.length === size && present.every((a, j) => a > absent[j]! && a < ONE), AGAINST);
  const items = [...present.keys()];
  const low = (j: number): Fraction => [ONE - present[j]!, ONE - absent[j]!];
  const high = (j: number): Fraction => (absent[j] ? [present[j]!, absent[j]] : low(j));
  const bits = (threshold: (j: number) => bigint, source: Source): Value => {
    const set: number[] = [];
    for (let start = 0; start < size; start += 64) {
      let open = items.slice(start, start + 64).filter(threshold);
      for (let level = 63n; open.length && level >= 0n; level -= 1n) {
        const word = source.word();
        open = open.filter((j) => {
          const wanted = (threshold(j) >> level) & 1n;
          if (((word >> BigInt(j - start)) & 1n) === wanted) return true;
          if (wanted) set.push(j);
          return false;
        });
      }
    }
    return { set: ascending(set) };
  };
  const even = present.every((a, j) => a === present[0] && absent[j] === absent[0]) && absent[0]! > 0n;
  return {
    size,
    high: high(0),
    low: low(0),
    chosen: 0,
    even,
    draw: (item, source) => bits((j) => (j === item ? present : absent)[j]!, source),
    neutral: (source) => bits((j) => absent[j]!, source),
    ...packed(size),
    holds,
    shown: (item) => ({ set: [item] }),
    room: packed,
    weights(value) {
      const bare = value.set!.find((j) => !absent[j]);
      if (bare !== undefined) return only(bare);
      const held = holds(value);
      return (item) => (held(item) ? high(item) : low(item));
    },
    kind: (item) => `${present[item]} ${absent[item]}`,
    reveals: (item) => !absent[item],
    pair: (item, other) => atLeast1(high(item), low(other)),
    belief: (prior) => belief(items.map(low), items.map(high), prior),
  };
}

/** A set of `chosen` items, which holds the own one with probability `include`. */
export function subset(form: WireForm): SetLike {
  const [size, chosen] = [count(form["items"]), count(form["chosen"])];
  const include = integer(form["include"]);
  must(chosen <= size && (chosen === size) === (include === ONE), "sets of this size are not possible");
  must(!less([include, ONE], [BigInt(chosen), BigInt(size)]), AGAINST);
  const all = BigInt(size);
  return {
    ...evenly(size, chosen, [include * all, ONE * BigInt(chosen)], [(ONE - include) * all, ONE * BigInt(size - chosen)], holds),
    draw(item, source) {
      const inside = source.word() < include || chosen === size;
      const others = [...selection(size - 1, inside ? chosen - 1 : chosen, source)].map((j) => (j < item ? j : j + 1));
      return { set: ascending(inside ? [item, ...others] : others) };
    },
    neutral: (source) => ({ set: ascending(selection(size, chosen, source)) }),
    ...packed(size),
    shown: (item) => ({ set: [item] }),
    room: packed,
  };
}
