/**
 * To how many in 100 a belief of 1 in 100 can rise, if odds change by at most `factor`: f/(f + 99), rounded up to whole numbers or to
 * 1/`parts`. The least n with f·(100 − n) ≤ 99·n, so that nothing is understated. 100 for a factor that is no number,
 * such as "infinity".
 */
export function percentOf(factor: number, parts = 1): number {
  let n = parts;
  while (n < 100 * parts && !(factor * (100 * parts - n) <= 99 * n)) n += 1;
  return n / parts;
}
