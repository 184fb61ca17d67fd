/** Which names of places fit on a map. Nothing that must be seen is covered: the numbered cells and the sensitive ones. */
import { type Basemap } from "../../src/index.js";
import { UNITS } from "../../src/maps.js";

/** A part of a map in pixels: left, top, right, bottom. */
export type Box = readonly [number, number, number, number];

/** A name, with the point of its place and the middle of its text, in units of the map. */
export interface Label {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly textX: number;
  readonly textY: number;
}

/** The width of a letter as a part of the size of the text, pixels between two names, and how many squares of a letter's size there are to each name. */
const [LETTER, APART, ROOM] = [0.57, 10, 75];

const touch = (one: Box, other: Box, apart: number): boolean =>
  one[0] < other[2] + apart && other[0] < one[2] + apart && one[1] < other[3] + apart / 2 && other[1] < one[3] + apart / 2;

/** As many names as fit, the first ones first: above or below their place, or beside the cell that is taken there. */
export function placed(basemap: Basemap, first: (name: string) => boolean, taken: readonly Box[], [width, height, size]: readonly [number, number, number]): Label[] {
  const boxes: Box[] = [];
  const found: Label[] = [];
  const places = [...basemap.places].sort((a, b) => Number(first(b.name)) - Number(first(a.name)));
  for (const { name, x, y } of places) {
    if (found.length >= (width * height) / (ROOM * size * size)) break;
    const [left, top, half] = [(x * width) / UNITS, (y * height) / UNITS, (LETTER * size * [...name].length) / 2];
    const own = taken.find((box) => left >= box[0] && left <= box[2] && top >= box[1] && top <= box[3]);
    if (own && !first(name)) continue; // its point would lie on a cell that must be seen
    const [above, below] = [own ? own[1] - 0.7 * size : top - 3 - 0.5 * size, own ? own[3] + 0.7 * size : top + 3 + 0.6 * size];
    const middles = [[left, above], [left, below], [(own?.[2] ?? left) + half + 6, top], [(own?.[0] ?? left) - half - 6, top]] as const;
    for (const [a, b] of middles) {
      const box: Box = [a - half, b - 0.55 * size, a + half, b + 0.55 * size];
      const inside = box[0] >= 2 && box[1] >= 2 && box[2] <= width - 2 && box[3] <= height - 2;
      if (!inside || boxes.some((other) => touch(box, other, APART)) || taken.some((other) => touch(box, other, 1))) continue;
      boxes.push(box);
      found.push({ name, x, y, textX: (a * UNITS) / width, textY: (b * UNITS) / height });
      break;
    }
  }
  return found;
}
