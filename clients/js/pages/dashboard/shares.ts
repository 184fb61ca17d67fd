/** Tables of shares, whose rows draw their intervals on one scale (docs/decisions/0026-looks.md). */
import { fill, h, s } from "../dom.js";
import { across, place } from "../svg.js";
import type { Share } from "./api.js";
import { type Bounds, digitsFor, ends, percent } from "./numbers.js";
import { levelWords, remark, VAGUE } from "./words.js";

/** What shares are drawn on: from zero to an end, with ticks. */
export interface Scale {
  readonly end: number;
  readonly ticks: readonly number[];
  /** Digits of the ticks. */
  readonly digits: number;
}

/** How shares are shown: on which scale, with how many digits, and the level of the intervals. */
export interface Shape {
  readonly level: number;
  readonly scale?: Scale;
  readonly digits?: number;
}

const STEPS = [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1];
/** Steps of a scale, and letters of its ticks that there is room for: as in src/sottovoce/findings/share_table.py. */
const [MOST_STEPS, LETTERS] = [7, 18];

/** A scale with a few round ticks, on which all of these intervals lie. */
export function scaleFor(shares: Iterable<Bounds>): Scale {
  let most = 0;
  for (const { p, high } of shares) most = Math.max(most, high ?? p ?? 0);
  most = Math.min(1, most);
  const step = STEPS.find((each) => most <= MOST_STEPS * each * 1.001) ?? 0.2;
  const count = Math.max(1, Math.ceil(most / step - 1e-9));
  const ticks = Array.from({ length: count + 1 }, (_, k) => k * step);
  return { end: ticks[count]!, ticks, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9) - 2) };
}

const alike = (a: Scale | undefined, b: Scale): boolean => a?.end === b.end && a.ticks.length === b.ticks.length;

/** Where a share lies on a scale, from 0 to 1. */
const at = (share: number, { end }: Scale): number => Math.min(1, Math.max(0, share / end));

const gridLines = (scale: Scale): SVGElement[] => scale.ticks.map((tick) => s("line", { class: "grid-line", x1: across(at(tick, scale)), x2: across(at(tick, scale)), y1: 0, y2: "100%" }));

/** The texts of the ticks: of all, or of each second one if they need much room. */
export function tickTexts({ ticks, digits }: Scale): { tick: number; text: string }[] {
  const texts = (shown: readonly number[], many: number) => shown.map((tick) => ({ tick, text: percent(tick, many) }));
  const all = texts(ticks, digits);
  if (all.reduce((letters, { text }) => letters + text.length, 0) <= LETTERS) return all;
  const half = ticks.filter((_, k) => k % 2 === 0);
  const least = Array.from({ length: digits + 1 }, (_, many) => many).find((many) => Math.abs(Number((100 * half[1]!).toFixed(many)) - 100 * half[1]!) < 1e-9);
  return texts(half, least ?? digits);
}

const tickLabels = (scale: Scale): SVGElement => s("svg", { class: "ticks" }, ...tickTexts(scale).map(({ tick, text }) => s("text", { class: "tick", x: across(at(tick, scale)), y: "1.2em" }, text)));

/** A row: it is changed in place while people answer, so that nothing moves under the reader. */
class Row {
  private readonly name = h("bdi");
  private readonly remark = h("span", { class: "remark", hidden: true });
  private readonly interval = s("line", { class: "interval", y1: "50%", y2: "50%" });
  private readonly estimate = s("circle", { class: "estimate", cy: "50%", r: 4.5 });
  private readonly drawing = s("svg");
  private readonly share = h("td", { class: "share" });
  private readonly ends = h("span");
  private readonly plot = h("td", { class: "plot", "aria-hidden": "true" }, this.drawing);
  readonly element = h("tr", {}, h("th", { scope: "row" }, this.name), this.plot, this.share, h("td", { class: "ends" }, this.ends, this.remark));
  private drawn: Scale | undefined;

