"""Figure 8: ε against the error where a secret behind the answer is protected, for three correlations."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

import sottovoce as sv
from experiments.bounds import KEPT, OPTIMAL, ZERO
from experiments.cells import Cell, Modes, Row, grid
from experiments.experiment import Picture
from experiments.lip import printed
from experiments.lip.comparisons import Errors, between, ends, error_chart, true_levels
from experiments.lip.corners import best_channel, lip_rules
from experiments.lip.mechanism_names import BEST
from experiments.lip.own_priors import Person, about_people, everyone, people_of, simulate_people, tied
from experiments.lip.simulation import PEOPLE, PeopleWithPrior, simulate
from experiments.measured import Measured, pick
from experiments.verdicts import Claim, all_judged, judged, settled
from sottovoce.arrays import Floats

CORRELATIONS = (1.0, 0.7, 0.3)
#: Pictures: how the secret hangs together with the answer.
UNIFORM, SKEWED, MIRROR, TWO = "uniform prior, mixed", "skewed prior, mixed", "uniform prior, mirrored", "two answers"
CASES = {UNIFORM: np.full(5, 0.2), SKEWED: np.array([0.025, 0.025, 0.025, 0.025, 0.9]), MIRROR: np.full(5, 0.2), TWO: np.array([0.8, 0.2])}
#: Everyone with a prior of her own, as in the paper.
OWN_MIXED, OWN_TABLES = "own priors, mixed", "own priors, random tables"
EVERY = (OWN_MIXED, OWN_TABLES, *CASES)
PRINTED = "Theorem 2 as printed"


def secrets(case: str, correlation: float) -> Floats:
    """Rows Pr(X = x | G = g) with that correlation coefficient: G is X, or else drawn afresh from the prior (mixed), or 4 − X (mirrored)."""
    prior = CASES[case]
    own = np.eye(len(prior))
    if case == MIRROR:
        return (1 + correlation) / 2 * own + (1 - correlation) / 2 * own[::-1]
    return correlation * own + (1 - correlation) * prior


def secrets_of_everyone(case: str, correlation: float, people: int) -> Iterator[tuple[Floats, Floats]]:
    """Everyone's prior, with rows Pr(X = x | G = g) of her own."""
    for prior, random in everyone(people):
        mixed = correlation * np.eye(len(prior)) + (1 - correlation) * prior
        yield prior, mixed if case == OWN_MIXED else tied(prior, correlation, random)


FIGURES = ("8",)
TITLE = "Figure 8: a secret behind the answer"
ABOUT = (
    "Everyone has a prior of her own, as Section 5.1 says. The paper fixes the correlation coefficient ρ between secret and answer and does not say which conditional probabilities have it: two choices are shown, "
    "and three more with a prior that all share. Its mechanism is solved for numerically; ours is the proven optimum (that of `sv.optimal_lip` with `secrets`)."
)
RUNS = Modes(fast=40, full=400)

settings = grid(case=EVERY, correlation=CORRELATIONS, epsilon=Modes(fast=[0.5, 2.0], full=np.arange(0.5, 5.25, 0.5).tolist()))


