"""Murakami and Kawamoto 2019: utility-optimized local differential privacy."""

from __future__ import annotations

from experiments.experiment import Experiment, Paper
from experiments.uldp import figures_5_10, figures_6_11, figures_7_12, figures_8_13, running_times, section_4_3
from experiments.uldp.examples import examples

PAPER = Paper(
    name="uldp",
    title="Utility-optimized LDP: the figures again",
    cite="T. Murakami, Y. Kawamoto, *Utility-Optimized Local Differential Privacy Mechanisms for Distribution Estimation*, USENIX Security 2019.",
    about=(
        "Statement by statement: [the page of the paper](../papers/uldp.md). The paper's two datasets are not at hand: what we used instead is named under every figure. "
        "Its *emp* is `inversion` here, *emp+thr* is `threshold`, and for *EM* we take `mle`, the maximum of the likelihood that EM climbs towards. The squared error is "
        "Σ(p̂ − p)², which the paper calls MSE; the total variation (TV) is half of Σ|p̂ − p|.\n\n"
        "*RR* and *RAPPOR* protect every item at ε, *uRR* and *uRAP* only the sensitive ones, X_S; K is the number of all items. *emp* is unbiased and may be negative; *emp+thr* keeps what "
        'is significant and spreads the rest evenly. Where people mark places of their own ("home", "work"), the collector knows (I) nothing, (II) where venues of that kind are, or (III) the truth '
        "about where the marked places are. *Manhattan* is a part of the check-ins of another Foursquare dataset than the paper's, *census* a stand-in: the Current Population Surveys of 1994 and 1995."
    ),
    headlines=(
        "Manhattan, ε ≤ 4: uRR and uRAP are one to two orders of magnitude better than RR and RAPPOR",
        "Manhattan: uRR at ε = ln K is almost the same as no privacy",
        "ε = 0.1: uRAP is the best of the four",
        "Knowledge from venues, (II), lies between",
        "Below ε = 1 all three are alike",
        "Theorem 1: the l1 loss is at most",
        "Ours: the maximum of the likelihood takes no minutes",
    ),
    experiments=tuple(map(Experiment.of, (section_4_3, figures_5_10, figures_6_11, figures_7_12, running_times, figures_8_13))),
    examples=examples,
)
