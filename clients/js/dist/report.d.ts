import type { Item } from "./domain.js";
import { type Source } from "./source.js";
import type { Block, Study } from "./study.js";
/** One report: exactly what leaves the device. */
export interface Report {
    /** The fingerprint of the study. */
    readonly study: string;
    /** 128 random bits, so that a report that is sent again counts once. */
    readonly id: string;
    readonly report: number | string;
    /** The level that the person chose, where the study has levels. */
    readonly level?: string;
}
/** A person's own sensitive items, tag by tag. They stay on the device. */
export type Marks = Readonly<Record<string, readonly Item[]>>;
export interface PerturbOptions {
    /** Randomness; by default the system's. Give another only to check vectors. */
    readonly source?: Source;
    readonly level?: string;
    readonly marks?: Marks;
}
/** The block of a level. */
export declare function blockAt(study: Study, level?: string): Block;
/** What enters the channel: the item's number, or that of the tag under which its person has marked it. */
export declare function inputOf(study: Study, item: Item, marks?: Marks): number;
export declare const placeOf: (report: Report) => string | undefined;
/**
 * One report about an item, drawn from the study's channel. Nothing leaves.
 *
 * Drawing anew about the same answer tells more each time: use a `Device`, which keeps count.
 */
export declare function perturb(study: Study, item: Item, options?: PerturbOptions): Report;
/** What was drawn as a report of a study, with an identifier of its own. */
export declare function made(study: {
    readonly fingerprint: string;
    readonly url: string;
}, drawn: number | string, level: string): Report;
