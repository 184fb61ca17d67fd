/** Whether a channel keeps a promise, decided on the whole numbers that are sampled. */
import type { Channel, Prior } from "./channels/index.js";
import { type Fraction } from "./exact.js";
export declare const BROKEN = "its tables do not keep its guarantee";
/** What is promised to a person in all. `budgets` has one entry for each input (null: none), `sensitive` is a test of inputs. */
export interface Promised {
    readonly notion: string;
    readonly epsilon: number;
    readonly budgets?: readonly (number | null)[];
    readonly prior?: Prior;
    /** Tags under which people mark items of their own; each is an input behind the items. */
    readonly tags: readonly string[];
    sensitive(input: number): boolean;
}
/** Some inputs that stand for all: two of each kind that the channel treats alike and the promise tells apart from others. */
export declare function representatives(channel: Channel, about?: (input: number) => unknown): number[];
/** The largest factor between two inputs, over the reports that show no input as it is. */
export declare function widest(channel: Channel): Fraction;
/** Whether so many reports of the channel keep the promise together. */
export declare function keeps(channel: Channel, promised: Promised, reports: number): boolean;
