"""Jiang, Li and Tandon 2020: local information privacy."""

from __future__ import annotations

from experiments.experiment import Experiment, Paper
from experiments.lip import figure_7, figure_8, figure_9, figure_10a, figure_10b, figure_11, figure_12a, figure_12b, weighted_sums
from experiments.lip.examples import examples

PAPER = Paper(
    name="lip",
    title="Local information privacy: the figures again",
    cite="B. Jiang, M. Li, R. Tandon, *Local Information Privacy and Its Application to Privacy-Preserving Data Aggregation*, IEEE Transactions on Dependable and Secure Computing, 2020.",
    about="Statement by statement: [the page of the paper](../papers/lip.md). Mechanisms *as printed* are run with whatever privacy they have, and their certified level of LIP is shown beside the promise; *corrected* ones keep the "
    "promise, and the *best channel* is the proven optimum. Verdicts rest on exact errors where theory gives them, beside the simulated ones. Errors are roots of the squared error of the histogram, all entries "
    "together, for each person, which is what equation (39) sums; the paper does not print its scale, nor how many runs it made.\n\n"
    "*ε-LIP*: a report makes no answer (or secret) more than e^ε times as likely as it was before, by the prior, nor less than e^−ε times; the *level* is the least such ε. *RR-LIP*, *UE-LIP* and *LH-LIP* report an answer, a bit "
    "for each answer, or a hashed answer; *k-RR*, *OUE* and *OLH* are the same under LDP, which holds whatever the prior. *Pufferfish* compares what two secrets make of a report.",
    headlines=(
        "Knowing the prior when reports are made lowers it further",
        "The RR-LIP of Theorem 3 is ε-LIP",
        "A skewed prior gives more utility",
        "k-RR at ε-LDP is never worse than RR-LIP at ε/2",
        "The best hashing size",
        "LIP about income leaves less error",
    ),
    experiments=tuple(
        map(Experiment.of, (weighted_sums, figure_7, figure_8, figure_9, figure_10a, figure_10b, figure_11, figure_12a, figure_12b))
    ),
    examples=examples,
)
