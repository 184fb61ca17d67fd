/** What the colours and the marks of a map mean: the key of the reports (src/sottovoce/findings/charts/map_legend.py). */
import { h, s } from "../dom.js";
import { type Key, keysOf, TITLE } from "./map_shades.js";
import type { Part } from "./specs.js";

/** The key, with the names of the places that have numbers on the map. */
export function mapKey(estimate: Part, sensitive: (code: number) => boolean, places: readonly string[]): HTMLElement {
  const entry = (kind: string, text: string, ...marks: SVGElement[]) => {
    const drawing = s("svg", { class: kind, viewBox: "0 0 16 16", "aria-hidden": "true" }, ...marks);
    return h("li", { class: kind === "share" ? "" : "said" }, drawing, text);
  };
  const square = (look: string) => s("rect", { class: look, width: 16, height: 16 });
  const marks = {
    share: ({ shade }: Key) => square(`fill-share-${shade}`),
    blank: () => s("rect", { class: "blank", x: 0.5, y: 0.5, width: 15, height: 15 }),
    sensitive: () => s("circle", { class: "ring", cx: 8, cy: 8, r: 4.5 }),
  };
  const shades = keysOf(estimate, sensitive).map((key) => entry(key.kind, key.text, marks[key.kind](key)));
  const numbered = places.map((name, k) => entry("number", name.replace(/^near /, ""), square("fill-share-5"), s("text", { x: 8, y: 12.5 }, String(k + 1))));
  return h(
    "div",
    { class: "map-key" },
    h("p", {}, TITLE),
    h("ul", { class: "shades" }, ...shades),
    numbered.length > 0 && h("p", {}, "Largest shares"),
    numbered.length > 0 && h("ul", { class: "places" }, ...numbered),
  );
}
