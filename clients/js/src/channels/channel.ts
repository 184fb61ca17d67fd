import { must } from "../errors.js";
import { type Fraction, ONE } from "../exact.js";
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
export const AGAINST = "a report speaks against its item";

export type WireForm = Readonly<Record<string, unknown>>;

/** The keys and values of an object. */
export function entries(form: unknown): [key: string, value: unknown][] {
  must(typeof form === "object" && form !== null && !Array.isArray(form), "an object is missing");
  return Object.entries(form);
}

/** An object with exactly these keys (those with a question mark may be missing). */
export function fields(form: unknown, ...keys: string[]): WireForm {
  const known = new Set(keys.map((key) => key.replace("?", "")));
  for (const [key, value] of entries(form)) must(known.has(key) && (value !== null || key === "privacy"), `${key} is unknown`);
  for (const key of keys) must(key.endsWith("?") || Object.hasOwn(form as WireForm, key), `${key} is missing`);
  return form as WireForm;
}

export function list(value: unknown): readonly unknown[] {
  must(Array.isArray(value) && value.length > 0, "a list is missing");
  return value;
}

/** Whether no two members of a list are the same. */
export const different = (all: readonly unknown[]): boolean => new Set(all).size === all.length;

/** Characters that people can't see, or that change the order of the text around them. */
const HIDDEN = /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Cs}/u;

/** A text that people see. */
export function textOf(value: unknown): string {
  must(typeof value === "string" && !HIDDEN.test(value) && value.trim() !== "", "a text does not fit");
  return value;
}

/** Whether two lists have the same members in the same order. */
export const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** A whole number of at most 2^64, which travels as text. */
export function integer(value: unknown): bigint {
  must(typeof value === "string" && /^(0|[1-9]\d{0,19})$/.test(value) && BigInt(value) <= ONE, "a number in a table is not below 2^64");
  return BigInt(value);
}

export const integers = (value: unknown): bigint[] => list(value).map(integer);

/** A whole number from `least` to 2^31. */
export function count(value: unknown, least = 1, most = 2 ** 31): number {
  must(Number.isInteger(value) && (value as number) >= least && (value as number) <= most, "a count is out of range");
  return value as number;
}

/** Bytes as text, and back. */
export const base64 = (bytes: Uint8Array): string => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
export const bytes = (report: unknown): Uint8Array => Uint8Array.from(atob(`${report}`), (letter) => letter.charCodeAt(0));

/** The smallest of 1, 2, 4 and 8 bytes that holds numbers below a limit. */
export const width = (limit: number | bigint): number => (limit <= 1 << 8 ? 1 : limit <= 1 << 16 ? 2 : limit <= 2 ** 32 ? 4 : 8);
/** A number as bytes, the lowest first, and back. */
export const little = (whole: bigint, length: number): Uint8Array => Uint8Array.from({ length }, (_, k) => Number((whole >> BigInt(8 * k)) & 255n));
export const whole = (record: Uint8Array): bigint => record.reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n);

/** Reports that are records of bytes, and travel as text. */
export const records = (width: number, record: Wire["record"], read: Wire["read"]): Wire => ({
  width,
  record,
  read,
  encode: (value) => base64(record(value)),
  decode: (report) => read(bytes(report)),
});

/** Reports that are numbers below a limit. */
export const codes = (limit: number): Wire => ({
  ...records(width(limit), ({ code }) => little(BigInt(code!), width(limit)), (record) => ({ code: Number(whole(record)) })),
  encode: ({ code }) => code!,
  decode: (report) => ({ code: report as number }),
});
