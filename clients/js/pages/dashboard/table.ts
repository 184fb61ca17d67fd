import { fill, h } from "../dom.js";
import type { Share } from "./api.js";
import { MOST, type Part } from "./specs.js";
import { digitsFor, largestShare, percent, percentDown, percentUp, remark, whole } from "./words.js";

/** Rows that are shown at most, and items from which on they can be searched. */
const ROWS = 200;
const SEARCHED = 20;

const COLUMNS = ["item", "share", "low", "high"] as const;
type Column = (typeof COLUMNS)[number];

/** The cells of a share and its interval. */
export const cells = ({ p, low, high }: Omit<Share, "item">, digits = 1): HTMLElement[] =>
  [percent(p, digits), percentDown(low, digits), percentUp(high, digits)].map((text) => h("td", {}, text));

/** The estimate as a table, which can be sorted and searched: the chart for those who read rather than look. */
export class Table {
  readonly element: HTMLElement;
  private readonly body = h("tbody");
  private readonly note = h("p", { class: "soft small", role: "status", hidden: true });
  private readonly search: HTMLInputElement;
  private readonly field: HTMLElement;
  private readonly heads = new Map<Column, HTMLTableCellElement>();
  private sorted: { column: Column; down: boolean } | undefined;
  private estimate: (Part & { readonly mean?: unknown }) | undefined;
  private names: readonly string[] = [];

  /** `prefix` sets its identifiers apart from those of other tables, and `label` its name. */
  constructor(prefix = "", label = "All items") {
    this.search = h("input", { type: "search", id: `${prefix}search`, placeholder: "part of an item’s name", autocomplete: "off", input: () => this.fillRows() });
    this.field = h("p", { class: "search", hidden: true }, h("label", { for: `${prefix}search` }, "Find items"), this.search);
    for (const column of COLUMNS) {
      const button = h("button", { type: "button", class: "sort", click: () => this.sortBy(column) }, h("span", { class: "arrow", "aria-hidden": "true" }), column);
      this.heads.set(column, h("th", { scope: "col", "aria-sort": "none" }, button));
    }
    const head = h("thead", {}, h("tr", {}, ...this.heads.values()));
    const caption = h("caption", { class: "hidden" }, "The estimated share of each item, and its interval");
    const table = h("table", { class: "shares", id: `${prefix}shares` }, caption, head, this.body);
    const scroll = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, table); // keys can scroll it
    this.element = h("div", {}, this.field, scroll, this.note);
  }

  /** Many items are sorted by their shares, unless they have an order of their own (and so a mean). */
  show(estimate: Part & { readonly mean?: unknown }, names: readonly string[]): void {
    if (!this.estimate && estimate.items.length > MOST && !estimate.mean) this.sorted = { column: "share", down: true };
    [this.estimate, this.names] = [estimate, names];
    this.field.hidden = estimate.items.length <= SEARCHED;
    this.fillRows();
  }

  private sortBy(column: Column): void {
    const again = this.sorted?.column === column;
    this.sorted = { column, down: again ? !this.sorted!.down : column !== "item" };
    this.fillRows();
  }

  private fillRows(): void {
    const estimate = this.estimate;
    if (!estimate) return;
    for (const [column, head] of this.heads) {
      const here = this.sorted?.column === column;
      head.setAttribute("aria-sort", here ? (this.sorted!.down ? "descending" : "ascending") : "none");
    }
    const asked = this.field.hidden ? "" : this.search.value.trim().toLowerCase();
    const codes = [...estimate.items.keys()].filter((code) => !asked || `${this.names[code]} ${estimate.items[code]!.item}`.toLowerCase().includes(asked));
    if (this.sorted) codes.sort(this.comparison(estimate, this.sorted.column, this.sorted.down));
    const digits = digitsFor(largestShare(estimate));
    const rows = codes.slice(0, ROWS).map((code) => {
      const item = estimate.items[code]!;
      const said = remark(item);
      const name = h("th", { scope: "row" }, this.names[code], said && h("span", { class: "soft small remark" }, said));
      return h("tr", {}, name, ...cells(item, digits));
    });
    fill(this.body, ...rows);
    const cut = codes.length > ROWS;
    this.note.hidden = !cut && !asked;
    const words = cut
      ? `The first ${whole(ROWS)} of ${whole(codes.length)} items are shown. The files below have all of them.`
      : `${whole(codes.length)} of ${whole(estimate.items.length)} items.`;
    if (this.note.textContent !== words) this.note.textContent = words; // it is said aloud, so only when it changes
  }

  private comparison(estimate: Part, column: Column, down: boolean): (a: number, b: number) => number {
    const sign = down ? -1 : 1;
    const found = (code: number) => Number(estimate.items[code]!.found ?? false);
    if (column === "item") return (a, b) => sign * this.names[a]!.localeCompare(this.names[b]!, "en", { numeric: true }) || a - b;
    const key = column === "share" ? "p" : column;
    if (key === "p" && down) return (a, b) => found(b) - found(a) || (estimate.items[b]!.p ?? -1) - (estimate.items[a]!.p ?? -1) || a - b;
    return (a, b) => sign * ((estimate.items[a]![key] ?? -1) - (estimate.items[b]![key] ?? -1)) || a - b;
  }
}
