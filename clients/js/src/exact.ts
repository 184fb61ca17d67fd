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

/** e^(ε/parts) as a fraction that is not above it (and below it by less than one part in 2^200). */
export function power(epsilon: number, parts = 1): Fraction {
  let halvings = 0n;
  let numerator = Math.min(epsilon, 1e5); // more than any tables can tell
  const small = BigInt(Math.max(0, Math.ceil(Math.log2(numerator))) + 8);
  while (!Number.isInteger(numerator)) {
    numerator *= 2; // exact: a double is a whole number over a power of two
    halvings += 1n;
  }
  const x = ((BigInt(numerator) << BITS) >> (halvings + small)) / BigInt(parts);
  let sum = POINT;
  let term = POINT;
  for (let k = 1n; term; k += 1n) {
    term = (term * x) / (POINT * k);
    sum += term;
  }
  for (let k = 0n; k < small; k += 1n) sum = (sum * sum) >> BITS;
  return [sum, POINT];
}

/** A fraction out of 2^256, rounded down or up. */
export const below = ([a, b]: Fraction): bigint => (a << BITS) / b;
export const above = ([a, b]: Fraction): bigint => ((a << BITS) + b - 1n) / b;

/** Three digits that never understate a fraction of at least 1: "2.72", "1.05·10^4", "infinity"; "1" within one part in 10^9, which is rounding. */
export function digits([a, b]: Fraction): string {
  if (!b) return "infinity";
  if ((a - b) * 10n ** 9n <= b) return "1";
  const size = `${a / b}`.length; // digits before the point
  const [top, bottom] = size < 4 ? [a * 10n ** BigInt(3 - size), b] : [a, b * 10n ** BigInt(size - 3)];
  const value = Number((top + bottom - 1n) / bottom) / 10 ** (3 - size);
  return size < 5 ? value.toFixed(Math.max(0, 3 - size)) : `${(value / 10 ** (size - 1)).toFixed(2)}·10^${size - 1}`;
}
