/** Maps of grids as Vega-Lite, like those of reports (src/sottovoce/findings/charts/maps.py): land below, and above it the shares in classes of blue. */
import { visible } from "../dom.js";
import { type Axis, type Basemap, type Domain } from "../../src/index.js";
import { UNITS } from "../../src/maps.js";
import { proportion } from "../places.js";
import type { Look, Make } from "./figure.js";
import { type Box, placed } from "./map_labels.js";
import { classOf, clearShares, isSome, keysOf, largestPlaces, TITLE } from "./map_shades.js";
import { NARROW, type Part, row, styled, tooltip } from "./specs.js";
import { digitsFor } from "./numbers.js";
import { largestShare } from "./words.js";

/** At most how wide a map is, how wide it is on a phone, how much of the text's size a digit needs, and the class from which on it has the colour of paper. */
const [WIDEST, PHONE, DIGIT, DARK] = [620, 318, 0.75, 4];
/** Kilometres of a degree of latitude, how much a kilometre may differ between the middle of a map and its edges, and how much of its cell a ring takes, and one around a number. */
const [KILOMETRES, ALIKE, RING, AROUND] = [111.2, 0.1, 0.45, 0.95];

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
function names(domain: Domain, basemap: Basemap, at: object, look: Look, taken: readonly Box[], size: readonly [number, number, number]): object[] {
  const shown = placed(basemap, taken, size);
  const here = shown.map(({ x, y }) => points(domain, [x, y]).next().value!);
  const values = shown.map(({ name, textX, textY }) => ({ ...points(domain, [textX, textY]).next().value!, place: visible(name) }));
  const text = { type: "text", fontSize: size[2], baseline: "middle" };
  const encoding = { ...at, text: { field: "place", type: "nominal" }, tooltip: { value: null } };
  return [
    { data: { values: here }, mark: { type: "point", filled: true, size: 9, color: look.ink, opacity: 0.8 }, encoding: { ...at, tooltip: { value: null } } },
    { data: { values }, mark: { ...text, color: "transparent", stroke: look.land, strokeWidth: 3, strokeOpacity: 0.85, strokeJoin: "round" }, encoding },
    { data: { values }, mark: { ...text, color: look.ink, opacity: 0.8 }, encoding },
  ];
}

/** How long a round number of kilometres is, at the lower left. Nothing if it differs much between the north and the south. */
function ruler({ axes }: Domain, at: object, look: Look, size: number): object[] {
  const [[south, north], [west, east]] = axes.map(({ bounds }) => bounds!) as [readonly [number, number], readonly [number, number]];
  const [middle, ...ends] = [(south + north) / 2, south, north].map((each) => Math.cos((each * Math.PI) / 180)) as [number, number, number];
  if (ends.some((each) => Math.abs(each - middle) > ALIKE * middle)) return [];
  const across = (east - west) * KILOMETRES * middle;
  const unit = 10 ** Math.floor(Math.log10(across / 3));
  const length = Math.max(...[1, 2, 5].filter((step) => step * unit <= across / 3)) * unit;
  const words = length >= 1 ? `${Math.round(length).toLocaleString("en")} km` : `${Math.round(1000 * length)} m`;
  const start = west + 0.03 * (east - west);
  const values = [{ x: start, x2: start + ((east - west) * length) / across, y: south + 0.035 * (north - south), words }];
  const text = { type: "text", align: "left", dy: -4 - 0.4 * size, fontSize: size, color: look.ink };
  return [
    { data: { values }, mark: { type: "rule", color: look.ink, strokeWidth: 2 }, encoding: { ...at, x2: { field: "x2" }, tooltip: { value: null } } },
    { data: { values }, mark: text, encoding: { ...at, text: { field: "words", type: "nominal" }, tooltip: { value: null } } },
  ];
}

