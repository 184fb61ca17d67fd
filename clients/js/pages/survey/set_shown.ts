/** Many answers that a report speaks for: how many they are, a picture of them if they are places, and a folded list. */
import type { Domain } from "../../src/index.js";
import { type Child, h, s, visible } from "../dom.js";
import { itemName } from "../names.js";
import { ground, placeNear, proportion } from "../places.js";
import type { Texts } from "../texts.js";

/** Answers that are named one by one. Of more, only their number is said at first. */
export const FEW = 6;

/** Whether answers are places of a grid. */
export const isGrid = ({ axes }: Domain): boolean => axes.length === 2 && Boolean(axes[0]!.bounds);

/** How many of all the answers a report speaks for. */
export const counted = (domain: Domain, count: number, all: number, say: Texts): string => say.t(isGrid(domain) ? "set_places" : "set_answers", { count, all });

/** The name of an answer. A place that is near another one needs no coordinates. */
export function shortName(domain: Domain, code: number, say: Texts): string {
  const place = placeNear(domain, code);
  return place ? say.t("near", { place: visible(place.name) }) : itemName(domain, code, say);
}

/** The grid with the cells of the report, above its map if there is one, and the cell that the person chose. */
function picture(domain: Domain, codes: readonly number[], mine: number | null, say: Texts): Child[] {
  const [rows, columns] = domain.axes.map(({ labels }) => labels.length) as [number, number];
  const drawn = (each: readonly number[]) => each.map((code) => `M${code % columns} ${rows - 1 - Math.floor(code / columns)}h1v1h-1z`).join("");
  const cells = s("svg", { class: "set", viewBox: `0 0 ${columns} ${rows}`, preserveAspectRatio: "none", "aria-hidden": "true" }, s("path", { class: "in", d: drawn(codes) }), mine !== null && s("path", { class: "mine", d: drawn([mine]) }));
  const element = h("div", { class: "map still" }, h("div", { class: "sheet", dir: "ltr" }, domain.map && ground(domain.map), cells));
  element.style.setProperty("--high", String(proportion(domain)));
  const entry = (look: string, text: string) => h("li", {}, h("span", { class: `cell ${look}` }), text);
  return [element, h("ul", { class: "legend soft small" }, entry("in", say.t("legend_report")), mine !== null && entry("mine", say.t("your_answer")))];
}

/** The answers themselves: as a picture, and one by one if the person wants that. Places near the same one are listed once. */
export function setShown(domain: Domain, codes: readonly number[], names: readonly string[], mine: number | null, say: Texts): Child[] {
  return [...(isGrid(domain) ? picture(domain, codes, mine, say) : []), h("details", {}, h("summary", { class: "small" }, say.t("set_list")), h("p", { class: "small" }, say.list([...new Set(names)])))];
}
