/** The widest interval against the number of people, both on logarithmic scales: a falling line, where the study is, and the target. */
import { s } from "../dom.js";
import { across } from "../svg.js";
import type { Outlook } from "./api.js";
import { about, points } from "./words.js";

/** Round numbers within the range of some: lines for these are enough on a logarithmic axis. */
function ticks([least, most]: readonly [number, number], steps: readonly number[]): number[] {
  const found: number[] = [];
  for (let power = Math.floor(Math.log10(least)); 10 ** power <= most; power += 1) found.push(...steps.map((step) => step * 10 ** power));
  const within = found.filter((value) => value >= least && value <= most);
  return within.length > 5 && steps.length > 1 ? ticks([least, most], [1]) : within;
}

/** Where a value lies between two others on a logarithmic scale, from 0 to 1. */
const between = (value: number, [least, most]: readonly [number, number]): number => Math.log(value / least) / Math.log(most / least);

const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** A part of the height that a label needs. */
const CLOSE = 0.15;

/** The drawing, which a label describes. Texts lie beside the plot. */
export function curve({ curve: line, margin, people, target, needed, more }: Outlook, label: string): SVGElement {
  const drawn = line.filter((point) => point.margin > 0 && point.margin <= 1);
  const range = (values: readonly number[]): [number, number] => [Math.min(...values), Math.max(...values)];
  const [wide, high] = [range(drawn.map((point) => point.people)), range([...drawn.map((point) => point.margin), target])];
  const x = (value: number) => across(Math.min(1, Math.max(0, between(value, wide))));
  const y = (value: number) => across(1 - Math.min(1, Math.max(0, between(value, high))));
  const plain = (value: number) => String(Number((100 * value).toPrecision(3)));
  const down = ticks(high, [1, 2, 5]).flatMap((value) => [
    s("line", { class: "grid-line", x1: 0, x2: "100%", y1: y(value), y2: y(value) }),
    s("text", { x: -8, y: y(value), dy: "0.35em", "text-anchor": "end" }, plain(value)),
  ]);
  const along = ticks(wide, [1])
    .filter((value) => between(value, wide) < 0.97) // a label stands below its place, and within the page
    .map((value) => s("text", { x: x(value), y: "100%", dy: "1.4em", "text-anchor": "middle" }, short.format(value)));
  const path = drawn.map((point) => `${(100 * between(point.people, wide)).toFixed(2)},${(100 - 100 * between(point.margin, high)).toFixed(2)}`).join(" ");
  const stretched = s("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", width: "100%", height: "100%" }, s("polyline", { class: "falling", points: path }));
  const beside = needed !== null && between(needed, wide) < 0.4; // then the label of the target stands at the other end
  const goal = [
    s("line", { class: "target-line", x1: 0, x2: "100%", y1: y(target), y2: y(target) }),
    s("text", { class: "target-label", x: beside ? "100%" : 4, y: y(target), dy: "-0.4em", "text-anchor": beside ? "end" : "start" }, `target ± ${points(target)}`),
  ];
  const now = Math.max(1, people);
  const close = margin !== null && target > margin && between(target, high) - between(margin, high) < CLOSE; // the line of the target is where the label would be
  const right = margin !== null && between(now, wide) < 0.6 && !close;
  const over = !right || needed === null || between(needed, wide) < 0.2; // where the label of the point at the target has room
  const reached =
    needed === null || more === 0
      ? []
      : [
          s("circle", { class: "reached", cx: x(needed), cy: y(target), r: 5.5 }),
          s("text", { class: "target-label", x: x(needed), y: y(target), dx: over ? 10 : -10, dy: over ? "-0.5em" : "1.3em", "text-anchor": over ? "start" : "end" }, about(needed)),
        ];
  const here =
    margin === null || margin > 1 || margin <= 0
      ? []
      : [
          s("circle", { class: "now", cx: x(now), cy: y(margin), r: 5.5 }),
          s("text", { class: "now-label", x: x(now), y: y(margin), dx: right ? 10 : -10, dy: right ? "-0.3em" : "1.3em", "text-anchor": right ? "start" : "end" }, `now ± ${points(margin)}`),
        ];
  return s("svg", { class: "curve", role: "img", "aria-label": label }, ...down, ...along, stretched, ...goal, ...reached, ...here);
}
