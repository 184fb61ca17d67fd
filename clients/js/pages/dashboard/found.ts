import type { Study } from "../../src/index.js";
import { fill, h, visible } from "../dom.js";
import { middle } from "../items.js";
import type { Estimate, Share, Tally } from "./api.js";
import { Figure } from "./figure.js";
import type { Choice } from "./keep.js";
import { density, Summaries } from "./numbers.js";
import { bars, map, order } from "./specs.js";
import { cells, Table } from "./table.js";
import { counted, digitsFor, largestShare, levelWords, percent, remark, whole } from "./words.js";

const LEVELS = [0.8, 0.9, 0.95, 0.99];
const NOBODY = "Nobody has answered yet. The estimate appears when there are enough reports.";
/** Items that a chart's label names. */
const NAMED = 3;

/** What was found: a chart, its table, the tags, and how the estimate is made. */
export class FoundSection {
  readonly figure = new Figure();
  private readonly table = new Table();
  private readonly words = h("p", { id: "words", hidden: true });
  private readonly summaries = new Summaries();
  private readonly margins = h("div", { id: "margins", hidden: true });
  private readonly axes = new Map<string, Figure>();
  private readonly tags = h("div", { hidden: true });
  private readonly method = h("select", { id: "method" });
  private readonly level = h("select", { id: "level" });
  private readonly how = h("p", { class: "soft small", id: "how" });
  private readonly refusal = h("p", { class: "notice bad", role: "alert", id: "refusal", hidden: true });
  private readonly empty = h("p", { class: "notice", id: "empty" }, NOBODY);
  private readonly full = h("div", { hidden: true }, this.summaries.element, this.words, this.margins, this.figure.element, this.how, this.tags, h("h3", {}, "Every item"), this.table.element);
  private abouts = new Map<string, string>();
  readonly element = h(
    "section",
    { class: "card", id: "found" },
    h("h2", {}, "Estimate"),
    h(
      "div",
      { class: "row" },
      h("p", {}, h("label", { for: "method" }, "Method"), this.method),
      h("p", {}, h("label", { for: "level" }, "Intervals"), this.level),
    ),
    this.refusal,
    this.empty,
    this.full,
  );

  constructor(choice: Choice, chosen: (part: Partial<Choice>) => void) {
    const levels = [...new Set([...LEVELS, choice.level])].sort();
    fill(this.level, ...levels.map((level) => h("option", { value: level, selected: level === choice.level }, levelWords(level))));
    this.methods([], choice.method);
    this.method.addEventListener("change", () => chosen({ method: this.method.value }));
    this.level.addEventListener("change", () => chosen({ level: Number(this.level.value) }));
  }

  /** Offer the methods that work; the one that was chosen stays. */
  methods(methods: Tally["methods"], chosen: string): void {
    this.abouts = new Map(methods.map(({ method, about }) => [method, about]));
    const names = ["", ...this.abouts.keys()];
    if (!names.includes(chosen)) names.push(chosen);
    if (`${names}` === `${[...this.method.options].map(({ value }) => value)}`) return; // somebody may have it open
    fill(this.method, ...names.map((name) => h("option", { value: name, selected: name === chosen }, name || "automatic")));
  }

  /** Why there is no such estimate (nothing: there is one). */
  refuse(words: string | undefined): void {
    this.refusal.hidden = !words;
    this.refusal.textContent = words ? `${words}${this.full.hidden ? "" : " What is shown is from before."}` : "";
    if (words) this.empty.hidden = true;
  }

  /** Results are shown later. */
  wait(words: string): void {
    this.empty.textContent = words;
  }

  /** Nobody has answered. */
  clear(): void {
    this.refuse(undefined);
    this.empty.textContent = NOBODY;
    this.empty.hidden = false;
    this.full.hidden = true;
  }

  show(estimate: Estimate, study: Study | undefined): void {
    this.empty.hidden = true;
    this.full.hidden = false;
    const named = study && study.fingerprint === estimate.fingerprint ? study : undefined; // a study may be replaced by another one
    const names = estimate.items.map(({ item }, code) => visible(named ? nameOf(named, code) : item));
    const grid = named && named.domain.axes.length === 2 && named.domain.axes.every(({ bounds }) => bounds);
    const promised = named?.blocks.find((block) => block.promised)?.promised;
    const name = (code: number) => names[code]!;
    const edges = named && named.domain.axes.length === 1 ? named.domain.axes[0]!.edges : undefined;
    const drawMap = () => map(estimate, named!.domain, name, (code) => promised?.sensitive(code) ?? false);
    const make = grid ? drawMap() : edges ? density(estimate, edges) : bars(estimate, name);
    this.summaries.show(estimate);
    this.words.hidden = !estimate.found?.words;
    this.words.textContent = estimate.found?.words ?? "";
    this.showMargins(estimate);
    const shown = order(estimate).length;
    this.figure.element.hidden = !grid && !edges && !shown; // the words say that nothing was found
    const kind = grid ? "Map" : edges ? "Density" : shown < estimate.items.length ? "Dot plot" : "Bar chart";
    if (grid || edges || shown) void this.figure.draw(make, summary(estimate, names, kind));
    this.how.textContent = [`Method: ${estimate.method}.`, this.abouts.get(estimate.method), estimate.note].filter(Boolean).join(" ");
    this.showTags(estimate);
    this.table.show(estimate, names);
  }

  /** A chart and a table for each axis. */
  private showMargins({ margins, level }: Estimate): void {
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

  private showTags({ tags, level }: Estimate): void {
    this.tags.hidden = !tags;
    if (!tags) return;
    const items = tags.map(({ tag, ...share }) => ({ ...share, item: `marked as “${tag}”` }));
    const table = sharesTable("tag", `The share of answers under each tag, with its ${levelWords(level)} interval`, items);
    table.id = "tags";
    fill(this.tags, h("h3", {}, "Answers that people marked as their own"), table);
  }
}

/** A small table of shares. */
function sharesTable(name: string, about: string, items: readonly Share[]): HTMLElement {
  const rows = items.map((share) => {
    const said = remark(share);
    return h("tr", {}, h("th", { scope: "row" }, share.item, said && h("span", { class: "soft small remark" }, said)), ...cells(share));
  });
  const head = [name, "share", "low", "high"].map((column) => h("th", { scope: "col" }, column));
  return h("table", { class: "shares" }, h("caption", { class: "hidden" }, about), h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows));
}

/** An item as the library's reports name it: a cell of a grid with its middle. */
function nameOf({ domain }: Study, code: number): string {
  const places = domain.places(code);
  if (!domain.axes.every(({ bounds }) => bounds)) return domain.text(code);
  return `${domain.text(code)} (${domain.axes.map(({ labels, bounds }, k) => middle(labels.length, bounds!, places[k]!)).join(", ")})`;
}

/** A chart in words, for those who do not see it. */
function summary(estimate: Estimate, names: readonly string[], kind: string): string {
  const digits = digitsFor(largestShare(estimate));
  const codes = order(estimate).sort((a, b) => (estimate.items[b]!.p ?? 0) - (estimate.items[a]!.p ?? 0));
  const largest = codes.slice(0, NAMED).map((code) => `${names[code]} ${percent(estimate.items[code]!.p, digits)}`);
  const cut = kind === "Dot plot" ? ` ${codes.length} of` : "";
  const named = largest.length ? ` Largest: ${largest.join("; ")}.` : "";
  return `${kind} of the estimated shares of${cut} ${whole(estimate.items.length)} items, from ${counted(estimate.people, "person", "people")}.${named} The table below has all numbers.`;
}
