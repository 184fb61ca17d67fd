import { count, fields, list } from "./channels/channel.js";
import { must, SottovoceError } from "./errors.js";

export type Label = string | number;

/** One attribute of an item: its labels in order, and for a grid the interval that they cut into equal cells. */
export interface Axis {
  readonly name: string;
  readonly labels: readonly Label[];
  readonly bounds?: readonly [low: number, high: number];
}

/** An item: its label or text, its labels on all axes, a point of a grid, or its number where labels are not numbers themselves. */
export type Item = Label | readonly Label[] | Readonly<Record<string, Label>>;

const tidy = (text: string, several: boolean): string => (several ? text.trim().replace(/\s*\/\s*/g, " / ") : text.trim());

/** The items of a study, numbered from 0; the last axis counts fastest. */
export class Domain {
  readonly size: number;
  #index?: Map<string, number>;

  constructor(readonly axes: readonly Axis[]) {
    this.size = axes.reduce((product, { labels }) => product * labels.length, 1);
    must(this.size >= 2 && this.size <= 10_000_000, "a count is out of range");
    must(this.#texts().size === this.size, "two items are written alike");
  }

  /** The places of an item on the axes. */
  places(code: number): number[] {
    const found: number[] = [];
    let rest = code;
    for (const { labels } of [...this.axes].reverse()) {
      found.unshift(rest % labels.length);
      rest = Math.floor(rest / labels.length);
    }
    return found;
  }

  /** An item as text: its labels with slashes between them. */
  text(code: number): string {
    return this.places(code)
      .map((place, k) => this.axes[k]!.labels[place]!)
      .join(" / ");
  }

  /** The number of the item that is written like this. */
  code(item: Item): number {
    const { axes } = this;
    let found: number | undefined;
    if (typeof item === "string") found = this.#texts().get(tidy(item, axes.length > 1));
    else if (typeof item === "number") {
      const { labels, bounds } = axes[0]!;
      found = axes.length === 1 && !bounds && labels.some((label) => typeof label === "number") ? labels.indexOf(item) : item;
    } else {
      const listed = Array.isArray(item) && item.length === axes.length;
      const places = axes.map((axis, k) => {
        const value = (item as Record<string, Label> | null)?.[listed ? k : axis.name];
        return axis.bounds && !listed ? cell(axis, Number(value)) : axis.labels.indexOf(value!);
      });
      found = places.includes(-1) ? -1 : places.reduce((code, place, k) => code * axes[k]!.labels.length + place, 0);
    }
    if (!Number.isInteger(found) || found! < 0 || found! >= this.size)
      throw new SottovoceError("domain", `${JSON.stringify(item)} is not an item of this study`);
    return found!;
  }

  /** Whether an item is written like this. */
  has(text: string): boolean {
    return this.#texts().has(text);
  }

  #texts(): Map<string, number> {
    return (this.#index ??= new Map(Array.from({ length: this.size }, (_, code) => [tidy(this.text(code), this.axes.length > 1), code])));
  }

}

/** The cell of a coordinate; the upper end belongs to the last one. */
function cell({ bounds, labels }: Axis, value: number): number {
  const [low, high] = bounds!;
  if (!(value >= low && value <= high)) return -1;
  return Math.min(labels.length - 1, Math.floor(((value - low) / (high - low)) * labels.length));
}

const isLabel = (label: unknown): label is Label => typeof label === "string" || Number.isSafeInteger(label);

function labelsOf(value: unknown): Label[] {
  const labels = list(value);
  must(labels.every((label) => isLabel(label) && `${label}`.trim()) && new Set(labels).size === labels.length, "labels are not different texts or numbers");
  return labels as Label[];
}

/** A decimal number, which travels as text. */
export function decimal(value: unknown): number {
  must(typeof value === "string" && /^-?\d[\d.e+-]*$/.test(value) && Number.isFinite(+value), "a number is not decimal text");
  return +value;
}

export function domainOf(value: unknown): Domain {
  const form = fields(value, "items?", "axes?", "grid?");
  must(Object.keys(form).length === 1, "there are no items");
  const axes =
    "items" in form
      ? [{ name: "item", labels: labelsOf(form["items"]) }]
      : list(form["axes"] ?? form["grid"]).map((each): Axis => {
          const keys = "axes" in form ? ["labels"] : ["cells", "low", "high"];
          const { name, labels, cells, low, high } = fields(each, "name", ...keys) as { name: string } & Record<string, unknown>;
          if ("axes" in form) return { name, labels: labelsOf(labels) };
          const bounds = [decimal(low), decimal(high)] as const;
          must(bounds[0] < bounds[1], "axes do not fit");
          return { name, labels: Array.from({ length: count(cells) }, (_, k) => k), bounds };
        });
  const names = new Set(axes.map(({ name }) => name));
  must(names.size === axes.length && [...names].every((name) => typeof name === "string" && name), "axes do not fit");
  return new Domain(axes);
}
