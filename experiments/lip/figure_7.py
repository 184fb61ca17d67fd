"""Figure 7: ε against the error of a histogram, for a uniform and a skewed prior, with and without the prior."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

import sottovoce as sv
from experiments.bounds import KEPT, OPTIMAL, SAME
from experiments.cells import Cell, Modes, Row, grid
from experiments.charts import Axis, curves
from experiments.experiment import Picture
from experiments.lip import printed
from experiments.lip.comparisons import (
    ERROR,
    LEVEL,
    Errors,
    Ratio,
    above_one,
    between,
    both,
    ends,
    error_chart,
    level_chart,
    rooted,
    true_levels,
)
from experiments.lip.mechanism_names import BEST, ORDER, RR, RR_LDP, RR_PRINTED
from experiments.lip.simulation import PEOPLE, PLAIN, POSTERIOR, PRINTED_PLAIN, PeopleWithPrior, known, simulate
from experiments.measured import pick
from experiments.verdicts import Claim, settled

PRIORS = {"uniform prior": np.full(5, 0.2), "skewed prior": np.array([0.025, 0.025, 0.025, 0.025, 0.9])}
#: What a private mechanism does at the level that the printed one has.
FAIR = {RR: "RR-LIP corrected, at the true level", BEST: "best LIP channel, at the true level"}
FORMULA = "(41) as printed"

FIGURES = ("7",)
TITLE = "Figure 7: what a prior is worth"
ABOUT = "Five answers; the printed skewed prior sums to 0.12, and its last entry 0.02 is read as 0.9. The paper does not say what is summed: errors here are those of the histogram (equation 39)."
RUNS = Modes(fast=100, full=400)

settings = grid(prior=PRIORS, epsilon=Modes(fast=[1.0, 3.0, 5.0], full=np.arange(1, 5.25, 0.5).tolist()))


def measure(cell: Cell) -> list[Row]:
    people, epsilon = PeopleWithPrior(PRIORS[cell["prior"]]), cell["epsilon"]
    domain, prior = people.domain, people.prior
    mechanisms = {
        RR_PRINTED: printed.rr_lip(domain, epsilon, prior),
        RR: sv.rr_lip(domain, epsilon, prior),
        BEST: sv.optimal_lip(domain, epsilon, prior, progress=False),
        RR_LDP: sv.krr(domain, epsilon),
    }
    samples = simulate(cell, people, mechanisms, more=[(RR_LDP, PLAIN), (RR_LDP, PRINTED_PLAIN)])
    level, plain = (printed.lip_level(mechanisms[name], prior) for name in (RR_PRINTED, RR_LDP))
    fair = {RR: sv.rr_lip(domain, level, prior), BEST: sv.optimal_lip(domain, level, prior, progress=False)}
    grow = np.exp(epsilon)
    return [
        *samples.rows(),
        *(known(sv.mmse_loss(each, prior), level, FAIR[name]) for name, each in fair.items()),
        known(len(prior) * (len(prior) - 2 + grow) / (grow - 1) ** 2, plain, RR_LDP, FORMULA),
    ]


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    aware = frame[(frame["estimate"] == POSTERIOR) | (frame["estimate"] == PLAIN)]
    yield Picture(
        "Figure 7",
        error_chart(aware, panels="prior"),
        f"Promised ε against the root error of the histogram of {PEOPLE:,} people, five answers, answers drawn from the prior (synthetic, no data file). "
        "Rings: the exact error (`sv.mmse_loss`, and in closed form for the context-free estimate).",
    )
    yield Picture(
        "Figure 7, true levels",
        level_chart(frame, panels="prior"),
        "What the mechanisms of Figure 7 really are: their certified level of LIP against the ε that they promise. Theorem 3 as printed is above the promise "
        "as long as some probability is below 1/(e^ε + 1).",
    )
    yield Picture(
        "Figure 7, fair",
        curves(pd.concat([rooted(pick(frame, estimate=POSTERIOR)), _fair(frame)]), LEVEL, ERROR, panels="prior", dash="", order=ORDER),
        "The errors of Figure 7 again, each mechanism plotted at the level that it really has; the corrected RR-LIP and the best channel also at the levels of the printed one.",
    )
    plain = frame[(frame["mechanism"] == RR_LDP) & (frame["estimate"] != POSTERIOR)]
    yield Picture(
        "Figure 7, context-free",
        curves(pd.concat([rooted(plain), rooted(plain, "exact")]), Axis("epsilon", "ε"), ERROR, panels="prior", color="estimate", dash=""),
        "k-RR read without the prior: by (40) as printed, by inversion, and what (41) promises of all entries together.",
    )


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    errors = Errors(frame, ("prior", "epsilon"))
    gains = errors.over((RR_LDP, PLAIN), RR_LDP)
    yield settled(
        "Knowing the prior when reports are read lowers the error",
        "Section 5.1.1, Figure 7",
        f"root errors of k-RR, context-free over prior-aware: {ends(gains)}",
        above_one(gains),
    )
    yield both(
        "Knowing the prior when reports are made lowers it further (ε-LIP against ε-LDP, both read with the prior)",
        "Section 5.1.1, Figure 7",
        "k-RR over RR-LIP",
        errors.over(RR_LDP, RR_PRINTED),
        errors.over(RR_LDP, RR),
        "the corrected RR-LIP may be worse than k-RR where the prior is skewed: it answers from a noise that grows for rare items. The best LIP channel never is: "
        f"k-RR over it is {ends(errors.over(RR_LDP, BEST))}",
    )
    skew = {
        name: errors.over(*({"mechanism": name, "prior": prior} for prior in PRIORS), by=["epsilon"]) for name in (RR_PRINTED, RR, BEST)
    }
    yield both(
        "A skewed prior gives more utility than a uniform one at the same ε", "Section 5.1.1, Figure 7", "uniform over skewed, RR-LIP", skew[RR_PRINTED], skew[RR],
        f"kept private, RR-LIP needs so much noise for rare answers that the order turns in between; for the best channel it is {ends(skew[BEST])}",
    )  # fmt: skip
    as_printed = pick(frame, metric="mse", mechanism=RR_PRINTED)
    broken = true_levels(as_printed, ("prior", "epsilon"))
    yield settled(
        "The RR-LIP of Theorem 3 is ε-LIP",
        "Theorem 3, Figure 7",
        f"true level over ε: {ends(broken)}",
        between(broken, *KEPT.ends),
        "some probability is below 1/(e^ε + 1); the curves as printed are bought with privacy",
    )
    costs = [
        Ratio(f"{each.where} (level {level:.2f})", each.exact)
        for each, level in zip(errors.over(RR_PRINTED, FAIR[BEST]), as_printed["level"], strict=True)
    ]
    yield settled(
        "Theorem 3 is the best ε-LIP mechanism",
        "Theorem 3",
        f"root error of the printed one over that of the best channel at the same true level: {ends(costs)}",
        between(costs, *OPTIMAL.ends),
        "where the printed form is not private, another channel leaves less error at the level that it really has",
    )
    wrong, right = (errors.over((RR_LDP, estimate), (RR_LDP, FORMULA)) for estimate in (PRINTED_PLAIN, PLAIN))
    yield settled(
        "The context-free estimate (40) has the error (41)",
        "equations (40), (41)",
        f"root error over that of (41): (40) as printed {ends(wrong)}; inversion {ends(right)}",
        between([*wrong, *right], *SAME.ends),
        "(40) divides by 1 − 2p, which is for two answers, and with p the probability of the truth it estimates N − S; (41) leaves out the noise of those who hold the item",
    )


def _fair(frame: pd.DataFrame) -> pd.DataFrame:
    part = rooted(pick(frame, estimate=POSTERIOR), "exact")
    return part.assign(mechanism=part["mechanism"].map({long: short for short, long in FAIR.items()}))
