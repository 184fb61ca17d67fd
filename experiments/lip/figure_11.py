"""Figure 11: ε against the share of reports that differ from the answer."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import linprog

import sottovoce as sv
from experiments.charts import curves
from experiments.experiment import Cell, Experiment, Picture, Row, Samples, Setting
from experiments.lip import printed
from experiments.lip.comparisons import Ratio, above_one, between, ends, level_chart
from experiments.lip.names import BEST, ORDER, RR, RR_LDP, RR_PRINTED
from experiments.lip.people import PEOPLE, Floats
from experiments.measured import Measured, measured, pick
from experiments.verdicts import Claim, all_of, settled

#: Two answers, the second with a probability between next to nothing and this.
BOUNDS = {f"two answers, P₁ ≤ {bound:g}": bound for bound in (0.2, 0.5, 0.8)}
FIXED = {"five answers, uniform": np.full(5, 0.2), "five answers, skewed": np.array([0.025, 0.025, 0.025, 0.025, 0.9])}
_LEAST = 1e-6
_WHY = ("where only an upper bound is known, the corrected RR-LIP is k-RR itself", "kept private, RR-LIP spends more noise on rare answers")


def settings(full: bool) -> list[Setting]:
    epsilons = np.arange(0.5, 5.25, 0.5).tolist() if full else [0.5, 1.0, 2.0, 4.0]
    return [{"case": case, "epsilon": epsilon} for case in (*BOUNDS, *FIXED) for epsilon in epsilons]


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
    samples, corners = Samples(), corners_of(cell.setting["case"])
    mean = np.mean(corners, axis=0)
    for number, (name, mechanism) in enumerate(mechanisms(corners, cell.setting["epsilon"]).items()):
        level = sv.BoundedPriorLIP(math.inf, corners).check(mechanism).level
        for run in range(cell.runs):
            answers = _answers(corners, cell.random(run))
            reports = mechanism.perturb(answers, cell.source(run, number))
            samples.add({"hamming": float((np.array(reports.tolist()) != answers).mean())}, mechanism=name, level=level)
        samples.predict({"hamming": 1 - float(mean @ np.diag(mechanism.channel.matrix()))}, mechanism=name, level=level)
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
            curves(
                part,
                x="epsilon",
                label="promised ε",
                metric="share of reports that differ",
                dash="",
                panels="case",
                log_y=False,
                order=ORDER,
            ),
            f"ε against the share of {PEOPLE:,} reports that differ from the answer (synthetic, no data file). Rings: exact. " + remark,
        )
        yield Picture(
            f"{name}, true levels",
            level_chart(part.assign(metric="mse"), panels="case"),
            "The certified level of LIP (for all priors of the set) of the same mechanisms.",
        )


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    epsilons, here = sorted(set(frame["epsilon"])), "Section 5.1.5, Figure 11"

    def over(case: str, above: str, below: str) -> list[Ratio]:
        rows = [[pick(frame, case=case, epsilon=e, mechanism=name).iloc[0]["predicted"] for name in (above, below)] for e in epsilons]
        seen = [
            measured(frame, case=case, epsilon=e, mechanism=above) / measured(frame, case=case, epsilon=e, mechanism=below)
            for e in epsilons
        ]
        return [Ratio(f"{case}, ε = {e:g}", Measured(a / b), each) for e, (a, b), each in zip(epsilons, rows, seen, strict=True)]

    for text, cases in (("with two answers and an uncertain prior", BOUNDS), ("with five answers", FIXED)):
        gains = {name: [each for case in cases for each in over(case, RR_LDP, name)] for name in (RR_PRINTED, RR, BEST)}
        yield settled(
            f"RR-LIP differs from the answer less often than k-RR, {text}", here,
            f"k-RR over RR-LIP: as printed {ends(gains[RR_PRINTED])}; corrected {ends(gains[RR])}", all_of([above_one(gains[name], strictly=True) for name in (RR_PRINTED, RR)]),
            f"{_WHY[cases is FIXED]}; for the best channel it is {ends(gains[BEST])}",
        )  # fmt: skip
    uniform, skewed = FIXED
    for name in (RR_PRINTED, RR, BEST):
        pairs = list(zip(over(skewed, RR_LDP, name), over(uniform, RR_LDP, name), strict=True))
        more = [Ratio(a.where.split(", ")[-1], a.exact / b.exact, a.seen / b.seen) for a, b in pairs]
        less = ", ".join(each.where.removeprefix("ε = ") for each in more if each.exact.value < 1)
        yield settled(
            f"The advantage over LDP is larger with a skewed prior: {name}", here, f"(k-RR over it, skewed) over (the same, uniform): {ends(more)}", above_one(more),
            f"it is smaller at ε = {less}: kept private, the rare answers of the skewed prior need more noise there",
        )  # fmt: skip
    noise = {name: [_uneven(frame, e, name) for e in epsilons] for name in (RR_PRINTED, RR)}
    yield settled(
        "Where the buckets of LH-LIP are equally likely more noise is added than where they are not", "Section 5.1.4",
        "not told apart in Figure 10b; RR-LIP on five answers, which buckets are to it, share of reports that differ, uniform over skewed: "
        f"as printed {ends(noise[RR_PRINTED])}; corrected {ends(noise[RR])}",
        all_of(map(above_one, noise.values())), "kept private, RR-LIP needs noise for the rare ones of a skewed prior: the order turns until ε is large",
    )  # fmt: skip
    for theorem, cases in (("Proposition 2", BOUNDS), ("Theorem 3", FIXED)):
        rows = [row for row in pick(frame, mechanism=RR_PRINTED).itertuples() if row.case in cases]
        levels = [Ratio(f"{row.case}, ε = {row.epsilon:g}", Measured(row.level / row.epsilon), Measured(np.nan)) for row in rows]
        yield settled(
            f"{theorem} keeps ε-LIP", f"{theorem}, Figure 11", f"true level over ε: {ends(levels)}", between(levels, high=1 + 1e-6),
            "some probability is below 1/(e^ε + 1)" if cases is FIXED else "with P₁ next to 0 possible, the report 1 gives its holder away",
        )  # fmt: skip


def _uneven(frame: pd.DataFrame, epsilon: float, mechanism: str) -> Ratio:
    """How much more often a report differs from the answer with the uniform prior than with the skewed one."""
    even, skewed = (pick(frame, case=case, epsilon=epsilon, mechanism=mechanism).iloc[0] for case in FIXED)
    return Ratio(f"ε = {epsilon:g}", Measured(float(even["predicted"] / skewed["predicted"])), Measured.of(even) / Measured.of(skewed))


EXPERIMENT = Experiment(
    name="figure-11",
    figures=("11a", "11b"),
    title="Figure 11: reports that are the answer",
    about="Utility is the Hamming distance between answers and reports (equation 42); nothing is estimated. With two answers everybody has a prior of her own, P₁ uniform between 0 and the bound; "
    "the paper does not give the bounds. The best channel is that of a linear programme.",
    data=(),
    fast_runs=20,
    full_runs=100,
    settings=settings,
    measure=measure,
    pictures=pictures,
    claims=claims,
)
