/** Answers as people know them: labels, places, ranges of numbers, and several of them in one phrase. */
import type { Axis, Domain, Study } from "../src/index.js";
import { visible } from "./dom.js";
import { placeNear } from "./places.js";
import type { Key, Texts } from "./texts.js";

/** What answers there are. Behind those of the domain come the tags that stand for a person's own. */
export interface Answers {
  readonly domain: Domain;
  readonly tags: readonly string[];
  readonly called?: Called;
  /** What items are called, if others have names for them. */
  readonly names?: readonly string[] | undefined;
}

/** What the label of an item, or the name of an axis, is called in the language of the page. */
export type Called = (text: string) => string;
const asWritten: Called = (text) => text;

/** An item: its labels, its range of numbers, or the middle of its cell, with the place that this is near. */
export function itemName(domain: Domain, code: number, say: Texts, called = asWritten): string {
  const { axes } = domain;
  const name = domain
    .places(code)
    .map((place, k) => placeName(axes[k]!, place, say, called, onEarth(domain)))
    .join(axes[0]!.bounds ? ", " : " / ");
  const place = placeNear(domain, code);
  return place ? say.t("place_near", { place: visible(place.name), coordinates: name }) : name;
}

/** Whether the places of a grid are degrees on the earth. */
export const onEarth = ({ axes }: Domain): boolean =>
  axes.length === 2 && [...AXES.keys()].every((name, k) => axes[k]!.name === name && axes[k]!.bounds?.every((end) => Math.abs(end) <= 90 * (k + 1)));

/** A latitude or a longitude: "40.74° N". */
export function degrees({ name }: Axis, value: number, digits: number, say: Texts): string {
  const key = name === "latitude" ? (value < 0 ? "south" : "north") : value < 0 ? "west" : "east";
  return say.t(key, { degrees: fixed(Math.abs(value), digits, say) });
}

/** A number with so many digits and a true minus sign. */
export const fixed = (value: number, digits: number, say: Texts): string =>
  say.number(value, { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false }).replace("-", "−");

function placeName(axis: Axis, place: number, say: Texts, called: Called, earth: boolean): string {
  if (axis.bounds) {
    const [low, high] = axis.bounds;
    const step = (high - low) / axis.labels.length;
    const [middle, digits] = [low + step * (place + 0.5), Math.max(0, 1 - Math.floor(Math.log10(step) + 1e-9))]; // so many tell cells apart
    return earth ? degrees(axis, middle, digits, say) : `${visible(axisName(axis, say, called))} ${fixed(middle, digits, say)}`;
  }
  return axis.edges ? between(axis, place, place, say) : visible(called(String(axis.labels[place]!)));
}

/** The library's usual names of axes, for studies that don't translate them. */
const AXES: ReadonlyMap<string, Key> = new Map([["latitude", "latitude"], ["longitude", "longitude"]]);

/** What an axis of places is called. */
export function axisName({ name }: Axis, say: Texts, called = asWritten): string {
  const [own, usual] = [called(name), AXES.get(name)];
  return usual && own === name ? say.t(usual) : own;
}

/** A number of an axis, as it is typed. */
export const plainNumber = (value: number, say: Texts): string => say.number(value, { useGrouping: false, maximumSignificantDigits: 12 });

/** A number beyond the ends of all ranges, and the end that it counts as; null if it counts as itself. */
export function clipped({ axes: [axis] }: Domain, given: number, say: Texts): { given: string; end: string } | null {
  const edges = axis!.edges!;
  const end = Math.min(Math.max(given, edges[0]!), edges.at(-1)!);
  return end === given ? null : { given: plainNumber(given, say), end: plainNumber(end, say) };
}

/** The credit of a map. That of a map of the library names the source of its places behind an English word. */
export function creditWords(text: string, say: Texts): string {
  const [credit, places, ...more] = text.split("; places: ") as [string, ...string[]];
  return places === undefined || more.length ? say.t("map_credit", { credit: text }) : say.t("map_credit_places", { credit, places });
}

