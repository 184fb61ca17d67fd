"""Figure 9: several notions of privacy about a secret of which only a set of correlations with the answer is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

import sottovoce as sv
from experiments.bounds import ALIKE, SAME
from experiments.cells import Cell, Modes, Row, grid
from experiments.experiment import Picture
from experiments.lip.comparisons import Errors, above_one, between, ends, error_chart, level_chart
from experiments.lip.corners import best_channel, lip_rules, pufferfish_rules
from experiments.lip.own_priors import Person, about_people, everyone, no_reports, simulate_people
from experiments.lip.simulation import NOTHING
from experiments.measured import Measured, pick
from experiments.verdicts import UNDECIDED, Claim, judged, settled
from sottovoce.arrays import Floats

LIP, HALF, PUFFERFISH, LDP = "ε-LIP", "ε/2-LIP", "ε-Pufferfish", "ε-LDP (k-RR)"
#: Answers and secrets; tables in the set; how much of each table is the secret itself.
_SIZE, _TABLES, _TIED = 5, 2, 0.3
#: Where ε is next to nothing.
_START = 0.01


def drawn_tables(prior: Floats, random: np.random.Generator) -> list[Floats]:
    """Random tables Pr(X = x | G = g) that agree with a prior of the answers."""
    found = []
    for _ in range(_TABLES):
        joint = prior[:, None] * (_TIED * np.eye(_SIZE) + (1 - _TIED) * random.dirichlet(np.ones(_SIZE), size=_SIZE))
        found.append((joint / joint.sum(axis=0)).T)
    return found


def mechanisms(prior: Floats, known: list[Floats], epsilon: float) -> dict[str, sv.Mechanism]:
    """The best channel under each notion. With a fixed prior of the answers, LIP for several tables is LIP about all their rows at once."""
    rows = np.concatenate(known)
    return {
        LIP: best_channel(prior, lip_rules(prior, rows, epsilon)),
        HALF: best_channel(prior, lip_rules(prior, rows, epsilon / 2)),
        PUFFERFISH: best_channel(prior, pufferfish_rules(known, epsilon)),
        LDP: sv.krr(sv.Domain(_SIZE), epsilon),
    }


FIGURES = ("9",)
TITLE = "Figure 9: bounded priors under several notions"
ABOUT = (
    "Everyone has a prior of her own and a set of correlations of her own, as Section 5.1 says. The paper draws correlations at random and does not say how; here each person has two tables, three tenths of each tying "
    "the secret to the answer. There is no printed mechanism here: the paper solves numerically, we take the proven optima (those of `sv.optimal_lip` with `secrets` and with `scenarios`)."
)
RUNS = Modes(fast=40, full=400)

settings = grid(epsilon=Modes(fast=[1.0, 2.0], full=[_START, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0]))


def measure(cell: Cell) -> list[Row]:
    people = []
    for prior, random in everyone(cell.runs, _SIZE):
        known = drawn_tables(prior, random)
        people.append(Person(prior, mechanisms(prior, known, cell["epsilon"]), np.concatenate(known)))
    samples = simulate_people(cell, people)
    no_reports(cell, samples, people)
    return samples.rows()


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    yield Picture(
        "Figure 9",
        error_chart(frame, log_y=False, dash=""),
        f"ε against the root error of the histogram, five answers (synthetic, no data file). {about_people(frame)} Each also has a set of {_TABLES} random tables Pr(X | G) that her mechanism must stand; the channels are the "
        "best under each notion, and k-RR.",
    )
    yield Picture(
        "Figure 9, true levels",
        level_chart(frame),
        "The certified level of LIP about the secret of each notion's channels, the largest among all people: LDP protects more than it is asked for here.",
    )


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    later = frame[frame["epsilon"] > _START]
    begin, errors = (Errors(part, ["epsilon"]) for part in (frame, later))
    begins = [replace(each, where=name) for name in (LIP, HALF, PUFFERFISH, LDP) for each in begin.over(name, NOTHING, epsilon=_START)]
    yield settled(
        "All notions begin at the same error, where ε is 0: that of no observation", "Section 5.1.3, Figure 9",
        f"root error over that of no observation at ε = {_START:g}: {ends(begins)}" if begins else f"ε = {_START:g} is run in the full mode only",
        between(begins, *SAME.ends) if begins else UNDECIDED,
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
    constant = _pooled(pick(frame, mechanism=NOTHING))
    yield settled(
        f"Without observation the error is the variance of the data, whatever ε is ({ALIKE.told})", "Section 5.1.3, Figure 9",
        f"simulated squared error over the variance, mean over all ε: {constant}", judged(constant, *ALIKE.ends),
    )  # fmt: skip


def _pooled(lines: Any) -> Measured:
    """Simulated over exact errors, all lines together."""
    errors = [Measured.of(row) for row in lines.to_dict("records")]
    whole = float(lines["predicted"].sum())
    return Measured(
        sum(each.value for each in errors) / whole, float(np.sqrt(sum(each.error**2 for each in errors))) / whole, errors[0].freedom
    )
