import { type Questionnaire } from "./questionnaire.js";
import type { Study } from "./study.js";
/** What answers give away. */
export interface Spent {
    /** The privacy budget that adds up over studies, as ε of local differential privacy. */
    readonly epsilon: number;
    /** How many answers a report may show as they are. ε doesn't cover these, so they are counted apart. */
    readonly shown: number;
}
/**
 * What one answer to a study gives away, in all its reports, or one submission to a questionnaire, under the form that tells most.
 *
 * ε is the level of the tables themselves, rounded up to thousandths: the largest factor between two answers over the reports that show
 * no answer as it is. That is ε under LDP, at most ε under ULDP, the largest budget under IPLDP and item-ULDP, and the largest that two
 * items share under min-ID-LDP. Under LIP it is 2ε: two steps from what the study expects. A level that hides nothing has ε = 0 and shows.
 */
export declare function price(study: Study | Questionnaire, options?: {
    level?: string;
}): Spent;