/** From how many reports on results are shown. */
export const shownFrom = ({ minimum }: Pick<Study, "minimum">, say: Texts): string => (minimum > 1 ? say.t("shown_from", { count: minimum }) : "");

/** What an input is called: its item, or the tag that stands for an item of the person's own. */
export const inputName = ({ domain, tags, called, names }: Answers, input: number, say: Texts): string =>
  input < domain.size ? (names?.[input] ?? itemName(domain, input, say, called)) : say.t("marked_as", { tag: tags[input - domain.size]! });

/** Groups of inputs in words, the small ones first: the last one, if it is large, is all the others. */
export function groupNames<T extends { readonly inputs: readonly number[] }>(answers: Answers, groups: readonly T[], say: Texts): [name: string, group: T][] {
  const sorted = [...groups].sort((a, b) => a.inputs.length - b.inputs.length);
  return sorted.map((group, k) => {
    const rest = k === sorted.length - 1 && group.inputs.length > 6;
    const count = group.inputs.length;
    return [rest ? say.t(k ? "all_other_answers" : "every_answer", { count }) : enumerated(answers, group.inputs, say), group];
  });
}

/** Bins of numbers that lie side by side, as one range: "18 to under 44". */
function between(axis: Axis, first: number, last: number, say: Texts): string {
  const edges = axis.edges!;
  let [low, high] = [edges[first]!, edges[last + 1]!];
  const end = last === axis.labels.length - 1;
  if (axis.whole) [low, high] = [Math.ceil(low), end ? Math.floor(high) : Math.ceil(high) - 1];
  const [from, to] = [plainNumber(low, say), plainNumber(high, say)];
  if (low === -Infinity) return high === Infinity ? say.t("range_any") : say.t(axis.whole ? "range_at_most" : "range_under", { high: to });
  if (high === Infinity) return say.t("range_at_least", { low: from });
  if (low === high) return from;
  return say.t(axis.whole || end ? "range" : "range_open", { low: from, high: to });
}

/** Whether inputs are neighbours on an ordered axis, so that they have a name as a range. */
export function isRange({ domain }: Answers, inputs: readonly number[]): boolean {
  const [axis, ...others] = domain.axes;
  if (others.length || !(axis!.edges || axis!.scale) || inputs.length < 3 || inputs.at(-1)! >= domain.size) return false;
  return inputs.every((input, k) => input === inputs[0]! + k);
}

/** Neighbours on an ordered axis as one range: "18 to under 44", "rarely to often". Empty if they aren't neighbours. */
function rangeName(answers: Answers, inputs: readonly number[], say: Texts): string {
  if (!isRange(answers, inputs)) return "";
  const { domain, called } = answers;
  const [axis, first, last] = [domain.axes[0], inputs[0]!, inputs.at(-1)!];
  return axis!.edges ? between(axis!, first, last, say) : say.t("range", { low: itemName(domain, first, say, called), high: itemName(domain, last, say, called) });
}

/** Some inputs in words: a range on an ordered axis, all of a few, or the first ones and how many more items there are. Marks are never among those. */
export function enumerated(answers: Answers, inputs: readonly number[], say: Texts, most = 6): string {
  const range = rangeName(answers, inputs, say);
  if (range) return range;
  const marksFirst = inputs.length > most ? [...inputs].sort((a, b) => Number(b >= answers.domain.size) - Number(a >= answers.domain.size)) : inputs;
  const names = marksFirst.slice(0, inputs.length > most ? most - 1 : most).map((input) => inputName(answers, input, say));
  return named(names, inputs.length, say);
}

/** Names in one phrase, of so many that there are. */
export function named(names: readonly string[], all: number, say: Texts): string {
  if (names.length === 0) return say.t("no_answer");
  const shown = names.some((name) => name.includes(",")) ? names.map((name) => say.quoted(name)) : [...names];
  if (shown.length < all) shown.push(say.t("list_more", { count: all - shown.length }));
  return shown.length === 1 ? names[0]! : say.list(shown);
}
