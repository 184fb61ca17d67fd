/** Maps of grids as Vega-Lite, like those of reports (src/sottovoce/findings/charts/maps.py): land below, and above it what was found, in blue. */
import { visible } from "../dom.js";
import { type Axis, type Basemap, type Domain } from "../../src/index.js";
import { UNITS } from "../../src/maps.js";
import { proportion } from "../places.js";
import type { Share } from "./api.js";
import type { Look, Make } from "./figure.js";
import { type Box, placed } from "./map_labels.js";
import { NARROW, type Part, row, styled, tooltip } from "./specs.js";
import { digitsFor, percent } from "./numbers.js";
import { largestShare } from "./words.js";

/** How dark the largest share is, and the parts of it that a key shows. */
export const [DARKEST, SHOWN] = [0.9, [0.1, 0.4, 1]] as const;
/** At most how wide a map is, how wide it is on a phone, and the part of its cell that an uncertain share covers. */
const [WIDEST, PHONE, SMALL] = [620, 318, 0.5];
/** The part of the shares from which on most of them are uncertain, how many of the largest have numbers, and how much of the text's size a digit needs. */
const [MOSTLY, NUMBERED, DIGIT] = [0.75, 5, 0.75];
/** The shade from which on a number has the colour of paper. */
const DARK = 0.6;

/** The points of an outline or a line, on the axes. */
function* points({ axes }: Domain, steps: readonly number[]): Generator<{ x: number; y: number }> {
  const [[south, north], [west, east]] = axes.map(({ bounds }) => bounds!) as [readonly [number, number], readonly [number, number]];
  let [x, y] = [0, 0];
  for (let k = 0; k < steps.length; k += 2) {
    [x, y] = [x + steps[k]!, y + steps[k + 1]!];
    yield { x: west + ((east - west) * x) / UNITS, y: north - ((north - south) * y) / UNITS };
  }
}

/** Water, land and lines such as borders. */
function ground(domain: Domain, basemap: Basemap, at: object, look: Look): object[] {
  const box = [0, 0, UNITS, 0, 0, UNITS, -UNITS, 0];
  const areas = [{ land: !basemap.shapes.length, outline: box }, ...basemap.shapes];
  const listed = (outlines: readonly (readonly number[])[]) => outlines.flatMap((steps, area) => [...points(domain, steps)].map((point, n) => ({ ...point, area, n })));
  const along = { ...at, order: { field: "n", type: "quantitative" }, detail: { field: "area", type: "nominal" }, tooltip: { value: null } };
  const fill = { field: "area", type: "ordinal", scale: { domain: areas.map((_, k) => k), range: areas.map(({ land }) => (land ? look.land : look.water)) }, legend: null };
  const shore = { type: "line", stroke: look.shore, clip: true };
  return [
    { data: { values: listed(areas.map(({ outline }) => outline)) }, mark: { ...shore, interpolate: "linear-closed", strokeWidth: 0.6 }, encoding: { ...along, fill } },
    ...(basemap.lines.length ? [{ data: { values: listed(basemap.lines) }, mark: { ...shore, strokeWidth: 0.8 }, encoding: along }] : []),
  ];
}

/** The names of places that fit beside what is `taken`, with the points where the places are. */
function names(domain: Domain, basemap: Basemap, at: object, look: Look, first: (name: string) => boolean, taken: readonly Box[], size: readonly [number, number, number]): object[] {
  const shown = placed(basemap, first, taken, size);
  const here = shown.map(({ x, y }) => points(domain, [x, y]).next().value!);
  const values = shown.map(({ name, textX, textY }) => ({ ...points(domain, [textX, textY]).next().value!, place: visible(name) }));
  const text = { type: "text", fontSize: size[2], baseline: "middle" };
  const encoding = { ...at, text: { field: "place", type: "nominal" }, tooltip: { value: null } };
  return [
    { data: { values: here }, mark: { type: "point", filled: true, size: 12, color: look.ink, opacity: 1 }, encoding: { ...at, tooltip: { value: null } } },
    { data: { values }, mark: { ...text, color: "transparent", stroke: look.land, strokeWidth: 3, strokeOpacity: 0.85, strokeJoin: "round" }, encoding },
    { data: { values }, mark: { ...text, color: look.ink }, encoding },
  ];
}

