/** What the colours and the marks of a map mean. */
import { h, s } from "../dom.js";
import { digitsFor, percent } from "./numbers.js";
import { DARKEST, SHOWN, uncertainty } from "./maps.js";
import type { Part } from "./specs.js";
import { largestShare } from "./words.js";

/** The size of the bar of colours, and how much room its first and its last number have. */
const [LONG, HIGH, BEFORE, AFTER] = [180, 12, 6, 22];

/** The colours as a bar with numbers, then the marks. So many shares have numbers on the map. */
export function mapKey(estimate: Part, sensitive: (code: number) => boolean, numbered: number): HTMLElement {
  const marked = estimate.items.filter((_, code) => sensitive(code)).length;
  const square = (words: string, kind: string, ...marks: SVGElement[]) => {
    const drawing = s("svg", { width: 16, height: 16, "aria-hidden": "true" }, s("rect", { class: "cell", x: 1, y: 1, width: 14, height: 14 }), ...marks);
    drawing.classList.add(kind);
    return h("span", {}, drawing, ` ${words}`);
  };
  return h(
    "p",
    { class: "key" },
    bar(estimate),
    estimate.items.some(({ found }) => found === false) && h("span", {}, "no colour: maybe zero"),
    uncertainty(estimate) === "some" && square("uncertain: the interval is wider than the share", "partly", s("rect", { class: "uncertain", x: 4, y: 4, width: 8, height: 8, "fill-opacity": 0.6 })),
    marked > 0 && marked < estimate.items.length && square("sensitive place", "framed"),
    numbered > 0 && square(`the ${numbered} largest shares, numbered`, "numbered-cell", s("text", { x: 8, y: 12, "text-anchor": "middle" }, "1")),
  );
}

/** The bar: colours grow with the root of the share, so that small shares can be told apart. */
function bar(estimate: Part): HTMLElement {
  const largest = largestShare(estimate);
  const digits = Math.max(1, digitsFor(estimate.items));
  const stop = (offset: number) => s("stop", { class: "shade", offset, "stop-opacity": DARKEST * offset });
  const x = (part: number) => BEFORE + LONG * Math.sqrt(part);
  const ticks = [0, ...SHOWN].flatMap((part) => [
    s("line", { class: "tick-line", x1: x(part), x2: x(part), y1: HIGH, y2: HIGH + 4 }),
    s("text", { x: x(part), y: HIGH + 18, "text-anchor": "middle" }, part ? percent(part * largest, digits) : "0"),
  ]);
  const gradient = s("linearGradient", { id: "shades" }, stop(0), stop(1));
  const frame = { x: BEFORE, y: 0.5, width: LONG, height: HIGH - 0.5 };
  const drawing = s("svg", { class: "bar", width: BEFORE + LONG + AFTER, height: HIGH + 22, "aria-hidden": "true" }, gradient, s("rect", { class: "fill-land", ...frame }), s("rect", { class: "outline", fill: "url(#shades)", ...frame }), ...ticks);
  return h("span", { class: "bar-of-shares" }, drawing);
}