/** A map of a grid: each cell at its coordinates, the first axis upwards, with a ring on sensitive cells and numbers on the largest shares. */
export function map(estimate: Part, domain: Domain, named: (code: number) => string, sensitive: (code: number) => boolean): Make {
  const [down, across] = domain.axes as [Axis, Axis];
  const basemap = domain.map;
  const largest = largestShare(estimate) || 1;
  const digits = digitsFor(estimate.items);
  const edge = ({ bounds, labels }: Axis, place: number) => bounds![0] + ((bounds![1] - bounds![0]) * place) / labels.length;
  const ringed = isSome(estimate, sensitive);
  const codes = hasNumbers(domain) ? largestPlaces(estimate) : [];
  const clear = clearShares(estimate);
  const values = estimate.items.map((_, code) => {
    const [i, j] = domain.places(code) as [number, number];
    const place = { y: edge(down, i), y2: edge(down, i + 1), x: edge(across, j), x2: edge(across, j + 1) };
    const mark = codes.includes(code) ? String(codes.indexOf(code) + 1) : "";
    return { ...row(estimate, named, code, digits), ...place, shade: classOf(clear[code]!, largest), mark, ring: ringed && sensitive(code) };
  });
  const marked = values.filter(({ mark, ring }) => mark || ring);
  const middles = marked.map((each) => ({ ...each, x: (each.x + each.x2) / 2, y: (each.y + each.y2) / 2, dark: each.shade >= DARK }));
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
    const keys = keysOf(estimate, sensitive).filter(({ kind }) => kind === "share");
    const legend = look.alone ? { title: TITLE, symbolType: "square", symbolOpacity: 1, symbolStrokeWidth: 0 } : null;
    const shown = { range: keys.map(({ shade }) => look.shares[shade - 1]!), domain: keys.map(({ text }) => text) };
    const textOf = new Map(keys.map(({ shade, text }) => [shade, text]));
    const fill = { field: "class", type: "nominal", scale: shown, legend };
    const sizes = [width - room, height, size] as const;
    const marks = [true, false].flatMap((dark) => {
      const [color, some] = [dark ? look.paper : look.ink, middles.filter((each) => each.dark === dark)];
      const wide = Math.min(sizes[0] / across.labels.length, height / down.labels.length);
      const ring = (across: number) => ({ type: "point", filled: false, size: Math.round(across ** 2), stroke: color, strokeWidth: 1.4, opacity: 1 });
      const rings = some.filter((each) => each.ring);
      return [
        { data: { values: rings.filter(({ mark }) => !mark) }, mark: ring(RING * wide), encoding: { ...at, tooltip: { value: null } } },
        { data: { values: rings.filter(({ mark }) => mark) }, mark: ring(Math.max(AROUND * wide, 1.15 * size)), encoding: { ...at, tooltip: { value: null } } },
        { data: { values: some.filter(({ mark }) => mark) }, mark: { type: "text", fontSize: size, fontWeight: "bold", color }, encoding: { ...at, text: { field: "mark", type: "nominal" }, tooltip: { value: null } } },
      ];
    });
    const taken = values.flatMap((each, code) => (each.shade >= (narrow ? DARK : 2) || each.mark || each.ring ? [boxOf(code, sizes[0], height)] : []));
    const said = [estimate.items.some(({ low }) => low !== null) && clear.includes(0) && "No colour: not clearly above zero.", ringed && "Ring: sensitive place, where less is known.", codes.length && `The largest shares: ${codes.map((code, k) => `${k + 1} ${named(code).replace(/^near /, "")}`).join(", ")}.`];
    return styled(look, {
      width,
      height,
      ...(look.alone && { title: { text: wrapped(said.filter(Boolean).join(" "), (1.7 * width) / size), fontSize: size, subtitle: basemap?.credit ? wrapped(`Map: ${basemap.credit}`, (1.9 * width) / print) : [], subtitleColor: look.ink, subtitleFontSize: print } }),
      data: { values },
      resolve: { scale: { fill: "independent" } },
      layer: [
        ...(basemap && basemap.shapes.length + basemap.lines.length ? ground(domain, basemap, at, look) : []),
        { data: { values: values.filter(({ shade }) => shade).map((each) => ({ ...each, class: textOf.get(each.shade)! })) }, mark: { type: "rect", stroke: null, opacity: 1 }, encoding: { ...cell, fill } },
        ...marks,
        ...(basemap?.places.length ? names(domain, basemap, at, look, taken, sizes) : []),
        ...(AXES.has(down.name) && AXES.has(across.name) ? ruler(domain, at, look, size) : []),
        { mark: { type: "rect", fill: "transparent", stroke: null }, encoding: cell }, // all cells show their tips
      ],
    });
  };
}

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
