"""Figure 11: ε against the share of reports that differ from the answer."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import linprog

import sottovoce as sv
from experiments.bounds import KEPT
from experiments.cells import Cell, Modes, Row, Samples, grid
from experiments.charts import curves
from experiments.experiment import Picture
from experiments.lip import printed
from experiments.lip.comparisons import PROMISED, Errors, Ratio, above_one, between, ends, level_chart, true_levels
from experiments.lip.mechanism_names import BEST, ORDER, RR, RR_LDP, RR_PRINTED
from experiments.lip.simulation import PEOPLE, POSTERIOR
from experiments.measured import pick
from experiments.verdicts import Claim, all_of, settled
from sottovoce.arrays import Floats

#: Two answers, the second with a probability between next to nothing and this.
BOUNDS = {f"two answers, P₁ ≤ {bound:g}": bound for bound in (0.2, 0.5, 0.8)}
FIXED = {"five answers, uniform": np.full(5, 0.2), "five answers, skewed": np.array([0.025, 0.025, 0.025, 0.025, 0.9])}
_LEAST = 1e-6
_WHY = ("where only an upper bound is known, the corrected RR-LIP is k-RR itself", "kept private, RR-LIP spends more noise on rare answers")

FIGURES = ("11a", "11b")
TITLE = "Figure 11: reports that are the answer"
ABOUT = (
    "Utility is the Hamming distance between answers and reports (equation 42); nothing is estimated. With two answers everybody has a prior of her own, P₁ uniform between 0 and the bound; "
    "the paper does not give the bounds. The best channel is that of a linear programme."
)
RUNS = Modes(fast=20, full=100)

settings = grid(case=(*BOUNDS, *FIXED), epsilon=Modes(fast=[0.5, 1.0, 2.0, 4.0], full=np.arange(0.5, 5.25, 0.5).tolist()))


def corners_of(case: str) -> list[Floats]:
    """The priors between which everybody's lies."""
    return [FIXED[case]] if case in FIXED else [np.array([1 - p, p]) for p in (_LEAST, BOUNDS[case])]


def mechanisms(corners: list[Floats], epsilon: float) -> dict[str, sv.Mechanism]:
    domain = sv.Domain(len(corners[0]))
    one = len(corners) == 1
    return {
        RR_PRINTED: printed.rr_lip(domain, epsilon, corners[0]) if one else printed.two_bounded(epsilon, corners),
        RR: sv.rr_lip(domain, epsilon, corners[0]) if one else sv.rr_lip(domain, epsilon, priors=corners),
        BEST: most_often_true(corners, epsilon),
        RR_LDP: sv.krr(domain, epsilon),
    }


def most_often_true(corners: list[Floats], epsilon: float) -> sv.Mechanism:
    """The private channel whose report is the answer most often, under the mean of the priors: a linear programme in Q(y|x), with
    e^{−ε}·Pr(y) ≤ Q(y|x) ≤ e^ε·Pr(y) under every prior.
    """
    size = len(corners[0])
    identity, level = np.eye(size), epsilon * (1 - 1e-9)
    bounds = []
    for prior in corners:
        total = np.tile(prior, (size, 1))  # Pr(y) from the column of y, for each x
        columns = np.concatenate([identity - math.exp(level) * total, math.exp(-level) * total - identity])
        bounds.append(np.kron(columns, identity))  # entries are ordered by x, then y
    gain = (np.mean(corners, axis=0)[:, None] * identity).ravel()
    rows = np.kron(identity, np.ones(size))
    found = linprog(-gain, A_ub=np.concatenate(bounds), b_ub=np.zeros(sum(map(len, bounds))), A_eq=rows, b_eq=np.ones(size), method="highs")
    matrix = np.clip(found.x.reshape(size, size), 0.0, 1.0)
    return sv.from_matrix(sv.Domain(size), matrix / matrix.sum(axis=1, keepdims=True), sv.BoundedPriorLIP(math.inf, corners))


def measure(cell: Cell) -> list[Row]:
    samples, corners = Samples(), corners_of(cell["case"])
    found = mechanisms(corners, cell["epsilon"])
    levels = {name: sv.BoundedPriorLIP(math.inf, corners).check(mechanism).level for name, mechanism in found.items()}
    for name, mechanism, run, source in cell.trials(found):
        answers = _answers(corners, cell.random(run))
        differ = np.array(mechanism.perturb(answers, source).tolist()) != answers
        samples.add({"hamming": float(differ.mean())}, mechanism=name, level=levels[name])
    for name, mechanism in found.items():
        told = 1 - float(np.mean(corners, axis=0) @ np.diag(mechanism.channel.matrix()))
        samples.predict({"hamming": told}, mechanism=name, level=levels[name])
    return samples.rows()


