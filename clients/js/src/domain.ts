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
  private index?: Map<string, number>;

  constructor(readonly axes: readonly Axis[]) {
    this.size = axes.reduce((product, { labels }) => product * labels.length, 1);
    must(this.size >= 2 && this.size <= 10_000_000, "there are too few or too many items");
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
    let found: number | undefined;
    if (typeof item === "string") found = this.texts().get(tidy(item, this.axes.length > 1));
    else if (typeof item === "number") {
      const labels = this.axes[0]!.labels;
      const numbered = this.axes.length === 1 && !this.axes[0]!.bounds && labels.some((label) => typeof label === "number");
      found = numbered ? labels.indexOf(item) : Number.isInteger(item) ? item : -1;
    } else if (typeof item === "object" && item !== null) {
      const places = this.axes.map((axis, k) => {
        if (Array.isArray(item)) return item.length === this.axes.length ? axis.labels.indexOf(item[k]!) : -1;
        const value = (item as Record<string, Label>)[axis.name];
        return axis.bounds ? cell(axis, Number(value)) : axis.labels.indexOf(value!);
      });
      found = places.includes(-1) ? -1 : places.reduce((code, place, k) => code * this.axes[k]!.labels.length + place, 0);
    }
    if (found === undefined || found < 0 || found >= this.size)
      throw new SottovoceError("domain", `${JSON.stringify(item)} is not an item of this study`);
    return found;
  }

  private texts(): Map<string, number> {
    return (this.index ??= new Map(Array.from({ length: this.size }, (_, code) => [tidy(this.text(code), this.axes.length > 1), code])));
  }

  /** Refuse items that are written alike. */
  checked(): this {
    must(this.texts().size === this.size, "two items are written alike");
    return this;
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
  must(labels.every(isLabel) && new Set(labels).size === labels.length, "labels are not different texts or whole numbers");
  return labels as Label[];
}

/** A decimal number, which travels as text. */
export function decimal(value: unknown, signed = false): number {
  must(typeof value === "string" && /^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(value), "a number is not decimal text");
  must(Number.isFinite(+value) && (signed || +value > 0), "a number is out of range");
  return +value;
}

export function domainOf(value: unknown): Domain {
  const form = fields(value, "items?", "axes?", "grid?");
  must(Object.keys(form).length === 1, "a study has items, axes or a grid");
  const axes: Axis[] = [];
  if (form["items"]) axes.push({ name: "item", labels: labelsOf(form["items"]) });
  for (const each of form["axes"] ? list(form["axes"]) : []) {
    const { name, labels } = fields(each, "name", "labels") as { name: string; labels: unknown };
    axes.push({ name, labels: labelsOf(labels) });
  }
  for (const each of form["grid"] ? list(form["grid"]) : []) {
    const { name, cells, low, high } = fields(each, "name", "cells", "low", "high") as Record<string, unknown>;
    const bounds = [decimal(low, true), decimal(high, true)] as const;
    must(bounds[0] < bounds[1], "an axis ends before it begins");
    axes.push({ name: name as string, labels: Array.from({ length: count(cells) }, (_, k) => k), bounds });
  }
  const names = axes.map(({ name }) => name);
  must(names.every((name) => typeof name === "string" && name !== "") && new Set(names).size === names.length, "axes share a name");
  return new Domain(axes).checked();
}
