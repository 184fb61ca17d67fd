/** Grids on maps: which place a cell is near, and the land below the cells. The same rules as in src/sottovoce/domain/maps.py. */
import { type Axis, type Basemap, type Domain, type Place } from "../src/index.js";
import { UNITS } from "../src/maps.js";

/** How many diagonals of a cell a place may lie away from the middle of a cell that is named after it. */
const NEAR = 1.5;

/** How many times as high as wide a grid is drawn: on the ground, if it has a map, or with square cells. */
export function proportion({ axes, map }: Domain): number {
  const [down, across] = axes as [Axis, Axis];
  let found = down.labels.length / across.labels.length;
  if (map) {
    const [[south, north], [west, east]] = [down.bounds!, across.bounds!];
    found = (north - south) / ((east - west) * Math.cos(((south + north) * Math.PI) / 360));
  }
  return Math.min(2, Math.max(0.3, found));
}

/** The number of the cell in which a place lies. */
export function cellOf({ axes }: Domain, { x, y }: Place): number {
  const [rows, columns] = axes.map(({ labels }) => labels.length) as [number, number];
  const at = (value: number, cells: number) => Math.min(cells - 1, Math.floor((value * cells) / UNITS));
  return at(UNITS - y, rows) * columns + at(x, columns);
}

const known = new WeakMap<Domain, (Place | undefined)[]>();

/** The place that a cell can be named after: the nearest one, if it's near enough. */
export function placeNear(domain: Domain, code: number): Place | undefined {
  const places = domain.map?.places;
  if (!places?.length) return undefined;
  let found = known.get(domain);
  if (!found) {
    const [rows, columns] = domain.axes.map(({ labels }) => labels.length) as [number, number];
    const high = proportion(domain); // y counts so many times as much as x
    const far = NEAR ** 2 * ((UNITS / columns) ** 2 + ((high * UNITS) / rows) ** 2);
    found = Array.from({ length: domain.size }, (_, cell) => {
      const [row, column] = [Math.floor(cell / columns), cell % columns];
      const [x, y] = [(UNITS * (column + 0.5)) / columns, (UNITS * (rows - row - 0.5)) / rows];
      let [least, nearest]: [number, Place | undefined] = [far, undefined];
      for (const place of places) {
        const away = (place.x - x) ** 2 + (high * (place.y - y)) ** 2;
        if (away < least || (!nearest && away === far)) [least, nearest] = [away, place];
      }
      return nearest;
    });
    known.set(domain, found);
  }
  return found[code];
}

/** Whether a cell lies beyond all land that the map shows. */
export function isOutside({ axes, map }: Domain, code: number): boolean {
  const outlines = map ? map.shapes.filter(({ land }) => land).map(({ outline }) => outline) : [];
  if (!outlines.length) return false;
  const [rows, columns] = axes.map(({ labels }) => labels.length) as [number, number];
  const cell = [code % columns, rows - 1 - Math.floor(code / columns)] as const;
  return [columns, rows].some((cells, k) => {
    const at = outlines.flatMap((outline) => {
      let place = 0;
      return outline.flatMap((step, j) => (j % 2 === k ? [(place += step)] : []));
    });
    const [low, high] = [cell[k]!, cell[k]! + 1].map((edge) => (edge * UNITS) / cells) as [number, number];
    return at.every((place) => place <= low) || at.every((place) => place >= high);
  });
}

const SVG = "http://www.w3.org/2000/svg";

/** Land, water and lines as a picture that takes the size of its place. */
export function ground({ shapes, lines }: Basemap): SVGSVGElement {
  const picture = document.createElementNS(SVG, "svg");
  for (const [name, value] of Object.entries({ class: shapes.length ? "ground" : "ground dry", viewBox: `0 0 ${UNITS} ${UNITS}`, preserveAspectRatio: "none", "aria-hidden": "true" }))
    picture.setAttribute(name, value);
  const draw = (look: string, [x, y, ...steps]: readonly number[], end: string) => {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("class", look);
    path.setAttribute("d", `M${x} ${y}l${steps.join(" ")}${end}`);
    picture.append(path);
  };
  for (const { land, outline } of shapes) draw(land ? "land" : "water", outline, "z");
  for (const line of lines) draw("border", line, "");
  return picture;
}
