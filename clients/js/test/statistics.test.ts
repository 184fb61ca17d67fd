/**
 * The reports are as private as the tables say: a test that accepts a channel at its level refuses the same channel at 1.1 times it.
 *
 * For two items, the event is the set of reports that tell them apart the most. Its two frequencies may differ by no more than e^level;
 * the test refuses where their observed ratio is above that by six standard errors (a false alarm in 10^9). Seeds are fixed.
 */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Channel, channelOf } from "../src/channels/index.js";
import { type Fraction, less } from "../src/exact.js";
import { secureSource, type Source } from "../src/index.js";

const LEVELS = new URL("../../../spec/vectors/levels/", import.meta.url);
const DRAWS = 120_000;
const ALARM = 6;

/** SplitMix64: reproducible, and good enough to test with. */
function seeded(seed: bigint): Source {
  let state = seed;
  const cut = (x: bigint) => BigInt.asUintN(64, x);
  return {
    word() {
      state = cut(state + 0x9e3779b97f4a7c15n);
      let z = cut((state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n);
      z = cut((z ^ (z >> 27n)) * 0x94d049bb133111ebn);
      return z ^ (z >> 31n);
    },
  };
}

/** How many standard errors the observed privacy loss lies above a level. */
function excess(channel: Channel, [one, two]: [number, number], level: number, source: Source, draws = DRAWS): number {
  const most = channel.pair(one, two);
  const telling = (item: number) => {
    let count = 0;
    for (let k = 0; k < draws; k += 1) {
      const value = channel.draw(item, source);
      const [mine, theirs] = [one, two].map(channel.weights(value)) as [Fraction, Fraction];
      if (mine[0] && !less([mine[0] * theirs[1], mine[1] * theirs[0]], most)) count += 1;
    }
    return (count + 0.5) / (draws + 1);
  };
  const [f, g] = [telling(one), telling(two)];
  return (Math.log(f / g) - level) / Math.sqrt((1 - f) / (draws * f) + (1 - g) / (draws * g));
}

describe.each(readdirSync(LEVELS))("%s", (name) => {
  const { level, items, right, wrong } = JSON.parse(readFileSync(new URL(name, LEVELS), "utf8"));
  const draws = right.kind === "hash-tables" ? 5 * DRAWS : DRAWS; // only some of the tables tell the two items apart the most

  it("is accepted at its level", () => {
    const found = excess(channelOf(right), items, level, seeded(7n), draws);
    expect(found).toBeLessThan(ALARM);
    expect(found, "and is not far below it: the test has something to see").toBeGreaterThan(-ALARM);
  });

  it("is refused at 1.1 times its level", () => {
    expect(excess(channelOf(wrong), items, level, seeded(8n), draws)).toBeGreaterThan(ALARM);
  });
});

describe("the system's randomness", () => {
  const { level, items, right, wrong } = JSON.parse(readFileSync(new URL("direct-krr.json", LEVELS), "utf8"));

  it("gives reports at the level, and would show a channel above it", () => {
    expect(excess(channelOf(right), items, level, secureSource())).toBeLessThan(ALARM);
    expect(excess(channelOf(wrong), items, level, secureSource())).toBeGreaterThan(ALARM);
  });

  it("has every bit set half of the time", () => {
    const source = secureSource();
    const ones = new Array<number>(64).fill(0);
    for (let k = 0; k < 20_000; k += 1) {
      const word = source.word();
      for (let bit = 0; bit < 64; bit += 1) ones[bit]! += Number((word >> BigInt(bit)) & 1n);
    }
    for (const count of ones) expect(Math.abs(count - 10_000)).toBeLessThan(7 * Math.sqrt(5_000));
  });
});
