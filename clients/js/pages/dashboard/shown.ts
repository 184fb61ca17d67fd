import type { Domain } from "../../src/index.js";
import { fill, h, visible } from "../dom.js";
import { english } from "../english.js";
import { itemName } from "../names.js";
import type { Estimate, Share } from "./api.js";
import { Figure } from "./figure.js";
import { density, Summaries } from "./numbers.js";
import { map } from "./maps.js";
import { bars, order } from "./specs.js";
import { cells, Table } from "./table.js";
import { counted, digitsFor, largestShare, levelWords, percent, remark, whole } from "./words.js";

/** Items that a chart's label names. */
const NAMED = 3;
/** Rows of a table that doesn't fold by itself. */
const FEW = 12;

/** What is known of the items besides their names: their domain, and which are sensitive. */
export interface Known {
  readonly domain: Domain;
  readonly sensitive: (code: number) => boolean;
}

/** What can be shown: the estimate of a study, or of one of its questions. `whose` says what the shares are of. */
export type Showable = Pick<Estimate, "items" | "level" | "people" | "method" | "margins" | "found" | "note" | "mean" | "quantiles" | "tags"> & {
  readonly whose?: string;
};

/** An estimate: its figures, a chart, its table and the tags. */
export class Shown {
  readonly figure = new Figure();
  private readonly table: Table;
  private readonly words: HTMLElement;
  private readonly summaries: Summaries;
  private readonly margins: HTMLElement;
  private readonly axes = new Map<string, Figure>();
  private readonly tags = h("div", { hidden: true });
  private readonly how: HTMLElement;
  private fold: HTMLDetailsElement | undefined;
  private shownBefore = false;
  readonly elements: readonly HTMLElement[];

  /** `prefix` sets its identifiers apart from those of other questions. With `folds` the table folds under these words. */
  constructor(prefix = "", folds?: string) {
    this.table = new Table(prefix, folds && `${folds}, ${prefix.slice(0, -1)}`);
    this.words = h("p", { id: `${prefix}words`, hidden: true });
    this.summaries = new Summaries(prefix);
    this.margins = h("div", { id: `${prefix}margins`, hidden: true });
    this.how = h("p", { class: "soft small", id: `${prefix}how` });
    this.elements = [this.summaries.element, this.words, this.margins, this.figure.element, this.how, this.tags, ...this.listed(folds)];
  }

  private listed(folds?: string): HTMLElement[] {
    if (!folds) return [h("h3", {}, "Every item"), this.table.element];
    this.fold = h("details", {}, h("summary", {}, folds), this.table.element);
    return [this.fold];
  }

  /** `about` says what the method does. */
  show(estimate: Showable, known: Known | undefined, about?: string): void {
    const domain = known?.domain;
    const names = estimate.items.map(({ item }, code) => visible(domain ? nameOf(domain, code) : item));
    const grid = domain && domain.axes.length === 2 && domain.axes.every(({ bounds }) => bounds);
    const name = (code: number) => names[code]!;
    const edges = domain?.axes.length === 1 ? domain.axes[0]!.edges : undefined;
    const drawMap = () => map(estimate, domain!, name, known!.sensitive);
    const make = grid ? drawMap() : edges ? density(estimate, edges) : bars(estimate, name, estimate.whose);
    this.summaries.show(estimate);
    this.words.hidden = !estimate.found?.words;
    this.words.textContent = estimate.found?.words ?? "";
    this.showMargins(estimate);
    const shown = order(estimate).length;
    this.figure.element.hidden = !grid && !edges && !shown; // the words say that nothing was found
    const kind = grid ? "Map" : edges ? "Density" : shown < estimate.items.length ? "Dot plot" : "Bar chart";
    if (grid || edges || shown) void this.figure.draw(make, summary(estimate, names, kind));
    this.how.textContent = [`Method: ${estimate.method}.`, about, estimate.note].filter(Boolean).join(" ");
    this.showTags(estimate);
    this.table.show(estimate, names);
    if (this.fold && !this.shownBefore) this.fold.open = estimate.items.length <= FEW;
    this.shownBefore = true;
  }

  /** A chart and a table for each axis. */
  private showMargins({ margins, level }: Showable): void {
    const names = Object.keys(margins);
    this.margins.hidden = !names.length;
    for (const gone of [...this.axes.keys()].filter((name) => !names.includes(name))) this.axes.delete(gone);
    fill(
      this.margins,
      ...names.flatMap((name) => {
        const items = margins[name]!;
        const figure = this.axes.get(name) ?? new Figure();
        this.axes.set(name, figure);
        void figure.draw(bars({ items, level }, (code) => visible(items[code]!.item)), `Bar chart of the shares of ${visible(name)}. The table below has all numbers.`);
        return [h("h3", {}, name), figure.element, sharesTable(name, `The shares of ${name}, with their ${levelWords(level)} intervals`, items)];
      }),
      ...(names.length ? [h("h3", {}, "All together")] : []),
    );
  }

  private showTags({ tags, level }: Showable): void {
    this.tags.hidden = !tags;
    if (!tags) return;
    const items = tags.map(({ tag, ...share }) => ({ ...share, item: `marked as “${tag}”` }));
    const table = sharesTable("tag", `The share of answers under each tag, with its ${levelWords(level)} interval`, items);
    table.id = "tags";
    fill(this.tags, h("h3", {}, "Answers that people marked as their own"), table);
  }
}

/** A small table of shares. */
export function sharesTable(name: string, about: string, items: readonly Share[]): HTMLElement {
  const rows = items.map((share) => {
    const said = remark(share);
    return h("tr", {}, h("th", { scope: "row" }, share.item, said && h("span", { class: "soft small remark" }, said)), ...cells(share));
  });
  const head = [name, "share", "low", "high"].map((column) => h("th", { scope: "col" }, column));
  return h("table", { class: "shares" }, h("caption", { class: "hidden" }, about), h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows));
}

/** An item by its text, and a cell of a grid by where it is. */
const nameOf = (domain: Domain, code: number): string => (domain.axes.every(({ bounds }) => bounds) ? itemName(domain, code, english) : domain.text(code));

/** A chart in words, for those who do not see it. */
function summary(estimate: Showable, names: readonly string[], kind: string): string {
  const digits = digitsFor(largestShare(estimate));
  const codes = order(estimate).sort((a, b) => (estimate.items[b]!.p ?? 0) - (estimate.items[a]!.p ?? 0));
  const largest = codes.slice(0, NAMED).map((code) => `${names[code]} ${percent(estimate.items[code]!.p, digits)}`);
  const cut = kind === "Dot plot" ? ` ${codes.length} of` : "";
  const named = largest.length ? ` Largest: ${largest.join("; ")}.` : "";
  return `${kind} of the estimated shares of${cut} ${whole(estimate.items.length)} items, from ${counted(estimate.people, "person", "people")}.${named} The table below has all numbers.`;
}
