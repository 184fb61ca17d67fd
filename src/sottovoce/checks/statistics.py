"""Does `perturb` really sample the channel? Exact binomial tests, valid at any sample size.

Reports of one item fall into cells of known probability. Each cell's count is binomial, so its two tails are computed
exactly and multiplied by the number of cells (Bonferroni): a channel that is sampled correctly is rejected with probability
at most `FALSE_ALARM`, with no approximation.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import binom

from sottovoce.channels import Channel
from sottovoce.reports import Reports

FALSE_ALARM = 1e-9


def p_value(channel: Channel, code: int, reports: Reports) -> float:
    """A bound on the probability that reports of the item deviate from the channel as much as these do."""
    smallest, tests = 1.0, 0
    for counts, probabilities in channel.cells(code, reports):
        total = int(counts.sum())
        if total == 0:
            continue
        tails = np.minimum(binom.cdf(counts, total, probabilities), binom.sf(counts - 1, total, probabilities))
        smallest, tests = min(smallest, float(np.nan_to_num(tails).min())), tests + 2 * len(counts)
    return min(1.0, smallest * tests)