def measure(cell: Cell) -> list[Row]:
    case, rho, epsilon = (cell[name] for name in ("case", "correlation", "epsilon"))
    if case not in CASES:
        drawn = secrets_of_everyone(case, rho, cell.runs)
        made = [Person(prior, {BEST: best_channel(prior, lip_rules(prior, rows, epsilon))}, rows) for prior, rows in drawn]
        return simulate_people(cell, made).rows()
    people, rows = PeopleWithPrior(CASES[case]), secrets(case, rho)
    mechanisms = {PRINTED: printed.two_latent(epsilon, people.prior, rows)} if case == TWO else {}
    mechanisms[BEST] = sv.optimal_lip(people.domain, epsilon, people.prior, secrets=rows.tolist(), progress=False)
    return simulate(cell, people, mechanisms, rows).rows()


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    shown = frame.assign(correlation="ρ = " + frame["correlation"].map("{:g}".format))
    own = ~shown["case"].isin(list(CASES))
    yield Picture(
        "Figure 8",
        error_chart(shown[own], panels="case", color="correlation", dash="", log_y=False),
        f"ε against the root error of the histogram, five answers (synthetic, no data file), the secret G being protected at ε by the best channel of each person. {about_people(frame)} Mixed: G is X with probability ρ, "
        "otherwise drawn afresh from her prior; random tables: Pr(G | X) is drawn at random for each person, and mixed with G = X (or with a G that does not depend on X) until the coefficient is ρ.",
    )
    yield Picture(
        "Figure 8, one prior for all",
        error_chart(shown[~own & (shown["case"] != TWO)], panels="case", color="correlation", dash="", log_y=False),
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
        for case in EVERY
        for more, less in ((1.0, 0.7), (0.7, 0.3))
        for e in epsilons
    ]
    where, least = min(steps, key=lambda each: each[1].value)
    yield settled(
        "The stronger the correlation between secret and answer, the larger the error", "Section 5.1.2, Figure 8",
        f"differences of exact root errors: at least {_plain(least)} ({where})", all_judged([each for _, each in steps], low=-ZERO.high),
        "not by the correlation coefficient alone: it matters which answers are told apart",
    )  # fmt: skip
    full = [(f"{case}, ε = {e:g}", best(case, 1.0, e)) for case in EVERY for e in epsilons]
    where, smallest = min(full, key=lambda each: each[1].value)
    yield settled(
        "Where the answer is the secret (ρ = 1) the error never is zero",
        "Section 5.1.2, Figure 8",
        f"the least exact root error is {smallest} ({where})",
        all_judged([each for _, each in full], low=ZERO.high),
    )
    for case in EVERY:
        zero = [(e, best(case, 0.3, e)) for e in epsilons if e >= 2]
        largest = max(zero, key=lambda each: each[1].value)
        yield settled(
            f"At ρ = 0.3 and ε ≥ 2 the answer is released as it is, without error: {case}", "Section 5.1.2, Figure 8",
            f"largest exact root error for ε ≥ 2: {_plain(largest[1])} (ε = {largest[0]:g}); {_needed(case, people_of(frame))}",
            judged(largest[1], *ZERO.ends),
            "it depends on the prior and on how the secret hangs together with the answer, not on ρ alone",
        )  # fmt: skip
    costs = errors.over(PRINTED, BEST, by=("correlation", "epsilon"), least=1e-3, case=TWO)
    yield settled(
        "Theorem 2 gives the best mechanism for two answers and a secret", "Theorem 2", f"root error as printed over that of the best channel: {ends(costs)}",
        between(costs, *OPTIMAL.ends),
        "the printed pair lies inside the private region: both of its bounds need not hold at once",
    )  # fmt: skip
    kept = true_levels(pick(frame, mechanism=PRINTED), ("correlation", "epsilon"))
    yield settled(
        "Theorem 2 is ε-LIP about the secret",
        "Theorem 2",
        f"true level over ε: {ends(kept)}",
        between(kept, *KEPT.ends),
    )


def _needed(case: str, people: int) -> str:
    """At which level the answer may be released as it is, where ρ is 0.3."""
    if case in CASES:
        return f"the answer as it is has level {_released(CASES[case], secrets(case, 0.3)):.3g}"
    levels = [_released(*each) for each in secrets_of_everyone(case, 0.3, people)]
    return f"the answer as it is has level {np.median(levels):.3g} in the median of the people, and at most 2 for {sum(level <= 2 for level in levels)} of {people}"


def _released(prior: Floats, rows: Floats) -> float:
    return printed.lip_level(sv.identity(sv.Domain(len(prior))), prior, rows)


def _plain(figure: Measured) -> str:
    return f"{figure.value:.2g}"
