/** Exact arithmetic on whole numbers of any size. No privacy decision rests on a rounded number. */

/** A quotient of two whole numbers that are not negative; over 0 it is infinite. */
export type Fraction = readonly [bigint, bigint];

/** Probabilities are whole numbers out of this. */
export const ONE = 1n << 64n;
export const UNIT: Fraction = [1n, 1n];

export const times = (a: Fraction, b: Fraction): Fraction => [a[0] * b[0], a[1] * b[1]];
export const over = (a: Fraction, b: Fraction): Fraction => [a[0] * b[1], a[1] * b[0]];
export const less = (a: Fraction, b: Fraction): boolean => a[0] * b[1] < b[0] * a[1];
/** The largest of some fractions, and of 1. */
export const largest = (all: readonly Fraction[]): Fraction => all.reduce((a, b) => (less(a, b) ? b : a), UNIT);

/** Bits behind the point of `power` and `parts`. */
const BITS = 256n;
const POINT = 1n << BITS;
/** How often the exponent is halved before the series, and the result squared after it: enough for an ε of 40. */
const SMALL = 14n;

/** e^(ε/parts) as a fraction that is not above it (and below it by less than one part in 2^200). */
export function power(epsilon: number, parts = 1): Fraction {
  let halvings = 0n;
  let numerator = epsilon;
  while (!Number.isInteger(numerator)) {
    numerator *= 2; // exact: a double is a whole number over a power of two
    halvings += 1n;
  }
  const x = ((BigInt(numerator) << BITS) >> (halvings + SMALL)) / BigInt(parts);
  let sum = POINT;
  let term = POINT;
  for (let k = 1n; term; k += 1n) {
    term = (term * x) / (POINT * k);
    sum += term;
  }
  for (let k = 0n; k < SMALL; k += 1n) sum = (sum * sum) >> BITS;
  return [sum, POINT];
}

/** A fraction out of 2^256, rounded down or up. */
export const below = ([a, b]: Fraction): bigint => (a << BITS) / b;
export const above = ([a, b]: Fraction): bigint => ((a << BITS) + b - 1n) / b;

/** Three digits that never understate a fraction of at least 1: "2.72", "1060", "infinity"; "1" within one part in 10^9, which is rounding. (Above 9·10^9 doubles may understate, by parts in 10^16.) */
export function digits([a, b]: Fraction): string {
  if (!b) return "infinity";
  if ((a - b) * 10n ** 9n <= b) return "1";
  const millionths = Number((a * 1000000n + b - 1n) / b);
  const unit = 10 ** (Math.floor(Math.log10(millionths)) - 2);
  return `${(Math.ceil(millionths / unit) * unit) / 1e6}`;
}
