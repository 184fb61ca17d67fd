import { type Fraction, largest, less, power } from "./exact.js";
import { representatives, widest } from "./judge.js";
import { levelForms, type Questionnaire } from "./questionnaire.js";
import { blockAt } from "./report.js";
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
export function price(study: Study | Questionnaire, options: { level?: string } = {}): Spent {
  if ("questions" in study) {
    const forms = levelForms(study, options.level);
    return { epsilon: thousandths(largest(forms.map(({ ratio }) => ratio))) / 1000, shown: forms.some(({ parts }) => parts.some(({ shows }) => shows)) ? 1 : 0 };
  }
  const { channel, promised } = blockAt(study, options.level);
  const prior = promised?.prior;
  const low = thousandths(prior ? channel.belief(prior) : widest(channel), study.reports);
  return { epsilon: (low * (prior ? 2 : 1)) / 1000, shown: representatives(channel).some((input) => channel.reveals(input)) ? 1 : 0 };
}

/** So many reports with a ratio as ε, rounded up to thousandths. */
function thousandths(ratio: Fraction, reports = 1): number {
  let [low, high] = [0, 80_000]; // tables that keep a promise stay below
  while (low < high) {
    const middle = (low + high) >> 1;
    if (less(power(middle / 1000, reports), ratio)) low = middle + 1;
    else high = middle;
  }
  return low;
}
