import type { Study } from "../src/index.js";
import { visible } from "./dom.js";

/** An item as people know it: its labels, or the middle of its cell. */
export function itemName(study: Study, code: number): string {
  const { axes } = study.domain;
  if (!axes[0]!.bounds) return visible(study.domain.text(code));
  return study.domain
    .places(code)
    .map((place, k) => `${visible(axes[k]!.name)} ${middle(axes[k]!.labels.length, axes[k]!.bounds!, place)}`)
    .join(", ");
}

/** The middle of a cell, with the digits that tell cells apart. */
export function middle(cells: number, [low, high]: readonly [number, number], place: number): string {
  const step = (high - low) / cells;
  return (low + step * (place + 0.5)).toFixed(Math.max(0, 1 - Math.floor(Math.log10(step))));
}

/** From how many reports on results are shown. */
export const shownFrom = ({ minimum }: Study): string =>
  `The collector shows no results before it has ${minimum.toLocaleString("en")} report${minimum > 1 ? "s" : ""}.`;

/** What an input is called: its item, or the tag that stands for an item of the person's own. */
export const inputName = (study: Study, input: number): string =>
  input < study.domain.size ? itemName(study, input) : `what is marked as “${study.tags[input - study.domain.size]}”`;

/** Groups of inputs in words, the small ones first: the last, where it is large, is all the others. */
export function groupNames<T extends { readonly inputs: readonly number[] }>(study: Study, groups: readonly T[]): [name: string, group: T][] {
  const sorted = [...groups].sort((a, b) => a.inputs.length - b.inputs.length);
  return sorted.map((group, k) => {
    const rest = k === sorted.length - 1 && group.inputs.length > 6;
    const many = group.inputs.length.toLocaleString("en");
    return [rest ? (k ? `all other answers (${many})` : `every answer (${many})`) : enumerated(study, group.inputs), group];
  });
}

/** Neighbours on an ordered axis as one range: "18 to under 44", "rarely to often". Empty if they aren't neighbours. */
function rangeName(study: Study, inputs: readonly number[]): string {
  const [axis, ...others] = study.domain.axes;
  const [first, last] = [inputs[0]!, inputs.at(-1)!];
  if (others.length || !(axis!.edges || axis!.scale) || inputs.length < 3 || last >= study.domain.size || inputs.some((input, k) => input !== first + k)) return "";
  if (!axis!.edges) return `${itemName(study, first)} to ${itemName(study, last)}`;
  const [low, high] = [axis!.edges[first]!, axis!.edges[last + 1]!];
  if (axis!.whole) {
    const [least, most] = [Math.ceil(low), last === study.domain.size - 1 ? Math.floor(high) : Math.ceil(high) - 1];
    if (low === -Infinity) return high === Infinity ? "any number" : `${most} or less`;
    return high === Infinity ? `${least} or more` : `${least} to ${most}`;
  }
  if (low === -Infinity) return high === Infinity ? "any number" : `under ${high}`;
  return high === Infinity ? `${low} or more` : `${low} to ${last === study.domain.size - 1 ? "" : "under "}${high}`;
}

/** Some inputs in words: a range on an ordered axis, all of a few, or the first and how many more there are. */
export function enumerated(study: Study, inputs: readonly number[], most = 6): string {
  const range = rangeName(study, inputs);
  if (range) return range;
  const shown = inputs.slice(0, inputs.length > most ? most - 1 : most).map((input) => inputName(study, input));
  if (shown.length < inputs.length) shown.push(`${(inputs.length - shown.length).toLocaleString("en")} more`);
  if (shown.length < 2) return shown[0] ?? "no answer";
  const comma = shown.some((name) => name.includes(",")) ? "; " : ", ";
  return `${shown.slice(0, -1).join(comma)} and ${shown.at(-1)!}`;
}
