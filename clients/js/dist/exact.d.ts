/** Exact arithmetic on whole numbers of any size. No privacy decision rests on a rounded number. */
/** A quotient of two whole numbers that are not negative; over 0 it is infinite. */
export type Fraction = readonly [bigint, bigint];
/** Probabilities are whole numbers out of this. */
export declare const ONE: bigint;
export declare const UNIT: Fraction;
export declare const times: (a: Fraction, b: Fraction) => Fraction;
export declare const over: (a: Fraction, b: Fraction) => Fraction;
export declare const less: (a: Fraction, b: Fraction) => boolean;
/** The largest of some fractions, and of 1. */
export declare const largest: (all: readonly Fraction[]) => Fraction;
/** e^(ε/parts) as a fraction that is not above it (and below it by less than one part in 2^200). */
export declare function power(epsilon: number, parts?: number): Fraction;
/** A fraction out of 2^256, rounded down or up. */
export declare const below: ([a, b]: Fraction) => bigint;
export declare const above: ([a, b]: Fraction) => bigint;
/** Three digits that never understate a fraction of at least 1: "2.72", "1060", "infinity"; "1" within one part in 10^9, which is rounding. (Above 9·10^9 doubles may understate, by parts in 10^16.) */
export declare function digits([a, b]: Fraction): string;
