"""Figure 7: ε against the error of a histogram, for a uniform and a skewed prior, with and without the prior."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

import sottovoce as sv
from experiments.charts import curves
from experiments.experiment import Cell, Experiment, Picture, Row, Samples, Setting
from experiments.lip import printed
from experiments.lip.comparisons import ERROR, Errors, Ratio, above_one, between, both, ends, error_chart, level_chart, rooted
from experiments.lip.names import BEST, ORDER, RR, RR_LDP, RR_PRINTED
from experiments.lip.people import PEOPLE, PLAIN, POSTERIOR, PRINTED_PLAIN, Crowd, Rival, known, simulate
from experiments.measured import Measured, pick
from experiments.verdicts import Claim, settled

PRIORS = {"uniform prior": np.full(5, 0.2), "skewed prior": np.array([0.025, 0.025, 0.025, 0.025, 0.9])}
#: What a private mechanism does at the level that the printed one has.
FAIR = {RR: "RR-LIP corrected, at the true level", BEST: "best LIP channel, at the true level"}
FORMULA = "(41) as printed"


def settings(full: bool) -> list[Setting]:
    epsilons = np.arange(1, 5.25, 0.5).tolist() if full else [1.0, 3.0, 5.0]
    return [{"prior": prior, "epsilon": epsilon} for prior in PRIORS for epsilon in epsilons]


def measure(cell: Cell) -> list[Row]:
    crowd, epsilon, samples = Crowd(PRIORS[cell.setting["prior"]]), cell.setting["epsilon"], Samples()
    domain, prior = crowd.domain, crowd.prior
    mechanisms = {
        RR_PRINTED: printed.rr_lip(domain, epsilon, prior),
        RR: sv.rr_lip(domain, epsilon, prior),
        BEST: sv.optimal_lip(domain, epsilon, prior, progress=False),
        RR_LDP: sv.krr(domain, epsilon),
    }
    levels = {name: printed.lip_level(mechanism, prior) for name, mechanism in mechanisms.items()}
    plain = [Rival(RR_LDP, mechanisms[RR_LDP], reading) for reading in (PLAIN, PRINTED_PLAIN)]
    simulate(cell, samples, crowd, [*(Rival(name, each) for name, each in mechanisms.items()), *plain], levels)
    level = levels[RR_PRINTED]
    fair = {RR: sv.rr_lip(domain, level, prior), BEST: sv.optimal_lip(domain, level, prior, progress=False)}
    grow = np.exp(epsilon)
    return [
        *samples.rows(),
        *(known(sv.mmse_loss(each, prior), level, FAIR[name]) for name, each in fair.items()),
        known(len(prior) * (len(prior) - 2 + grow) / (grow - 1) ** 2, levels[RR_LDP], RR_LDP, FORMULA),
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
        curves(
            pd.concat([rooted(pick(frame, estimate=POSTERIOR)), _fair(frame)]),
            x="level",
            label="certified level of LIP",
            metric=ERROR,
            panels="prior",
            dash="",
            order=ORDER,
        ),
        "The errors of Figure 7 again, each mechanism plotted at the level that it really has; the corrected RR-LIP and the best channel also at the levels of the printed one.",
    )
    plain = frame[(frame["mechanism"] == RR_LDP) & (frame["estimate"] != POSTERIOR)]
    yield Picture(
        "Figure 7, context-free",
        curves(
            pd.concat([rooted(plain), rooted(plain, "exact")]),
            x="epsilon",
            label="ε",
            metric=ERROR,
            panels="prior",
            color="estimate",
            dash="",
        ),
        "k-RR read without the prior: by (40) as printed, by inversion, and what (41) promises of all entries together.",
    )


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    errors, fair, epsilons = Errors(frame), Errors(frame, "exact"), sorted(set(frame["epsilon"]))

    def at(prior: str, epsilon: float, mechanism: str, estimate: str = POSTERIOR) -> dict[str, Any]:
        return {"prior": prior, "epsilon": epsilon, "mechanism": mechanism, "estimate": estimate}

    def over(above: tuple[str, ...], below: tuple[str, ...]) -> list[Ratio]:
        return [errors.ratio(f"{prior}, ε = {e:g}", at(prior, e, *above), at(prior, e, *below)) for prior in PRIORS for e in epsilons]

    gains = over((RR_LDP, PLAIN), (RR_LDP,))
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
        over((RR_LDP,), (RR_PRINTED,)),
        over((RR_LDP,), (RR,)),
        "the corrected RR-LIP may be worse than k-RR where the prior is skewed: it answers from a noise that grows for rare items. The best LIP channel never is: "
        f"k-RR over it is {ends(over((RR_LDP,), (BEST,)))}",
    )
    uniform, skewed = PRIORS
    skew = {
        name: [errors.ratio(f"ε = {e:g}", at(uniform, e, name), at(skewed, e, name)) for e in epsilons]
        for name in (RR_PRINTED, RR, BEST, RR_LDP)
    }
    yield both(
        "A skewed prior gives more utility than a uniform one at the same ε", "Section 5.1.1, Figure 7", "uniform over skewed, RR-LIP", skew[RR_PRINTED], skew[RR],
        f"kept private, RR-LIP needs so much noise for rare answers that the order turns in between; for the best channel it is {ends(skew[BEST])}",
    )  # fmt: skip
    broken = [
        Ratio(f"{each.prior}, ε = {each.epsilon:g}", Measured(each.level / each.epsilon), Measured(np.nan)) for each in _printed(frame)
    ]
    yield settled(
        "The RR-LIP of Theorem 3 is ε-LIP",
        "Theorem 3, Figure 7",
        f"true level over ε: {ends(broken)}",
        between(broken, high=1 + 1e-6),
        "some probability is below 1/(e^ε + 1); the curves as printed are bought with privacy",
    )
    costs = []
    for each in _printed(frame):
        here = errors.exact(**at(each.prior, each.epsilon, RR_PRINTED)) / fair.exact(**at(each.prior, each.epsilon, FAIR[BEST]))
        costs.append(Ratio(f"{each.prior}, ε = {each.epsilon:g} (level {each.level:.2f})", here, Measured(np.nan)))
    yield settled(
        "Theorem 3 is the best ε-LIP mechanism",
        "Theorem 3",
        f"root error of the printed one over that of the best channel at the same true level: {ends(costs)}",
        between(costs, high=1 + 1e-4),
        "where the printed form is not private, another channel leaves less error at the level that it really has",
    )
    cells = [(prior, e) for prior in PRIORS for e in epsilons]

    def formula(estimate: str) -> list[Ratio]:
        told = {each: fair.exact(**at(*each, RR_LDP, FORMULA)) for each in cells}
        found = {each: at(*each, RR_LDP, estimate) for each in cells}
        return [
            Ratio(f"{each[0]}, ε = {each[1]:g}", errors.exact(**found[each]) / told[each], errors.seen(**found[each]) / told[each])
            for each in cells
        ]

    wrong, right = formula(PRINTED_PLAIN), formula(PLAIN)
    yield settled(
        "The context-free estimate (40) has the error (41)",
        "equations (40), (41)",
        f"root error over that of (41): (40) as printed {ends(wrong)}; inversion {ends(right)}",
        between([*wrong, *right], low=0.99, high=1.01),
        "(40) divides by 1 − 2p, which is for two answers, and with p the probability of the truth it estimates N − S; (41) leaves out the noise of those who hold the item",
    )


def _fair(frame: pd.DataFrame) -> pd.DataFrame:
    part = rooted(pick(frame, estimate=POSTERIOR), "exact")
    return part.assign(mechanism=part["mechanism"].map({long: short for short, long in FAIR.items()}))


def _printed(frame: pd.DataFrame) -> list[Any]:
    return list(pick(frame, metric="mse", mechanism=RR_PRINTED).itertuples())


EXPERIMENT = Experiment(
    name="figure-7",
    figures=("7",),
    title="Figure 7: what a prior is worth",
    about="Five answers; the printed skewed prior sums to 0.12, and its last entry 0.02 is read as 0.9. The paper does not say what is summed: errors here are those of the histogram (equation 39).",
    data=(),
    fast_runs=100,
    full_runs=400,
    settings=settings,
    measure=measure,
    pictures=pictures,
    claims=claims,
)
