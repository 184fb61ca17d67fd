"""Murakami, Hino and Sakuma 2018: distribution estimation with small samples."""

from __future__ import annotations

from experiments.experiment import Experiment, Paper
from experiments.small_samples import demonstration, figures_5_7, figures_6_14, figures_8_10
from experiments.small_samples.examples import examples

PAPER = Paper(
    name="small_samples",
    title="Small samples: the figures again",
    cite="T. Murakami, H. Hino, J. Sakuma, *Toward Distribution Estimation under Local Differential Privacy with Small Samples*, PoPETs 2018(3).",
    about=(
        "Statement by statement: [the page of the paper](../papers/small-samples.md).\n\n"
        "N1, N2, N3 and N4 people use k-ary randomized response with ε = 0.1, 2, ln K and ∞ (no protection). *Uniform* says that all items are alike, *ObfDat* takes the reports for answers. *MatInv norm* and *MatInv proj* invert "
        "the channel of each group, average the groups with equal weights (13), and cut or project what is negative. *EM* is the maximum of the likelihood, *Proposal* the paper's correction of it (`corrected`). *map* adds "
        "a fixed pseudo-count to every item, *auto* chooses how much it shrinks; both are ours. The mse is the mean of Σ(p̂ − p)² over the runs, js the Jensen-Shannon divergence in nats."
    ),
    headlines=(
        "Proposal beats EM in squared error when N is small",
        "Proposal converges to EM",
        "When N is very small, Uniform or ObfDat",
        "Subtracting â takes",
    ),
    experiments=tuple(map(Experiment.of, (figures_5_7, figures_6_14, figures_8_10, demonstration))),
    examples=examples,
)
