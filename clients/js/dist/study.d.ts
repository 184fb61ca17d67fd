import { type Channel } from "./channels/index.js";
import { type Domain } from "./domain.js";
import { type Promised } from "./judge.js";
import { type LoadOptions } from "./load.js";
/** One level of protection: what it promises (null: it hides nothing), and its channel. */
export interface Block {
    readonly level: string;
    readonly promised: Promised | null;
    readonly channel: Channel;
}
/** A study that has been checked: its fingerprint fits, and its tables keep its promise. */
export interface Study {
    readonly name: string;
    readonly question: string;
    readonly domain: Domain;
    /** Tags under which people mark items of their own. */
    readonly tags: readonly string[];
    /** Reports that a person gives. */
    readonly reports: number;
    /** Reports from which on the collector shows results. */
    readonly minimum: number;
    readonly blocks: readonly Block[];
    readonly fingerprint: string;
    /** Where it was loaded from. */
    readonly url: string;
    /** Whether its administrator had closed it when it was loaded. */
    readonly closed?: boolean;
}
/** Fetch a compiled study from a collector, and check it. */
export declare const loadStudy: (url: string | URL, options?: LoadOptions) => Promise<Study>;
/** Check a compiled study, given as text or as the object that the text stands for. */
export declare const readStudy: (json: unknown, url?: string) => Promise<Study>;
/** A level of privacy, or a budget. */
export declare function budgetOf(value: unknown): number;
