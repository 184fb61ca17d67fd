import { type Fraction } from "../exact.js";
import type { Source } from "../source.js";
/** A report before it is encoded: a number, the items of a set, or a hash function's seed and a bucket. */
export interface Value {
    readonly code?: number;
    readonly set?: readonly number[];
    readonly seed?: bigint;
    readonly bucket?: number;
}
/** What is known about the population before anybody answers: a weight for each item, and their sum. */
export interface Prior {
    readonly weights: readonly bigint[];
    readonly total: bigint;
}
/** How the reports of a channel travel: alone as a number or as text, and beside others as a record of so many bytes. */
export interface Wire {
    readonly width: number;
    encode(value: Value): number | string;
    /** Back again (a report that this channel made: whether it did is for the collector to say). */
    decode(report: unknown): Value;
    record(value: Value): Uint8Array;
    read(record: Uint8Array): Value;
}
/** Q(report|item), by whole numbers out of 2^64. Items are numbered from 0. */
export interface Channel extends Wire {
    readonly size: number;
    /** Reports are the items themselves. */
    readonly names?: boolean;
    draw(item: number, source: Source): Value;
    /** Q(value|item) for every item, up to a factor that all items share. */
    weights(value: Value): (item: number) => Fraction;
    /** Items of a kind are treated alike. */
    kind(item: number): string | number;
    /** Whether some report can come from this item only. */
    reveals(item: number): boolean;
    /** The largest Q(y|item)/Q(y|other), or 1, over the reports y that reveal no item. */
    pair(item: number, other: number): Fraction;
    /** The largest of Pr(y)/Q(y|x) and Q(y|x)/Pr(y) over reports y and items x, or a little more. */
    belief(prior: Prior): Fraction;
}
/** A channel whose report stands for a set of items: those that it speaks for weigh `high`, all others `low`, against a neutral draw. */
export interface SetLike extends Channel {
    readonly high: Fraction;
    readonly low: Fraction;
    /** How many items every report stands for; 0 where that differs. */
    readonly chosen: number;
    /** All items alike, none revealed: what a lifted channel can build on. */
    readonly even: boolean;
    /** Whether a report stands for an item. */
    holds(value: Value): (item: number) => boolean;
    /** A draw that depends on no item. */
    neutral(source: Source): Value;
    /** The report that shows an item as it is, where `items` are lifted. */
    shown(item: number): Value;
    /** The base's encoding with room for `items` revealing reports. */
    room(items: number): Wire;
}
/** Why tables are refused that make an item less likely when it is the answer. */
export declare const AGAINST = "a report speaks against its item";
export type WireForm = Readonly<Record<string, unknown>>;
/** The keys and values of an object. */
export declare function entries(form: unknown): [key: string, value: unknown][];
/** An object with exactly these keys (those with a question mark may be missing). */
export declare function fields(form: unknown, ...keys: string[]): WireForm;
export declare function list(value: unknown): readonly unknown[];
/** Whether no two members of a list are the same. */
export declare const different: (all: readonly unknown[]) => boolean;
/** A text that people see. */
export declare function textOf(value: unknown): string;
/** Whether two lists have the same members in the same order. */
export declare const same: (one: unknown, other: unknown) => boolean;
/** A whole number of at most 2^64, which travels as text. */
export declare function integer(value: unknown): bigint;
export declare const integers: (value: unknown) => bigint[];
/** A whole number from `least` to 2^31. */
export declare function count(value: unknown, least?: number, most?: number): number;
/** Bytes as text, and back. */
export declare const base64: (bytes: Uint8Array) => string;
export declare const bytes: (report: unknown) => Uint8Array;
/** The smallest of 1, 2, 4 and 8 bytes that holds numbers below a limit. */
export declare const width: (limit: number | bigint) => number;
/** A number as bytes, the lowest first, and back. */
export declare const little: (whole: bigint, length: number) => Uint8Array;
export declare const whole: (record: Uint8Array) => bigint;
/** Reports that are records of bytes, and travel as text. */
export declare const records: (width: number, record: Wire["record"], read: Wire["read"]) => Wire;
/** Reports that are numbers below a limit. */
export declare const codes: (limit: number) => Wire;
