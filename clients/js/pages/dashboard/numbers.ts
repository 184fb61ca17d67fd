/** How shares are written: the rule of src/sottovoce/findings/formatting.py, which spec/vectors/written checks here too. */
export interface Bounds {
  readonly p?: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** Parts of the last digit that are taken for rounding errors. */
const DUST = 1e-6;
/** Percentage points: with an interval narrower than these, a share has one more digit behind the point. */
const STEPS = [10, 1, 0.1, 0.01];
/** Further digits that the low end of an interval may take, so that it isn't shown as zero if it's above zero. */
const FURTHER = 2;

/** The digits behind the point that all shares of a table have: those that its narrowest interval is worth. */
export function digitsFor(shares: Iterable<Bounds>): number {
  let narrowest = Infinity;
  for (const { low, high } of shares) if (low !== null && high !== null && high > low) narrowest = Math.min(narrowest, 100 * (high - low));
  return narrowest === Infinity ? 1 : STEPS.filter((step) => narrowest < step).length;
}

/** A share with so many digits. With more of them if it isn't zero by the low end of its interval. */
export function percent(share: number | null, digits: number, low: number | null = null): string {
  if (share === null) return "–";
  const whole = (many: number) => Math.floor(share * 10 ** (2 + many) + 0.5);
  const many = low !== null && whole(digits) === 0 ? (digitsAboveZero(low, digits) ?? digits) : digits;
  return `${written(whole(many), many)}%`;
}

/** The ends of an interval, rounded outwards: a share that lies in it is never shown outside of it. A low end above zero is never shown as zero. */
export function ends({ low, high }: Bounds, digits: number): string {
  if (low === null || high === null) return "–";
  const many = digitsAboveZero(low, digits);
  return `${many === undefined ? "just over 0" : written(floor(low, many), many)} to ${written(Math.ceil(high * 10 ** (2 + digits) - DUST), digits)}%`;
}

/** So many digits, or a few more if a low end above zero would be shown as zero. Nothing if those don't suffice. */
function digitsAboveZero(low: number, digits: number): number | undefined {
  if (floor(low, digits) || low * 10 ** (2 + digits) <= DUST) return digits;
  for (let many = digits; many <= digits + FURTHER; many += 1) if (floor(low, many)) return many;
  return undefined;
}

const floor = (low: number, digits: number): number => Math.floor(low * 10 ** (2 + digits) + DUST);

/** A whole number of the last digits, without a minus before a zero. */
const written = (number: number, digits: number): string => (number / 10 ** digits + 0).toFixed(digits);
