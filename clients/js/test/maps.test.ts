/** Cells of grids on maps: named after the same places as in Python. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import english from "../pages/survey/texts/en.json";
import { breaksOf, classOf, clearShares, keysOf, largestPlaces } from "../pages/dashboard/map_shades.js";
import { itemName } from "../pages/names.js";
import { cellOf, isOutside, proportion } from "../pages/places.js";
import { Texts } from "../pages/texts.js";
import { type Domain, readStudy } from "../src/index.js";
import { UNITS } from "../src/maps.js";

const { study: form } = JSON.parse(readFileSync(new URL("../../../spec/vectors/studies/map.json", import.meta.url), "utf8"));
const say = new Texts(english as never);

it("names cells after the nearest place", async () => {
  const { domain } = await readStudy(form);
  const names = Array.from({ length: domain.size }, (_, code) => itemName(domain, code, say));
  expect(names).toEqual([
    "near Flatiron (40.745° N, 73.995° W)",
    "near Kips Bay (40.745° N, 73.985° W)",
    "near Murray Hill (40.745° N, 73.975° W)",
    "near Penn Station (40.755° N, 73.995° W)",
    "near Bryant Park (40.755° N, 73.985° W)",
    "near Grand Central (40.755° N, 73.975° W)",
    "near Hell's Kitchen (40.765° N, 73.995° W)",
    "near Columbus Circle (40.765° N, 73.985° W)",
    "near Columbus Circle (40.765° N, 73.975° W)",
  ]);
});

it("finds the cell of a place, and draws the box as it is on the ground", async () => {
  const { domain } = await readStudy(form);
  const found = Object.fromEntries(domain.map!.places.map((place) => [place.name, domain.text(cellOf(domain, place))]));
  expect(found).toMatchObject({ "Times Square": "1 / 1", "Penn Station": "1 / 0", Flatiron: "0 / 1", "Columbus Circle": "2 / 1" });
  expect(proportion(domain)).toBeCloseTo(1 / Math.cos((40.755 * Math.PI) / 180), 6);
});

it("knows cells beyond all land of the map, and calls water beside land no such thing", async () => {
  const { domain } = await readStudy(form);
  const outside = (outline: readonly number[], land = true) => {
    const drawn = { axes: domain.axes, size: domain.size, map: { ...domain.map, shapes: [{ land, outline }] } } as unknown as Domain;
    return Array.from({ length: domain.size }, (_, code) => code).filter((code) => isOutside(drawn, code));
  };
  const third = Math.ceil(UNITS / 3);
  expect(outside([0, third, UNITS, 0, 0, UNITS - third, -UNITS, 0])).toEqual([6, 7, 8]); // the first row is in the south
  expect(outside([0, 0, third - 1, 0, 0, UNITS, 1 - third, 0])).toEqual([1, 2, 4, 5, 7, 8]);
  expect(outside([0, 0, 10, 0, UNITS - 10, UNITS, -10, 0])).toEqual([]);
  expect(outside([0, third, UNITS, 0, 0, UNITS - third, -UNITS, 0], false)).toEqual([]); // all of it is land
});

const item = (p: number, low: number | null, found?: boolean) => ({ item: "", p, low, high: low === null ? null : 2 * p, ...(found !== undefined && { found }) });

it("has the same classes of shares as reports", () => {
  expect([breaksOf(0.0313), breaksOf(0.9)]).toEqual([[0.002, 0.005, 0.01, 0.02], [0.05, 0.1, 0.2, 0.5]]); // as the doctest of breaks_of in Python
  expect([0, 0.001, 0.002, 0.0049, 0.01, 0.02, 0.0313].map((share) => classOf(share, 0.0313))).toEqual([0, 1, 2, 2, 4, 5, 5]);
  expect(classOf(1e-300, 1)).toBe(1);
});

it("colours the shares that are clearly above zero", () => {
  const items = [item(0.3, 0.2, true), item(0.2, 0.05, true), item(0.1, 0.06, true), item(0.09, 0.05, true), item(0.08, 0.05, true), item(0.07, 0.034, true), item(0.06, 0.031, true), item(0.09, 0, false), item(0, 0, false)];
  expect(largestPlaces({ items, level: 0.95 })).toEqual([0, 1, 2, 3, 4]);
  expect(clearShares({ items, level: 0.95 })).toEqual([0.3, 0.2, 0.1, 0.09, 0.08, 0.07, 0.06, 0, 0]);
  const keys = keysOf({ items, level: 0.95 }, (code) => code === 8);
  expect(keys.map(({ text }) => text)).toEqual(["20% or more", "10 to 20%", "5 to 10%", "not clearly above zero", "sensitive place, where less is known"]);
  expect(keysOf({ items, level: 0.95 }, () => true).some(({ kind }) => kind === "sensitive")).toBe(false); // all alike
});

it("colours all shares that have no intervals", () => {
  const items = [item(0.5, null), item(0.1, null), item(0, null)];
  expect(clearShares({ items, level: 0.95 })).toEqual([0.5, 0.1, 0]);
  expect(keysOf({ items, level: 0.95 }, () => false).map(({ kind }) => kind)).toEqual(["share", "share"]); // 10 to 20%, and more
});
