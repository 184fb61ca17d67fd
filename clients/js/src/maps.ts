/** Base maps below the cells of a grid: land, water, lines and named places, in whole numbers (spec/study.md). */
import { count, different, fields, list, textOf } from "./channels/channel.js";
import { must } from "./errors.js";

/** The box of a grid is so many units wide and high. x counts from the west and y from the north. */
export const UNITS = 4096;

/** A named place in the box. */
export interface Place {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

export interface Basemap {
  /** Areas in the order in which they are painted. An outline has two numbers for each point: the first point, then the steps. */
  readonly shapes: readonly { readonly land: boolean; readonly outline: readonly number[] }[];
  readonly lines: readonly (readonly number[])[];
  /** The most important place first. */
  readonly places: readonly Place[];
  readonly credit: string;
}

const FIT = "its map does not fit";
const within = (value: unknown): number => count(value, 0, UNITS);

/** Steps of so many points at least, all of them in the box. */
function stepsOf(value: unknown, least: number): number[] {
  const steps = list(value) as number[];
  must(steps.every(Number.isInteger) && steps.length % 2 === 0 && steps.length >= 2 * least, FIT);
  const at = [0, 0];
  steps.forEach((step, k) => within((at[k % 2]! += step)));
  return steps;
}

const named = (value: unknown): string => (must([...textOf(value)].length <= 200, FIT), value as string);

export function mapOf(value: unknown): Basemap {
  const form = fields(value, "shapes?", "lines?", "places?", "credit?") as Record<string, unknown>;
  const each = <T>(key: string, read: (value: unknown) => T): T[] => (key in form ? list(form[key]).map(read) : []);
  const shapes = each("shapes", (shape) => {
    const [land, ...outline] = list(shape);
    must(land === 0 || land === 1, FIT);
    return { land: land === 1, outline: stepsOf(outline, 3) };
  });
  const lines = each("lines", (line) => stepsOf(line, 2));
  const places = each("places", (place) => {
    const [name, x, y, ...more] = list(place);
    must(!more.length, FIT);
    return { name: named(name), x: within(x), y: within(y) };
  });
  const steps = [...shapes.flatMap(({ outline }) => outline), ...lines.flat()].length;
  const names = places.map(({ name }) => name);
  must(steps + names.length > 0 && steps <= 40_000 && names.length <= 2000 && different(names), FIT);
  return { shapes, lines, places, credit: "credit" in form ? named(form["credit"]) : "" };
}
