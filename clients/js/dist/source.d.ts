export declare const NO_CRYPTO = "WebCrypto is missing. Use https and a current browser.";
/** Randomness: an object whose `word()` returns the next 64 bits. */
export interface Source {
    word(): bigint;
}
/** The system's generator (WebCrypto). There is no other: without it nothing is drawn. */
export declare function secureSource(): Source;
/** Numbers in hexadecimal, each with so many digits. */
export declare const hex: (numbers: Iterable<number | bigint>, digits: number) => string;
/** A number below n, each as likely. */
export declare function uniform(n: bigint, source: Source): bigint;
/** So many of the numbers below `count`, every selection as likely. */
export declare function selection(count: number, wanted: number, source: Source): Set<number>;
/** The first place whose running sum of shares exceeds one word; -1 where there is none. */
export declare function place(shares: readonly bigint[], source: Source): number;
