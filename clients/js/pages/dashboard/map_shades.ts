/** Which shares have a colour on a map, which one, and what it means: the rules of the reports (src/sottovoce/findings/charts/map_legend.py). */
import type { Share } from "./api.js";
import type { Part } from "./specs.js";
import { largestShare } from "./words.js";

/** How many classes of shares there are, how much of the largest share the last break is at most, and how many of the largest shares have numbers. */
const [CLASSES, HIGHEST, NUMBERED] = [5, 0.8, 5] as const;
/** Where classes may end: round numbers. */
const ROUND = Array.from({ length: 10 }, (_, k) => [1, 2, 5].map((digit) => Number(`${digit}e${k - 9}`))).flat();
/** Where the classes of shares end, if the largest share is so much. */
export const breaksOf = (top: number): readonly number[] => ROUND.filter((each) => each <= HIGHEST * top).slice(1 - CLASSES);

/** The class of a share, from 1. Zero has none. */
export const classOf = (share: number, top: number): number => (share > 0 ? 1 + breaksOf(top).filter((each) => each <= share).length : 0);

/** The shares that have a colour: those that are clearly above zero, which the words below a map count. The others are zero. */
export function clearShares({ items }: Part): number[] {
  const clear = ({ low, found }: Share) => found ?? (low === null || low > 0);
  return items.map((item) => (clear(item) ? Math.max(0, item.p ?? 0) : 0));
}

/** Whether some items are sensitive, and not all. */
export function isSome({ items }: Part, sensitive: (code: number) => boolean): boolean {
  const marked = items.filter((_, code) => sensitive(code)).length;
  return marked > 0 && marked < items.length;
}

/** The largest shares that were found, which have numbers on the map and rows in the table below it. */
export function largestPlaces({ items }: Part): number[] {
  const found = [...items.keys()].filter((code) => items[code]!.found !== false);
  return found.sort((a, b) => (items[b]!.p ?? 0) - (items[a]!.p ?? 0) || a - b).slice(0, NUMBERED);
}

/** What it says above the shares. */
export const TITLE = "Share of people";

/** What a colour or a mark means: the class of a share, no colour, or a sensitive place. */
export interface Key {
  readonly text: string;
  readonly kind: "share" | "blank" | "sensitive";
  readonly shade: number;
}

/** The keys of a map, the largest shares first. */
export function keysOf(estimate: Part, sensitive: (code: number) => boolean): Key[] {
  const top = largestShare(estimate) || 1;
  const own = clearShares(estimate);
  const used = own.map((share) => classOf(share, top)).filter(Boolean);
  const least = Math.min(...used, CLASSES + 1);
  const texts = ranges(breaksOf(top));
  const keys = texts.map((text, k): Key => ({ text, kind: "share", shade: k + 1 })).filter(({ shade }) => shade >= least).reverse();
  if (estimate.items.some(({ low }) => low !== null) && own.includes(0)) keys.push({ text: "not clearly above zero", kind: "blank", shade: 0 });
  if (isSome(estimate, sensitive)) keys.push({ text: "sensitive place, where less is known", kind: "sensitive", shade: 0 });
  return keys;
}

/** The classes of shares in words. */
function ranges(breaks: readonly number[]): string[] {
  const texts = breaks.map((each) => String(Number((100 * each).toPrecision(6))));
  const between = texts.slice(1).map((high, k) => `${texts[k]} to ${high}%`);
  return texts.length ? [`under ${texts[0]}%`, ...between, `${texts.at(-1)}% or more`] : ["any"];
}