  show(name: string, share: Omit<Share, "item">, scale: Scale, digits: number): void {
    const said = remark(share);
    const vague = said === VAGUE;
    this.element.className = vague ? "vague" : said ? "maybe" : "";
    write(this.name, name);
    this.remark.hidden = !said || vague;
    write(this.remark, said);
    write(this.share, vague ? said : percent(share.p, digits, share.low));
    write(this.ends, ends(share, digits));
    if (!alike(this.drawn, scale)) this.drawing.replaceChildren(...gridLines(scale), this.interval, this.estimate);
    this.drawn = scale;
    const { p, low, high } = share;
    place(this.interval, low === null || high === null ? { visibility: "hidden" } : { visibility: "visible", x1: across(at(low, scale)), x2: across(at(high, scale)) });
    place(this.estimate, p === null || vague ? { visibility: "hidden" } : { visibility: "visible", cx: across(at(p, scale)) });
  }
}

/** Set a text, unless it already has it: what doesn't change can be selected and isn't read aloud again. */
function write(element: Element, text: string): void {
  if (element.textContent !== text) fill(element, text);
}

export const COLUMNS = ["answer", "share", "interval"] as const;
export type Column = (typeof COLUMNS)[number];

export interface SharesOptions {
  readonly caption: string;
  /** What the rows are, above their names: a text, or what sorts them. */
  readonly answer?: string;
  /** Makes the head of a column a button that sorts by it. */
  readonly sortable?: (column: Column, name: HTMLElement) => HTMLElement;
  readonly id?: string;
}

/** A table of shares, which draws them. */
export class Shares {
  readonly element: HTMLTableElement;
  readonly heads: Readonly<Record<Column, HTMLTableCellElement>>;
  private readonly interval = h("span", {}, "Interval");
  private readonly axis = h("th", { scope: "col", class: "plot", "aria-hidden": "true" });
  private readonly body = h("tbody");
  private readonly rows: Row[] = [];
  private drawn: Scale | undefined;

  constructor({ caption, answer = "Answer", id, sortable = (_column, name) => name }: SharesOptions) {
    const head = (column: Column, name: HTMLElement, kind?: string) => h("th", { scope: "col", class: kind }, sortable(column, name));
    this.heads = { answer: head("answer", h("span", {}, answer)), share: head("share", h("span", {}, "Share"), "share"), interval: head("interval", this.interval, "ends") };
    const row = h("tr", {}, this.heads.answer, this.axis, this.heads.share, this.heads.interval);
    this.element = h("table", { class: "shares", id }, h("caption", { class: "unseen" }, caption), h("thead", {}, row), this.body);
  }

  show(shares: readonly Share[], { level, scale = scaleFor(shares), digits = digitsFor(shares) }: Shape): void {
    if (!alike(this.drawn, scale)) fill(this.axis, tickLabels(scale));
    this.drawn = scale;
    write(this.interval, `${levelWords(level)} interval`);
    while (this.rows.length < shares.length) this.body.append(this.rows[this.rows.push(new Row()) - 1]!.element);
    for (const gone of this.rows.splice(shares.length)) gone.element.remove();
    shares.forEach((share, k) => this.rows[k]!.show(share.item, share, scale, digits));
  }
}

/** What the marks of some shares mean. */
export function legend({ level, items }: { readonly level: number; readonly items: readonly Omit<Share, "item">[] }): HTMLElement {
  const maybe = items.some((each) => remark(each) && remark(each) !== VAGUE);
  const dot = (kind: string) => s("svg", { class: kind, width: 14, height: 14, "aria-hidden": "true" }, s("circle", { class: "estimate", cx: 7, cy: 7, r: 4.5 }));
  const line = s("svg", { width: 34, height: 14, "aria-hidden": "true" }, s("line", { class: "interval", x1: 5, x2: 29, y1: 7, y2: 7 }));
  const hollow = maybe && h("span", {}, dot("maybe"), " maybe zero");
  return h("p", { class: "key" }, h("span", {}, dot(""), " estimate"), h("span", {}, line, ` ${levelWords(level)} interval`), hollow);
}
