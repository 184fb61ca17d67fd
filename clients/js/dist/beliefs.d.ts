/**
 * To how many in 100 a belief of b = `before` in 100 can rise, if odds change by at most `factor`: 100·f·b/(f·b + 100 − b), rounded up
 * to whole numbers or to 1/`parts`. The least n with f·b·(100 − n) ≤ (100 − b)·n, so that nothing is understated. 100 for a factor that
 * is no number, such as "infinity".
 */
export declare function percentOf(factor: number, parts?: number, before?: number): number;
