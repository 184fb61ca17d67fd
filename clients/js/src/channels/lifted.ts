import { must } from "../errors.js";
import { type Fraction, largest, ONE, over, UNIT } from "../exact.js";
import { type Channel, count, type WireForm, integer, list, type SetLike, type Value } from "./channel.js";
import { only } from "./sets.js";

/** A lifted channel, and the size of its base's sets. */
export interface Lifted extends Channel {
  readonly base: SetLike;
  readonly sensitive: readonly number[];
}

/** A channel over the sensitive items, for all items: the others make a neutral draw, or show themselves as they are. */
export function lifted(form: WireForm, base: Channel): Lifted {
  const size = count(form["items"]);
  const sensitive = list(form["sensitive"]).map((code) => count(code, 0));
  const ranks = new Map(sensitive.map((item, rank) => [item, rank]));
  const [keep, keepEmpty] = [integer(form["keep"]), integer(form["keep_empty"])];
  const inner = base as SetLike;
  must(inner.even, "a base favours some items");
  must(
    ranks.size === sensitive.length && base.size === sensitive.length && sensitive.every((item, k) => item < size && (!k || item > sensitive[k - 1]!)),
    "sensitive items do not fit",
  );
  must(keep > 0n && keep < ONE && keepEmpty < ONE, "neutral draws are always kept");
  const placed = (value: Value): Value => (value.set ? { set: value.set.map((rank) => sensitive[rank]!) } : value);
  const ranked = (value: Value): Value => (value.set ? { set: value.set.map((item) => ranks.get(item)!) } : value);
  /** The item that a report shows as it is, or -1. */
  const bare = ({ set, code, bucket }: Value): number => {
    if (set) return set.find((item) => !ranks.has(item)) ?? -1;
    return (code ?? bucket)! - (inner.shown(0).code ?? inner.shown(0).bucket)!;
  };
  const filled = (value: Value) => {
    const held = inner.holds(value);
    return sensitive.some((_, rank) => held(rank));
  };
  const kept: Fraction = [keep, ONE];
  const keptEmpty: Fraction = [keepEmpty, ONE];
  const several = sensitive.length > 1 && inner.chosen < sensitive.length;
  return {
    base: inner,
    sensitive,
    size,
    draw(item, source) {
      const rank = ranks.get(item);
      if (rank !== undefined) return placed(inner.draw(rank, source));
      const drawn = inner.neutral(source);
      return source.word() < (filled(drawn) ? keep : keepEmpty) ? placed(drawn) : inner.shown(item);
    },
    ...inner.room(size),
    weights(value) {
      if (bare(value) >= 0) return only(bare(value));
      const within = ranked(value);
      const neutral = filled(within) ? kept : keptEmpty;
      const weights = inner.weights(within);
      return (item) => (ranks.has(item) ? weights(ranks.get(item)!) : neutral);
    },
    kind: (item) => (ranks.has(item) ? 1 : 0),
    reveals: (item) => !ranks.has(item),
    pair(item, other) {
      const [mine, theirs] = [ranks.has(item), ranks.has(other)];
      if (mine && theirs) return inner.pair(ranks.get(item)!, ranks.get(other)!);
      if (!mine && !theirs) return UNIT;
      const ratio = (own: Fraction, neutral: Fraction) => (mine ? over(own, neutral) : over(neutral, own));
      return largest([ratio(several && !mine ? inner.low : inner.high, kept), inner.chosen ? UNIT : ratio(inner.low, keptEmpty)]);
    },
    belief: () => [1n, 0n],
  };
}

/** One of two lifted channels over the same items, whose sets differ in size. */
export function mixed(form: WireForm, parts: readonly Lifted[]): Channel {
  const share = integer(form["share"]);
  const [first, second] = parts as [Lifted, Lifted];
  must(share > 0n && share < ONE, "a part is never used");
  must(
    parts.length === 2 &&
      parts.every((part) => part.base?.chosen) &&
      first.size === second.size &&
      `${first.sensitive}` === `${second.sensitive}` &&
      first.base.chosen !== second.base.chosen,
    "parts do not fit",
  );
  const sensitive = new Set(first.sensitive);
  /** The part that made a report; one that shows an item as it is may come from both. */
  const maker = ({ set }: Value) => (set!.length === first.base.chosen && set!.every((item) => sensitive.has(item)) ? first : second);
  return {
    ...first,
    draw: (item, source) => (source.word() < share ? first : second).draw(item, source),
    weights: (value) => maker(value).weights(value),
    pair: (item, other) => largest([first.pair(item, other), second.pair(item, other)]),
  };
}