def _answers(corners: list[Floats], random: np.random.Generator) -> Any:
    """One prior for all; or each person with her own, anywhere between the corners."""
    if len(corners) == 1:
        return random.choice(len(corners[0]), size=PEOPLE, p=corners[0])
    return (random.random(PEOPLE) < random.uniform(corners[0][1], corners[1][1], PEOPLE)).astype(np.int64)


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    silent = "With the skewed prior, always reporting the commonest answer says nothing at all, and differs in a tenth of the cases."
    for name, cases, remark in (("Figure 11a", BOUNDS, ""), ("Figure 11b", FIXED, silent)):
        part = frame[frame["case"].isin(list(cases))]
        yield Picture(
            name,
            curves(part, PROMISED, "share of reports that differ", dash="", panels="case", log_y=False, order=ORDER),
            f"ε against the share of {PEOPLE:,} reports that differ from the answer (synthetic, no data file). Rings: exact. " + remark,
        )
        yield Picture(
            f"{name}, true levels",
            level_chart(part.assign(metric="mse"), panels="case"),
            "The certified level of LIP (for all priors of the set) of the same mechanisms.",
        )


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    here, shares = "Section 5.1.5, Figure 11", Errors(frame, ("case", "epsilon"), frame.assign(estimate=POSTERIOR))
    for text, cases in (("with two answers and an uncertain prior", BOUNDS), ("with five answers", FIXED)):
        gains = {name: [each for case in cases for each in shares.over(RR_LDP, name, case=case)] for name in (RR_PRINTED, RR, BEST)}
        yield settled(
            f"RR-LIP differs from the answer less often than k-RR, {text}", here,
            f"k-RR over RR-LIP: as printed {ends(gains[RR_PRINTED])}; corrected {ends(gains[RR])}", all_of([above_one(gains[name], strictly=True) for name in (RR_PRINTED, RR)]),
            f"{_WHY[cases is FIXED]}; for the best channel it is {ends(gains[BEST])}",
        )  # fmt: skip
    uniform, skewed = FIXED
    for name in (RR_PRINTED, RR, BEST):
        pairs = zip(*(shares.over(RR_LDP, name, by=["epsilon"], case=case) for case in (skewed, uniform)), strict=True)
        more = [Ratio(a.where, a.exact / b.exact, a.seen / b.seen) for a, b in pairs]
        less = ", ".join(each.where.removeprefix("ε = ") for each in more if each.exact.value < 1)
        yield settled(
            f"The advantage over LDP is larger with a skewed prior: {name}", here, f"(k-RR over it, skewed) over (the same, uniform): {ends(more)}", above_one(more),
            f"it is smaller at ε = {less}: kept private, the rare answers of the skewed prior need more noise there",
        )  # fmt: skip
    noise = {name: shares.over(*({"mechanism": name, "case": case} for case in FIXED), by=["epsilon"]) for name in (RR_PRINTED, RR)}
    yield settled(
        "Where the buckets of LH-LIP are equally likely more noise is added than where they are not", "Section 5.1.4",
        "not told apart in Figure 10b; RR-LIP on five answers, which buckets are to it, share of reports that differ, uniform over skewed: "
        f"as printed {ends(noise[RR_PRINTED])}; corrected {ends(noise[RR])}",
        all_of(map(above_one, noise.values())), "kept private, RR-LIP needs noise for the rare ones of a skewed prior: the order turns until ε is large",
    )  # fmt: skip
    for theorem, cases in (("Proposition 2", BOUNDS), ("Theorem 3", FIXED)):
        levels = true_levels(pick(frame[frame["case"].isin(list(cases))], mechanism=RR_PRINTED), ("case", "epsilon"))
        yield settled(
            f"{theorem} keeps ε-LIP", f"{theorem}, Figure 11", f"true level over ε: {ends(levels)}", between(levels, *KEPT.ends),
            "some probability is below 1/(e^ε + 1)" if cases is FIXED else "with P₁ next to 0 possible, the report 1 gives its holder away",
        )  # fmt: skip
