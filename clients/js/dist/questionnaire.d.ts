import { type LoadOptions } from "./load.js";
import { type Form, type Level, type Part } from "./parts.js";
import { type Question, type Texts } from "./questions.js";
/** A questionnaire that has been checked: its fingerprint fits, and every form keeps what its level promises. */
export interface Questionnaire {
    readonly name: string;
    readonly fingerprint: string;
    /** Where it was loaded from. */
    readonly url: string;
    /** Whether its administrator had closed it when it was loaded. */
    readonly closed?: boolean;
    /** Reports from which on the collector shows results. */
    readonly minimum: number;
    /** The first one is the default; empty if all texts are in one language. */
    readonly languages: readonly string[];
    readonly texts: {
        readonly title: Texts;
    } & {
        readonly [key in "introduction" | "organisation" | "contact" | "consent" | "thanks"]?: Texts;
    };
    /** The first and the last day (UTC) on which the collector takes reports. */
    readonly dates: {
        readonly opens?: string;
        readonly closes?: string;
    };
    /** Whether people see only the questions that were drawn and those on which they depend, or all, of which the drawn ones are sent. */
    readonly ask: "drawn" | "all";
    /** Whether each question has a screen of its own. */
    readonly paged: boolean;
    readonly notion: "ldp" | "uldp";
    /** One with the name "" if people choose none. */
    readonly levels: readonly Level[];
    /** What levels are called, by language. */
    readonly labels: Readonly<Record<string, Texts>>;
    readonly questions: readonly Question[];
    readonly parts: readonly Part[];
    readonly forms: readonly Form[];
}
/** Fetch a compiled questionnaire from a collector, and check it. */
export declare const loadQuestionnaire: (url: string | URL, options?: LoadOptions) => Promise<Questionnaire>;
/** Check a compiled questionnaire, given as text or as the object that the text stands for. */
export declare const readQuestionnaire: (json: unknown, url?: string) => Promise<Questionnaire>;
/** What is wrong with the day, if the study takes no reports on it. */
export declare function closedOn({ opens, closes }: Questionnaire["dates"], day: string): string | undefined;
/** The forms of a level. */
export declare function levelForms({ forms, levels }: Questionnaire, level?: string): Form[];
/** A form by its name, which is the `level` of a report. */
export declare function formNamed({ forms }: Questionnaire, name?: string): Form;
