import type { Domain } from "../../src/index.js";
import { fill, h, visible } from "../dom.js";
import type { Estimate, Share } from "./api.js";
import { density, Summaries } from "./distribution.js";
import { Figure, type Make, pictureOf } from "./figure.js";
import { digitsFor, percent } from "./numbers.js";
import { legend, type Scale, scaleFor, Shares } from "./shares.js";
import { mapKey } from "./map_key.js";
import { isSome, largestPlaces } from "./map_shades.js";
import { hasNumbers, map } from "./maps.js";
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
export type Showable = Pick<Estimate, "items" | "level" | "people" | "margins" | "found" | "mean" | "quantiles" | "cumulative" | "tags"> & {
  /** Whether the items have an order of their own: numbers and scales. */
  readonly ordered?: boolean;
};

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
  private readonly mapSide = h("div", { class: "map-side", hidden: true });
  private readonly mapped = h("div");
  private readonly top: Shares;
  private readonly topPlaces = h("div", { class: "largest", hidden: true });
  private readonly credit = h("p", { class: "soft small credit" });
  private readonly place = h("div");
  private readonly folded = h("div");
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
    this.top = new Shares({ caption: "The largest shares, numbered as on the map, and their intervals", answer: "Place", id: `${prefix}largest` });
    this.mapped.append(this.figure.element, this.mapSide);
    fill(this.tags, h("h3", {}, "Answers that people marked as their own"), this.tagged.element);
    this.elements = [this.summaries.element, this.margins, this.mapped, this.topPlaces, this.place, this.words, this.folded, this.tags];
  }

  /** The shares are drawn on this scale, or on one of their own. */
  show(estimate: Showable, known: Known | undefined, scale?: Scale): void {
    const domain = known?.domain;
    const names = estimate.items.map(({ item, name }) => visible(name ?? item));
    const [axis, second] = domain?.axes ?? [];
    const ordered = Boolean((estimate.ordered ?? estimate.mean) || (axis && !second && (axis.edges || axis.scale)));
    const grid = domain && domain.axes.length === 2 && domain.axes.every(({ bounds }) => bounds);
    const name = (code: number) => names[code]!;
    const edges = domain?.axes.length === 1 ? domain.axes[0]!.edges : undefined;
    const drawn = Boolean(grid || edges);
    this.make = grid ? map(estimate, domain, name, known!.sensitive) : edges ? density(estimate, edges) : dots({ ...estimate, ordered }, name);
    this.summaries.show(estimate);
    this.words.hidden = !estimate.found?.words;
    this.words.textContent = estimate.found?.words ?? "";
    this.showMargins(estimate);
    this.figure.element.hidden = !drawn;
    this.mapped.classList.toggle("mapped", Boolean(grid));
    this.mapSide.hidden = !grid;
    if (drawn) void this.figure.draw(this.make, summary(estimate, names, grid ? "Map" : "Density"));
    if (grid) this.showLargest(estimate, names, known!, scale);
    this.topPlaces.hidden = !grid;
    this.showTags(estimate);
    this.table.show({ ...estimate, ordered }, names, scale);
    if (this.keyed) fill(this.key, legend(estimate));
    this.fold.classList.toggle("below-map", Boolean(grid)); // on paper, a few rows below a map are enough
    const home = drawn ? this.fold : this.place;
    if (this.table.element.parentElement === home) return;
    fill(this.folded, drawn && this.fold);
    home.append(this.key, this.table.element);
  }

  /** The chart as a picture. */
  png(): Promise<Blob> {
    return this.make ? pictureOf(this.make) : Promise.reject(new Error("There is no chart yet."));
  }

  /** The largest shares of a map in a table. */
  private showLargest(estimate: Showable, names: readonly string[], { domain, sensitive }: Known, scale?: Scale): void {
    const codes = largestPlaces(estimate);
    const numbered = hasNumbers(domain);
    const called = codes.map((code) => names[code]!);
    fill(this.credit, domain.map?.credit && `Map: ${domain.map.credit}.`);
    fill(this.mapSide, mapKey(estimate, sensitive, numbered ? called : []), domain.map?.credit && this.credit);
    this.topPlaces.classList.toggle("numbered", numbered);
    const some = isSome(estimate, sensitive);
    const shares = codes.map((code, k) => ({ ...estimate.items[code]!, item: `${called[k]!}${some && sensitive(code) ? " (sensitive place)" : ""}` }));
    this.top.show(shares, { level: estimate.level, ...(scale && { scale }) });
    fill(this.topPlaces, codes.length > 0 && h("h3", {}, `The ${codes.length} largest shares`), codes.length > 0 && legend({ level: estimate.level, items: shares }), this.top.element);
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

/** A chart in words, for those who do not see it. */
function summary(estimate: Showable, names: readonly string[], kind: string): string {
  const digits = digitsFor(estimate.items);
  const codes = [...estimate.items.keys()].sort((a, b) => (estimate.items[b]!.p ?? 0) - (estimate.items[a]!.p ?? 0));
  const largest = codes.slice(0, NAMED).map((code) => `${names[code]} ${percent(estimate.items[code]!.p, digits)}`);
  const named = largest.length ? ` Largest: ${largest.join("; ")}.` : "";
  return `${kind} of the estimated shares of ${whole(estimate.items.length)} answers, from ${counted(estimate.people, "person", "people")}.${named} The table below has all numbers.`;
}
