import { SottovoceError } from "./errors.js";

export const NO_CRYPTO = "WebCrypto is missing. Use https and a current browser.";

/** Randomness: an object whose `word()` returns the next 64 bits. */
export interface Source {
  word(): bigint;
}

/** The system's generator (WebCrypto). There is no other: without it nothing is drawn. */
export function secureSource(): Source {
  const random = globalThis.crypto;
  if (!random?.getRandomValues) throw new SottovoceError("source", NO_CRYPTO);
  return { word: () => random.getRandomValues(new BigUint64Array(1))[0]! };
}

/** Numbers in hexadecimal, each with so many digits. */
export const hex = (numbers: Iterable<number | bigint>, digits: number): string =>
  Array.from(numbers, (number) => number.toString(16).padStart(digits, "0")).join("");

/** A number below n, each as likely. */
export function uniform(n: bigint, source: Source): bigint {
  for (;;) {
    const word = source.word();
    if (word - (word % n) <= (1n << 64n) - n) return word % n;
  }
}

/** So many of the numbers below `count`, every selection as likely. */
export function selection(count: number, wanted: number, source: Source): Set<number> {
  const chosen = new Set<number>();
  for (let j = count - wanted; j < count; j += 1) {
    const t = Number(uniform(BigInt(j + 1), source));
    chosen.add(chosen.has(t) ? j : t);
  }
  return chosen;
}

/** The first place whose running sum of shares exceeds one word; -1 where there is none. */
export function place(shares: readonly bigint[], source: Source): number {
  const word = source.word();
  let running = 0n;
  return shares.findIndex((share) => word < (running += share));
}
