/** The vectors of spec/: the same words give the same reports as in Python, and the same studies are refused. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { channelOf, type Value } from "../src/channels/index.js";
import { Domain } from "../src/domain.js";
import { explain, readQuestionnaire, readStudy } from "../src/index.js";
import { digits, type Fraction, less } from "../src/exact.js";
import { files, read, replay, VECTORS } from "./support.js";

/** A report as the vectors write it. */
const plain = ({ code, set, seed, bucket }: Value) => code ?? set ?? [`${seed}`, `${bucket}`];

const channels = files(".");
const bytesOf = (encoded: number | string, width: number): string => {
  if (typeof encoded === "string") return Buffer.from(encoded, "base64").toString("hex");
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(encoded);
  return bytes.subarray(0, width).toString("hex");
};

describe.each(channels)("channel %s", (name) => {
  const vector = read(name);
  const channel = channelOf(vector.channel);
  const width = vector.bytes.length / 2 / vector.items.length;

  it("makes the recorded reports of the recorded words, and reads no more", () => {
    const source = replay(vector.words);
    const values: Value[] = vector.items.map((item: number) => channel.draw(item, source));
    expect(values.map(plain)).toEqual(vector.reports);
    expect(source.left).toEqual([]);
    expect(values.map((value) => bytesOf(channel.encode(value), width)).join("")).toBe(vector.bytes);
    for (const value of values) expect(channel.decode(channel.encode(value))).toEqual(value);
  });

  it("says of each report how likely every item makes it, as Python does", () => {
    const values: Value[] = vector.reports.map((_: unknown, k: number) => channel.decode(channel.encode(valueOf(vector, k))));
    values.forEach((value, k) => {
      const weights = Array.from({ length: channel.size }, (_, item) => channel.weights(value)(item));
      expect(weights[vector.items[k] as number]![0], "the own item can make it").toBeGreaterThan(0n);
      const top = weights.reduce((a, b) => (less(a, b) ? b : a));
      const found = weights.map(([a, b]) => Number((a * top[1] * 10n ** 15n) / (b * top[0])) / 1e15);
      const expected: number[] | undefined = vector.likelihood[k];
      expected?.forEach((share, item) => expect(found[item]).toBeCloseTo(share, 12));
    });
  });
});

/** A recorded report as a value. */
function valueOf({ reports }: { reports: unknown[] }, k: number): Value {
  const report = reports[k];
  if (typeof report === "number") return { code: report };
  if (typeof (report as unknown[])[0] === "string") return { seed: BigInt((report as string[])[0]!), bucket: Number((report as string[])[1]) };
  return { set: report as number[] };
}

describe("what this one report does to the odds", () => {
  it.each(channels.filter((name) => read(name).likelihood.length))("%s", (name) => {
    const vector = read(name);
    const channel = channelOf(vector.channel);
    const labels = Array.from({ length: channel.size }, (_, k) => `${k}`);
    const study = { domain: new Domain([{ name: "item", labels }]), tags: [], reports: 1, fingerprint: "f", url: "", name: "n", question: "?", minimum: 50 };
    const blocks = [{ level: "", promised: null, channel }];
    vector.reports.forEach((_: unknown, k: number) => {
      const report = { study: "f", id: "", report: channel.encode(valueOf(vector, k)) };
      const likelihood: number[] = vector.likelihood[k];
      const { odds, names } = explain({ ...study, blocks }, { report });
      expect(odds.flatMap(({ inputs }) => inputs).sort((a, b) => a - b)).toEqual([...labels.keys()]);
      const [least, most] = [Math.min(...likelihood), Math.max(...likelihood)];
      for (const { inputs, shown, raised, lowered, words } of odds)
        for (const input of inputs) {
          const own = likelihood[input]!;
          const others = likelihood.filter((_, other) => other !== input);
          expect(shown).toBe(own > 0 && others.every((share) => share === 0));
          if (own === 0) expect(words).toBe("ruled out");
          else if (!shown) {
            if (least === 0) expect(raised).toBe("infinity");
            else expect(ratio(raised) / (own / least)).toSatisfy((excess: number) => excess > 1 - 1e-8 && excess < 1.01);
            expect(ratio(lowered) / (most / own)).toSatisfy((excess: number) => excess > 1 - 1e-8 && excess < 1.01);
          }
        }
      const spoken = most > least * (1 + 1e-9) ? likelihood.flatMap((share, input) => (share > most * (1 - 1e-9) ? [input] : [])) : [];
      expect(names).toEqual(spoken);
    });
  });

  it("refuses a report of another study", async () => {
    const study = await readStudy(read("studies/ldp.json").study);
    expect(() => explain(study, { report: { study: "0".repeat(64), id: "", report: 0 } })).toThrow(/not a report of this study/);
  });
});

const ratio = (text: string): number => (text === "infinity" ? Infinity : Number(text));

