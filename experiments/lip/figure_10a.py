"""Figure 10a: the number of answers against the error, at ε = 1, for plain, unary and hashed mechanisms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

import sottovoce as sv
from experiments.bounds import KEPT, OPTIMAL
from experiments.cells import Cell, Modes, Row, Setting
from experiments.charts import curves
from experiments.experiment import Picture
from experiments.lip import printed
from experiments.lip.comparisons import (
    ANSWERS,
    ERROR,
    Errors,
    Line,
    Ratio,
    above_one,
    between,
    both,
    ends,
    level_chart,
    rooted,
    true_levels,
)
from experiments.lip.encodings import FUNCTIONS, GAP, READ_BY_BITS, families, mechanisms
from experiments.lip.mechanism_names import HALF, HALF_PRINTED, LH, LH_PRINTED, OLH, ORDER, OUE, RR, RR_LDP, RR_PRINTED, UE, UE_BEST
from experiments.lip.own_priors import Person, about_people, everyone, simulate_people
from experiments.lip.simulation import BITS, PEOPLE, POSTERIOR, PeopleWithPrior, known, simulate
from experiments.measured import pick
from experiments.verdicts import Claim, all_judged, all_of, settled
from sottovoce.arrays import Floats

EPSILON = 1.0
#: What private mechanisms do at the level that the printed RR-LIP has.
FAIR = {"RR-LIP corrected, at that level": sv.rr_lip, "UE-LIP, at that level": sv.ue_lip}


#: One prior for all, or one for each.
UNIFORM, OWN_PRIORS = "uniform prior", "own priors"


FIGURES = ("10a",)
TITLE = "Figure 10a: more answers"
ABOUT = "Everyone has a prior of her own, as Section 5.1 says; a uniform prior that all share is shown beside it. The paper estimates unary reports bit by bit (Remark 3); the posterior of the whole report is shown beside it."
RUNS = Modes(fast=40, full=300)


def settings(full: bool) -> list[Setting]:
    sizes = range(10, 55, 5) if full else (10, 20, 50)
    return [
        {"prior": kind, "size": size, "best": kind == UNIFORM and (full or size <= 10)} for kind in (UNIFORM, OWN_PRIORS) for size in sizes
    ]


def measure(cell: Cell) -> list[Row]:
    domain = sv.Domain(cell["size"])
    if cell["prior"] == OWN_PRIORS:
        drawn = [prior for prior, _ in everyone(cell.runs, cell["size"])]
        people = [Person(prior, mechanisms(domain, EPSILON, prior, best=False, sizes=False)) for prior in drawn]
        return [*simulate_people(cell, people, more=READ_BY_BITS).rows(), *_fair(domain, drawn)]
    prior = np.full(cell["size"], 1 / cell["size"])
    found = mechanisms(domain, EPSILON, prior, best=cell["best"])
    return [*simulate(cell, PeopleWithPrior(prior), found, more=READ_BY_BITS).rows(), *_fair(domain, [prior])]


def _fair(domain: sv.Domain, priors: Sequence[Floats]) -> Iterator[Row]:
    """What private mechanisms do at the level that the printed RR-LIP has, for each prior; the mean, with the largest level."""
    levels = [printed.lip_level(printed.rr_lip(domain, EPSILON, prior), prior) for prior in priors]
    for name, make in FAIR.items():
        losses = [sv.mmse_loss(make(domain, level, prior), prior) for level, prior in zip(levels, priors, strict=True)]
        yield known(float(np.mean(losses)), max(levels), name)


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    for family, chart in families(frame, ANSWERS, log_y=False):
        yield Picture(
            f"Figure 10a, {family}",
            chart,
            f"The number of answers against the root error of the histogram at ε = 1 (synthetic, no data file): {PEOPLE:,} people with one prior, or {about_people(frame)} Hashed mechanisms use {FUNCTIONS} public functions. "
            f"Exact errors, on which the simulated ones lie (see the table of numbers). The best channel is shown where it is proven to within {100 * GAP:g} % (in the fast mode for ten answers only).",
        )
    names = (RR_PRINTED, HALF_PRINTED, LH_PRINTED, RR, UE, LH, OUE)
    yield Picture(
        "Figure 10a, true levels",
        level_chart(frame[frame["mechanism"].isin(names)], ANSWERS, panels="prior"),
        "The certified level of LIP of mechanisms that promise ε = 1 (and 1/2); the largest among all people.",
    )
    own, fair = pick(frame, mechanism=RR_PRINTED, metric="mse"), rooted(frame, "exact")
    fair = fair.assign(mechanism=fair["mechanism"].map(dict(zip(FAIR, (RR, UE), strict=True))))
    yield Picture(
        "Figure 10a, fair",
        curves(
            pd.concat([rooted(own).assign(mean=np.sqrt(own["predicted"]), error=0.0), fair]),
            ANSWERS,
            ERROR,
            panels="prior",
            dash="",
            log_y=False,
            order=ORDER,
        ),
        "RR-LIP as printed, and what private mechanisms do at the level that it really has. Exact errors.",
    )


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    sizes, here = sorted(set(frame["size"])), "Section 5.1.4, Figure 10a"
    errors, few, many = (Errors(part, ("prior", "size")) for part in (frame, frame[frame["size"] < 15], frame[frame["size"] >= 15]))
    yield both(
        "k-RR at ε-LDP is never better than RR-LIP at ε", f"{here} (1)", "k-RR over RR-ε-LIP", errors.over(RR_LDP, RR_PRINTED), errors.over(RR_LDP, RR),
        "kept private, RR-LIP tells rare answers less often than k-RR does",
    )  # fmt: skip
    yield both(
        "k-RR at ε-LDP is never worse than RR-LIP at ε/2", f"{here} (1)", "RR-ε/2-LIP over k-RR", errors.over(HALF_PRINTED, RR_LDP), errors.over(HALF, RR_LDP),
        "as printed RR-ε/2-LIP is far from ε/2-LIP, and beats k-RR: the sandwich holds for what is private only",
    )  # fmt: skip
    small, large = few.over(LH_PRINTED, RR_PRINTED), many.over(RR_PRINTED, (UE, BITS))
    yield both(
        "With less than 15 answers RR-LIP is better than LH-LIP (4 buckets)", f"{here} (2)", "LH-LIP over RR-LIP", small, few.over(LH, RR),
        "kept private, hashing first is better already with few answers",
    )  # fmt: skip
    yield both(
        "With many answers UE-LIP is better than RR-LIP", f"{here} (3)", "RR-LIP over UE-LIP, 15 answers and more", large, many.over(RR, (UE, BITS)),
        "the printed RR-LIP is ahead only because it is not private",
    )  # fmt: skip

    def growth(above: Line, below: Line) -> tuple[str, str]:
        """How one error less another changes from few answers to many, and whether it grows."""
        gaps = {
            kind: [errors.exact(above, prior=kind, size=k) - errors.exact(below, prior=kind, size=k) for k in (sizes[0], sizes[-1])]
            for kind in dict.fromkeys(frame["prior"])
        }
        told = "; ".join(
            f"{kind}: {first.value:.2g} at {sizes[0]}, {last.value:.2g} at {sizes[-1]}" for kind, (first, last) in gaps.items()
        )
        return told, all_judged([last - first for first, last in gaps.values()], low=0)

    told, verdict = growth(RR, (UE, BITS))
    ceiling = "errors have the spread of the data as a ceiling, which all mechanisms approach when answers are many"
    yield settled(
        "The gap between UE-LIP and RR-LIP grows with the number of answers", f"{here} (3)", f"{told} (corrected RR-LIP)", verdict, ceiling
    )
    ones = {"OUE": many.over(RR_LDP, (OUE, BITS)), "OLH": many.over(RR_LDP, OLH)}
    told, verdict = growth(RR_LDP, (OUE, BITS))
    yield settled(
        "Under LDP it is alike: with many answers unary and hashed reports are better than k-RR, and the gap to the unary ones grows", f"{here} (3)",
        "15 answers and more, " + "; ".join(f"k-RR over {name}: {ends(each)}" for name, each in ones.items()) + f"; k-RR less OUE, {told}",
        all_of([*map(above_one, ones.values()), verdict]), ceiling,
    )  # fmt: skip
    unary = errors.over((OUE, BITS), (UE, BITS))
    yield settled(
        "UE-LIP is always better than OUE",
        f"{here} (4), equation (35)",
        f"OUE over UE-LIP, both bit by bit: {ends(unary)}",
        above_one(unary),
    )
    yield both("LH-LIP is always better than OLH", f"{here} (4)", "OLH over LH-LIP, 4 buckets", errors.over(OLH, LH_PRINTED), errors.over(OLH, LH),
        "kept private, LH-LIP has to add noise for light buckets")  # fmt: skip
    rises = [
        replace(each, where=f"{name}, {each.where}")
        for name in (RR_PRINTED, RR, UE, LH, RR_LDP, OUE, OLH)
        for each in errors.over(*({"mechanism": name, "size": size} for size in (sizes[-1], sizes[0])), by=["prior"])
    ]
    yield settled(
        "When answers are more, the error is larger under each notion",
        "Section 5.2.2, insight c",
        f"{sizes[-1]} answers over {sizes[0]}: {ends(rises)}",
        above_one(rises),
    )
    gain = errors.over((UE, BITS), UE)
    yield settled(f"Bits are best read one by one, (31) ({OPTIMAL.told})", "equations (30), (31)", f"bit by bit over the posterior of all bits, UE-LIP: {ends(gain)}",
        between(gain, *OPTIMAL.ends), "one bit by itself is not the whole report")  # fmt: skip
    bits = errors.over(UE, UE_BEST)
    yield settled(f"The best own bit of UE-LIP is a coin, a = 1/2 ({OPTIMAL.told})", "Theorem 4", f"a = 1/2 over the best bits, both by the posterior: {ends(bits)}",
        between(bits, *OPTIMAL.ends), "Theorem 4 is private, and not optimal")  # fmt: skip
    fair = zip(*(errors.over(RR_PRINTED, name) for name in FAIR), strict=True)
    costs = [Ratio(each[0].where, max((one.exact for one in each), key=lambda exact: exact.value)) for each in fair]
    yield settled("RR-LIP as printed is the best plain mechanism for its level", "Theorem 3, Figure 10a", f"its root error over the better of corrected RR-LIP and UE-LIP at the level that it really has: {ends(costs)}",
        between(costs, *OPTIMAL.ends), "for the privacy that it gives up, the corrected form tells the truth far more often")  # fmt: skip
    for name, theorem in ((RR_PRINTED, "Theorem 3"), (LH_PRINTED, "Proposition 3"), (UE, "Theorem 4")):
        levels = true_levels(pick(frame, mechanism=name, estimate=POSTERIOR), ("prior", "size"), over_epsilon=False)
        yield settled(f"{name.split(' (')[0].split(',')[0]} is ε-LIP at ε = 1", f"{theorem}, Figure 10a", f"true levels: {ends(levels)}",
            between(levels, *KEPT.ends), "probabilities (of answers or buckets) are below 1/(e + 1) = 0.27")  # fmt: skip
