import { must } from "../errors.js";
import { type Fraction, largest, ONE, UNIT } from "../exact.js";
import { type Channel, codes, count, type WireForm, integer, integers, list } from "./channel.js";
import { only } from "./sets.js";

const sum = (all: readonly bigint[]): bigint => all.reduce((a, b) => a + b, 0n);

/** Noise in every report, and `gain` more in the 2·half + 1 reports around the own place. A free item keeps some of every report, and shows itself otherwise. */
export function window(form: WireForm): Channel {
  const half = count(form["half"], 0);
  const gain = integer(form["gain"]);
  const noise = integers(form["noise"]);
  const length = noise.length;
  const places = length - 2 * half;
  const lifted = form["kept"] !== undefined;
  must(lifted === (form["items"] !== undefined) && lifted === (form["sensitive"] !== undefined), "a part of a lifted window is missing");
  const kept = lifted ? integers(form["kept"]) : [];
  const sensitive = lifted ? list(form["sensitive"]).map((code) => count(code, 0)) : Array.from({ length: Math.max(places, 0) }, (_, x) => x);
  const size = lifted ? count(form["items"]) : places;
  must(gain > 0n && noise.every((share) => share) && gain * BigInt(2 * half + 1) + sum(noise) === ONE, "shares do not sum to 2^64");
  must(
    sensitive.length === places && places > 0 && sensitive.every((item, k) => item < size && (!k || item > sensitive[k - 1]!)),
    "sensitive items do not fit",
  );
  must(!lifted || (kept.length === length && size > places && kept.every((share) => share) && sum(kept) < ONE), "free items do not fit");
  const ranks = new Map(sensitive.map((item, rank) => [item, rank]));
  const free = lifted ? Array.from({ length: size }, (_, item) => item).filter((item) => !ranks.has(item)) : [];
  const numbers = new Map(free.map((item, k) => [item, length + k]));
  const near = (rank: number, code: number) => rank <= code && code <= rank + 2 * half;
  /** Whether a report is near all sensitive items. */
  const nearAll = (y: number) => near(0, y) && near(places - 1, y);
  const between = largest(noise.map((share, y) => (nearAll(y) ? UNIT : [gain + share, share])));
  const raised = largest(kept.map((keep, y) => [noise[y]! + gain, keep]));
  const lowered = largest(kept.map((keep, y) => [keep, nearAll(y) ? noise[y]! + gain : noise[y]!]));
  return {
    size,
    names: !half && !lifted,
    draw(item, source) {
      const rank = ranks.get(item);
      const word = source.word();
      let running = 0n;
      const found = (rank === undefined ? kept : noise).findIndex((share) => word < (running += share));
      if (found >= 0) return { code: found };
      return { code: rank === undefined ? numbers.get(item)! : rank + Number((word - running) / gain) };
    },
    ...codes(length + free.length),
    weights({ code }) {
      if (code! >= length) return only(free[code! - length]!);
      return (item) => {
        const rank = ranks.get(item);
        return [rank === undefined ? kept[code!]! : noise[code!]! + (near(rank, code!) ? gain : 0n), 1n];
      };
    },
    kind: (item) => (ranks.has(item) ? 1 : 0),
    reveals: (item) => !ranks.has(item),
    /** The most that any report can do to any two such items: a little more than to these two, if the noise differs. */
    pair(item, other) {
      if (ranks.has(item)) return ranks.has(other) ? between : raised;
      return ranks.has(other) ? lowered : UNIT;
    },
    belief({ weights, total }) {
      if (lifted) return [1n, 0n];
      const sums = [0n];
      for (const weight of weights) sums.push(sums.at(-1)! + weight);
      return largest(
        noise.flatMap((share, y): Fraction[] => {
          const mean = share * total + gain * (sums[Math.min(y + 1, places)]! - sums[Math.max(y - 2 * half, 0)]!);
          return [
            [mean, (nearAll(y) ? share + gain : share) * total],
            [(share + gain) * total, mean],
          ];
        }),
      );
    },
  };
}
