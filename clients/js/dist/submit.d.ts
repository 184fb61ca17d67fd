import { type Report } from "./report.js";
export interface SubmitOptions {
    /** The address of the study; known where the report was made by `perturb`. */
    readonly url?: string;
    /** A ticket, where the study asks for one. */
    readonly ticket?: string | undefined;
    /** How often it is tried; 5 times by default. */
    readonly attempts?: number;
    /** How long an attempt may take, in milliseconds; 30,000 by default. */
    readonly timeout?: number;
    /** Lets the request outlive the page; its body may have at most 64 KiB then. */
    readonly keepalive?: boolean;
    readonly fetch?: typeof fetch;
    readonly signal?: AbortSignal;
}
/** How many were counted now, and how many had been counted before. Both are on the collector's disk. */
export interface Receipt {
    readonly accepted: number;
    readonly repeated: number;
}
/** How many seconds a collector wants to be left alone. */
export declare function wait({ headers }: Response): number;
/**
 * Send a report (or all those of one person), again and again until it is acknowledged: the bytes are the same each time, and it counts once.
 *
 * An error of the kind "line" means that it may be sent again later; "refused" that the collector does not want it.
 */
export declare function submit(reports: Report | readonly Report[], options?: SubmitOptions): Promise<Receipt>;
