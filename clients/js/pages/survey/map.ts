/** A grid that can be enlarged, above its map if there is one. */
import type { Domain } from "../../src/index.js";
import { UNITS } from "../../src/maps.js";
import { h } from "../dom.js";
import { degrees, fixed, onEarth } from "../names.js";
import { ground, proportion } from "../places.js";
import type { Texts } from "../texts.js";

/** How often the map is enlarged by half, the pixels of a cell that is large enough for a finger, and those between numbers at its edges. */
const [STEPS, STEP, ROOMY, APART] = [6, 1.6, 24, 90];

export interface Sheet {
  readonly element: HTMLElement;
  /** The buttons that enlarge it. */
  readonly buttons: HTMLElement;
  zoom(sign: number): void;
  /** Bring a cell into the middle, large enough to be seen. */
  show(cell: HTMLElement): void;
  /** Whether a cell is large enough for a finger. */
  roomy(cell: HTMLElement): boolean;
}

export function sheet(domain: Domain, grid: HTMLElement, say: Texts, current: () => HTMLElement): Sheet {
  const { map } = domain;
  let step = 0;
  const names = h("div", { class: "names", "aria-hidden": "true" });
  const inner = h("div", { class: "sheet", dir: "ltr" }, map && ground(map), grid, names);
  const element = h("div", { class: "map" }, inner);
  element.style.setProperty("--high", String(proportion(domain)));
  element.style.setProperty("--zoom", "1");

  /** Without a map, numbers that stay at the edge of what is seen. */
  const rule = () => {
    const [width, height] = [inner.clientWidth, inner.clientHeight];
    const marks = domain.axes.flatMap((axis, k) => {
      const [[low, high], length] = [axis.bounds!, k ? width : height];
      const least = ((high - low) * APART) / length;
      const power = 10 ** Math.floor(Math.log10(least));
      const step = power * [1, 2, 5, 10].find((each) => each * power >= least)!;
      const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
      const all = Array.from({ length: Math.floor((high - low) / step) + 2 }, (_, each) => (Math.ceil(low / step) + each) * step);
      const inside = all.filter((value) => Math.min(value - low, high - value) * length > 14 * (high - low));
      return inside.map((value) => {
        const mark = h("div", { class: k ? "meridian" : "parallel" }, h("span", {}, onEarth(domain) ? degrees(axis, value, digits, say) : fixed(value, digits, say)));
        mark.style.setProperty("--at", `${(100 * (k ? value - low : high - value)) / (high - low)}%`);
        return mark;
      });
    });
    names.replaceChildren(...marks);
  };
  /** As many names as fit, the most important ones first. */
  const label = () => {
    if (!map) return rule();
    const [width, height] = [inner.clientWidth, inner.clientHeight];
    const letter = 0.56 * parseFloat(getComputedStyle(names).fontSize);
    const boxes: number[][] = [];
    const shown = map.places.filter(({ name, x, y }) => {
      const [left, top, half] = [(x * width) / UNITS, (y * height) / UNITS, (letter * [...name].length) / 2];
      const box = [left - half - 3, top - 2.6 * letter, left + half + 3, top + 0.6 * letter];
      if (box[0]! < 0 || box[1]! < 0 || box[2]! > width || boxes.length > 60 * (1 + step)) return false;
      return !boxes.some((other) => box[0]! < other[2]! && other[0]! < box[2]! && box[1]! < other[3]! && other[1]! < box[3]!) && boxes.push(box);
    });
    names.replaceChildren(
      ...shown.map(({ name, x, y }) => {
        const span = h("span", { dir: "auto" }, name);
        span.style.left = `${(100 * x) / UNITS}%`;
        span.style.top = `${(100 * y) / UNITS}%`;
        return span;
      }),
    );
  };
  const [out, into] = ([-1, 1] as const).map((sign) =>
    h("button", { type: "button", class: "nudge", "aria-label": say.t(sign > 0 ? "grid_zoom_in" : "grid_zoom_out"), disabled: sign < 0, click: () => zoom(sign) }, sign > 0 ? "+" : "−"),
  ) as [HTMLButtonElement, HTMLButtonElement];
  const roomy = (cell: HTMLElement) => cell.clientWidth >= ROOMY;
  const middle = (cell: HTMLElement) => {
    const [box, view] = [cell.getBoundingClientRect(), element.getBoundingClientRect()];
    element.scrollBy(box.left + box.width / 2 - view.left - view.width / 2, box.top + box.height / 2 - view.top - view.height / 2);
  };
  const zoom = (sign: number) => {
    step = Math.min(STEPS, Math.max(0, step + sign));
    element.style.setProperty("--zoom", String(STEP ** step));
    [out.disabled, into.disabled] = [step === 0, step === STEPS];
    middle(current());
    label();
  };
  new ResizeObserver(() => {
    if (step) middle(current()); // a device that is turned loses the place
    label();
  }).observe(element);
  return {
    element,
    buttons: h("div", { class: "nudges", role: "group", "aria-label": say.t("grid_zoom") }, out, into),
    zoom,
    show(cell) {
      while (step < STEPS && !roomy(cell)) zoom(1);
      middle(cell);
    },
    roomy,
  };
}
