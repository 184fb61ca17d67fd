"""Figure 9: several notions of privacy about a secret of which only a set of correlations with the answer is known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

import sottovoce as sv
from experiments.experiment import Cell, Experiment, Picture, Row, Samples, Setting
from experiments.lip import printed
from experiments.lip.comparisons import Errors, Ratio, above_one, between, ends, error_chart, level_chart
from experiments.lip.people import NOTHING, PEOPLE, Crowd, Floats, Rival, nothing_seen, simulate
from experiments.verdicts import UNDECIDED, Claim, all_judged, settled

LIP, HALF, PUFFERFISH, LDP = "ε-LIP", "ε/2-LIP", "ε-Pufferfish", "ε-LDP (k-RR)"
#: Answers and secrets; tables in the set; how much of each table is the secret itself.
_SIZE, _TABLES, _TIED = 5, 2, 0.3
#: Where ε is next to nothing.
_START = 0.01


def world(number: int) -> tuple[Floats, list[Floats]]:
    """A random prior of the answers, and random tables Pr(X = x | G = g) that agree with it."""
    random = np.random.default_rng([2020, number])
    prior = 0.9 * random.dirichlet(np.ones(_SIZE)) + 0.1 / _SIZE
    tables = []
    for _ in range(_TABLES):
        joint = prior[:, None] * (_TIED * np.eye(_SIZE) + (1 - _TIED) * random.dirichlet(np.ones(_SIZE), size=_SIZE))
        tables.append((joint / joint.sum(axis=0)).T)
    return prior, tables


def mechanisms(prior: Floats, tables: list[Floats], epsilon: float) -> dict[str, sv.Mechanism]:
    """The best channel under each notion. With a fixed prior of the answers, LIP for several tables is LIP about all their rows at once."""
    domain, rows, scenarios = sv.Domain(_SIZE), np.concatenate(tables).tolist(), [table.tolist() for table in tables]
    return {
        LIP: sv.optimal_lip(domain, epsilon, prior, secrets=rows, progress=False),
        HALF: sv.optimal_lip(domain, epsilon / 2, prior, secrets=rows, progress=False),
        PUFFERFISH: sv.optimal_lip(domain, epsilon, prior, scenarios=scenarios, progress=False),
        LDP: sv.krr(domain, epsilon),
    }


def settings(full: bool) -> list[Setting]:
    epsilons, draws = ([_START, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0], 3) if full else ([1.0, 2.0], 1)
    return [{"draw": f"draw {number + 1}", "epsilon": epsilon} for number in range(draws) for epsilon in epsilons]


def measure(cell: Cell) -> list[Row]:
    prior, tables = world(int(cell.setting["draw"].split()[1]) - 1)
    crowd, samples = Crowd(prior), Samples()
    found = mechanisms(prior, tables, cell.setting["epsilon"])
    levels = {name: printed.lip_level(each, prior, np.concatenate(tables)) for name, each in found.items()}
    simulate(cell, samples, crowd, [Rival(name, each) for name, each in found.items()], levels)
    nothing_seen(cell, samples, crowd)
    return samples.rows()


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    yield Picture(
        "Figure 9",
        error_chart(frame, log_y=False, dash="", panels="draw"),
        f"ε against the root error of the histogram of {PEOPLE:,} people with five answers (synthetic, no data file). Each draw has a random prior and a set of {_TABLES} random "
        "tables Pr(X | G) that the mechanism must stand; the channels are the best under each notion, and k-RR. Rings: the exact errors.",
    )
    yield Picture(
        "Figure 9, true levels",
        level_chart(frame, panels="draw"),
        "The certified level of LIP about the secret of each notion's channel: LDP protects more than it is asked for here.",
    )


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    errors, draws, epsilons = Errors(frame), list(dict.fromkeys(frame["draw"])), sorted(set(frame["epsilon"]))

    def at(draw: str, epsilon: float, mechanism: str) -> dict[str, Any]:
        return {"draw": draw, "epsilon": epsilon, "mechanism": mechanism}

    def over(above: str, below: str) -> list[Ratio]:
        return [
            errors.ratio(f"{draw}, ε = {e:g}", at(draw, e, above), at(draw, e, below))
            for draw in draws
            for e in epsilons
            if e > _START and errors.exact(**at(draw, e, below)).value > 1e-3
        ]

    begins = [
        errors.ratio(f"{name}, {draw}", at(draw, _START, name), at(draw, _START, NOTHING))
        for draw in draws
        for name in (LIP, HALF, PUFFERFISH, LDP)
        if _START in epsilons
    ]
    yield settled(
        "All notions begin at the same error, where ε is 0: that of no observation", "Section 5.1.3, Figure 9",
        f"root error over that of no observation at ε = {_START:g}: {ends(begins)}" if begins else f"ε = {_START:g} is run in the full mode only",
        between(begins, low=0.98, high=1.02) if begins else UNDECIDED,
        f"ε = {_START:g} is not 0",
    )  # fmt: skip
    for above in (PUFFERFISH, LDP):
        gains = over(above, LIP)
        yield settled(
            f"The error under ε-LIP falls faster than under {above.split()[0]}", "Section 5.1.3, Figure 9", f"{above} over ε-LIP: {ends(gains)}", above_one(gains)
        )  # fmt: skip
    gains = over(LDP, HALF)
    yield settled(
        "With a secret behind the answer ε-LDP is not between ε-LIP and ε/2-LIP, which is the better one", "Section 5.1.3, Figure 9",
        f"k-RR over ε/2-LIP: {ends(gains)}", above_one(gains, strictly=True), "for some correlations ε/2-LIP still costs more than ε-LDP",
    )  # fmt: skip
    used = over(NOTHING, LDP)
    yield settled(
        "Reports lower the error against the prior alone",
        "Section 5.1.3, Figure 9",
        f"no observation over k-RR, the least useful: {ends(used)}",
        above_one(used),
    )
    constant = [errors.seen(**at(draw, e, NOTHING)) / errors.exact(**at(draw, e, NOTHING)) for draw in draws for e in epsilons]
    far = max(constant, key=lambda each: abs(each.value - 1))
    yield settled(
        "Without observation the error is the variance of the data, whatever ε is (within a quarter)", "Section 5.1.3, Figure 9",
        f"simulated root error over the root of the variance, the one farthest from 1: {far}", all_judged(constant, low=0.75, high=1.25),
    )  # fmt: skip


EXPERIMENT = Experiment(
    name="figure-9",
    figures=("9",),
    title="Figure 9: bounded priors under several notions",
    about="The paper draws correlations at random and does not say how; here each draw has a prior and two tables, three tenths of each tying the secret to the answer. There is no printed mechanism here: "
    "the paper solves numerically, we take the proven optima (`sv.optimal_lip` with `secrets` and with `scenarios`).",
    data=(),
    fast_runs=100,
    full_runs=400,
    settings=settings,
    measure=measure,
    pictures=pictures,
    claims=claims,
)
