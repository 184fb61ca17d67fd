/** What a device keeps, and what is left of it as time passes. */
import { SottovoceError } from "./errors.js";
import type { Report } from "./report.js";
import type { Spent } from "./spending.js";

/** Where an answer stands: not given yet, given and waiting to be sent, acknowledged, refused by the collector, or removed before it was acknowledged. */
export type State = "none" | "waiting" | "sent" | "refused" | "removed";

export interface Status {
  readonly state: State;
  /** What waits to be sent, or was refused; empty once it is acknowledged or removed. */
  readonly reports: readonly Report[];
  /** Why the collector refused it, or why it was removed. */
  readonly reason?: string | undefined;
  /** The day on which it was given, such as "2027-05-04". */
  readonly day?: string | undefined;
  /** The answer was given to an earlier version of the study; no other is drawn for this one. */
  readonly changed?: boolean;
}

/** A line of the ledger: a study that got an answer. The answer isn't in it, and the reports only until they are acknowledged. */
export interface Line extends Omit<Status, "changed"> {
  url: string;
  state: State;
  spent: Spent;
  reports: readonly Report[];
  ticket?: string | undefined;
  reason?: string | undefined;
  /** The last day on which the study takes reports. */
  closes?: string | undefined;
}

/** Reports that were drawn about an answer (the level and the input's number are the key) and never left. */
export interface Draft {
  place: string;
  key: string;
  reports: Report[];
}

/** The form that was drawn for a level of a questionnaire, before any answer. */
export interface Drawn {
  study: string;
  url: string;
  level: string;
  form: string;
}

/**
 * All that a device keeps. Lines are by the study's fingerprint and stay. Drafts and marked items (with their tags, by the study's place) go with
 * the answer, and so do drawn forms. With `out` the device takes part in nothing.
 */
export interface Ledger {
  lines: Record<string, Line>;
  drawn: Drawn[];
  out: boolean;
  drafts: Draft[];
  marks: Record<string, [item: string, tag: string][]>;
}

/** How much may wait to be sent: so many studies, so many characters of reports, for so many days. */
export interface Bounds {
  readonly maxWaiting: number;
  readonly maxBytes: number;
  readonly maxDays: number;
}

const MORE = "Another answer would reveal too much.";
export const ANSWERED = `This device has answered. ${MORE}`;
export const OUT = "This device has opted out.";
export const refuse = (message: string) => new SottovoceError("ledger", message);
export const today = (): string => new Date().toISOString().slice(0, 10);
export const weight = (reports: readonly Report[]): number => JSON.stringify(reports).length;

/** What stays, as it is read and as it is written: nothing of an answer once a study has it, nor its reports once they are acknowledged. */
export function tidied({ lines, drawn, out, drafts, marks }: Ledger, bounds: Bounds): Ledger {
  if (lines.constructor !== Object) throw Error();
  const kept: Ledger = { lines: {}, drawn, out, drafts, marks };
  // an earlier version wrote no `spent` (its answers count as shown), kept the answer and its reports, and drafts under "none"
  for (const [fingerprint, { url, state, day, reason, closes, spent = { epsilon: 0, shown: 1 }, ...line }] of Object.entries(lines)) {
    if (state === "none") continue;
    if (!(Number.isFinite(spent.epsilon) && spent.epsilon >= 0 && spent.shown >= 0 && line.reports.length >= 0)) throw Error();
    const { reports, ticket } = state === "sent" ? { reports: [] } : line;
    kept.lines[fingerprint] = { url, state, day, spent, reports, ticket, reason, closes };
    kept.drafts = kept.drafts.filter((each) => each.place !== url && each.reports[0]!.study !== fingerprint);
    kept.drawn = kept.drawn.filter((each) => each.study !== fingerprint && !(url && each.url === url));
    delete marks[url || fingerprint];
  }
  const waiting = Object.values(kept.lines).filter(({ reports }) => reports.length);
  for (const line of waiting) {
    const days = (Date.parse(today()) - Date.parse(line.day!)) / 864e5;
    if (out) drop(line, OUT);
    else if (today() > line.closes!) drop(line, `The study closed on ${line.closes}.`);
    else if (days > bounds.maxDays) drop(line, `It waited for more than ${bounds.maxDays} days.`);
  }
  let [count, bytes] = [0, 0]; // the newest stay
  for (const line of waiting.reverse()) {
    if (!line.reports.length) continue;
    count += 1;
    bytes += weight(line.reports);
    if (count > bounds.maxWaiting || bytes > bounds.maxBytes) drop(line, "Too much waited to be sent.");
  }
  return out ? { ...kept, drawn: [], drafts: [], marks: {} } : kept;
}

/** The ledger of a person who hasn't opted out. */
export function taking(ledger: Ledger): Ledger {
  if (ledger.out) throw refuse(OUT);
  return ledger;
}

/** Remove what wasn't acknowledged. */
export function drop(line: Line, reason?: string): void {
  if (line.state === "waiting") Object.assign(line, { state: "removed", reason });
  Object.assign(line, { reports: [], ticket: undefined });
}

/** The sum over all studies. */
export function totalOf({ lines }: Ledger): Spent {
  const sum = (key: keyof Spent) => +Object.values(lines).reduce((total, { spent }) => total + spent[key], 0).toFixed(3);
  return { epsilon: sum("epsilon"), shown: sum("shown") };
}

type Placed = { readonly fingerprint: string; readonly url: string };

/** What belongs to a study on this device belongs to its address. */
export const placeFor = (study: Placed): string => study.url || study.fingerprint;

/** An answer to an earlier version of the study, at the same address. */
export function earlier({ lines }: Ledger, { fingerprint, url }: Placed): Line | undefined {
  return Object.entries(lines).find(([each, line]) => each !== fingerprint && url && line.url === url)?.[1];
}

/** The line of a study, if it has an answer; where an earlier version was answered, that counts for this one. */
export function lineOf(ledger: Ledger, study: Placed): Line | undefined {
  if (earlier(ledger, study)) throw refuse(`The study was changed since this device answered. ${MORE}`);
  return ledger.lines[study.fingerprint];
}
