"""Figure 10a: the number of answers against the error, at ε = 1, for plain, unary and hashed mechanisms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

import sottovoce as sv
from experiments.charts import curves
from experiments.experiment import Cell, Experiment, Picture, Row, Samples, Setting
from experiments.lip import printed
from experiments.lip.comparisons import ERROR, Errors, Ratio, above_one, between, both, ends, level_chart, rooted
from experiments.lip.encodings import FUNCTIONS, GAP, families, mechanisms, rivals_of
from experiments.lip.names import HALF, HALF_PRINTED, LH, LH_PRINTED, OLH, ORDER, OUE, RR, RR_LDP, RR_PRINTED, UE, UE_BEST
from experiments.lip.people import BITS, PEOPLE, POSTERIOR, Crowd, Floats, known, simulate
from experiments.measured import Measured, pick
from experiments.verdicts import Claim, all_judged, all_of, settled

EPSILON = 1.0
#: What private mechanisms do at the level that the printed RR-LIP has.
FAIR = {"RR-LIP corrected, at that level": sv.rr_lip, "UE-LIP, at that level": sv.ue_lip}


def prior_of(kind: str, size: int) -> Floats:
    """Equal probabilities, or random ones: uniform weights between 0.05 and 1, normalised, from a fixed seed."""
    weights = np.ones(size) if kind == "uniform prior" else np.random.default_rng([10, size]).uniform(0.05, 1.0, size)
    return np.asarray(weights / weights.sum())


def settings(full: bool) -> list[Setting]:
    sizes = range(10, 55, 5) if full else (10, 20, 50)
    return [{"prior": kind, "size": size, "best": full or size <= 10} for kind in ("uniform prior", "random prior") for size in sizes]


def measure(cell: Cell) -> list[Row]:
    crowd, samples = Crowd(prior_of(cell.setting["prior"], cell.setting["size"])), Samples()
    found = mechanisms(crowd.domain, EPSILON, crowd.prior, best=cell.setting["best"])
    levels = {name: printed.lip_level(each, crowd.prior) for name, each in found.items()}
    simulate(cell, samples, crowd, rivals_of(found), levels)
    level = levels[RR_PRINTED]
    fair = {name: make(crowd.domain, level, crowd.prior) for name, make in FAIR.items()}
    return [*samples.rows(), *(known(sv.mmse_loss(each, crowd.prior), level, name) for name, each in fair.items())]


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    for family, chart in families(frame, x="size", label="number of answers", log_y=False):
        yield Picture(
            f"Figure 10a, {family}",
            chart,
            f"The number of answers against the root error of the histogram of {PEOPLE:,} people at ε = 1 (synthetic, no data file). Hashed mechanisms use {FUNCTIONS} public functions. "
            f"Exact errors, on which the simulated ones lie (see the table of numbers). The best channel is shown where it is proven to within {100 * GAP:g} % (in the fast mode for ten answers only).",
        )
    names = (RR_PRINTED, HALF_PRINTED, LH_PRINTED, RR, UE, LH, OUE)
    yield Picture(
        "Figure 10a, true levels",
        level_chart(frame[frame["mechanism"].isin(names)], x="size", label="number of answers", panels="prior"),
        "The certified level of LIP of mechanisms that promise ε = 1 (and 1/2).",
    )
    own, fair = pick(frame, mechanism=RR_PRINTED, metric="mse"), rooted(frame, "exact")
    fair = fair.assign(mechanism=fair["mechanism"].map(dict(zip(FAIR, (RR, UE), strict=True))))
    yield Picture(
        "Figure 10a, fair",
        curves(
            pd.concat([rooted(own).assign(mean=np.sqrt(own["predicted"]), error=0.0), fair]),
            x="size",
            label="number of answers",
            metric=ERROR,
            panels="prior",
            dash="",
            log_y=False,
            order=ORDER,
        ),
        "RR-LIP as printed, and what private mechanisms do at the level that it really has. Exact errors.",
    )


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    errors, kinds, sizes = Errors(frame), list(dict.fromkeys(frame["prior"])), sorted(set(frame["size"]))
    here = "Section 5.1.4, Figure 10a"

    def at(kind: str, size: int, mechanism: str, estimate: str = POSTERIOR) -> dict[str, Any]:
        return {"prior": kind, "size": size, "mechanism": mechanism, "estimate": estimate}

    def over(above: tuple[str, ...], below: tuple[str, ...], low: int = 0, high: int = 99) -> list[Ratio]:
        return [
            errors.ratio(f"{kind}, {k} answers", at(kind, k, *above), at(kind, k, *below))
            for kind in kinds
            for k in sizes
            if low <= k <= high
        ]

    yield both(
        "k-RR at ε-LDP is never better than RR-LIP at ε", f"{here} (1)", "k-RR over RR-ε-LIP", over((RR_LDP,), (RR_PRINTED,)), over((RR_LDP,), (RR,)),
        "kept private, RR-LIP tells rare answers less often than k-RR does",
    )  # fmt: skip
    yield both(
        "k-RR at ε-LDP is never worse than RR-LIP at ε/2", f"{here} (1)", "RR-ε/2-LIP over k-RR", over((HALF_PRINTED,), (RR_LDP,)), over((HALF,), (RR_LDP,)),
        "as printed RR-ε/2-LIP is far from ε/2-LIP, and beats k-RR: the sandwich holds for what is private only",
    )  # fmt: skip
    small, large = over((LH_PRINTED,), (RR_PRINTED,), high=14), over((RR_PRINTED,), (UE, BITS), low=15)
    yield both(
        "With less than 15 answers RR-LIP is better than LH-LIP (4 buckets)", f"{here} (2)", "LH-LIP over RR-LIP", small, over((LH,), (RR,), high=14),
        "kept private, hashing first is better already with few answers",
    )  # fmt: skip
    yield both(
        "With many answers UE-LIP is better than RR-LIP", f"{here} (3)", "RR-LIP over UE-LIP, 15 answers and more", large, over((RR,), (UE, BITS), low=15),
        "the printed RR-LIP is ahead only because it is not private",
    )  # fmt: skip

    def growth(above: tuple[str, ...], below: tuple[str, ...]) -> tuple[str, str]:
        """How one error less another changes from few answers to many, and whether it grows."""
        gaps = {
            kind: [errors.exact(**at(kind, k, *above)) - errors.exact(**at(kind, k, *below)) for k in (sizes[0], sizes[-1])]
            for kind in kinds
        }
        told = "; ".join(
            f"{kind}: {first.value:.2g} at {sizes[0]}, {last.value:.2g} at {sizes[-1]}" for kind, (first, last) in gaps.items()
        )
        return told, all_judged([last - first for first, last in gaps.values()], low=0)

    told, verdict = growth((RR,), (UE, BITS))
    ceiling = "errors have the spread of the data as a ceiling, which all mechanisms approach when answers are many"
    yield settled(
        "The gap between UE-LIP and RR-LIP grows with the number of answers", f"{here} (3)", f"{told} (corrected RR-LIP)", verdict, ceiling
    )
    ones = {"OUE": over((RR_LDP,), (OUE, BITS), low=15), "OLH": over((RR_LDP,), (OLH,), low=15)}
    told, verdict = growth((RR_LDP,), (OUE, BITS))
    yield settled(
        "Under LDP it is alike: with many answers unary and hashed reports are better than k-RR, and the gap to the unary ones grows", f"{here} (3)",
        "15 answers and more, " + "; ".join(f"k-RR over {name}: {ends(each)}" for name, each in ones.items()) + f"; k-RR less OUE, {told}",
        all_of([*map(above_one, ones.values()), verdict]), ceiling,
    )  # fmt: skip
    unary = over((OUE, BITS), (UE, BITS))
    yield settled(
        "UE-LIP is always better than OUE",
        f"{here} (4), equation (35)",
        f"OUE over UE-LIP, both bit by bit: {ends(unary)}",
        above_one(unary),
    )
    yield both("LH-LIP is always better than OLH", f"{here} (4)", "OLH over LH-LIP, 4 buckets", over((OLH,), (LH_PRINTED,)), over((OLH,), (LH,)),
        "kept private, LH-LIP has to add noise for light buckets")  # fmt: skip
    rises = [
        errors.ratio(f"{name}, {kind}", at(kind, sizes[-1], name), at(kind, sizes[0], name))
        for kind in kinds
        for name in (RR_PRINTED, RR, UE, LH, RR_LDP, OUE, OLH)
    ]
    yield settled(
        "When answers are more, the error is larger under each notion",
        "Section 5.2.2, insight c",
        f"{sizes[-1]} answers over {sizes[0]}: {ends(rises)}",
        above_one(rises),
    )
    gain = over((UE, BITS), (UE,))
    yield settled("Bits are best read one by one, (31) (judged: at most 10⁻⁴ worse)", "equations (30), (31)", f"bit by bit over the posterior of all bits, UE-LIP: {ends(gain)}",
        between(gain, high=1 + 1e-4), "one bit by itself is not the whole report")  # fmt: skip
    bits = over((UE,), (UE_BEST,))
    yield settled("The best own bit of UE-LIP is a coin, a = 1/2 (judged: at most 10⁻⁴ worse)", "Theorem 4", f"a = 1/2 over the best bits, both by the posterior: {ends(bits)}",
        between(bits, high=1 + 1e-4), "Theorem 4 is private, and not optimal")  # fmt: skip
    fair = Errors(frame, "exact")
    costs = []
    for kind in kinds:
        for k in sizes:
            best = min(fair.exact(prior=kind, size=k, mechanism=name).value for name in FAIR)
            costs.append(Ratio(f"{kind}, {k} answers", errors.exact(**at(kind, k, RR_PRINTED)) / Measured(best), Measured(np.nan)))
    yield settled("RR-LIP as printed is the best plain mechanism for its level", "Theorem 3, Figure 10a", f"its root error over the better of corrected RR-LIP and UE-LIP at the level that it really has: {ends(costs)}",
        between(costs, high=1 + 1e-4), "for the privacy that it gives up, the corrected form tells the truth far more often")  # fmt: skip
    for name, theorem in ((RR_PRINTED, "Theorem 3"), (LH_PRINTED, "Proposition 3"), (UE, "Theorem 4")):
        levels = [
            Ratio(f"{each.prior}, {each.size} answers", Measured(each.level), Measured(np.nan))
            for each in pick(frame, mechanism=name, estimate=POSTERIOR).itertuples()
        ]
        yield settled(f"{name.split(' (')[0].split(',')[0]} is ε-LIP at ε = 1", f"{theorem}, Figure 10a", f"true levels: {ends(levels)}",
            between(levels, high=1 + 1e-6), "probabilities (of answers or buckets) are below 1/(e + 1) = 0.27")  # fmt: skip


EXPERIMENT = Experiment(
    name="figure-10a",
    figures=("10a",),
    title="Figure 10a: more answers",
    about="The paper does not say which prior is used: a uniform and a random one are shown. It estimates unary reports bit by bit (Remark 3); the posterior of the whole report is shown beside it.",
    data=(),
    fast_runs=40,
    full_runs=300,
    settings=settings,
    measure=measure,
    pictures=pictures,
    claims=claims,
)
