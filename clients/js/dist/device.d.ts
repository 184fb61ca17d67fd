import type { Item } from "./domain.js";
import { type Marks, type Report } from "./report.js";
import type { Source } from "./source.js";
import type { Study } from "./study.js";
import { type Receipt, type SubmitOptions } from "./submit.js";
/** Where a device keeps its ledger: `localStorage`, or anything with these two methods. */
export interface Keeper {
    getItem(key: string): string | null;
    setItem(key: string, value: string): void;
}
export interface DeviceOptions {
    /** By default `localStorage`. */
    readonly storage?: Keeper;
    readonly fetch?: typeof fetch;
    readonly source?: Source;
}
/** Where an answer stands: not given yet, given and waiting to be sent, acknowledged, or refused by the collector. */
export type State = "none" | "waiting" | "sent" | "refused";
export interface Status {
    readonly state: State;
    /** What was drawn for the answer that was given; empty once it is forgotten. */
    readonly reports: readonly Report[];
    /** Why the collector refused it. */
    readonly reason?: string;
    /** The answer was given to an earlier version of the study; no other is drawn for this one. */
    readonly changed?: boolean;
}
/**
 * A person's device: it counts the reports of each study and gives no more than the study promises, keeps what was drawn so that
 * an unchanged answer is sent again and not drawn anew, holds reports until they are acknowledged, and keeps the person's own marks.
 */
export declare class Device {
    #private;
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
    /** Remove the answer, its reports and the marks from this device. That it was given is still known, so that it is not given twice. */
    forget(study: Study): Promise<void>;
    /** The person's own sensitive items, tag by tag. */
    marks(study: Study): Marks;
    /** Mark an item under a tag, or take its mark away. The map never leaves the device. */
    mark(study: Study, item: Item, tag: string | null): Promise<void>;
}
