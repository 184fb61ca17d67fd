/** Numbers on the dashboard: the mean and the quartiles with their intervals, and the distribution with a band (as src/sottovoce/findings/charts/numbers.py draws it). */
import { fill, h } from "../dom.js";
import type { Estimate, Summary } from "./api.js";
import type { Make } from "./figure.js";
import { NARROW, styled } from "./specs.js";
import { digitsFor, ends, percent } from "./numbers.js";
import { levelWords } from "./words.js";

const QUARTILES: Readonly<Record<string, string>> = { 0.25: "lower quartile", 0.5: "median", 0.75: "upper quartile" };

/** The digits that the widest interval is worth. */
function digitsOf(all: readonly Summary[]): number {
  const widest = Math.max(...all.map(({ low, high }) => (high ?? 0) - (low ?? 0)));
  return widest > 0 && Number.isFinite(widest) ? Math.max(0, 1 - Math.floor(Math.log10(widest))) : 2;
}

/** A number and its interval; the ends are rounded outwards. */
export function rounded({ value, low, high }: Summary, digits: number): [value: string, low: string, high: string] {
  if (value === null) return ["", "", ""];
  const scale = 10 ** digits;
  const end = (edge: number | null, side: (x: number) => number) => (edge === null ? "" : (side(Math.round(edge * scale * 1e6) / 1e6) / scale).toFixed(digits));
  return [value.toFixed(digits), end(low, Math.floor), end(high, Math.ceil)];
}

/** The mean and the quartiles, in a row above the chart. */
export class Summaries {
  readonly element: HTMLElement;

  constructor(prefix = "") {
    this.element = h("div", { id: `${prefix}figures`, hidden: true });
  }

  show({ mean, quantiles }: Pick<Estimate, "mean" | "quantiles">): void {
    const listed = [...(mean ? [["mean", mean] as const] : []), ...(quantiles ?? []).map((each) => [QUARTILES[each.q!] ?? `${each.q! * 100} %`, each] as const)];
    this.element.hidden = !listed.length;
    const digits = digitsOf(listed.map(([, each]) => each));
    const alike = new Set(listed.map(([, { note }]) => note)).size === 1; // then it is said once
    const notes = new Set(listed.flatMap(([name, { note }]) => (note ? [alike ? note : `${name[0]!.toUpperCase()}${name.slice(1)}: ${note}`] : [])));
    fill(
      this.element,
      h(
        "dl",
        { class: "figures" },
        ...listed.map(([name, each]) => {
          const [value, low, high] = rounded(each, digits);
          return h("div", {}, h("dt", {}, name), h("dd", {}, value || "not known"), low && high && h("dd", { class: "soft small" }, `${low} to ${high}`));
        }),
      ),
      ...[...notes].map((note) => h("p", { class: "soft small" }, note)),
    );
  }
}

/** The share of each range as a step, with a band for the intervals. Open ranges are as wide as the ones beside them. */
export function density(estimate: Pick<Estimate, "items" | "level" | "mean">, edges: readonly number[]): Make {
  const drawn = [...edges];
  const last = drawn.length - 1;
  if (drawn[0] === -Infinity) drawn[0] = Number.isFinite(drawn[2]) ? 2 * drawn[1]! - drawn[2]! : drawn[1]! - 1;
  if (drawn[last] === Infinity) drawn[last] = 2 * drawn[last - 1]! - drawn[last - 2]!;
  const widths = drawn.slice(1).map((edge, k) => edge - drawn[k]!);
  const alike = widths.every((width) => Math.abs(width / widths[0]! - 1) < 1e-6);
  const log = !alike && drawn[0]! > 0 && drawn.slice(1).every((edge, k) => Math.abs((edge / drawn[k]!) / (drawn[1]! / drawn[0]!) - 1) < 1e-6);
  const whole = alike || log;
  const digits = digitsFor(estimate.items);
  const rows = estimate.items.map(({ item, p, low, high }, k) => {
    const by = whole ? 1 : widths[k]!;
    const interval = low === null || high === null ? "no interval" : ends({ low, high }, digits);
    return { x: drawn[k], x2: drawn[k + 1], y: (p ?? 0) / by, low: low === null ? null : low / by, high: high === null ? null : high / by, zero: 0, name: item, share: percent(p, digits), interval };
  });
  const steps = rows.flatMap(({ x, x2, y }, k) => [{ x, y, at: 2 * k }, { x: x2, y, at: 2 * k + 1 }]);
  const band = rows.every(({ low, high }) => low !== null && high !== null);
  const legend = ["line: estimate", ...(band ? [`band: ${levelWords(estimate.level)} interval of each range`] : [])];
  return (look) => {
    const x = { field: "x", type: "quantitative", title: null, scale: { domain: [drawn[0], drawn[last]], nice: false, zero: false, type: log ? "log" : "linear" }, axis: { grid: false, tickCount: 8, labelFlush: false } };
    const y = (field: string) => ({ field, type: "quantitative", title: whole ? "share of the people" : "share of the people, for each unit", axis: { format: whole ? "%" : "~g", tickCount: 5 } });
    const tooltip = ["name", "share", "interval"].map((field) => ({ field, type: "nominal" }));
    const box = { x, x2: { field: "x2" }, tooltip };
    const mean = estimate.mean?.value;
    return styled(look, {
      width: look.width,
      height: 260,
      title: look.width <= NARROW ? legend : legend.join("; "),
      data: { values: rows },
      layer: [
                ...(band ? [{ mark: { type: "rect", color: look.interval, opacity: 0.75 }, encoding: { ...box, y: y("low"), y2: { field: "high" } } }] : []),
        { mark: { type: "rect", opacity: 0 }, encoding: { ...box, y: y("y"), y2: { field: "zero" } } }, // for tooltips
        { data: { values: steps }, mark: { type: "line", color: look.estimate, strokeWidth: 2.5 }, encoding: { x, y: y("y"), order: { field: "at" } } },
        ...(typeof mean === "number" ? [{ data: { values: [{ x: mean }] }, mark: { type: "rule", color: look.ink, strokeDash: [4, 3] }, encoding: { x } }] : []),
      ],
    });
  };
}
