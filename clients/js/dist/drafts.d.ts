import { type Ledger } from "./ledger.js";
import type { Form } from "./parts.js";
import { type Questionnaire } from "./questionnaire.js";
import { type Marks, type Report } from "./report.js";
import { type Source } from "./source.js";
import type { Study } from "./study.js";
/** The form that was drawn for a level. */
export declare function formFor({ drawn }: Ledger, study: Questionnaire, level: string): Form | undefined;
/** Draw a form among those of a level: one word decides. */
export declare function drawForm(ledger: Ledger, study: Questionnaire, level: string, source?: Source): Form;
/** The marks that the study knows: it may have been changed since. */
export declare function marksOf({ marks }: Ledger, study: Study): Marks;
/** What stands for an answer in this tab, and how its reports are drawn. */
export declare function draftOf(ledger: Ledger, study: Study | Questionnaire, answer: unknown, level: string, source?: Source): [key: string, draw: () => Report[]];
