import { must } from "../errors.js";
import { type Fraction, largest, ONE, UNIT } from "../exact.js";
import { place, type Source } from "../source.js";
import { type Channel, codes, type WireForm, integer, integers, list, type Prior } from "./channel.js";

const SUM = "shares do not sum to 2^64";

/** The noise of a direct report: the truth with probability `truth`, otherwise item y with probability `noise[y]`. */
export interface Direct {
  readonly truth: bigint;
  readonly noise: readonly bigint[];
}

export function directOf(form: WireForm): Direct {
  const truth = integer(form["truth"]);
  const noise = integers(form["noise"]);
  must(truth > 0n && noise.reduce((a, b) => a + b, truth) === ONE, SUM);
  return { truth, noise };
}

export function drawDirect({ noise }: Direct, own: number, source: Source): number {
  const found = place(noise, source);
  return found < 0 ? own : found;
}

/** Pr(y)/Q(y|x) and Q(y|x)/Pr(y) for a report whose holders have the weight `mass` in the prior. */
export function beliefs({ truth, noise }: Direct, report: number, mass: bigint, total: bigint): Fraction[] {
  const mean = noise[report]! * total + truth * mass;
  return [
    [mean, noise[report]! * total],
    [(truth + noise[report]!) * total, mean],
  ];
}

export function direct(form: WireForm): Channel {
  const tables = directOf(form);
  const { truth, noise } = tables;
  const size = noise.length;
  return {
    size,
    names: true,
    draw: (item, source) => ({ code: drawDirect(tables, item, source) }),
    ...codes(size),
    weights: ({ code }) => (item) => [noise[code!]! + (code === item ? truth : 0n), 1n],
    kind: (item) => `${noise[item]}`,
    reveals: (item) => !noise[item],
    pair: (item) => (noise[item] ? [truth + noise[item], noise[item]] : UNIT),
    belief: ({ weights, total }) => largest(noise.flatMap((_, y) => beliefs(tables, y, weights[y]!, total))),
  };
}

/** Explicit rows: row x holds the probability of every report. */
export function matrix(form: WireForm): Channel {
  const rows = list(form["rows"]).map(integers);
  const length = rows[0]!.length;
  must(
    rows.every((row) => row.length === length && row.reduce((a, b) => a + b) === ONE),
    SUM,
  );
  const holders = rows[0]!.map((_, y) => rows.filter((row) => row[y]).length);
  const alone = (y: number) => holders[y] === 1;
  return {
    size: rows.length,
    names: length === rows.length,
    draw: (item, source) => ({ code: place(rows[item]!, source) }),
    ...codes(length),
    weights: ({ code }) => (item) => [rows[item]![code!]!, 1n],
    kind: (item) => item,
    reveals: (item) => rows[item]!.some((entry, y) => entry && alone(y)),
    pair: (item, other) => largest(rows[item]!.map((entry, y) => (alone(y) ? UNIT : [entry, rows[other]![y]!]))),
    belief({ weights, total }: Prior) {
      const found = holders.flatMap((_, y) => {
        const column = rows.map((row) => row[y]!);
        const mean = column.reduce((sum, entry, x) => sum + entry * weights[x]!, 0n);
        return column.flatMap((entry): Fraction[] => [[mean, entry * total], [entry * total, mean]]); // all 0 in a report that is never made
      });
      return largest(found);
    },
  };
}
