"""Figure 8: ε against the error where a secret behind the answer is protected, for three correlations."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

import sottovoce as sv
from experiments.cells import Cell, Modes, Row, grid
from experiments.experiment import Picture
from experiments.lip import printed
from experiments.lip.comparisons import Errors, between, ends, error_chart, true_levels
from experiments.lip.mechanism_names import BEST
from experiments.lip.simulation import PEOPLE, PeopleWithPrior, simulate
from experiments.measured import Measured, pick
from experiments.verdicts import Claim, all_judged, judged, settled
from sottovoce.arrays import Floats

CORRELATIONS = (1.0, 0.7, 0.3)
#: Pictures: how the secret hangs together with the answer.
UNIFORM, SKEWED, MIRROR, TWO = "uniform prior, mixed", "skewed prior, mixed", "uniform prior, mirrored", "two answers"
CASES = {UNIFORM: np.full(5, 0.2), SKEWED: np.array([0.025, 0.025, 0.025, 0.025, 0.9]), MIRROR: np.full(5, 0.2), TWO: np.array([0.8, 0.2])}
PRINTED = "Theorem 2 as printed"


def secrets(case: str, correlation: float) -> Floats:
    """Rows Pr(X = x | G = g) with that correlation coefficient: G is X, or else drawn afresh from the prior (mixed), or 4 − X (mirrored)."""
    prior = CASES[case]
    own = np.eye(len(prior))
    if case == MIRROR:
        return (1 + correlation) / 2 * own + (1 - correlation) / 2 * own[::-1]
    return correlation * own + (1 - correlation) * prior


FIGURES = ("8",)
TITLE = "Figure 8: a secret behind the answer"
ABOUT = (
    "The paper fixes the correlation coefficient ρ between secret and answer and does not say which conditional probabilities have it: three choices are shown. Its mechanism is solved for "
    "numerically; ours is the proven optimum (`sv.optimal_lip` with `secrets`)."
)
RUNS = Modes(fast=100, full=400)

settings = grid(case=CASES, correlation=CORRELATIONS, epsilon=Modes(fast=[0.5, 2.0], full=np.arange(0.5, 5.25, 0.5).tolist()))


def measure(cell: Cell) -> list[Row]:
    case, rho, epsilon = (cell[name] for name in ("case", "correlation", "epsilon"))
    people, rows = PeopleWithPrior(CASES[case]), secrets(case, rho)
    mechanisms = {PRINTED: printed.two_latent(epsilon, people.prior, rows)} if case == TWO else {}
    mechanisms[BEST] = sv.optimal_lip(people.domain, epsilon, people.prior, secrets=rows.tolist(), progress=False)
    return simulate(cell, people, mechanisms, rows).rows()


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    shown = frame.assign(correlation="ρ = " + frame["correlation"].map("{:g}".format))
    many = shown[shown["case"] != TWO]
    yield Picture(
        "Figure 8",
        error_chart(many, panels="case", color="correlation", dash="", log_y=False),
        f"ε against the root error of the histogram of {PEOPLE:,} people with five answers (synthetic, no data file), the secret G being protected at ε by the best channel. Mixed: G is "
        "X with probability ρ, otherwise drawn afresh; mirrored: G is X with probability (1 + ρ)/2, otherwise 4 − X. The correlation coefficient is ρ in all of them.",
    )
    yield Picture(
        "Figure 8, two answers",
        error_chart(pick(shown, case=TWO), color="correlation", dash="mechanism", log_y=False),
        "The same for two answers, P = (0.8, 0.2), mixed: Theorem 2 as printed, which is private, and the best channel.",
    )


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    errors, epsilons = Errors(frame, ("case", "correlation", "epsilon")), sorted(set(frame["epsilon"]))

    def best(case: str, rho: float, epsilon: float) -> Measured:
        return errors.exact(BEST, case=case, correlation=rho, epsilon=epsilon)

    steps = [
        (f"{case}, ρ = {more:g} and {less:g}, ε = {e:g}", best(case, more, e) - best(case, less, e))
        for case in CASES
        for more, less in ((1.0, 0.7), (0.7, 0.3))
        for e in epsilons
    ]
    where, least = min(steps, key=lambda each: each[1].value)
    yield settled(
        "The stronger the correlation between secret and answer, the larger the error", "Section 5.1.2, Figure 8",
        f"differences of exact root errors: at least {_plain(least)} ({where})", all_judged([each for _, each in steps], low=-1e-4),
        "not by the correlation coefficient alone: it matters which answers are told apart",
    )  # fmt: skip
    full = [(f"{case}, ε = {e:g}", best(case, 1.0, e)) for case in CASES for e in epsilons]
    where, smallest = min(full, key=lambda each: each[1].value)
    yield settled(
        "Where the answer is the secret (ρ = 1) the error never is zero",
        "Section 5.1.2, Figure 8",
        f"the least exact root error is {smallest} ({where})",
        all_judged([each for _, each in full], low=1e-6),
    )
    for case, prior in CASES.items():
        zero = [(e, best(case, 0.3, e)) for e in epsilons if e >= 2]
        largest = max(zero, key=lambda each: each[1].value)
        needed = printed.lip_level(sv.identity(sv.Domain(len(prior))), prior, secrets(case, 0.3))
        yield settled(
            f"At ρ = 0.3 and ε ≥ 2 the answer is released as it is, without error: {case}", "Section 5.1.2, Figure 8",
            f"largest exact root error for ε ≥ 2: {_plain(largest[1])} (ε = {largest[0]:g}); the answer as it is has level {needed:.3g}",
            judged(largest[1], high=1e-3),
            "it depends on the prior and on how the secret hangs together with the answer, not on ρ alone",
        )  # fmt: skip
    costs = errors.over(PRINTED, BEST, by=("correlation", "epsilon"), least=1e-3, case=TWO)
    yield settled(
        "Theorem 2 gives the best mechanism for two answers and a secret", "Theorem 2", f"root error as printed over that of the best channel: {ends(costs)}",
        between(costs, high=1 + 1e-3),
        "the printed pair lies inside the private region: both of its bounds need not hold at once",
    )  # fmt: skip
    kept = true_levels(pick(frame, mechanism=PRINTED), ("correlation", "epsilon"))
    yield settled(
        "Theorem 2 is ε-LIP about the secret",
        "Theorem 2",
        f"true level over ε: {ends(kept)}",
        between(kept, high=1 + 1e-6),
    )


def _plain(figure: Measured) -> str:
    return f"{figure.value:.2g}"
