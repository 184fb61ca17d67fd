import type { Item } from "./domain.js";
import { type Marks, type Report } from "./report.js";
import type { Source } from "./source.js";
import { type Spent } from "./spending.js";
import type { Study } from "./study.js";
import { type Receipt, type SubmitOptions } from "./submit.js";
/** Where a device keeps its ledger: `localStorage`, or anything with these two methods. */
export interface Keeper {
    getItem(key: string): string | null;
    setItem(key: string, value: string): void;
}
export interface DeviceOptions {
    /** What this device gives in all, as ε; 8 by default. */
    readonly cap?: number;
    /** By default `localStorage`; drafts and marks are then kept in `sessionStorage`, for as long as the tab is open. */
    readonly storage?: Keeper;
    readonly fetch?: typeof fetch;
    readonly source?: Source;
}
/** Where an answer stands: not given yet, given and waiting to be sent, acknowledged, refused by the collector, or removed before it was acknowledged. */
export type State = "none" | "waiting" | "sent" | "refused" | "removed";
export interface Status {
    readonly state: State;
    /** What waits to be sent, or was refused; empty once it is acknowledged or removed. */
    readonly reports: readonly Report[];
    /** Why the collector refused it. */
    readonly reason?: string | undefined;
    /** The day on which it was given, such as "2027-05-04". */
    readonly day?: string | undefined;
    /** The answer was given to an earlier version of the study; no other is drawn for this one. */
    readonly changed?: boolean;
}
/**
 * A person's device: it gives each study no more than the study promises, adds up what it gives to all of them and stops at a cap, holds
 * reports until they are acknowledged, and then forgets them. The answer itself is dropped when its report is sent.
 */
export declare class Device {
    #private;
    /** What this device gives in all, as ε. */
    readonly cap: number;
    /** Settled when what other tabs did is known, and what an earlier version of this module kept is cleaned up. */
    readonly ready: Promise<void>;
    constructor(options?: DeviceOptions);
    /** The reports about an answer: drawn now, or as they were drawn before. Nothing leaves, and the answer can still be changed. */
    prepare(study: Study, item: Item, options?: {
        level?: string;
    }): Promise<readonly Report[]>;
    /** Commit to what was prepared, and send it. From here on the study has its reports: they wait on the device until they are acknowledged. */
    send(study: Study, reports: readonly Report[], options?: SubmitOptions): Promise<Receipt>;
    /** Send all that waits; tells how many answers were acknowledged. */
    flush(options?: Pick<SubmitOptions, "attempts" | "signal">): Promise<number>;
    /** Where the answer to a study stands. */
    status(study: Study): Status;
    /** What this device has given so far, to all studies. */
    spent(): Spent;
    /** Remove drafts, marks, and a report that was not acknowledged. What was given still counts, since it may have arrived. */
    forget(study: Study): Promise<void>;
    /** The person's own sensitive items, tag by tag. */
    marks(study: Study): Marks;
    /** Mark an item under a tag, or take its mark away. The map never leaves the device. */
    mark(study: Study, item: Item, tag: string | null): Promise<void>;
}
