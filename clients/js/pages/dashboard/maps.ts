/** Maps of grids as Vega-Lite, like those of reports (src/sottovoce/findings/charts/maps.py): land below, and above it what was found, in blue. */
import { h, s, visible } from "../dom.js";
import { type Axis, type Basemap, type Domain } from "../../src/index.js";
import { UNITS } from "../../src/maps.js";
import { proportion } from "../places.js";
import type { Look, Make } from "./figure.js";
import { NARROW, type Part, row, styled, tooltip } from "./specs.js";
import { digitsFor, percent } from "./numbers.js";
import { largestShare } from "./words.js";

/** How dark the largest share is, at most how wide a map, the parts of the largest share that a legend shows, and that of its cell that an uncertain share covers. */
const [DARKEST, WIDEST, SHOWN, SMALL] = [0.9, 620, [0.1, 0.4, 1], 0.5];

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

/** As many names of places as fit, the most important ones first. */
function names(domain: Domain, basemap: Basemap, at: object, look: Look, [width, height, size]: readonly [number, number, number]): object[] {
  const boxes: number[][] = [];
  const shown = basemap.places.filter(({ name, x, y }) => {
    const [left, top, half] = [(x * width) / UNITS, (y * height) / UNITS, 0.29 * size * [...name].length];
    const box = [left - half, top - size - 3, left + half, top + 3];
    if (box[0]! < 2 || box[1]! < 2 || box[2]! > width - 2 || box[3]! > height - 2 || boxes.length >= (width * height) / (75 * size * size)) return false;
    return !boxes.some((other) => box[0]! < other[2]! + 10 && other[0]! < box[2]! + 10 && box[1]! < other[3]! + 5 && other[1]! < box[3]! + 5) && boxes.push(box);
  });
  const values = shown.map(({ name, x, y }) => ({ ...points(domain, [x, y]).next().value!, place: visible(name) }));
  const text = { type: "text", fontSize: size, dy: -3 - 0.4 * size };
  const encoding = { ...at, text: { field: "place", type: "nominal" }, tooltip: { value: null } };
  return [
    { data: { values }, mark: { ...text, color: "transparent", stroke: look.paper, strokeWidth: 3, strokeOpacity: 0.85, strokeJoin: "round" }, encoding },
    { data: { values }, mark: { type: "point", filled: true, size: 12, color: look.ink, opacity: 1 }, encoding: { ...at, tooltip: { value: null } } },
    { data: { values }, mark: { ...text, color: look.ink }, encoding },
  ];
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
  const values = estimate.items.map(({ found, low, high }, code) => {
    const [i, j] = domain.places(code) as [number, number];
    const shown = row(estimate, named, code, digits);
    const share = found === false ? 0 : Math.max(0, shown.p);
    const unsure = found === true && low !== null && high !== null && high - low > shown.p;
    const away = unsure ? (1 - SMALL) / 2 : 0; // an uncertain share is a smaller square
    const place = { y: edge(down, i + away), y2: edge(down, i + 1 - away), x: edge(across, j + away), x2: edge(across, j + 1 - away) };
    const whole = { top: edge(down, i), bottom: edge(down, i + 1), left: edge(across, j), right: edge(across, j + 1) };
    return { ...shown, ...place, ...whole, shade: DARKEST * Math.sqrt(share / largest), unsure, framed: framed && sensitive(code) };
  });
  return (look) => {
    const narrow = look.width <= NARROW;
    const [size, print] = narrow ? [16, 14] : [13, 11];
    const width = Math.min(look.width, WIDEST);
    const height = Math.round((width - (narrow ? 20 : 70)) * proportion(domain));
    const letter = (sides: string) => `format(abs(datum.value), '~f') + '° ' + (datum.value < 0 ? '${sides[1]}' : '${sides[0]}')`;
    const place = (field: string, { name, bounds }: Axis, sides: string) => ({
      field,
      type: "quantitative",
      title: basemap ? null : visible(name),
      scale: { domain: bounds, nice: false, zero: false },
      axis: narrow && basemap ? null : { tickCount: narrow ? 3 : 5, grid: false, ...(basemap ? { labelExpr: letter(sides) } : { format: "~f" }) },
    });
    const at = { x: place("x", across, "EW"), y: place("y", down, "NS") };
    const cell = { ...at, x2: { field: "x2" }, y2: { field: "y2" }, tooltip };
    const opacity = { field: "shade", type: "quantitative", scale: null };
    const around = { x: place("left", across, "EW"), x2: { field: "right" }, y: place("top", down, "NS"), y2: { field: "bottom" }, tooltip };
    const frame = { transform: [{ filter: "datum.framed" }], mark: { type: "rect", fillOpacity: 0, stroke: look.ink, strokeOpacity: 0.7 }, encoding: around };
    const small = values.some(({ unsure }) => unsure);
    const blank = estimate.items.some(({ found }) => found === false);
    const said = [`Darkest blue: ${percent(largest, digits)}.`, blank && "No colour: maybe zero.", small && "Small square: the interval is wider than the share.", framed && "Framed: sensitive place."];
    return styled(look, {
      width,
      height,
      ...(look.alone && { title: { text: wrapped(said.filter(Boolean).join(" "), (1.7 * width) / size), fontSize: size, subtitle: basemap?.credit ? wrapped(`Map: ${basemap.credit}`, (1.9 * width) / print) : [], subtitleColor: look.ink, subtitleFontSize: print } }),
      data: { values },
      layer: [
        ...(basemap && basemap.shapes.length + basemap.lines.length ? ground(domain, basemap, at, look) : []),
        { mark: { type: "rect", stroke: null, fill: look.estimate }, encoding: { ...cell, opacity } },
        ...(framed ? [frame] : []),
        { mark: { type: "rect", fill: "transparent", stroke: null }, encoding: around }, // the whole of a cell shows its tip
        ...(basemap?.places.length ? names(domain, basemap, at, look, [width - (narrow ? 10 : 60), height, size]) : []),
      ],
    });
  };
}

