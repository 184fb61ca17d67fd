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
export declare const ANSWERED = "This device has answered. Another answer would reveal too much.";
export declare const OUT = "This device has opted out.";
export declare const refuse: (message: string) => SottovoceError;
export declare const today: () => string;
export declare const weight: (reports: readonly Report[]) => number;
/** What stays, as it is read and as it is written: nothing of an answer once a study has it, nor its reports once they are acknowledged. */
export declare function tidied({ lines, drawn, out, drafts, marks }: Ledger, bounds: Bounds): Ledger;
/** The ledger of a person who hasn't opted out. */
export declare function taking(ledger: Ledger): Ledger;
/** Remove what wasn't acknowledged. */
export declare function drop(line: Line, reason?: string): void;
/** The sum over all studies. */
export declare function totalOf({ lines }: Ledger): Spent;
type Placed = {
    readonly fingerprint: string;
    readonly url: string;
};
/** What belongs to a study on this device belongs to its address. */
export declare const placeFor: (study: Placed) => string;
/** An answer to an earlier version of the study, at the same address. */
export declare function earlier({ lines }: Ledger, { fingerprint, url }: Placed): Line | undefined;
/** The line of a study, if it has an answer; where an earlier version was answered, that counts for this one. */
export declare function lineOf(ledger: Ledger, study: Placed): Line | undefined;
export {};
