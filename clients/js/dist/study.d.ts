import { type Channel } from "./channels/index.js";
import { type Domain } from "./domain.js";
import { type Promised } from "./judge.js";
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
}
export interface LoadOptions {
    readonly fetch?: typeof fetch;
    readonly signal?: AbortSignal;
}
/** Fetch a compiled study from a collector, and check it. */
export declare function loadStudy(url: string | URL, options?: LoadOptions): Promise<Study>;
/** An address without what follows the path. */
export declare const plain: (url: string) => string;
/** What a collector's problem document says. */
export declare function problem(text: string): string | undefined;
/** Check a compiled study, given as text or as the object that the text stands for. */
export declare function readStudy(json: unknown, url?: string): Promise<Study>;
/** The SHA-256 of the canonical form (spec/study.md), in hexadecimal. */
export declare function fingerprintOf(form: unknown): Promise<string>;
