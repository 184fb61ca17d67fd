import { count, different, fields, list } from "./channels/channel.js";
import { must, SottovoceError } from "./errors.js";
import { type Basemap, mapOf } from "./maps.js";

export type Label = string | number;

/** The most items of a study. */
const MOST = 10_000_000;

/**
 * One attribute of an item, with its labels. A grid's have `bounds`, the interval that they cut into equal cells. Numbers have the
 * `edges` of their bins, from the lowest to the highest, and may all be `whole`. The labels of a `scale` have an order.
 */
export interface Axis {
  readonly name: string;
  readonly labels: readonly Label[];
  readonly bounds?: readonly [low: number, high: number];
  readonly edges?: readonly number[];
  readonly scale?: boolean;
  readonly whole?: boolean;
}

/** An item: its label or text, its labels on all axes, a point of a grid, or its number where labels are not numbers themselves. */
export type Item = Label | readonly Label[] | Readonly<Record<string, Label>>;

const tidy = (text: string, several: boolean): string => (several ? text.trim().replace(/\s*\/\s*/g, " / ") : text.trim());

/** The items of a study, numbered from 0; the last axis counts fastest. */
export class Domain {
  readonly size: number;
  #index?: Map<string, number>;

  constructor(
    readonly axes: readonly Axis[],
    /** What is drawn below the cells of a grid. */
    readonly map?: Basemap | undefined,
  ) {
    this.size = axes.reduce((product, { labels }) => product * labels.length, 1);
    must(this.size >= 2 && this.size <= MOST, "a count is out of range");
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
      const { labels, bounds, edges } = axes[0]!;
      if (axes.length === 1 && edges) found = bin(edges, item);
      else found = axes.length === 1 && !bounds && labels.some((label) => typeof label === "number") ? labels.indexOf(item) : item;
    } else {
      const listed = Array.isArray(item) && item.length === axes.length;
      const places = axes.map((axis, k) => {
        const key = listed ? k : axis.name;
        const value = (listed || !Array.isArray(item)) && Object.hasOwn(item ?? {}, key) ? (item as Record<string, Label>)[key] : undefined;
        if (axis.edges && typeof value === "number") return bin(axis.edges, value);
        return axis.bounds && !listed ? cell(axis, Number(value)) : axis.labels.indexOf(value!);
      });
      found = places.includes(-1) ? -1 : places.reduce((code, place, k) => code * axes[k]!.labels.length + place, 0);
    }
    if (!Number.isInteger(found) || found! < 0 || found! >= this.size)
      throw new SottovoceError("domain", `${JSON.stringify(item)} is not an item of this study.`);
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

/** The bin of a number: below the ends it is the first one, above them the last. −1 for what is no finite number. */
function bin(edges: readonly number[], value: number): number {
  if (!Number.isFinite(value)) return -1;
  let low = 0;
  let high = edges.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (edges[middle]! <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

const isLabel = (label: unknown): label is Label => typeof label === "string" || Number.isSafeInteger(label);

function labelsOf(value: unknown): Label[] {
  const labels = list(value);
  must(labels.every((label) => isLabel(label) && `${label}`.trim()) && different(labels), "labels are not different texts or numbers");
  return labels as Label[];
}

/** A decimal number, which travels as text. */
export function decimal(value: unknown): number {
  must(typeof value === "string" && /^-?\d[\d.e+-]*$/.test(value) && Number.isFinite(+value), "a number is not decimal text");
  return +value;
}

/** Edges that increase; the first and the last may be open. */
function edgesOf(value: unknown, labels: readonly Label[]): number[] {
  const edges = list(value).map((edge, k) => (edge === null ? (k ? Infinity : -Infinity) : decimal(edge)));
  must(edges.length === labels.length + 1 && edges.every((edge, k) => !k || edges[k - 1]! < edge), "edges do not fit");
  return edges;
}

function axisOf(value: unknown): Axis {
  const { name, labels, edges, scale, whole } = fields(value, "name", "labels", "edges?", "scale?", "whole?") as { name: string } & Record<string, unknown>;
  const axis = { name, labels: labelsOf(labels) };
  must([scale, whole].every((flag) => flag === undefined || flag === 1) && (edges === undefined ? !whole : !scale), "axes do not fit");
  return edges === undefined ? (scale ? { ...axis, scale: true } : axis) : { ...axis, edges: edgesOf(edges, axis.labels), ...(whole ? { whole: true } : {}) };
}

function cellsOf(value: unknown): Axis {
  const { name, cells, low, high } = fields(value, "name", "cells", "low", "high") as { name: string } & Record<string, unknown>;
  const bounds = [decimal(low), decimal(high)] as const;
  must(bounds[0] < bounds[1], "axes do not fit");
  return { name, labels: Array.from({ length: count(cells) }, (_, k) => k), bounds };
}

/** The axes of a grid, whose cells are counted before there are any. */
function gridOf(axes: readonly unknown[]): Axis[] {
  must(axes.reduce<number>((cells, axis) => cells * count((axis as { cells?: unknown } | null)?.cells), 1) <= MOST, "a count is out of range");
  return axes.map(cellsOf);
}

export function domainOf(value: unknown): Domain {
  const { map, ...form } = fields(value, "items?", "axes?", "grid?", "numbers?", "scale?", "map?");
  const [kind, ...others] = Object.keys(form);
  must(kind !== undefined && !others.length, "there are no items");
  const name = "item";
  const axes: Axis[] =
    kind === "items"
      ? [{ name, labels: labelsOf(form[kind]) }]
      : kind === "scale"
        ? [{ name, labels: labelsOf(form[kind]), scale: true }]
        : kind === "numbers"
          ? [axisOf({ name, ...fields(form[kind], "edges", "labels", "whole?") })]
          : kind === "axes"
            ? list(form[kind]).map(axisOf)
            : gridOf(list(form[kind]));
  const names = new Set(axes.map(({ name }) => name));
  must(names.size === axes.length && [...names].every((name) => typeof name === "string" && name), "axes do not fit");
  must(map === undefined || (kind === "grid" && axes.length === 2), "axes do not fit");
  return new Domain(axes, map === undefined ? map : mapOf(map));
}
