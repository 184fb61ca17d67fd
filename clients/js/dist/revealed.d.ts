import { type Questionnaire } from "./questionnaire.js";
import type { Report } from "./report.js";
/** What a report reveals about the answer to a question, or to several that are reported as one. */
export interface Revealed {
    /** The names of the questions. */
    readonly questions: readonly string[];
    /** The answer itself is in the report. */
    readonly shown: boolean;
    /**
     * The answers that the report speaks for, each with its item by field. Several choices with a cap have an entry for each box that the
     * report names; it speaks for all answers with one of them. Empty if all answers are equally likely to have made the report.
     */
    readonly names: readonly Readonly<Record<string, string>>[];
    /** Several choices with a cap: the report also speaks for answers with at most so many choices. */
    readonly few?: number;
    /** How many times likelier these answers are to have made the report than any others: "2.72", "1" or "infinity". */
    readonly factor: string;
    readonly words: string;
}
export interface RevealOptions {
    readonly level?: string;
    /** Explain this report, instead of what any report of the level can reveal. */
    readonly report?: Report;
}
export interface Revelation {
    /** What is promised, for people. */
    readonly promise: string;
    /** A belief of 1 in 100 rises to so many in 100 at most. */
    readonly percent: number;
    /** Of a report: what it reveals, part by part. */
    readonly parts: readonly Revealed[];
    /** All of it as text. */
    readonly text: string;
}
/** What a questionnaire promises, and what a report reveals: read off the tables, not off the study's own words. */
export declare function reveal(study: Questionnaire, { level, report }?: RevealOptions): Revelation;
