import { largest, less, power, UNIT } from "./exact.js";
import { representatives } from "./judge.js";
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
 * What one answer to a study gives away, in all its reports.
 *
 * ε is the level of the tables themselves, rounded up to thousandths: the largest factor between two answers over the reports that show
 * no answer as it is. That is ε under LDP, at most ε under ULDP, the largest budget under IPLDP and item-ULDP, and the largest that two
 * items share under min-ID-LDP. Under LIP it is 2ε: two steps from what the study expects. A level that hides nothing has ε = 0 and shows.
 */
export function price(study: Study, options: { level?: string } = {}): Spent {
  const { channel, promised } = blockAt(study, options.level);
  const prior = promised?.prior;
  const some = representatives(channel);
  const ratio = prior ? channel.belief(prior) : largest(some.flatMap((a) => some.map((b) => (a === b ? UNIT : channel.pair(a, b)))));
  let [low, high] = [0, 80_000]; // thousandths; tables that keep a promise stay below
  while (low < high) {
    const middle = (low + high) >> 1;
    if (less(power(middle / 1000, study.reports), ratio)) low = middle + 1;
    else high = middle;
  }
  return { epsilon: (low * (prior ? 2 : 1)) / 1000, shown: some.some((input) => channel.reveals(input)) ? 1 : 0 };
}
