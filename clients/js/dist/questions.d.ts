import { Domain, type Label } from "./domain.js";
/** A text by language, or under "" if the study names no languages. */
export type Texts = Readonly<Record<string, string>>;
/** What is reported about a question: its answer, or one of its boxes. Boxes have the items "yes" and "no", and those that stand for no answer. */
export interface Field {
    readonly name: string;
    readonly domain: Domain;
}
export interface Question {
    readonly name: string;
    readonly texts: {
        readonly text: Texts;
        readonly help?: Texts;
    };
    /** The answers that a person can choose, apart from `other` and `refusal`. */
    readonly answers: Domain;
    /** All that an answer can be: the answers, then `other`, `refusal` and `skipped`, if there are any. */
    readonly domain: Domain;
    /** The items for an answer that isn't listed, for people who prefer not to say, and for those who aren't asked. */
    readonly other: string | undefined;
    readonly refusal: string | undefined;
    readonly skipped: string | undefined;
    /** Whether several answers can be chosen, and how many at most. */
    readonly choices: boolean;
    readonly atMost: number | undefined;
    /** The question is asked only after one of these answers to each of these earlier questions. */
    readonly after: Readonly<Record<string, readonly Label[]>>;
    /** The codes of the sensitive items in `domain`, under "uldp". The boxes of several choices are always sensitive. */
    readonly sensitive: readonly number[];
    /** What items and axes are called, by language. */
    readonly labels: Readonly<Record<string, Texts>>;
    /** Questions with the same text here are reported as one. */
    readonly together: string | undefined;
    readonly fields: readonly Field[];
}
export declare function textsOf(value: unknown): Texts;
/** What things are called, by language. In each group names have to differ. */
export declare function checkLabels(labels: unknown, languages: readonly string[], groups: readonly (readonly string[])[]): void;
/** The codes of some answers to an earlier question. */
export declare const codesOf: ({ domain }: Question, answers: readonly Label[]) => number[];
export declare function questionOf(value: unknown, uldp: boolean, earlier: readonly Question[], languages?: readonly string[]): Question;
