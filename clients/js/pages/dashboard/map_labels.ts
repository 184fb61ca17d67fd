/** Which names of places fit on a map. Nothing that must be seen is covered: shares, numbered cells and sensitive ones. */
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

/** As many names as fit, the first ones first: above or below their place. A place on what is taken has none. */
export function placed(basemap: Basemap, taken: readonly Box[], [width, height, size]: readonly [number, number, number]): Label[] {
  const boxes: Box[] = [];
  const found: Label[] = [];
  for (const { name, x, y } of basemap.places) {
    if (found.length >= (width * height) / (ROOM * size * size)) break;
    const [left, top, half] = [(x * width) / UNITS, (y * height) / UNITS, (LETTER * size * [...name].length) / 2];
    if (taken.some((box) => left >= box[0] && left <= box[2] && top >= box[1] && top <= box[3])) continue;
    for (const middle of [top - 3 - 0.5 * size, top + 3 + 0.6 * size]) {
      const box: Box = [left - half, middle - 0.55 * size, left + half, middle + 0.55 * size];
      const inside = box[0] >= 2 && box[1] >= 2 && box[2] <= width - 2 && box[3] <= height - 19 - size; // the scale is below
      if (!inside || boxes.some((other) => touch(box, other, APART)) || taken.some((other) => touch(box, other, 1))) continue;
      boxes.push(box);
      found.push({ name, x, y, textX: x, textY: (middle * UNITS) / height });
      break;
    }
  }
  return found;
}
