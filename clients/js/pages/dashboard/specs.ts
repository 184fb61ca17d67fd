/** Charts as Vega-Lite: the look of the reports that the library writes (src/sottovoce/findings/charts/shares.py). */
import type { Estimate } from "./api.js";
import type { Look, Make } from "./figure.js";
import { digitsFor, ends, percent } from "./numbers.js";
import { levelWords, remark, VAGUE, whole } from "./words.js";

/** Bars that are drawn, the height of a line of a label, and the width up to which a chart is narrow. */
export const MOST = 40;
const LINE = 18;
export const NARROW = 460;

/** Text is as large as the page's: on a phone as the text around it. */
const sizeFor = ({ width }: Look): number => (width <= NARROW ? 16 : 14);

export function styled(look: Look, spec: object): object {
  const size = sizeFor(look);
  const text = { labelColor: look.ink, titleColor: look.ink, labelFontSize: size, titleFontSize: size, titleFontWeight: "normal" };
  return {
    autosize: { type: "fit-x", contains: "padding" },
    background: look.paper,
    padding: 4,
    ...spec,
    config: {
      font: look.font,
      axis: { grid: true, gridColor: look.line, domainColor: look.line, tickColor: look.line, ...text },
      view: { stroke: null },
      legend: text,
      title: { color: look.ink, fontSize: size, fontWeight: "normal", anchor: "start", offset: 8 },
    },
  };
}

export const tooltip = ["name", "share", "interval"].map((field) => ({ field, type: "nominal" }));

/** Shares that are drawn together: those of all items, or those of an axis. */
export type Part = Pick<Estimate, "items" | "level">;

/** The items to draw, the largest first: all, or of more the largest of those that can be told from zero. Numbers and scales keep their order. */
export function order({ items, ordered }: Part & { readonly ordered?: boolean }, most = MOST): number[] {
  const codes = [...items.keys()];
  const many = codes.length > most;
  if (ordered && !many) return codes;
  const drawn = many ? codes.filter((code) => items[code]!.found !== false) : codes;
  return drawn.sort((a, b) => (items[b]!.p ?? 0) - (items[a]!.p ?? 0) || a - b).slice(0, most);
}

/** The digits of the shares of an estimate: those of the items that are drawn. */
export function digitsOf(estimate: Part & { readonly ordered?: boolean }): number {
  const main = order(estimate);
  return digitsFor(main.length ? main.map((code) => estimate.items[code]!) : estimate.items);
}

/** Which items are drawn, if it's not all. */
function heading({ items }: Part, shown: number): string[] {
  if (shown === items.length) return [];
  const known = items.filter(({ found }) => found).length;
  if (!known) return [`the ${MOST} largest of ${whole(items.length)} items`];
  return [known === shown ? `${shown} of ${whole(items.length)} items are clearly above zero` : `the ${shown} largest of ${whole(known)} items that are clearly above zero`];
}

/** A row for an item: its numbers, and what a tooltip says. */
export function row(estimate: Part, names: (code: number) => string, code: number, digits: number) {
  const item = estimate.items[code]!;
  const { p, low, high } = item;
  const interval = low === null || high === null ? "no interval" : `${levelWords(estimate.level)} interval: ${ends(item, digits)}`;
  const said = remark(item);
  return { p: p ?? 0, low, high, name: names(code), share: percent(p, digits, low), interval, said };
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

/** A row for each item: its interval as a pale line, the estimate as a dot, hollow if it may be zero, and the share at the right. */
export function dots(estimate: Part & { readonly ordered?: boolean }, names: (code: number) => string): Make {
  const shown = order(estimate);
  const digits = digitsFor(shown.map((code) => estimate.items[code]!));
  const rows = shown.map((code, k) => ({ ...row(estimate, names, code, digits), k })).map((each) => ({ ...each, label: each.said === VAGUE ? each.said : each.share }));
  const room = Math.max(...rows.map(({ p, high }) => Math.max(p, high ?? 0))) || 1;
  const maybe = rows.some(({ said }) => said && said !== VAGUE) ? ["hollow: may be zero"] : [];
  const head = [...heading(estimate, shown.length), `dot: estimate; line: ${levelWords(estimate.level)} interval`, ...maybe].join("; ");
  return (look) => {
    const labels = rows.map(({ name }) => wrapped(name, 34));
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
        labelPadding: 10,
        ticks: false,
        domain: false,
        grid: false,
      },
    };
    const scale = { domain: [0, room * 1.2], nice: false };
    const axis = { format: room > 0.06 ? ".0%" : room > 0.006 ? ".1%" : ".2%", tickCount: 6 };
    const x = (field: string) => ({ field, type: "quantitative", title: null, scale, axis });
    const dot = { type: "point", size: 90, opacity: 1, strokeWidth: 2 };
    return styled(look, {
      width: look.width,
      height: { step: 14 + LINE * most },
      title: head,
      params: [{ name: "labels", value: labels }],
      data: { values: rows },
      layer: [
        { transform: [{ filter: "isValid(datum.low)" }], mark: { type: "rule", color: look.interval, strokeWidth: 8, strokeCap: "round" }, encoding: { x: x("low"), x2: { field: "high" }, y } },
        { transform: [{ filter: "datum.said === ''" }], mark: { ...dot, color: look.estimate, fill: look.estimate }, encoding: { x: x("p"), y } },
        { transform: [{ filter: "datum.said === 'maybe zero'" }], mark: { ...dot, color: look.estimate, fill: look.paper }, encoding: { x: x("p"), y } },
        { mark: { type: "text", align: "right", color: look.ink, fontSize: sizeFor(look) }, encoding: { x: { value: "width" }, y, text: { field: "label" } } },
      ],
    });
  };
}
