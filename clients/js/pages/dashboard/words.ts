/** Numbers as people read them. */
export const whole = (number: number): string => number.toLocaleString("en");

export const counted = (number: number, one: string, several: string): string => `${whole(number)} ${number === 1 ? one : several}`;

/** A number with three digits that count, rounded up. */
export function about(number: number): string {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, number))) - 2);
  return whole(Math.ceil(number / unit) * unit);
}

/** Digits behind the point that suit shares of which this is the largest. */
export const digitsFor = (largest: number): number => (largest >= 0.1 ? 1 : largest >= 0.01 ? 2 : 3);

export const percent = (share: number | null, digits = 1): string => (share === null ? "–" : `${noMinusZero((100 * share).toFixed(digits))}%`);

/** The ends of an interval are rounded outwards, so that no share is shown outside of it. */
export const percentDown = (share: number | null, digits = 1): string => percent(share === null ? null : outwards(share, digits, Math.floor, 1e-6), digits);
export const percentUp = (share: number | null, digits = 1): string => percent(share === null ? null : outwards(share, digits, Math.ceil, -1e-6), digits);

const outwards = (share: number, digits: number, rounded: (number: number) => number, dust: number): number =>
  rounded(share * 10 ** (digits + 2) + dust) / 10 ** (digits + 2);

/** The width of an interval above which the reports don't say how large a share is. */
const WIDE = 0.5;

/** What to know about a share before reading it. */
export function remark({ low, high, found }: { readonly low: number | null; readonly high: number | null; readonly found?: boolean }): string {
  if (low !== null && high !== null && high - low > WIDE) return "can’t tell";
  return found === false ? "maybe zero" : "";
}

/** Percentage points, with two digits that count. */
export const points = (share: number): string => String(Number((100 * share).toPrecision(share < 0.1 ? 2 : 3)));

/** A level without digits that say nothing. */
export const levelWords = (level: number): string => `${Number((100 * level).toPrecision(6))}%`;

const noMinusZero = (text: string): string => (Number(text) === 0 ? text.replace("-", "") : text);

/** The largest share of an estimate. */
export const largestShare = ({ items }: { readonly items: readonly { readonly p: number | null }[] }): number =>
  items.reduce((most, { p }) => Math.max(most, p ?? 0), 0);
