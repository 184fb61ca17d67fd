import type { Fraction } from "./exact.js";

/**
 * To how many in 100 a belief of b = `before` in 100 can rise, if odds change by at most the factor f: 100·f·b/(f·b + 100 − b), rounded
 * up to whole numbers or to 1/`parts`. In whole numbers, so that nothing is understated.
 */
export function percentOf([a, b]: Fraction, parts = 1, before = 1): number {
  const above = a * BigInt(before);
  const whole = above + b * BigInt(100 - before);
  return Number((above * BigInt(100 * parts) + whole - 1n) / whole) / parts;
}
