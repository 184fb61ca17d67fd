/** To what a belief of 1 in 100 can rise: against the odds that Python finds, and against beliefs about recorded reports. */
import { describe, expect, it } from "vitest";
import { isProtectedAt, raisedAt, raisedNumber } from "../pages/beliefs.js";
import { percentOf } from "../src/beliefs.js";
import { channelOf } from "../src/channels/index.js";
import { digits, type Fraction, largest } from "../src/exact.js";
import { readStudy } from "../src/index.js";
import { files, read } from "./support.js";

/** Python's fraction, and how many of 100 a belief of 1 in 100 becomes: p·f/(p·f + 1 − p), rounded up without rounding before. */
const fraction = (text: string): Fraction => text.split("/").map(BigInt) as unknown as Fraction;
const exactly = ([a, b]: Fraction, reports = 1): number => {
  const [above, below] = [a ** BigInt(reports), b ** BigInt(reports)];
  const whole = above + 99n * below;
  return Number((100n * above + whole - 1n) / whole);
};

describe("a belief of 1 in 100", () => {
  it.each([[1, 1], [1.11, 1.2], [2.02, 2], [2.03, 3], [2.72, 3], [7.39, 7], [33, 25], [33.1, 26], [99, 50], [99.1, 51], [9801, 99], [9900, 100], [Infinity, 100], [NaN, 100]])("rises with a factor of %d to %d", (factor, number) =>
    expect(raisedNumber(factor)).toBe(number),
  );

  it("is the least whole number that doesn't understate", () => {
    for (let hundredths = 100n; hundredths < 200_000n; hundredths += 7n) expect(percentOf(Number(hundredths) / 100)).toBe(exactly([hundredths, 100n]));
  });
});

describe("a belief of 50 in 100", () => {
  it("rises by the same formula, rounded up", () => {
    expect(percentOf(1, 1, 50)).toBe(50);
    expect(percentOf(7.39, 1, 50)).toBe(89);
    for (let hundredths = 100n; hundredths < 20_000n; hundredths += 7n) {
      const whole = hundredths + 100n;
      expect(percentOf(Number(hundredths) / 100, 1, 50)).toBe(Number((100n * hundredths + whole - 1n) / whole));
    }
    expect(percentOf(Infinity, 1, 50)).toBe(100);
  });
});

describe.each(files("studies"))("study %s", (name) => {
  it("raises it by no less than Python's odds, and by little more", async () => {
    const vector = read(`studies/${name}`);
    const study = await readStudy(vector.study);
    for (const { level, promised } of study.blocks) {
      const inputs = vector.odds[level].map((_: unknown, input: number) => input).filter((input: number) => isProtectedAt(study, level, input));
      const found = raisedAt(study, level);
      expect(found === null).toBe(promised === null);
      if (!found) continue;
      expect(inputs).toContain(found.input);
      const worst = largest(inputs.map((input: number) => fraction(vector.odds[level][input][1])));
      const least = exactly(worst, study.reports);
      const number = percentOf(found.factor);
      expect(number).toBeGreaterThanOrEqual(least);
      expect(number).toBeLessThanOrEqual(exactly([worst[0] * 1011n, worst[1] * 1000n], study.reports));
    }
  });
});

describe.each(files(".").filter((name) => read(name).likelihood.length))("reports of %s", (name) => {
  const { channel: form, likelihood } = read(name);
  const channel = channelOf(form);
  const items = Array.from({ length: channel.size }, (_, item) => item);

  it("raise no belief above the bound, whatever is believed of the other answers", () => {
    for (const item of items.filter((each) => !channel.reveals(each))) {
      const bound = percentOf(Number(digits(largest(items.filter((other) => other !== item).map((other) => channel.pair(item, other))))));
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
  const bound = percentOf(Number(digits(channel.pair(0, 1))));
  expect(Math.ceil((100 * most) / (most + 99 * least))).toBe(bound);
});
