/** Numbers on the dashboard: the mean and the quartiles with their intervals, and the distribution with a band (as src/sottovoce/findings/charts/numbers.py draws it). */
import { fill, h } from "../dom.js";
import type { Estimate, Summary } from "./api.js";
import type { Make } from "./figure.js";
import { NARROW, styled } from "./specs.js";
import { digitsFor, ends, percent } from "./numbers.js";
import { levelWords, VAGUE } from "./words.js";

export const QUARTILES: Readonly<Record<string, string>> = { 0.25: "lower quartile", 0.5: "median", 0.75: "upper quartile" };

/** Whether a number would look like an end of its interval with so many decimals, and isn't one. */
function seemsAnEnd(summary: Summary, digits: number): boolean {
  const { value, low, high } = summary;
  if (value === null || low === null || high === null || !(low < value && value < high)) return false;
  const [said, ...both] = rounded(summary, digits);
  return both.includes(said);
}

/** The digits that the narrowest interval is worth: two units of the last one or more, and one more if a number would look like an end. The widest one may have a digit less. */
function digitsOf(all: readonly Summary[]): number {
  const widths = all.map(({ low, high }) => (high ?? 0) - (low ?? 0)).filter((width) => width > 0 && Number.isFinite(width));
  const worth = (width: number) => Math.max(0, Math.ceil(Math.log10(2 / width)));
  const digits = widths.length ? Math.min(worth(Math.min(...widths)), worth(Math.max(...widths)) + 1) : 2;
  return digits + Number(all.some((each) => seemsAnEnd(each, digits)));
}

/** A number and its interval, all rounded to the nearest. */
export function rounded({ value, low, high }: Summary, digits: number): [value: string, low: string, high: string] {
  if (value === null) return ["", "", ""];
  const end = (edge: number | null) => (edge === null ? "" : (Number(edge.toFixed(digits)) + 0).toFixed(digits));
  return [value.toFixed(digits), end(low), end(high)];
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
          return h("div", {}, h("dt", {}, name), h("dd", each.remark ? { class: "soft" } : {}, each.remark ? VAGUE : value || "not known"), low && high && h("dd", { class: "soft small" }, `${low} to ${high}`));
        }),
      ),
      ...[...notes].map((note) => h("p", { class: "soft small" }, note)),
    );
  }
}

/** Whether steps are as wide as each other, up to a part of their mean. */
function even(steps: readonly number[], most: number): boolean {
  const mean = steps.reduce((sum, step) => sum + step, 0) / steps.length;
  return steps.every((step) => Math.abs(step - mean) <= most * mean);
}

/** The width of a typical interval, in heights of the highest line, above which the line says nothing. */
const WIDEST = 1;

/** The middle of some numbers. */
const median = (numbers: readonly number[]): number => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;

/** The share of each range as a step, with a band for the intervals. Open ranges are as wide as the ones beside them. */
export function density(estimate: Pick<Estimate, "items" | "level" | "mean" | "cumulative">, edges: readonly number[]): Make {
  const drawn = [...edges];
  const last = drawn.length - 1;
  if (drawn[0] === -Infinity) drawn[0] = Number.isFinite(drawn[2]) ? 2 * drawn[1]! - drawn[2]! : drawn[1]! - 1;
  if (drawn[last] === Infinity) drawn[last] = 2 * drawn[last - 1]! - drawn[last - 2]!;
  const widths = drawn.slice(1).map((edge, k) => edge - drawn[k]!);
  const alike = even(widths, 0.01);
  const log = !alike && drawn[0]! > 0 && even(drawn.slice(1).map((edge, k) => Math.log(edge / drawn[k]!)), 0.15); // edges are rounded to short numbers
  const whole = alike || log;
  const digits = digitsFor(estimate.items);
  const rows = estimate.items.map(({ item, p, low, high }, k) => {
    const by = whole ? 1 : widths[k]!;
    const interval = low === null || high === null ? "no interval" : ends({ low, high }, digits);
    return { x: drawn[k], x2: drawn[k + 1], y: (p ?? 0) / by, low: low === null ? null : low / by, high: high === null ? null : high / by, zero: 0, name: item, share: percent(p, digits), interval };
  });
  const steps = rows.flatMap(({ x, x2, y }, k) => [{ x, y, at: 2 * k }, { x: x2, y, at: 2 * k + 1 }]);
  const band = rows.every(({ low, high }) => low !== null && high !== null);
  if (estimate.cumulative?.length && band && median(rows.map(({ low, high }) => high! - low!)) > WIDEST * Math.max(...rows.map(({ y }) => y))) {
    return cumulativeShares(estimate, estimate.cumulative, [drawn[0]!, drawn[last]!], log);
  }
  const legend = ["line: estimate", ...(band ? [`band: ${levelWords(estimate.level)} interval of each range`] : [])];
  return (look) => {
    const x = { field: "x", type: "quantitative", title: null, scale: { domain: [drawn[0], drawn[last]], nice: false, zero: false, type: log ? "log" : "linear" }, axis: { grid: false, tickCount: 8, labelFlush: false } };
    const y = (field: string) => ({ field, type: "quantitative", title: whole ? "share of the people" : "share of the people, for each unit", axis: { format: whole ? "%" : "~g", tickCount: 5 } });
    const tooltip = ["name", "share", "interval"].map((field) => ({ field, type: "nominal" }));
    const box = { x, x2: { field: "x2" }, tooltip };
    const mean = estimate.mean?.remark ? undefined : estimate.mean?.value;
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

/** The share below each number with a band, if the shares of single ranges are too uncertain to draw. */
function cumulativeShares({ level, mean }: Pick<Estimate, "level" | "mean">, shares: NonNullable<Estimate["cumulative"]>, [least, most]: readonly [number, number], log: boolean): Make {
  const rows = [{ value: least, p: 0, low: 0, high: 0 }, ...shares, { value: most, p: 1, low: 1, high: 1 }];
  const values = rows.map((row) => ({ ...row, words: `up to ${Number(row.value.toPrecision(12))}`, share: percent(row.p, 0), interval: ends(row, 0) }));
  const legend = ["line: share below each number", `band: ${levelWords(level)} intervals`, "single ranges are too uncertain to draw"];
  return (look) => {
    const x = { field: "value", type: "quantitative", title: null, scale: { domain: [least, most], nice: false, zero: false, type: log ? "log" : "linear" }, axis: { grid: false, tickCount: 8 } };
    const y = (field: string) => ({ field, type: "quantitative", title: "share below", scale: { domain: [0, 1] }, axis: { format: "%", values: [0, 0.5, 1] } });
    const tooltip = ["words", "share", "interval"].map((field) => ({ field, type: "nominal" }));
    return styled(look, {
      width: look.width,
      height: 260,
      title: look.width <= NARROW ? legend : legend.join("; "),
      data: { values },
      layer: [
        { mark: { type: "area", color: look.interval, opacity: 0.75 }, encoding: { x, y: y("low"), y2: { field: "high" } } },
        { mark: { type: "line", color: look.estimate, strokeWidth: 2.5, point: { color: look.estimate } }, encoding: { x, y: y("p"), tooltip } },
        ...(typeof mean?.value === "number" ? [{ data: { values: [{ value: mean.value }] }, mark: { type: "rule", color: look.ink, strokeDash: [4, 3] }, encoding: { x } }] : []),
      ],
    });
  };
}
