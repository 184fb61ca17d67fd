/** To what a belief of 1 in 100 can rise: the same numbers as Python's, by vectors, and never less than any report makes of a belief. */
import { describe, expect, it } from "vitest";
import { isProtectedAt, isSame, raisedAt, raisedBy } from "../pages/beliefs.js";
import { percentOf } from "../src/beliefs.js";
import { channelOf } from "../src/channels/index.js";
import { type Fraction, largest } from "../src/exact.js";
import { readQuestionnaire, readStudy, reveal } from "../src/index.js";
import { levelForms } from "../src/questionnaire.js";
import { files, read } from "./support.js";

/** Python's fraction. */
const fraction = (text: string): Fraction => text.split("/").map(BigInt) as unknown as Fraction;
/** Two decimals as a fraction. */
const of = (factor: number): Fraction => (factor === Infinity ? [1n, 0n] : [BigInt(Math.round(100 * factor)), 100n]);

describe("a belief of 1 in 100", () => {
  it.each([[1, 1], [1.11, 1.2], [2.02, 2], [2.03, 3], [2.72, 3], [7.39, 7], [33, 25], [33.1, 26], [99, 50], [99.1, 51], [9801, 99], [9900, 100], [Infinity, 100]])("rises with a factor of %d to %d", (factor, number) =>
    expect(raisedBy(of(factor)).number).toBe(number),
  );

  it("is rounded up by the smallest amount above a whole number", () => {
    const more: Fraction = [99n * 2n ** 64n + 1n, 2n ** 64n];
    expect(raisedBy(more).number).toBe(51);
    expect(Number(more[0]) / Number(more[1])).toBe(99); // which numbers with a point don't see
  });

  it("stays as it is, up to rounding", () => {
    expect(isSame(raisedBy([2n ** 64n + 1n, 2n ** 64n]))).toBe(true);
    expect(isSame(raisedBy([101n, 100n]))).toBe(false);
  });
});

describe.each([1, 50])("a belief of %d in 100", (before) => {
  const [b, rest] = [BigInt(before), BigInt(100 - before)];

  /** Whether n of 1/`parts` is the least that isn't below the exact belief: multiplied out, without a division. */
  function expectLeast([x, y]: Fraction, parts: number): void {
    const n = BigInt(Math.round(percentOf([x, y], parts, before) * parts));
    const reaches = (k: bigint) => x * b * (100n * BigInt(parts) - k) <= rest * y * k;
    expect(reaches(n) && !reaches(n - 1n)).toBe(true);
  }

  it("is never below the exact one, and the least such number: every factor that is printed", () => {
    for (let unit = 1n; unit <= 10n ** 9n; unit *= 10n) for (let three = 100n; three < 1000n; three += 1n) for (const parts of [1, 10]) expectLeast([three * unit, 100n], parts);
  });

  it("is so at every boundary, and 2^-64 beside it", () => {
    for (let n = b + 1n; n < 100n; n += 1n) {
      const [x, y] = [n * rest * 2n ** 64n, (100n - n) * b * 2n ** 64n]; // from b to exactly n in 100
      expect(percentOf([x, y], 1, before)).toBe(Number(n));
      expect(percentOf([x + 1n, y], 1, before)).toBe(Number(n) + 1);
      expect(percentOf([x - 1n, y], 1, before)).toBe(Number(n));
    }
  });
});

describe.each(files("studies"))("study %s", (name) => {
  it("raises it by as much as Python finds, answer by answer", async () => {
    const vector = read(`studies/${name}`);
    const study = await readStudy(vector.study);
    for (const { level, promised } of study.blocks) {
      const found = raisedAt(study, level);
      expect(found.map(({ inputs, number, odds }) => [inputs, number, percentOf(odds, 1, 50)])).toEqual(promised ? vector.beliefs[level] : []);
      const inputs = vector.odds[level].map((_: unknown, input: number) => input).filter((input: number) => isProtectedAt(study, level, input));
      expect(found.flatMap((each) => each.inputs).sort((a, b) => a - b)).toEqual(inputs);
      for (const { inputs, number } of found) {
        const all = inputs.map((input) => fraction(vector.odds[level][input][1])).map(([x, y]): Fraction => [x ** BigInt(study.reports), y ** BigInt(study.reports)]);
        for (const odds of all) expect(raisedBy(odds).number).toBe(number);
      }
    }
  });
});

describe.each(files("questionnaires"))("questionnaire %s", (name) => {
  it("raises it by as much as Python finds", async () => {
    const vector = read(`questionnaires/${name}`);
    const study = await readQuestionnaire(vector.study);
    for (const { name: level } of study.levels) {
      const odds = largest(levelForms(study, level).map(({ ratio }) => ratio));
      expect([raisedBy(odds).number, percentOf(odds, 1, 50)]).toEqual(vector.beliefs[level]);
      expect(reveal(study, { level }).percent).toBe(Math.ceil(vector.beliefs[level][0]));
    }
  });
});

describe.each(files(".").filter((name) => read(name).likelihood.length))("reports of %s", (name) => {
  const { channel: form, likelihood } = read(name);
  const channel = channelOf(form);
  const items = Array.from({ length: channel.size }, (_, item) => item);

  it("raise no belief above the bound, whatever is believed of the other answers", () => {
    for (const item of items.filter((each) => !channel.reveals(each))) {
      const bound = percentOf(largest(items.filter((other) => other !== item).map((other) => channel.pair(item, other))));
      for (const shares of likelihood as number[][])
        for (const prior of [...items.map((only) => items.map((each) => (each === only ? 1 : 0))), items.map(() => 1)]) {
          const others = items.filter((other) => other !== item);
          const weight = others.reduce((sum, other) => sum + prior[other]!, 0);
          if (!weight) continue;
          const rest = others.reduce((sum, other) => sum + (0.99 * prior[other]! * shares[other]!) / weight, 0);
          const own = 0.01 * shares[item]!;
          if (own + rest) expect((100 * own) / (own + rest)).toBeLessThanOrEqual(bound * (1 + 1e-9));
        }
    }
  });
});

it("is reached by reports of the simplest channel", () => {
  const { channel: form, likelihood } = read("direct-krr.json");
  const channel = channelOf(form);
  const [most, least] = [Math.max(...likelihood[0]), Math.min(...likelihood[0])];
  const bound = percentOf(channel.pair(0, 1));
  expect(Math.ceil((100 * most) / (most + 99 * least))).toBe(bound);
});
