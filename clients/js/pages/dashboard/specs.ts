/** Charts as Vega-Lite: the look of the reports that the library writes (src/sottovoce/findings/share_charts.py). */
import type { Estimate } from "./api.js";
import type { Look, Make } from "./figure.js";
import { digitsFor, largestShare, levelWords, percent, percentDown, percentUp, remark, whole } from "./words.js";

/** Bars that are drawn, the height of a line of a label, and the width up to which a chart is narrow. */
export const MOST = 40;
const LINE = 13;
export const NARROW = 460;

export function styled(look: Look, spec: object): object {
  const text = { labelColor: look.ink, titleColor: look.ink, labelFontSize: 11, titleFontSize: 12, titleFontWeight: "normal" };
  return {
    autosize: { type: "fit-x", contains: "padding" },
    background: look.paper,
    padding: 4,
    ...spec,
    config: {
      font: "Arial, Helvetica, Liberation Sans, sans-serif",
      axis: { grid: true, gridColor: look.line, domainColor: look.line, tickColor: look.line, ...text },
      view: { stroke: null },
      legend: text,
      title: { color: look.ink, fontSize: 12, fontWeight: "normal", anchor: "start", offset: 8 },
    },
  };
}

export const tooltip = ["name", "share", "interval"].map((field) => ({ field, type: "nominal" }));

/** Shares that are drawn together: those of all items, or those of an axis. */
export type Part = Pick<Estimate, "items" | "level">;

/** The items to draw: all in their order. If there are more, the largest of those that can be told from zero. */
export function order({ items }: Part, most = MOST): number[] {
  const codes = [...items.keys()];
  if (codes.length <= most) return codes;
  return codes.filter((code) => items[code]!.found !== false).sort((a, b) => (items[b]!.p ?? 0) - (items[a]!.p ?? 0)).slice(0, most);
}

/** Which items are drawn, if it's not all. */
function heading({ items }: Part, shown: number): string[] {
  if (shown === items.length) return [];
  const known = items.filter(({ found }) => found).length;
  if (!known) return [`the ${MOST} largest of ${whole(items.length)} items`];
  return [known === shown ? `${shown} of ${whole(items.length)} items can be told from zero` : `the ${shown} largest of ${whole(known)} items that can be told from zero`];
}

/** A row for an item: its numbers, and what a tooltip says. */
export function row(estimate: Part, names: (code: number) => string, code: number, digits: number) {
  const item = estimate.items[code]!;
  const { p, low, high } = item;
  const interval = low === null || high === null ? "no interval" : `${levelWords(estimate.level)} interval: ${percentDown(low, digits)} to ${percentUp(high, digits)}`;
  const said = remark(item);
  return { p: p ?? 0, low, high, name: names(code), share: percent(p, digits), interval, said, strength: said ? 0.3 : 0.75 };
}

/** A label in lines, about as long as there is room for. Long words break behind hyphens. */
function wrapped(label: string, most: number): string[] {
  const lines = [""];
  const pieces = label.split(/\s+/).flatMap((word) => (word.length > most ? word.split(/(?<=-)/) : [word]).map((piece, k) => [k ? "" : " ", piece] as const));
  for (const [space, piece] of pieces) {
    const last = lines.at(-1)!;
    if (!last) lines[lines.length - 1] = piece;
    else if (last.length + space.length + piece.length <= most) lines[lines.length - 1] = `${last}${space}${piece}`;
    else lines.push(piece);
  }
  return lines.map((line) => (line.length > most + 4 ? `${line.slice(0, most + 3)}…` : line)).slice(0, 3);
}

/** A bar for each item, a line for its interval, the share at the right. The title says what they are shares of. */
export function bars(estimate: Part, names: (code: number) => string, title = "share of the people"): Make {
  const shown = order(estimate);
  const digits = digitsFor(largestShare(estimate));
  const rows = shown.map((code, k) => ({ ...row(estimate, names, code, digits), k })).map((each) => ({ ...each, label: each.said === "can’t tell" ? each.said : each.share }));
  const dots = shown.length < estimate.items.length;
  const intervals = rows.every(({ low, high }) => low !== null && high !== null);
  const least = Math.min(0, ...rows.map(({ p, low }) => Math.min(p, low ?? 0)));
  const room = Math.max(...rows.map(({ p, high }) => Math.max(p, high ?? 0))) || 1;
  const head = heading(estimate, shown.length);
  const marks = `${dots ? "dots" : "bars"}: estimate`;
  const pale = rows.some(({ said }) => said === "maybe zero") ? ["pale: maybe zero"] : [];
  const legend = [marks, ...(intervals ? [`lines: ${levelWords(estimate.level)} intervals`] : []), ...pale].join("; ");
  return (look) => {
    const narrow = look.width <= NARROW;
    const labels = rows.map(({ name }) => wrapped(name, narrow ? 16 : 34));
    const most = Math.max(...labels.map((lines) => lines.length));
    const y = {
      field: "k",
      type: "ordinal",
      title: null,
      scale: { paddingInner: 0.35, paddingOuter: 0.2 },
      axis: {
        labelExpr: "labels[datum.value]", // a parameter: no item's text is ever read as an expression
        labelLimit: 0,
        labelLineHeight: LINE,
        labelBaseline: "middle",
        labelPadding: 6,
        ticks: false,
        domain: false,
        grid: false,
      },
    };
    const scale = { domain: [least, least + (room - least) * (narrow ? 1.3 : 1.16)], nice: false };
    const axis = { format: room > 0.06 ? ".0%" : room > 0.006 ? ".1%" : ".2%", tickCount: narrow ? 4 : 6 };
    const x = (field: string) => ({ field, type: "quantitative", title, scale, axis });
    const line = { color: look.ink, strokeWidth: 1.6 };
    const interval = [
      { mark: { type: "rule", ...line }, encoding: { x: x("low"), x2: { field: "high" }, y } },
      ...["low", "high"].map((end) => ({ mark: { type: "tick", color: look.ink, size: 9, thickness: 1.6 }, encoding: { x: x(end), y } })),
    ];
    return styled(look, {
      width: look.width,
      height: { step: 12 + LINE * most },
      title: [...head, legend].join("; "),
      params: [{ name: "labels", value: labels }],
      data: { values: rows },
      encoding: { tooltip },
      layer: [
        ...(dots ? [] : [{ mark: { type: "bar", color: look.bar }, encoding: { x: x("p"), y, opacity: { field: "strength", type: "quantitative", scale: null } } }]),
        ...(intervals ? interval : []),
        ...(dots ? [{ mark: { type: "point", filled: true, size: 60, opacity: 1, color: look.bar }, encoding: { x: x("p"), y } }] : []),
        { mark: { type: "text", align: "right", color: look.ink, fontSize: 11 }, encoding: { x: { value: "width" }, y, text: { field: "label" } } },
      ],
    });
  };
}
