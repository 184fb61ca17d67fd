import { type Fraction } from "../exact.js";
import { type WireForm, type SetLike, type Value, type Wire } from "./channel.js";
/** Sets of items as bits, item 0 in the lowest bit of the first byte. */
export declare const packed: (size: number) => Wire;
/** The weights of a report that one item alone can have made. */
export declare const only: (bare: number) => (item: number) => Fraction;
export declare const ascending: (items: Iterable<number>) => number[];
/** What all channels share that treat items alike and stand for sets. */
export declare const evenly: (size: number, chosen: number, high: Fraction, low: Fraction, holds: SetLike["holds"]) => {
    size: number;
    high: Fraction;
    low: Fraction;
    chosen: number;
    even: boolean;
    holds: (value: Value) => (item: number) => boolean;
    weights: (value: Value) => (item: number) => Fraction;
    kind: () => number;
    reveals: () => boolean;
    pair: () => Fraction;
    belief: () => Fraction;
};
/** A bit for each item: set with probability `present` for the own item, `absent` for the others. */
export declare function unary(form: WireForm): SetLike;
/** A set of `chosen` items, which holds the own one with probability `include`. */
export declare function subset(form: WireForm): SetLike;