/** What the colours and the marks of a map mean: shares as squares from pale to blue, then the marks. */
export function mapLegend(estimate: Part, sensitive: (code: number) => boolean): HTMLElement {
  const largest = largestShare(estimate);
  const digits = digitsFor(estimate.items);
  const square = (words: string, kind: string, shade = 0, ...marks: SVGElement[]) => {
    const drawing = s("svg", { width: 14, height: 14, "aria-hidden": "true" }, s("rect", { class: "stroke-shore cell", x: 1, y: 1, width: 12, height: 12, "fill-opacity": shade }), ...marks);
    drawing.classList.add(kind);
    return h("span", {}, drawing, ` ${words}`);
  };
  const marked = estimate.items.filter((_, code) => sensitive(code)).length;
  const unsure = estimate.items.some(({ p, found, low, high }) => found === true && low !== null && high !== null && high - low > (p ?? 0));
  return h(
    "p",
    { class: "key" },
    ...SHOWN.map((part) => square(percent(part * largest, Math.max(digits, 1)), "filled", DARKEST * Math.sqrt(part))),
    estimate.items.some(({ found }) => found === false) && square("no colour: maybe zero", "empty"),
    unsure && square("uncertain: the interval is wider than the share", "partly", 0, s("rect", { class: "uncertain", x: 3.5, y: 3.5, width: 7, height: 7, "fill-opacity": 0.6 })),
    marked > 0 && marked < estimate.items.length && square("sensitive place", "framed"),
  );
}

/** A text in lines. */
function wrapped(text: string, most: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    if (lines.at(-1) && lines.at(-1)!.length + word.length >= most) lines.push(word);
    else lines[lines.length - 1] = `${lines.at(-1)} ${word}`.trim();
  }
  return lines;
}
