"""Every mechanism that protects all items alike, as a ratio to the least error that is possible."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

import sottovoce as sv
from experiments.beyond.limits import LDP, SLACK, at_most, inverted, ldp_mechanisms, none_below, pooled, ratio_chart, to_a_percent
from experiments.cells import Cell, Modes, Row, Samples, exact, grid
from experiments.experiment import Picture
from experiments.measured import Measured, pick
from experiments.verdicts import Claim, all_judged, all_of, judged, settled

#: Items up to which the information in the reports is computed (exactly up to 10 items, from simulated reports above).
_INFORMED = 100
#: Mechanisms whose reports say more than inversion reads.
_RICHER = ("rappor", "oue", "olh", "hadamard")

FIGURES = ("1", "2")
TITLE = "Charts 1 and 2: every answer is protected alike (LDP)"
ABOUT = "n · l2 in the worst case, as a ratio to the limit: what it costs in people not to use the best mechanism."
RUNS = Modes(fast=40, full=1000)

settings = grid(
    size=Modes(fast=(10, 100), full=(10, 100, 1000)),
    epsilon=Modes(fast=(0.5, 1.0, 4.0), full=(0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0)),
)


def measure(cell: Cell) -> list[Row]:
    size, epsilon = cell["size"], cell["epsilon"]
    limit, samples, bounds = sv.uldp_limit(size, size, epsilon).value, Samples(), []
    mechanisms = ldp_mechanisms(sv.Domain(size), epsilon)
    inverted(samples, cell, mechanisms, limit, method="inversion")
    for stream, (name, mechanism) in enumerate(mechanisms.items()):
        if size <= _INFORMED and name in _RICHER:
            bound = sv.cramer_rao(mechanism, np.full(size, 1 / size), 1, cell.source(0, 100 + stream)).sum()
            bounds.append(exact("ratio", bound / limit, mechanism=name, method="Cramér-Rao"))
    return [*samples.rows(), *bounds]


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    yield Picture(
        "Chart 1, LDP",
        ratio_chart(pick(frame, method="inversion"), "K = {size:,}", order=LDP),
        "The squared error of inversion at its worst population, over the least that any ε-LDP mechanism can have. Points: simulated; rings: predicted. No data "
        "file: the populations are the worst ones of theory.",
    )
    shown = frame[frame["mechanism"].isin(_RICHER) & (frame["size"] <= _INFORMED)]
    yield Picture(
        "Chart 2, LDP, what likelihood can gain",
        ratio_chart(shown.assign(predicted=math.nan), "K = {size:,}", order=LDP),
        "Inversion (solid) and the Cramér-Rao bound at the uniform population (dashed), over the limit: maximum likelihood comes down to the dashed line when "
        "people are many. With 100 items the bound comes from simulated reports (an error of about a percent). No data file.",
    )


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    points = pick(frame, method="inversion")
    best = pick(points, mechanism="subset_selection")
    simulated, known = pooled(best), Measured(float(best["predicted"].max()))
    yield settled(
        "Subset selection at its published size meets the limit of LDP",
        "Chart 1",
        f"simulated {simulated} times the limit (mean of {len(best)} settings); at most {known.value:.4f} times by formula",
        all_of([judged(simulated, low=0.97, high=1.03), judged(known, high=1.01)]),
    )
    yield settled("No mechanism lies below the limit of LDP", "Chart 1", *none_below(points, points["predicted"]))
    large = points[(points["size"] >= 100) & (points["epsilon"] <= 2) & points["mechanism"].isin(["oue", "olh"])]
    worst = large.loc[large["predicted"].idxmax()]
    yield settled(
        "With 100 items or more and ε up to 2 it does not matter which of OUE, OLH and subset selection is used",
        "Chart 1",
        f"OUE and OLH at most {worst['predicted']:.3f} times the limit by formula ({worst['mechanism']}, K = {worst['size']:,}, ε = {worst['epsilon']:g}); simulated there "
        f"{Measured.of(worst)}",
        at_most(worst["predicted"], 1.05),
    )
    high = points[
        (points["epsilon"] == points["epsilon"].max()) & (points["size"] == points["size"].min()) & (points["mechanism"] == "oue")
    ].iloc[0]
    yield settled(
        "At large ε the unary and hashed encodings cost half of the people",
        "Chart 1",
        f"OUE at K = {high['size']}, ε = {high['epsilon']:g}: {Measured.of(high)} times the limit, which krr and subset selection meet",
        judged(Measured.of(high), low=1.5),
    )
    plain = pick(points, mechanism="krr")
    easy, hard = plain[plain["epsilon"] >= np.log(plain["size"]) + 0.5], plain[plain["epsilon"] <= 1]
    most, least = (Measured(float(value)) for value in (easy["predicted"].max(), hard["predicted"].min()))
    yield settled(
        "krr is as good as the best once e^ε is well above K, and only then",
        "Chart 1",
        f"ε ≥ ln K + 0.5: at most {most} times the limit; ε ≤ 1: from {least} (K = {hard.loc[hard['predicted'].idxmin(), 'size']}) to "
        f"{Measured(float(hard['predicted'].max()))} times (K = {hard.loc[hard['predicted'].idxmax(), 'size']:,})",
        all_of([judged(most, high=1.05), judged(least, low=1.2)]),
    )
    yield from _likelihood(frame)


def _likelihood(frame: pd.DataFrame) -> Iterator[Claim]:
    bounds = pick(frame, method="Cramér-Rao").set_index(["mechanism", "size", "epsilon"])["mean"]
    known = pick(frame, method="inversion").set_index(["mechanism", "size", "epsilon"])["predicted"].loc[bounds.index]
    gains = known / bounds
    most, low = gains.idxmax(), gains[gains.index.get_level_values("epsilon") <= 1].max()
    yield settled(
        "Likelihood takes back some of what a mechanism loses, and comes no lower than the limit",
        "Chart 2",
        f"inversion over the Cramér-Rao bound: at most {to_a_percent(gains.max())} ({most[0]}, K = {most[1]}, ε = {most[2]:g}), at most {to_a_percent(low)} for ε ≤ 1; the bound of "
        f"these mechanisms is at least {to_a_percent(bounds.min())} times the limit; {100 * SLACK:g} % are allowed for the error of simulated ones",
        all_of(
            [
                judged(to_a_percent(gains.max()), low=1.1),
                all_judged(map(to_a_percent, gains), low=1 - SLACK),
                all_judged(map(to_a_percent, bounds), low=1 - SLACK),
            ]
        ),
    )
