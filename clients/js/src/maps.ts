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
const within = (value: unknown): number => (must(count(value, 0) <= UNITS, FIT), value as number);

/** Steps of so many points at least, all of them in the box. */
function stepsOf(value: unknown, least: number): number[] {
  const steps = list(value) as number[];
  must(steps.length % 2 === 0 && steps.length >= 2 * least, FIT);
  const at = [0, 0];
  steps.forEach((step, k) => within((at[k % 2]! += Number.isSafeInteger(step) ? step : NaN)));
  return steps;
}

function placeOf(value: unknown): Place {
  const [name, x, y, ...more] = list(value);
  must(!more.length, FIT);
  return { name: short(name), x: within(x), y: within(y) };
}

/** A text of 200 characters at most. */
function short(value: unknown): string {
  must([...textOf(value)].length <= 200, FIT);
  return value as string;
}

export function mapOf(value: unknown): Basemap {
  const form = fields(value, "shapes?", "lines?", "places?", "credit?") as Record<string, unknown>;
  const each = <T>(key: string, read: (value: unknown) => T): T[] => (form[key] === undefined ? [] : list(form[key]).map(read));
  const shapes = each("shapes", (shape) => {
    const [land, ...outline] = list(shape);
    must(land === 0 || land === 1, FIT);
    return { land: land === 1, outline: stepsOf(outline, 3) };
  });
  const lines = each("lines", (line) => stepsOf(line, 2));
  const places = each("places", placeOf);
  const steps = [...shapes.map(({ outline }) => outline), ...lines].flat().length;
  must(steps + places.length > 0 && steps <= 40_000 && places.length <= 2000 && different(places.map(({ name }) => name)), FIT);
  return { shapes, lines, places, credit: form["credit"] === undefined ? "" : short(form["credit"]) };
}
