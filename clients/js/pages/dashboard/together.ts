import { fill, h, visible } from "../dom.js";
import type { Share, TogetherEstimate } from "./api.js";
import { digitsFor, ends, percent } from "./numbers.js";
import { back, warned } from "./question.js";
import { type Scale, Shares } from "./shares.js";
import { counted } from "./words.js";

/** Combinations that a table shows at most. */
const COMBINATIONS = 200;

/** The names of questions that were asked together. */
export function named(axes: TogetherEstimate["axes"]): string {
  const names = Object.keys(axes);
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Questions that were asked together: all combinations, and of two questions a table of each row. */
export class Together {
  private readonly title = h("h2");
  private readonly about = h("p", { class: "soft small" });
  private readonly all = new Shares({ caption: "The shares of all combinations, and their intervals", answer: "Combination" });
  private readonly tables = h("div");
  private readonly cautions = h("div");
  readonly element: HTMLElement;

  constructor(readonly anchor: string) {
    this.element = h("section", { class: "question", id: anchor }, this.title, this.about, this.all.element, this.tables, this.cautions, back());
  }

  show({ axes, items, within, n, cautions }: TogetherEstimate, level: number, scale: Scale): void {
    this.title.textContent = visible(named(axes));
    this.about.textContent = `Asked together, of ${counted(n, "person", "people")}.`;
    this.all.show(items.slice(0, COMBINATIONS), { level, scale });
    fill(this.tables, within && crossing(axes, "Of those who gave the answer at the left (each row sums to 100%)", within));
    fill(this.cautions, warned(cautions));
  }
}

/** The shares of two questions, one down and one across. */
function crossing(axes: TogetherEstimate["axes"], about: string, shares: readonly Share[]): HTMLElement {
  const [[down, rows], [over, columns]] = Object.entries(axes) as [[string, readonly string[]], [string, readonly string[]]];
  const digits = digitsFor(shares);
  const cell = (share: Share) => h("td", {}, percent(share.p, digits), h("span", { class: "soft small ends" }, ends(share, digits)));
  const head = [`${down} \\ ${over}`, ...columns].map((column) => h("th", { scope: "col" }, column));
  const body = rows.map((row, k) => h("tr", {}, h("th", { scope: "row" }, row), ...shares.slice(k * columns.length, (k + 1) * columns.length).map(cell)));
  const table = h("table", { class: "crossing" }, h("caption", {}, about), h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...body));
  return h("div", { class: "wide-table", tabindex: "0", role: "region", "aria-label": `${named(axes)}: ${about}` }, table);
}
