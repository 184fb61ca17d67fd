"""Every mechanism that protects some items and lets the others be shown, as a ratio to the least error that is possible."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress

import numpy as np
import pandas as pd

import sottovoce as sv
from experiments.beyond.limits import (
    SLACK,
    ULDP,
    at_least,
    at_most,
    hardest,
    inverted,
    none_below,
    pooled,
    ratio_chart,
    to_a_percent,
    uldp_mechanisms,
)
from experiments.cells import Cell, Modes, Row, Samples, Setting, exact
from experiments.experiment import Picture
from experiments.measured import Measured, pick
from experiments.verdicts import Claim, all_judged, all_of, judged, settled

#: (K, number of sensitive items): the two of the ULDP paper, half of a hundred, and three of twenty.
_PAIRS = ((625, 15), (400, 76), (100, 50), (20, 3))
#: Items up to which the information in the reports is computed, and the mechanisms whose reports say more than inversion reads.
_INFORMED, _RICHER = 100, ("urap, θ published", "urap, θ optimal", "lift of oue", "lift of olh", "lift of hadamard")
#: This mechanism's totals cannot be inverted: only likelihood reads it.
_BY_LIKELIHOOD = "lift of olh"
_PANEL = "K = {size}, {sensitive} sensitive"

FIGURES = ("3", "4")
TITLE = "Charts 3 and 4: some answers are sensitive (ULDP)"
ABOUT = "The same axes for mechanisms that protect some items and let the others be shown. The limit is that of ULDP, which `ubd` is built to meet."
RUNS = Modes(fast=40, full=500)


def settings(full: bool) -> list[Setting]:
    pairs = _PAIRS if full else _PAIRS[2:]
    return [
        {"size": size, "sensitive": sensitive, "epsilon": epsilon}
        for size, sensitive in pairs
        for epsilon in ((0.1, 0.5, 1.0, 2.0, 3.0, 4.0, round(math.log(size), 4), 8.0) if full else (0.1, 1.0, 4.0))
    ]


def measure(cell: Cell) -> list[Row]:
    size, sensitive, epsilon = (cell[name] for name in ("size", "sensitive", "epsilon"))
    limit, samples, bounds = sv.uldp_limit(size, sensitive, epsilon).value, Samples(), []
    p = hardest(size, sensitive, epsilon)
    mechanisms = uldp_mechanisms(sv.Domain(size), epsilon, sensitive)
    inverted(samples, cell, mechanisms, limit, without=[_BY_LIKELIHOOD], method="inversion")
    for stream, (name, mechanism) in enumerate(mechanisms.items()):
        if size <= _INFORMED and name in _RICHER:
            with suppress(sv.UnsupportedError):  # simulated reports may not show every item that is hardly ever shown
                bound = sv.cramer_rao(mechanism, p, 1, cell.source(0, 100 + stream)).sum()
                bounds.append(exact("ratio", bound / limit, mechanism=name, method="Cramér-Rao"))
    return [*samples.rows(), *bounds]


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    yield Picture(
        "Chart 3, ULDP",
        ratio_chart(pick(frame, method="inversion"), _PANEL, columns=2, order=ULDP),
        "The squared error of inversion at its worst population, over the limit of Yoon, Park, Nam and Lee for any ε-ULDP mechanism. Points: simulated; rings: "
        "predicted. The lift of `olh` is missing: its totals cannot be inverted. No data file: the populations are the worst ones of theory.",
    )
    yield Picture(
        "Chart 4, ULDP, what likelihood can gain",
        ratio_chart(pick(frame, method="Cramér-Rao").assign(method="inversion"), _PANEL, columns=2, order=ULDP),
        "The Cramér-Rao bound at the population where the limit is attained, over the limit: where maximum likelihood arrives when people are many. `ubd`, `urr` "
        "and the lift of subset selection gain nothing there: inversion is at their bound. From reports that are simulated where they cannot be listed (an error "
        "of about a percent), for up to 100 items. No data file.",
    )


def _place(row: pd.Series) -> str:
    return f"K = {row['size']}, {row['sensitive']} sensitive, ε = {row['epsilon']:g}"


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    points = pick(frame, method="inversion")
    best = pick(points, mechanism="ubd")
    simulated = pooled(best)
    furthest = best.loc[((best["mean"] - 1) / best["error"]).abs().fillna(0).idxmax()]
    known = Measured(float(best["predicted"].max()))
    yield settled(
        "`ubd` meets the limit of ULDP at its worst population",
        "Chart 3",
        f"simulated {simulated} times the limit (mean of {len(best)} settings), {Measured.of(furthest)} where it is furthest ({_place(furthest)}); at most {known.value:.6f} times by formula",
        all_of([judged(simulated, low=0.97, high=1.03), judged(known, high=1.0001)]),
    )
    bounds = pick(frame, method="Cramér-Rao")
    yield settled("No mechanism lies below the limit of ULDP", "Chart 3", *none_below(points, points["predicted"]))
    lowest = bounds.loc[bounds["mean"].idxmin()]
    yield settled(
        "Nor does likelihood: no mechanism has more information than the limit allows at the population where it is attained",
        "Chart 4",
        f"the least Cramér-Rao bound is {to_a_percent(lowest['mean'])} times the limit ({lowest['mechanism']}, {_place(lowest)}); {100 * SLACK:g} % are allowed for the error of simulated ones",
        all_judged(map(to_a_percent, bounds["mean"]), low=1 - SLACK),
    )
    table = points.pivot_table(index=["size", "sensitive", "epsilon"], columns="mechanism", values="predicted").reset_index()
    yield _encodings(points, table)
    yield _theta(table)
    yield _plain(table)


def _encodings(points: pd.DataFrame, table: pd.DataFrame) -> Claim:
    lifted = table[(table["sensitive"] >= 50) & (table["epsilon"] <= 2)]
    worst, far = lifted.loc[lifted["lift of oue"].idxmax()], table.loc[table["lift of oue"].idxmax()]
    there = points[
        (points["mechanism"] == "lift of oue") & (points["size"] == far["size"]) & np.isclose(points["epsilon"], far["epsilon"])
    ].iloc[0]
    return settled(
        "The lift of OUE is within a tenth of the limit everywhere",
        "Chart 3",
        f"at most {worst['lift of oue']:.3f} times with 50 or more sensitive items and ε ≤ 2; {Measured.of(there)} times at worst ({_place(there)})",
        all_of([at_most(worst["lift of oue"], 1.1), at_most(far["lift of oue"], 1.1)]),
        "it holds where many items are sensitive and ε is small; with few sensitive items a bit for each of them is mostly noise, and at large ε half of all "
        "sensitive answers are not in their report",
    )


def _theta(table: pd.DataFrame) -> Claim:
    gain = table["urap, θ published"] / table["urap, θ optimal"]
    most, low = table.loc[gain.idxmax()], gain[table["epsilon"] <= 1].max()
    return settled(
        "The best θ makes uRAP better than the published one, most of all at large ε (which θ is best was left open)",
        "Chart 3",
        f"published over optimal: up to {gain.max():.2f} (K = {most['size']:.0f}, {most['sensitive']:.0f} sensitive, ε = {most['epsilon']:g}), at most {low:.3f} for ε ≤ 1, never below "
        f"{gain.min():.4f}",
        all_of([at_least(gain.max(), 1.2), at_least(gain.min(), 0.9999)]),
    )


def _plain(table: pd.DataFrame) -> Claim:
    near = table[np.exp(table["epsilon"]) >= table["sensitive"]]
    worst = near.loc[near["urr"].idxmax()]
    far = table.loc[table["urr"].idxmax()]
    return settled(
        "Once e^ε exceeds the number of sensitive items, nothing is gained by anything more than uRR",
        "Chart 3",
        f"e^ε ≥ |S|: at most {worst['urr']:.3f} times the limit (K = {worst['size']:.0f}, {worst['sensitive']:.0f} sensitive, ε = {worst['epsilon']:g}); elsewhere up to {far['urr']:.1f} times",
        at_most(worst["urr"], 1.05),
    )
