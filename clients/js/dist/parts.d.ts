/** The parts and forms of a questionnaire: what is reported as one, and what a person reports in all. */
import { type Capped, type Channel, type Value } from "./channels/index.js";
import { type Fraction } from "./exact.js";
import { type Field, type Question } from "./questions.js";
import type { Source } from "./source.js";
/** Fields that are reported as one: the answer to a question, a combination of several, or the boxes of several choices with a cap. */
export interface Part {
    readonly fields: readonly Field[];
    /** The names of the questions that it is about. */
    readonly questions: readonly string[];
    readonly channel: Channel | Capped;
    /** What the device sends is the answer as it is: nothing about it is sensitive. */
    readonly clear: boolean;
    /** Some reports show an answer as it is. */
    readonly shows: boolean;
    /** The most by which a report that shows no answer changes the odds between two of them. */
    readonly ratio: Fraction;
    /** A report from the codes of the fields. */
    draw(codes: readonly number[], source: Source): Value;
}
/** What a person reports about, if she draws it. Its `name` is the `level` of her report. */
export interface Form {
    readonly name: string;
    /** The level that it belongs to, "" if people choose none. */
    readonly level: string;
    /** Its chance, out of 2^64. */
    readonly weight: bigint;
    readonly parts: readonly Part[];
    /** The names of the questions that it is about, in the order of the questionnaire. */
    readonly questions: readonly string[];
    /** The most by which its reports together change the odds. */
    readonly ratio: Fraction;
}
/** A level of privacy for the whole record; its name is "" if people choose none. */
export interface Level {
    readonly name: string;
    readonly epsilon: number;
}
export declare const isCapped: (channel: Channel | Capped) => channel is Capped;
/** The codes of fields in a combination of their items; the last field counts fastest. */
export declare function codesAt(found: readonly Field[], input: number): number[];
/** The items of fields in a combination, by the names of the fields. */
export declare const itemsAt: (found: readonly Field[], input: number) => Record<string, string>;
export declare function partOf(value: unknown, uldp: boolean, questions: readonly Question[]): Part;
export declare function formsOf(value: unknown, parts: readonly Part[], levels: readonly Level[], questions: readonly Question[]): Form[];
