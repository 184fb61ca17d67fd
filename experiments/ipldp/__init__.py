"""Li, Zhu, Zhang and Xie 2023: item-oriented personalized local differential privacy."""

from __future__ import annotations

from experiments.experiment import Experiment, Paper
from experiments.ipldp import figure_2, figure_3, figure_4
from experiments.ipldp.examples import examples

PAPER = Paper(
    name="ipldp",
    title="A budget for each item: the figures again",
    cite="X. Li, H. Zhu, Z. Zhang, M. Xie, *Item-Oriented Personalized Local Differential Privacy for Discrete Distribution Estimation*, preprint, 2023.",
    about=(
        "Statement by statement: [the page of the paper](../papers/ipldp.md).\n\n"
        "Each sensitive item has a budget of its own. *IPRR* is the paper's mechanism: the truth, or a sensitive item at random, those with small budgets more often. *KRR* gives every item the smallest budget, *uRR* every "
        "sensitive item. *IDUE* (opt0, opt1, opt2) is a unary encoding under another promise, MinID-LDP: two items are told apart by at most the smaller of their budgets. *NS* (Norm-Sub) cuts negative entries "
        "of the unbiased estimate (*emp*) so that the sum stays 1, *MLE* is the exact maximum of the likelihood. SR is the share of the people who are asked, NR the share of the items without a budget; MSE and RE are "
        "the squared error of counts divided by n, and the relative error summed over items, as in (25)."
    ),
    headlines=(
        "With small budgets IPRR is about one order",
        "IDUE is better than IPRR on Kosarak with NS",
        "IPRR is better than IDUE on Kosarak with MLE",
        "Both are compared in the same privacy setting",
    ),
    experiments=tuple(map(Experiment.of, (figure_2, figure_3, figure_4))),
    examples=examples,
)
