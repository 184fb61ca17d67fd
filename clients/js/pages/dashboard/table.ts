import { h } from "../dom.js";
import type { Share } from "./api.js";
import { type Column, COLUMNS, type Scale, scaleFor, Shares } from "./shares.js";
import { digitsOf, MOST, type Part } from "./specs.js";
import { whole } from "./words.js";

/** Rows that are shown at most, and items from which on they can be searched and sorted. */
const ROWS = 200;
const SEARCHED = 20;

/** All shares of an estimate. Many of them can be sorted and searched. */
export class Table {
  readonly element: HTMLElement;
  private readonly shares: Shares;
  private readonly note = h("p", { class: "soft small", role: "status", hidden: true });
  private readonly search: HTMLInputElement;
  private readonly field: HTMLElement;
  private readonly scroll: HTMLElement;
  private sorted: { column: Column; down: boolean } | undefined;
  private estimate: (Part & { readonly ordered?: boolean }) | undefined;
  private names: readonly string[] = [];
  private scale: Scale | undefined;

  /** `prefix` sets its identifiers apart from those of other tables, and `label` its name. */
  constructor(prefix = "", label = "All answers") {
    this.search = h("input", { type: "search", id: `${prefix}search`, placeholder: "part of an answer", autocomplete: "off", input: () => this.fillRows() });
    this.field = h("p", { class: "search", hidden: true }, h("label", { for: `${prefix}search` }, "Find answers"), this.search);
    const sortable = (column: Column, name: HTMLElement) =>
      h("button", { type: "button", class: "sort", click: () => this.sortBy(column) }, name, h("span", { class: "sorted", "aria-hidden": "true" }));
    this.shares = new Shares({ caption: "The estimated share of each answer, and its interval", id: `${prefix}shares`, sortable });
    this.scroll = h("div", { role: "region", "aria-label": label }, this.shares.element);
    this.element = h("div", {}, this.field, this.scroll, this.note);
  }

  /** Items are sorted by their shares, unless they have an order of their own. */
  show(estimate: Part & { readonly ordered?: boolean }, names: readonly string[], scale?: Scale): void {
    if (!this.estimate && !estimate.ordered) this.sorted = { column: "share", down: true };
    [this.estimate, this.names, this.scale] = [estimate, names, scale];
    const many = estimate.items.length > SEARCHED;
    this.field.hidden = !many;
    this.element.classList.toggle("many", many);
    if (many) this.scroll.setAttribute("tabindex", "0"); // keys can scroll it
    else this.scroll.removeAttribute("tabindex");
    this.fillRows();
  }

  private sortBy(column: Column): void {
    const again = this.sorted?.column === column;
    this.sorted = { column, down: again ? !this.sorted!.down : column !== "answer" };
    this.fillRows();
  }

  private fillRows(): void {
    const estimate = this.estimate;
    if (!estimate) return;
    for (const column of COLUMNS) {
      const here = this.sorted?.column === column;
      this.shares.heads[column].setAttribute("aria-sort", here ? (this.sorted!.down ? "descending" : "ascending") : "none");
    }
    const asked = this.field.hidden ? "" : this.search.value.trim().toLowerCase();
    const codes = [...estimate.items.keys()].filter((code) => !asked || `${this.names[code]} ${estimate.items[code]!.item}`.toLowerCase().includes(asked));
    if (this.sorted) codes.sort(this.comparison(estimate, this.sorted.column, this.sorted.down));
    const named = (code: number): Share => ({ ...estimate.items[code]!, item: this.names[code]! });
    const shape = { level: estimate.level, scale: this.scale ?? scaleFor(estimate.items), digits: digitsOf(estimate) }; // whatever is searched
    this.shares.show(codes.slice(0, ROWS).map(named), shape);
    const cut = codes.length > ROWS;
    this.note.hidden = !cut && !asked;
    const words = cut
      ? `The first ${whole(ROWS)} of ${whole(codes.length)} answers are shown. The files have all of them.`
      : `${whole(codes.length)} of ${whole(estimate.items.length)} answers.`;
    if (this.note.textContent !== words) this.note.textContent = words; // it is said aloud, so only when it changes
  }

  private comparison(estimate: Part, column: Column, down: boolean): (a: number, b: number) => number {
    const sign = down ? -1 : 1;
    const many = estimate.items.length > MOST; // of these, what was found comes first
    const found = (code: number) => Number(many && (estimate.items[code]!.found ?? false));
    if (column === "answer") return (a, b) => sign * this.names[a]!.localeCompare(this.names[b]!, "en", { numeric: true }) || a - b;
    const key = column === "share" ? "p" : "high";
    if (key === "p" && down) return (a, b) => found(b) - found(a) || (estimate.items[b]!.p ?? -1) - (estimate.items[a]!.p ?? -1) || a - b;
    return (a, b) => sign * ((estimate.items[a]![key] ?? -1) - (estimate.items[b]![key] ?? -1)) || a - b;
  }
}