it("covers at least 200 reports over all ten kinds of channels", () => {
  const all = channels.map((name) => read(name));
  expect(all.reduce((sum, { items }) => sum + items.length, 0)).toBeGreaterThanOrEqual(200);
  expect(new Set(all.map(({ channel }) => channel.kind)).size).toBe(10);
});

describe.each(files("studies"))("study %s", (name) => {
  const vector = read(`studies/${name}`);

  it("is accepted, and makes the recorded reports", async () => {
    const study = await readStudy(JSON.stringify(vector.study));
    const source = replay(vector.words);
    for (const { level, input, report } of vector.answers) {
      const { channel } = study.blocks.find((block) => block.level === level)!;
      expect(channel.encode(channel.draw(input, source))).toEqual(report);
    }
    expect(source.left).toEqual([]);
  });

  it("has the odds that Python finds", async () => {
    const study = await readStudy(vector.study);
    for (const { level } of study.blocks) {
      const expected = vector.odds[level].map(([shown, ...factors]: [boolean, string, string]) => [shown, ...factors.map(ceiling)]);
      const found: unknown[] = [];
      for (const { inputs, shown, raised, lowered } of explain(study, { level }).odds) for (const input of inputs) found[input] = [shown, raised, lowered];
      expect(found).toEqual(expected);
    }
  });
});

/** A fraction as text, in three digits that do not understate it. */
function ceiling(text: string): string {
  const [a, b] = text.split("/").map(BigInt) as [bigint, bigint];
  return digits([a, b]);
}

describe.each(files("refused"))("bad study %s", (name) => {
  it("is refused", async () => {
    const reading = name.startsWith("questionnaire-") ? readQuestionnaire : readStudy;
    const refusal = expect(reading(readFileSync(new URL(`refused/${name}`, VECTORS), "utf8"))).rejects;
    await refusal.toMatchObject({ name: "SottovoceError", kind: "study" });
    if (/^(questionnaire-)?broken-promise/.test(name)) await refusal.toThrow("its tables do not keep its guarantee");
    if (/^(questionnaire-)?fingerprint/.test(name)) await refusal.toThrow("its fingerprint does not fit");
  });
});

describe("what is no study", () => {
  it.each(["", "[]", "null", "7", '"study"', "{", "{}", `${"[".repeat(50_000)}${"]".repeat(50_000)}`])("%.20s is refused", async (text) => {
    await expect(readStudy(text)).rejects.toMatchObject({ kind: "study" });
    await expect(readQuestionnaire(text)).rejects.toMatchObject({ kind: "study" });
  });
});

describe("three digits never understate a fraction", () => {
  const cases: [Fraction, string][] = [
    [[1n, 1n], "1"],
    [[271828n, 100000n], "2.72"],
    [[2n, 1n], "2"],
    [[1000001n, 1000000n], "1.01"],
    [[1000000001n, 1000000000n], "1"],
    [[1000000001n, 999999999n], "1.01"],
    [[10n, 1n], "10"],
    [[9999n, 1n], "10000"],
    [[1051n, 1n], "1060"],
    [[12345n, 1n], "12400"],
    [[(1n << 64n) + 1n, 1n], "18500000000000000000"],
    [[1n, 0n], "infinity"],
  ];
  it.each(cases)("%s", (fraction, text) => expect(digits(fraction)).toBe(text));
  it("and stays within a hundredth", () => {
    for (let k = 0n; k < 2000n; k += 1n) {
      const fraction: Fraction = [1_000_003n + 7919n * k * k, 1_000_000n];
      const shown = BigInt(Math.round(Number(digits(fraction)) * 1e6));
      expect(less([shown, 1_000_000n], fraction)).toBe(false);
      expect(less(fraction, [shown * 98n, 100_000_000n])).toBe(false);
    }
  });
});

describe("numbers", () => {
  const numbers = new Domain([{ name: "item", labels: ["under 0", "0 to under 1.5", "1.5 to under 4", "4 to 5"], edges: [-Infinity, 0, 1.5, 4, 5] }]);

  it.each([[-1e9, 0], [-0.001, 0], [0, 1], [1.49, 1], [1.5, 2], [4, 3], [5, 3], [7, 3]])("%d falls into bin %d", (value, bin) => expect(numbers.code(value)).toBe(bin));
  it.each([NaN, Infinity, -Infinity])("%d is no answer", (value) => expect(() => numbers.code(value)).toThrow());
  it("has labels too", () => expect(numbers.code("1.5 to under 4")).toBe(2));
  it("may be an axis of a product", () => {
    const product = new Domain([{ name: "age", labels: ["0 to under 50", "50 to 100"], edges: [0, 50, 100] }, { name: "sex", labels: ["f", "m"] }]);
    expect(product.code({ age: 70, sex: "m" })).toBe(3);
  });
});
