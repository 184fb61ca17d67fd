"""What each method of estimation does, in a sentence."""

from __future__ import annotations

METHODS = {
    "mle": "Maximum likelihood: the distribution under which the reports are most probable.",
    "em": "Expectation-maximisation: the published loop towards maximum likelihood.",
    "map": "Maximum likelihood with a Dirichlet pseudo-count for every item.",
    "inversion": "Unbiased inversion of the totals; shares may be negative.",
    "average": "Unbiased inversion of the totals, all levels weighted alike.",
    "projected": "Unbiased inversion of the totals, then the nearest distribution.",
    "norm_sub": "Unbiased inversion of the totals, then the nearest distribution.",
    "normalized": "Unbiased inversion of the totals, negative shares cut, divided by the sum.",
    "threshold": "Unbiased inversion of the totals; shares that are not significant are spread evenly.",
    "auto": "Shrinkage towards equal shares, as much as the reports ask for.",
    "corrected": "The published small-sample correction of expectation-maximisation.",
    "mmse": "The posterior mean under the prior that the promise rests on; it speaks of the people who answered.",
    "observed": "The reports as if they were answers: a baseline, not an estimate.",
    "uniform": "Equal shares: a baseline, not an estimate.",
}