/** How sure the shares that were found are: of a "most" uncertain map, all cells are drawn in full, and the page says so once. */
export function uncertainty({ items }: Part): "none" | "some" | "most" {
  const found = items.filter((each) => each.found === true);
  const unsure = found.filter(isUnsure).length;
  return !unsure ? "none" : unsure > MOSTLY * found.length ? "most" : "some";
}

const isUnsure = ({ found, p, low, high }: Share): boolean => found === true && low !== null && high !== null && high - low > (p ?? 0);

/** The largest shares that were found, which have numbers on the map and rows in the table below it. */
export function largestPlaces({ items }: Part): number[] {
  const found = [...items.keys()].filter((code) => items[code]!.found !== false);
  return found.sort((a, b) => (items[b]!.p ?? 0) - (items[a]!.p ?? 0) || a - b).slice(0, NUMBERED);
}

/** A map of a grid: each cell at its coordinates, the first axis upwards, sensitive cells framed. */
export function map(estimate: Part, domain: Domain, named: (code: number) => string, sensitive: (code: number) => boolean): Make {
  const [down, across] = domain.axes as [Axis, Axis];
  const basemap = domain.map;
  const largest = largestShare(estimate) || 1;
  const digits = digitsFor(estimate.items);
  const edge = ({ bounds, labels }: Axis, place: number) => bounds![0] + ((bounds![1] - bounds![0]) * place) / labels.length;
  const marked = estimate.items.filter((_, code) => sensitive(code)).length;
  const framed = marked > 0 && marked < estimate.items.length;
  const some = uncertainty(estimate) === "some";
  const largestOnes = largestPlaces(estimate);
  const values = estimate.items.map((item, code) => {
    const [i, j] = domain.places(code) as [number, number];
    const shown = row(estimate, named, code, digits);
    const share = item.found === false ? 0 : Math.max(0, shown.p);
    const unsure = some && isUnsure(item);
    const away = unsure && !largestOnes.includes(code) ? (1 - SMALL) / 2 : 0; // an uncertain share is a smaller square, unless it has a number
    const place = { y: edge(down, i + away), y2: edge(down, i + 1 - away), x: edge(across, j + away), x2: edge(across, j + 1 - away) };
    const whole = { top: edge(down, i), bottom: edge(down, i + 1), left: edge(across, j), right: edge(across, j + 1) };
    return { ...shown, ...place, ...whole, shade: DARKEST * Math.sqrt(share / largest), unsure, framed: framed && sensitive(code) };
  });
  const boxOf = (code: number, width: number, height: number): Box => {
    const [i, j] = domain.places(code) as [number, number];
    const [wide, high] = [width / across.labels.length, height / down.labels.length];
    return [j * wide, height - (i + 1) * high, (j + 1) * wide, height - i * high];
  };
  return (look) => {
    const narrow = look.width <= NARROW;
    const [size, print] = narrow ? [16, 14] : [14, 12];
    const width = Math.min(look.width, WIDEST);
    const room = basemap ? 10 : narrow ? 20 : 70; // coordinates are needed where no map shows places
    const height = Math.round((width - room) * proportion(domain));
    const letter = (sides: string) => `format(abs(datum.value), '~f') + '° ' + (datum.value < 0 ? '${sides[1]}' : '${sides[0]}')`;
    const place = (field: string, { name, bounds }: Axis, sides: string) => ({
      field,
      type: "quantitative",
      title: basemap ? null : visible(name),
      scale: { domain: bounds, nice: false, zero: false },
      axis: basemap ? null : { tickCount: 3, grid: false, labelOverlap: true, ...(AXES.has(name) ? { labelExpr: letter(sides) } : { format: "~f" }) },
    });
    const at = { x: place("x", across, "EW"), y: place("y", down, "NS") };
    const cell = { ...at, x2: { field: "x2" }, y2: { field: "y2" }, tooltip };
    const opacity = { field: "shade", type: "quantitative", scale: null };
    const around = { x: place("left", across, "EW"), x2: { field: "right" }, y: place("top", down, "NS"), y2: { field: "bottom" }, tooltip };
    const frame = { transform: [{ filter: "datum.framed" }], mark: { type: "rect", fillOpacity: 0, stroke: look.ink, strokeWidth: 1.5, strokeOpacity: 0.85 }, encoding: around };
    const sizes = [width - room, height, size] as const;
    const codes = hasNumbers(domain) ? largestOnes : [];
    const middle = (code: number) => ({ x: (values[code]!.x + values[code]!.x2) / 2, y: (values[code]!.y + values[code]!.y2) / 2 });
    const numbers = codes.map((code, k) => ({ ...middle(code), number: String(k + 1), dark: values[code]!.shade >= DARK }));
    const numbered = [true, false].map((dark) => ({
      data: { values: numbers.filter((each) => each.dark === dark) },
      mark: { type: "text", fontSize: size, fontWeight: "bold", color: dark ? look.paper : look.ink },
      encoding: { ...at, text: { field: "number", type: "nominal" }, tooltip: { value: null } },
    }));
    const taken = values.flatMap((each, code) => (each.framed || codes.includes(code) ? [boxOf(code, sizes[0], height)] : []));
    const first = (name: string) => largestOnes.some((code) => named(code).endsWith(` ${visible(name)}`));
    const blank = estimate.items.some(({ found }) => found === false);
    const small = values.some(({ unsure }) => unsure);
    const said = [`Darkest blue: ${percent(largest, digits)}.`, blank && "No colour: may be zero.", small && "Small square: the interval is wider than the share.", framed && "Framed: sensitive place.", uncertainty(estimate) === "most" && MOSTLY_UNSURE];
    return styled(look, {
      width,
      height,
      ...(look.alone && { title: { text: wrapped(said.filter(Boolean).join(" "), (1.7 * width) / size), fontSize: size, subtitle: basemap?.credit ? wrapped(`Map: ${basemap.credit}`, (1.9 * width) / print) : [], subtitleColor: look.ink, subtitleFontSize: print } }),
      data: { values },
      layer: [
        ...(basemap && basemap.shapes.length + basemap.lines.length ? ground(domain, basemap, at, look) : []),
        { transform: [{ filter: "datum.shade > 0" }], mark: { type: "rect", stroke: null, fill: look.land }, encoding: cell }, // a colour means the same on land and on water
        { mark: { type: "rect", stroke: null, fill: look.estimate }, encoding: { ...cell, opacity } },
        ...(framed ? [frame] : []),
        ...(basemap?.places.length ? names(domain, basemap, at, look, first, taken, sizes) : []),
        ...numbered,
        { mark: { type: "rect", fill: "transparent", stroke: null }, encoding: around }, // the whole of a cell shows its tip
      ],
    });
  };
}

/** What a map says of which most shares are uncertain. */
export const MOSTLY_UNSURE = "Most of these shares are uncertain: their intervals are wider than the shares. Read the map as a whole, not cell by cell.";

/** Axes whose numbers are degrees. */
const AXES: ReadonlySet<string> = new Set(["latitude", "longitude"]);

/** Whether the cells of a map have room for a digit, also on a phone. */
export const hasNumbers = (domain: Domain): boolean =>
  Math.min(PHONE / domain.axes[1]!.labels.length, (PHONE * proportion(domain)) / domain.axes[0]!.labels.length) >= DIGIT * 16;

/** A text in lines. */
function wrapped(text: string, most: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    if (lines.at(-1) && lines.at(-1)!.length + word.length >= most) lines.push(word);
    else lines[lines.length - 1] = `${lines.at(-1)} ${word}`.trim();
  }
  return lines;
}
