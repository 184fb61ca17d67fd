import { type Answers } from "./answers.js";
import type { Item } from "./domain.js";
import { type Keeper } from "./kept.js";
import { type Status } from "./ledger.js";
import { type Questionnaire } from "./questionnaire.js";
import { type Marks, type Report } from "./report.js";
import type { Source } from "./source.js";
import { type Spent } from "./spending.js";
import type { Study } from "./study.js";
import { type Receipt, type SubmitOptions } from "./submit.js";
export interface DeviceOptions {
    /** What this device gives in all, as ε: a finite number above 0, 8 by default. */
    readonly cap?: number;
    /**
     * By default, and for `localStorage`, what all tabs of an origin share: a database with a copy in `localStorage`, and `sessionStorage` for drafts
     * and marks, as long as the tab is open. Anything else keeps everything in one place, and only devices with the same storage know of each other.
     */
    readonly storage?: Keeper;
    readonly fetch?: typeof fetch;
    readonly source?: Source;
    /** The most studies whose reports wait to be sent, 100 by default. The oldest ones are removed. */
    readonly maxWaiting?: number;
    /** The most characters of reports that wait, a million by default. */
    readonly maxBytes?: number;
    /** The most days that reports wait, 30 by default. */
    readonly maxDays?: number;
}
/** The form that a person drew, and the questions that go with it. */
export interface Asked {
    readonly form: string;
    /** "" if people choose none. */
    readonly level: string;
    /** The questions that count: those of the form. */
    readonly reported: readonly string[];
    /** These and the earlier ones on which they depend, in the order of the questionnaire. */
    readonly needed: readonly string[];
}
type Any = Study | Questionnaire;
type Leveled = {
    readonly level?: string;
};
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
    /** Which questions of a questionnaire count. The form is drawn now, or it was before: once, whatever is answered, removed or opened again. */
    asked(study: Questionnaire, { level }?: Leveled): Promise<Asked>;
    /** The reports about an answer: drawn now, or as they were drawn before. Nothing leaves, and the answer can still be changed. */
    prepare(study: Study, item: Item, options?: Leveled): Promise<readonly Report[]>;
    /** The report about the answers to the questions of the form that was drawn. What is given to other questions makes no difference. */
    prepare(study: Questionnaire, answers: Answers, options?: Leveled): Promise<readonly Report[]>;
    /** Commit to what was prepared, and send it. From here on the study has its reports: they wait on the device until they are acknowledged. */
    send(study: Any, reports: readonly Report[], options?: SubmitOptions): Promise<Receipt>;
    /** Send all that waits; tells how many answers were acknowledged. */
    flush(options?: Pick<SubmitOptions, "attempts" | "signal" | "keepalive">): Promise<number>;
    /** Send what waits now, whenever the device is online again, and once more when the page is left. Returns a function that ends this. */
    watch(): () => void;
    /** Where the answer to a study stands. */
    status(study: Any): Status;
    /** What this device has given so far, to all studies. */
    spent(): Spent;
    /** Whether the person has opted out. */
    get optedOut(): boolean;
    /** Take part in nothing any more: nothing is sent, and all is removed that wasn't, also the answers that survey pages keep. What was given still counts. */
    optOut(): Promise<void>;
    /** Take part again. */
    optIn(): Promise<void>;
    /** Remove drafts, marks, and a report that was not acknowledged. What was given still counts, since it may have arrived; a form that was drawn stays. */
    forget(study: Any): Promise<void>;
    /** The person's own sensitive items, tag by tag. */
    marks(study: Study): Marks;
    /** Mark an item under a tag, or take its mark away. The map never leaves the device. */
    mark(study: Study, item: Item, tag: string | null): Promise<void>;
}
export {};
