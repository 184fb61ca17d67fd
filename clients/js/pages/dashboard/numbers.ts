/** How shares are written: the rule of src/sottovoce/findings/formatting.py, which spec/vectors/written checks here too. */
export interface Bounds {
  readonly p?: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** Parts of the last digit that are taken for rounding errors. */
const DUST = 1e-6;
/** Percentage points: with an interval narrower than these, a share has one more digit behind the point. */
const STEPS = [5, 0.5, 0.05, 0.005];

/** The digits behind the point that all shares of a table have: those that its narrowest interval is worth. */
export function digitsFor(shares: Iterable<Bounds>): number {
  let narrowest = Infinity;
  for (const { low, high } of shares) if (low !== null && high !== null && high > low) narrowest = Math.min(narrowest, 100 * (high - low));
  return narrowest === Infinity ? 1 : STEPS.filter((step) => narrowest < step).length;
}

/** A share with so many digits. */
export const percent = (share: number | null, digits: number): string => (share === null ? "–" : `${written(Math.floor(share * 10 ** (2 + digits) + 0.5), digits)}%`);

/** The ends of an interval, rounded outwards: a share that lies in it is never shown outside of it. */
export function ends({ low, high }: Bounds, digits: number): string {
  if (low === null || high === null) return "–";
  const scale = 10 ** (2 + digits);
  return `${written(Math.floor(low * scale + DUST), digits)} to ${written(Math.ceil(high * scale - DUST), digits)}%`;
}

/** A whole number of the last digits, without a minus before a zero. */
const written = (number: number, digits: number): string => (number / 10 ** digits + 0).toFixed(digits);
