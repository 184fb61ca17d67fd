import type { Item } from "./domain.js";
import type { Form } from "./parts.js";
import type { Questionnaire } from "./questionnaire.js";
import type { Source } from "./source.js";
/** The answers by the names of their questions; several choices are a list. A refusal is the question's item for it. */
export type Answers = Readonly<Record<string, Item | readonly Item[] | null | undefined>>;
/** Whether a question is asked after these answers; not as long as one on which that depends is missing. */
export declare const applies: (questionnaire: Questionnaire, name: string, answers: Answers) => boolean;
/** The questions of a form, and the earlier ones on which they depend, in the order of the questionnaire. */
export declare function needed({ questions }: Questionnaire, form: Form): string[];
/** The codes of all fields of a form, part by part. Every answer that is given is checked, also to questions that don't count. */
export declare function filled(questionnaire: Questionnaire, form: Form, answers: Answers): number[][];
/** The records of all parts of a form, one after the other, as text. */
export declare function drawnFor(form: Form, codes: readonly (readonly number[])[], source: Source): string;
