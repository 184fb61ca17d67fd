import type { Channel, Value } from "./channels/index.js";
import { type Report } from "./report.js";
import type { Study } from "./study.js";
/** What can happen to the odds of some answers, against any other answer. */
export interface Odds {
    /** The answers that it is about (their numbers; behind the items come the tags). */
    readonly inputs: readonly number[];
    /** A report can show (or this one does show) such an answer as it is. */
    readonly shown: boolean;
    /** Factors, rounded up to three digits: "2.72", "1" or "infinity". */
    readonly raised: string;
    readonly lowered: string;
    readonly words: string;
}
export interface Explanation {
    /** What is promised, in one or two sentences. */
    readonly promise: string;
    readonly odds: readonly Odds[];
    /** Of a report: the answers that it speaks for. */
    readonly names?: readonly number[];
    /** All of it as text. */
    readonly text: string;
}
export interface ExplainOptions {
    readonly level?: string;
    /** Explain this report, instead of what any report can do. */
    readonly report?: Report;
}
/** What a study promises, and what a report can do to the odds of each answer: read off the tables, not off the study's own words. */
export declare function explain(study: Study, options?: ExplainOptions): Explanation;
/** The odds that this report brings about, and the inputs that it speaks for: those that make it likeliest. */
export declare function oddsOf(channel: Channel, value: Value): [Odds[], number[]];
