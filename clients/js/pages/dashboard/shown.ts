import type { Domain } from "../../src/index.js";
import { fill, h, visible } from "../dom.js";
import { english } from "../english.js";
import { itemName } from "../names.js";
import type { Estimate, Share } from "./api.js";
import { density, Summaries } from "./distribution.js";
import { Figure, type Make, pictureOf } from "./figure.js";
import { digitsFor, percent } from "./numbers.js";
import { legend, type Scale, scaleFor, Shares } from "./shares.js";
import { map, mapLegend } from "./maps.js";
import { dots } from "./specs.js";
import { Table } from "./table.js";
import { counted, whole } from "./words.js";

/** Items that a chart's label names. */
const NAMED = 3;

/** What is known of the items besides their names: their domain, and which are sensitive. */
export interface Known {
  readonly domain: Domain;
  readonly sensitive: (code: number) => boolean;
}

/** What can be shown: the estimate of a study, or of one of its questions. */
export type Showable = Pick<Estimate, "items" | "level" | "people" | "margins" | "found" | "mean" | "quantiles" | "cumulative" | "tags">;

/** An estimate: its figures, a map or a distribution if it has one, its table and the tags. */
export class Shown {
  private readonly figure = new Figure();
  private readonly table: Table;
  private readonly words: HTMLElement;
  private readonly summaries: Summaries;
  private readonly margins: HTMLElement;
  private readonly axes = new Map<string, Shares>();
  private readonly tags = h("div", { hidden: true });
  private readonly tagged = new Shares({ caption: "The share of answers under each tag, and its interval", answer: "Mark", id: "tags" });
  private readonly key = h("div");
  private readonly mapKey = h("div", { hidden: true });
  private readonly credit = h("p", { class: "soft small", hidden: true });
  private readonly place = h("div");
  private readonly fold: HTMLElement;
  private make: Make | undefined;
  readonly elements: readonly HTMLElement[];

  /** `prefix` sets its identifiers apart from those of other questions, `label` names its table, and `keyed` explains its marks. */
  constructor(prefix = "", label?: string, private readonly keyed = true) {
    this.table = new Table(prefix, label);
    this.words = h("p", { id: `${prefix}words`, hidden: true });
    this.summaries = new Summaries(prefix);
    this.margins = h("div", { id: `${prefix}margins`, hidden: true });
    this.fold = h("details", {}, h("summary", {}, "Every share in a table"));
    fill(this.tags, h("h3", {}, "Answers that people marked as their own"), this.tagged.element);
    this.elements = [this.summaries.element, this.margins, this.mapKey, this.figure.element, this.credit, this.place, this.words, this.tags];
  }

  /** The shares are drawn on this scale, or on one of their own. */
  show(estimate: Showable, known: Known | undefined, scale?: Scale): void {
    const domain = known?.domain;
    const names = estimate.items.map(({ item }, code) => visible(domain ? nameOf(domain, code) : item));
    const grid = domain && domain.axes.length === 2 && domain.axes.every(({ bounds }) => bounds);
    const name = (code: number) => names[code]!;
    const edges = domain?.axes.length === 1 ? domain.axes[0]!.edges : undefined;
    const drawn = Boolean(grid || edges);
    this.make = grid ? map(estimate, domain, name, known!.sensitive) : edges ? density(estimate, edges) : dots(estimate, name);
    this.summaries.show(estimate);
    this.words.hidden = !estimate.found?.words;
    this.words.textContent = estimate.found?.words ?? "";
    this.showMargins(estimate);
    this.figure.element.hidden = !drawn;
    if (drawn) void this.figure.draw(this.make, summary(estimate, names, grid ? "Map" : "Density"));
    this.mapKey.hidden = !grid;
    if (grid) fill(this.mapKey, mapLegend(estimate, known!.sensitive));
    this.credit.hidden = !grid || !domain.map?.credit;
    fill(this.credit, domain?.map && `Map: ${domain.map.credit}.`);
    this.showTags(estimate);
    this.table.show(estimate, names, scale);
    if (this.keyed) fill(this.key, legend(estimate));
    this.fold.classList.toggle("mapped", Boolean(grid)); // on paper, a few rows below a map are enough
    const home = drawn ? this.fold : this.place;
    if (this.table.element.parentElement === home) return;
    fill(this.place, drawn && this.fold);
    home.append(this.key, this.table.element);
  }

  /** The chart as a picture. */
  png(): Promise<Blob> {
    return this.make ? pictureOf(this.make) : Promise.reject(new Error("There is no chart yet."));
  }

  /** A table for each axis. */
  private showMargins({ margins, level }: Showable): void {
    const names = Object.keys(margins);
    this.margins.hidden = !names.length;
    if (`${names}` !== `${[...this.axes.keys()]}`) {
      this.axes.clear();
      for (const name of names) this.axes.set(name, new Shares({ caption: `The shares of ${name}, and their intervals`, answer: name }));
      fill(this.margins, ...[...this.axes].flatMap(([name, { element }]) => [h("h3", {}, name), element]), h("h3", {}, "All together"));
    }
    const scale = scaleFor(names.flatMap((name) => margins[name]!));
    for (const [name, shares] of this.axes) shares.show(margins[name]!, { level, scale });
  }

  private showTags({ tags, level }: Showable): void {
    this.tags.hidden = !tags;
    if (tags) this.tagged.show(tags.map(({ tag, ...share }): Share => ({ ...share, item: `marked as “${tag}”` })), { level });
  }
}

/** An item by its text, and a cell of a grid by where it is. */
const nameOf = (domain: Domain, code: number): string => (domain.axes.every(({ bounds }) => bounds) ? itemName(domain, code, english) : domain.text(code));

/** A chart in words, for those who do not see it. */
function summary(estimate: Showable, names: readonly string[], kind: string): string {
  const digits = digitsFor(estimate.items);
  const codes = [...estimate.items.keys()].sort((a, b) => (estimate.items[b]!.p ?? 0) - (estimate.items[a]!.p ?? 0));
  const largest = codes.slice(0, NAMED).map((code) => `${names[code]} ${percent(estimate.items[code]!.p, digits)}`);
  const named = largest.length ? ` Largest: ${largest.join("; ")}.` : "";
  return `${kind} of the estimated shares of ${whole(estimate.items.length)} answers, from ${counted(estimate.people, "person", "people")}.${named} The table below has all numbers.`;
}
