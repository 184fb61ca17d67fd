"""Figure 9: several notions of privacy about a secret of which only a set of correlations with the answer is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

import sottovoce as sv
from experiments.cells import Cell, Modes, Row, grid
from experiments.experiment import Picture
from experiments.lip.comparisons import Errors, above_one, between, ends, error_chart, level_chart
from experiments.lip.simulation import NOTHING, PEOPLE, PeopleWithPrior, nothing_seen, simulate
from experiments.verdicts import UNDECIDED, Claim, all_judged, settled
from sottovoce.arrays import Floats

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


FIGURES = ("9",)
TITLE = "Figure 9: bounded priors under several notions"
ABOUT = (
    "The paper draws correlations at random and does not say how; here each draw has a prior and two tables, three tenths of each tying the secret to the answer. There is no printed mechanism here: "
    "the paper solves numerically, we take the proven optima (`sv.optimal_lip` with `secrets` and with `scenarios`)."
)
RUNS = Modes(fast=100, full=400)

settings = grid(
    draw=Modes(fast=["draw 1"], full=["draw 1", "draw 2", "draw 3"]),
    epsilon=Modes(fast=[1.0, 2.0], full=[_START, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0]),
)


def measure(cell: Cell) -> list[Row]:
    prior, tables = world(int(cell["draw"].split()[1]) - 1)
    people = PeopleWithPrior(prior)
    samples = simulate(cell, people, mechanisms(prior, tables, cell["epsilon"]), np.concatenate(tables))
    nothing_seen(cell, samples, people)
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
    later = frame[frame["epsilon"] > _START]
    begin, errors = (Errors(part, ("draw", "epsilon")) for part in (frame, later))
    begins = [
        replace(each, where=f"{name}, {each.where}")
        for name in (LIP, HALF, PUFFERFISH, LDP)
        for each in begin.over(name, NOTHING, by=["draw"], epsilon=_START)
    ]
    yield settled(
        "All notions begin at the same error, where ε is 0: that of no observation", "Section 5.1.3, Figure 9",
        f"root error over that of no observation at ε = {_START:g}: {ends(begins)}" if begins else f"ε = {_START:g} is run in the full mode only",
        between(begins, low=0.98, high=1.02) if begins else UNDECIDED,
        f"ε = {_START:g} is not 0",
    )  # fmt: skip
    for above in (PUFFERFISH, LDP):
        gains = errors.over(above, LIP, least=1e-3)
        yield settled(
            f"The error under ε-LIP falls faster than under {above.split()[0]}", "Section 5.1.3, Figure 9", f"{above} over ε-LIP: {ends(gains)}", above_one(gains)
        )  # fmt: skip
    gains = errors.over(LDP, HALF, least=1e-3)
    yield settled(
        "With a secret behind the answer ε-LDP is not between ε-LIP and ε/2-LIP, which is the better one", "Section 5.1.3, Figure 9",
        f"k-RR over ε/2-LIP: {ends(gains)}", above_one(gains, strictly=True), "for some correlations ε/2-LIP still costs more than ε-LDP",
    )  # fmt: skip
    used = errors.over(NOTHING, LDP, least=1e-3)
    yield settled(
        "Reports lower the error against the prior alone",
        "Section 5.1.3, Figure 9",
        f"no observation over k-RR, the least useful: {ends(used)}",
        above_one(used),
    )
    constant = [begin.seen(NOTHING, **place) / begin.exact(NOTHING, **place) for place in begin.places(NOTHING)]
    far = max(constant, key=lambda each: abs(each.value - 1))
    yield settled(
        "Without observation the error is the variance of the data, whatever ε is (within a quarter)", "Section 5.1.3, Figure 9",
        f"simulated root error over the root of the variance, the one farthest from 1: {far}", all_judged(constant, low=0.75, high=1.25),
    )  # fmt: skip
