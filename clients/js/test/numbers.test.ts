/** Shares are written as the library writes them (spec/vectors/written). */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { digitsFor, ends, percent } from "../pages/dashboard/numbers.js";
import { scaleFor, tickTexts } from "../pages/dashboard/shares.js";

interface Row {
  readonly p: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly share: string;
  readonly ends: string;
}
const { tables } = JSON.parse(readFileSync(new URL("../../../spec/vectors/written/shares.json", import.meta.url), "utf8")) as { tables: { name: string; digits: number; rows: Row[] }[] };

describe("shares", () => {
  it.each(tables.map((table) => [table.name, table] as const))("of %s are written alike everywhere", (_name, { digits, rows }) => {
    expect(digitsFor(rows)).toBe(digits);
    for (const row of rows) expect([percent(row.p, digits, row.low), ends(row, digits)]).toEqual([row.share, row.ends]);
  });

  it.each([
    [0.627, [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], 0],
    [1, [0, 0.2, 0.4, 0.6, 0.8, 1], 0],
    [0.27, [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3], 0],
    [0.0062, [0, 0.001, 0.002, 0.003, 0.004, 0.005, 0.006, 0.007], 1],
    [0, [0, 0.0001], 2],
  ])("up to %d are drawn on round ticks", (high, ticks, digits) => {
    const scale = scaleFor([{ low: 0, high: high / 2 }, { low: 0, high }]);
    expect(scale.ticks.map((tick) => Number(tick.toFixed(9)))).toEqual(ticks);
    expect([scale.end, scale.digits]).toEqual([scale.ticks.at(-1), digits]);
  });

  it("have fewer ticks with texts if these need much room", () => {
    const texts = (high: number) => tickTexts(scaleFor([{ low: 0, high }])).map(({ text }) => text);
    expect(texts(0.627)).toEqual(["0%", "20%", "40%", "60%"]);
    expect(texts(0.031)).toEqual(["0%", "1%", "2%", "3%"]);
    expect(texts(0.0031)).toEqual(["0.0%", "0.1%", "0.2%", "0.3%"]);
  });
});
