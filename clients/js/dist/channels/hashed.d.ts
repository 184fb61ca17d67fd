import { type Channel, type WireForm, type SetLike } from "./channel.js";
/** The bucket of an item under the hash function of a seed. */
export declare const bucketOf: (seed: bigint, item: number, buckets: number) => number;
/** A hash function of the device's choosing, then a direct report of the item's bucket under it. */
export declare function hashed(form: WireForm): SetLike;
/** One of a few public hash functions, each with a direct channel of its own over the buckets. */
export declare function hashTables(form: WireForm): Channel;
