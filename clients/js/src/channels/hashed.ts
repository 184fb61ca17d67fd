import { must } from "../errors.js";
import { largest, ONE, UNIT } from "../exact.js";
import { uniform } from "../source.js";
import { type Channel, count, fields, type WireForm, integer, list, little, records, type SetLike, type Value, whole, width, type Wire } from "./channel.js";
import { beliefs, directOf, drawDirect } from "./direct.js";
import { evenly } from "./sets.js";

const PRIME = (1n << 31n) - 1n;
const SEEDS = 1n << 62n;

/** The bucket of an item under the hash function of a seed. */
export const bucketOf = (seed: bigint, item: number, buckets: number): number =>
  Number((((((seed >> 31n) * BigInt(item) + (seed & PRIME)) % PRIME) * BigInt(buckets)) >> 31n));

/** A seed and a bucket, little-endian, one after the other. */
function paired(seeds: bigint, buckets: number): Wire {
  const [first, second] = [width(seeds), width(buckets)];
  const bits = BigInt(8 * first);
  return records(
    first + second,
    ({ seed, bucket }) => little(seed! | (BigInt(bucket!) << bits), first + second),
    (record) => ({ seed: BigInt.asUintN(8 * first, whole(record)), bucket: Number(whole(record) >> bits) }),
  );
}

/** A hash function of the device's choosing, then a direct report of the item's bucket under it. */
export function hashed(form: WireForm): SetLike {
  const size = count(form["items"]);
  const tables = directOf(form);
  const g = tables.noise.length;
  const noise = tables.noise[0]!;
  must(noise > 0n && tables.noise.every((each) => each === noise), "buckets differ in noise");
  const holds = ({ seed, bucket }: Value) => (item: number) => bucketOf(seed!, item, g) === bucket;
  return {
    ...evenly(size, 0, [(tables.truth + noise) * BigInt(g), ONE], [noise * BigInt(g), ONE], holds),
    draw(item, source) {
      const seed = source.word() % SEEDS;
      return { seed, bucket: drawDirect(tables, bucketOf(seed, item, g), source) };
    },
    neutral(source) {
      const seed = source.word() % SEEDS;
      return { seed, bucket: Number(uniform(BigInt(g), source)) };
    },
    ...paired(SEEDS, g),
    shown: (item) => ({ seed: 0n, bucket: g + item }),
    room: (items) => paired(SEEDS, g + items),
  };
}

/** One of a few public hash functions, each with a direct channel of its own over the buckets. */
export function hashTables(form: WireForm): Channel {
  const [size, buckets] = [count(form["items"]), count(form["buckets"])];
  const tables = list(form["tables"]).map((each) => {
    const table = fields(each, "seed", "truth", "noise");
    const seed = integer(table["seed"]);
    const channel = directOf(table);
    const map = Array.from({ length: size }, (_, item) => bucketOf(seed, item, buckets));
    must(channel.noise.length === buckets && map.every((bucket) => channel.noise[bucket]), "a bucket has no noise");
    return { ...channel, map };
  });
  must((tables.length & (tables.length - 1)) === 0, "a count is out of range");
  return {
    size,
    draw(item, source) {
      const seed = source.word() % BigInt(tables.length);
      const table = tables[Number(seed)]!;
      return { seed, bucket: drawDirect(table, table.map[item]!, source) };
    },
    ...paired(BigInt(tables.length), buckets),
    weights({ seed, bucket }) {
      const { truth, noise, map } = tables[Number(seed)]!;
      return (item) => [noise[bucket!]! + (map[item] === bucket ? truth : 0n), 1n];
    },
    kind: (item) => item,
    reveals: () => false,
    pair: (item, other) =>
      largest(
        tables.map(({ truth, noise, map }) => {
          const own = noise[map[item]!]!;
          return map[item] === map[other] ? UNIT : [truth + own, own];
        }),
      ),
    belief({ weights, total }) {
      const found = tables.flatMap((table) => {
        const mass = new Map<number, bigint>();
        table.map.forEach((bucket, item) => mass.set(bucket, (mass.get(bucket) ?? 0n) + weights[item]!));
        return mass.size > 1 ? [...mass].flatMap(([bucket, sum]) => beliefs(table, bucket, sum, total)) : [];
      });
      return largest(found);
    },
  };
}
