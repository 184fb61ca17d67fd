"""Figure 12a: a histogram of locations, with what was released earlier as the prior."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pandas as pd

from experiments.bounds import FAR, KEPT, OPTIMAL
from experiments.cells import Cell, Modes, Row, Setting
from experiments.data import Data
from experiments.experiment import Picture
from experiments.lip.comparisons import LEVEL, Errors, Ratio, above_one, between, both, ends, exact_chart, level_chart, true_levels
from experiments.lip.encodings import BUCKETS, FUNCTIONS, GAP, READ_BY_BITS, families, mechanisms
from experiments.lip.mechanism_names import BEST, LH, LH_BEST, LH_PRINTED, OUE, RR, RR_LDP, RR_PRINTED, UE
from experiments.lip.simulation import BITS, PLAIN, POSTERIOR, PeopleWithPrior, simulate
from experiments.measured import Measured, pick
from experiments.verdicts import DIFFERS, Claim, all_of, settled

FILE, CELLS = "gowalla_nyc_latest.csv", 83
ACTUAL, DRAWN = "people as they are", "people drawn from the prior"


def people_of(data: Data, kind: str) -> PeopleWithPrior:
    """The 83 cells with the most earlier check-ins, their shares as the prior; the people whose latest check-in is there."""
    table = data.table(FILE).sort_values("earlier", ascending=False, kind="stable").head(CELLS)
    prior, latest = (table["earlier"] / table["earlier"].sum()).to_numpy(), table["latest"].to_numpy()
    return PeopleWithPrior(prior, latest) if kind == ACTUAL else PeopleWithPrior(prior, drawn=int(latest.sum()))


FIGURES = ("12a",)
TITLE = "Figure 12a: where people are"
ABOUT = (
    f"The paper has the whole of Gowalla on 36 × 36 districts and {CELLS} of them in use, without saying which; here it is New York alone, and the {CELLS} cells with the most earlier check-ins "
    f"(89 % of all earlier and of all latest ones). The prior is not the truth: the people as they are differ from it. LH-LIP has {BUCKETS} buckets as in Figure 10a, or the best number for the prior."
)
DATA = (FILE,)
RUNS = Modes(fast=20, full=100)


def settings(full: bool) -> list[Setting]:
    epsilons = (0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0) if full else (0.5, 5.0)
    return [{"prior": kind, "epsilon": epsilon, "best": full or epsilon < 1} for kind in (ACTUAL, DRAWN) for epsilon in epsilons]


def measure(cell: Cell) -> list[Row]:
    people = people_of(cell.data, cell["prior"])
    found = mechanisms(people.domain, cell["epsilon"], people.prior, best=cell["best"])
    return simulate(cell, people, found, more=[*READ_BY_BITS, (OUE, PLAIN)]).rows()


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    for family, chart in families(frame):
        yield Picture(
            f"Figure 12a, {family}",
            chart,
            f"ε against the root error of the histogram of people who reported, on `{FILE}`, a part of Gowalla (New York only): the {CELLS} cells of a 36 × 36 grid with the most earlier "
            f"check-ins, prior from the earlier check-ins. Left: the people whose latest check-in is in these cells; right: as many people drawn from the prior. Hashed mechanisms use {FUNCTIONS} public "
            f"functions. Exact errors where they can be listed, otherwise simulated. The best channel is proven to within {100 * GAP:g} % (in the fast mode it is sought at the smallest ε only).",
        )
    names = (RR_PRINTED, LH_PRINTED, RR, UE, LH, RR_LDP, OUE)
    yield Picture(
        "Figure 12a, true levels",
        level_chart(pick(frame[frame["mechanism"].isin(names)], prior=DRAWN)),
        f"The certified level of LIP against the promised one, same data (`{FILE}`, a part of Gowalla).",
    )
    fair = (RR_PRINTED, LH_PRINTED, RR, UE, LH_BEST, BEST)
    shown = pick(frame[frame["mechanism"].isin(fair)], estimate=POSTERIOR)
    yield Picture(
        "Figure 12a, fair",
        exact_chart(shown, LEVEL, panels="prior", dash=""),
        f"The errors of Figure 12a, each mechanism plotted at the level that it really has (`{FILE}`, a part of Gowalla).",
    )


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    errors, epsilons, here = Errors(frame, ("prior", "epsilon")), sorted(set(frame["epsilon"])), "Section 5.2.1, Figure 12a"
    low, high = epsilons[0], epsilons[-1]
    yield both(
        f"At small ε (here {low:g}) UE-LIP has the lower error than RR-LIP", here, "RR-LIP over UE-LIP", errors.over(RR_PRINTED, (UE, BITS), epsilon=low), errors.over(RR, (UE, BITS), epsilon=low),
        "the printed RR-LIP is ahead only because it is not private",
    )  # fmt: skip
    yield both(
        f"At small ε (here {low:g}) LH-LIP has the lower error than RR-LIP", here, "RR-LIP over LH-LIP (4 buckets)", errors.over(RR_PRINTED, LH_PRINTED, epsilon=low), errors.over(RR, LH, epsilon=low),
        "as printed, RR-LIP tells much more than its ε, and more than LH-LIP does",
    )  # fmt: skip
    yield both(
        f"At large ε (here {high:g}) RR-LIP has the lower error than UE-LIP", here, "UE-LIP over RR-LIP", errors.over((UE, BITS), RR_PRINTED, epsilon=high), errors.over((UE, BITS), RR, epsilon=high),
        "kept private, RR-LIP still needs noise for the rare cells at this ε",
    )  # fmt: skip
    yield both(
        f"At large ε (here {high:g}) RR-LIP has the lower error than LH-LIP", here, "LH-LIP (4 buckets) over RR-LIP", errors.over(LH_PRINTED, RR_PRINTED, epsilon=high), errors.over(LH, RR, epsilon=high),
        "kept private, RR-LIP still needs noise for the rare cells at this ε",
    )  # fmt: skip
    unary = errors.over((OUE, BITS), (UE, BITS))
    yield settled(
        "UE-LIP is better than OUE",
        here,
        f"OUE over UE-LIP, bit by bit: {ends(unary)}",
        above_one(unary),
        "where the prior is wrong, reports that say more about it need not help",
    )
    first, last = errors.over((OUE, BITS), (UE, BITS), epsilon=low), errors.over((OUE, BITS), (UE, BITS), epsilon=high)
    shrinks = [Ratio(a.where, Measured((a.exact.value - 1) / (b.exact.value - 1))) for a, b in zip(first, last, strict=True)]
    most, widest = max((each.exact.value, float(each.where.split()[-1])) for each in unary)
    yield settled(
        "The gap between UE-LIP and OUE diminishes as ε grows", here, f"gap (OUE over UE-LIP, less 1) at ε = {low:g} over that at ε = {high:g}: {ends(shrinks)}", above_one(shrinks),
        f"both begin at the error of the prior alone, so that there is no gap at ε = 0; of the ε tried it is largest at {widest:g}, and never more than {100 * (most - 1):.2g} %",
    )  # fmt: skip
    ends_of = ({"mechanism": UE, "estimate": BITS, "epsilon": epsilon} for epsilon in (low, high))
    slow = [replace(each, where=f"{each.where}, UE-LIP") for each in errors.over(*ends_of, by=["prior"])]
    yield settled(
        "The error falls slowly with ε, for the cells are many and their priors small", here, f"error at ε = {low:g} over that at ε = {high:g}: {ends(slow)}",
        between(slow, high=FAR.low),
    )  # fmt: skip
    levels, hashed = (
        true_levels(pick(frame, mechanism=name, prior=DRAWN), ["epsilon"], over_epsilon=False) for name in (RR_PRINTED, LH_PRINTED)
    )
    yield settled(
        "The mechanisms of Figure 12a keep ε-LIP", "Theorem 3, Proposition 3", f"true levels of RR-LIP as printed: {ends(levels)}; of LH-LIP as printed: {ends(hashed)}",
        all_of([DIFFERS if row.level > row.epsilon * KEPT.high else "agrees" for name in (RR_PRINTED, LH_PRINTED, UE) for row in pick(frame, mechanism=name, prior=DRAWN, estimate=POSTERIOR).itertuples()]),
        "cells (and buckets) have priors below 1/(e^ε + 1); UE-LIP is private",
    )  # fmt: skip
    best = {name: errors.over(name, BEST, by=["epsilon"], prior=DRAWN) for name in (RR, UE, LH_BEST)}
    if best[RR]:
        yield settled(
            "RR-LIP is the best ε-LIP mechanism (kept private)", "Theorem 3, Figure 12a", f"corrected RR-LIP over the best channel, {DRAWN}: {ends(best[RR])}",
            between(best[RR], *OPTIMAL.ends),
            "Theorem 3 compares mechanisms that report one cell; a report that stands for a set of cells, of the probability 1/(e^ε + 1) together, tells more, as long as single cells have less than that. "
            f"UE-LIP over the best channel: {ends(best[UE])}; LH-LIP of the best size: {ends(best[LH_BEST])}",
        )  # fmt: skip
    plain, right = (errors.over((OUE, PLAIN), (UE, BITS), by=["epsilon"], prior=kind) for kind in (ACTUAL, DRAWN))
    yield settled(
        "Knowing the prior gives more utility than not knowing it", "Section 5.2.2, insight a; Figure 12a",
        f"OUE read without the prior over UE-LIP read with it, {ACTUAL}: {ends(plain)}", above_one(plain),
        f"earlier check-ins are not distributed as the latest ones are; an estimate that trusts them is biased, however much is reported. With {DRAWN} it is {ends(right)}",
    )  # fmt: skip
