/** Numbers as people read them. */
export const whole = (number: number): string => number.toLocaleString("en");

export const counted = (number: number, one: string, several: string): string => `${whole(number)} ${number === 1 ? one : several}`;

/** A number with three digits that count, rounded up. */
export function about(number: number): string {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, number))) - 2);
  return whole(Math.ceil(number / unit) * unit);
}

/** The width of an interval above which the reports don't say how large a share is. */
const WIDE = 0.5;
export const VAGUE = "can’t tell";

/** What to know about a share before reading it. */
export function remark({ low, high, found }: { readonly low: number | null; readonly high: number | null; readonly found?: boolean }): string {
  if (low !== null && high !== null && high - low > WIDE) return VAGUE;
  return found === false ? "maybe zero" : "";
}

/** Percentage points, with two digits that count. */
export const points = (share: number): string => String(Number((100 * share).toPrecision(share < 0.1 ? 2 : 3)));

/** A level without digits that say nothing. */
export const levelWords = (level: number): string => `${Number((100 * level).toPrecision(6))}%`;

/** The largest share of an estimate. */
export const largestShare = ({ items }: { readonly items: readonly { readonly p: number | null }[] }): number =>
  items.reduce((most, { p }) => Math.max(most, p ?? 0), 0);
