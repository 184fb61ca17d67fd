"""Figures 7 and 12: the number of census attributes, 4 to 9 (400 to 12,800 categories), against total variation and squared error."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

import sottovoce as sv
from experiments.bounds import ALIKE, BETTER, FAR
from experiments.cells import Cell, Modes, Row, Samples, grid
from experiments.experiment import Picture
from experiments.measured import Measured, measured, pick
from experiments.uldp.comparisons import ATTRIBUTES, PAIRS, about_nine, alike_in_squares, loss_charts
from experiments.uldp.simulation import CENSUS, METHODS, NAMES, NINE, census, measure_run, mechanisms
from experiments.verdicts import Claim, bounded, span

_METHODS = ("emp", "EM")
#: RR and uRR cost next to nothing, and vary most: they run so many times as often.
_MORE = 10

FIGURES = ("7", "12")
TITLE = "Figures 7 and 12: how many attributes"
ABOUT = (
    "Attributes are added one by one to age, income, marital status and sex; the added ones say yes or no, and make nothing sensitive that was not. At each ε the "
    "domain doubles with every attribute, from 400 categories (76 of them sensitive) to 12,800 (2,432). RR and uRR, which vary most, have ten times as many runs as the others; the paper has ten of everything, and asks 240,000 people, where we ask half of ours."
)
DATA = (CENSUS,)
RUNS = Modes(fast=2, full=10)

settings = grid(epsilon=(0.1, 1.0, 6.0), attributes=Modes(fast=(4, 6), full=range(4, NINE + 1)))


def measure(cell: Cell) -> list[Row]:
    people, samples = census(cell["attributes"], cell.data), Samples()
    plain = np.setdiff1d(np.arange(len(people.counts)), people.sensitive)
    for name, mechanism in mechanisms(people.domain, cell["epsilon"], people.sensitive).items():
        for run in range(cell.runs * (_MORE if name in {"RR", "uRR"} else 1)):
            tally = measure_run(samples, people, mechanism, name, METHODS, cell, run)
            if name == "uRR":
                shown = people.n * sv.estimate(tally, "observed").p[plain].sum()
                guess = sv.distance(sv.estimate(tally, "uniform"), people.p).tv
                samples.add({"shown": shown, "ten": np.sort(people.p)[-10:].sum(), "guess": guess}, mechanism=name, method="EM")
        samples.predict(people.losses(mechanism), mechanism=name, method="emp")
    return samples.rows(file=people.file, people=people.n)


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    shown = frame[frame["method"] != "emp+thr"]
    file, people = frame["file"].iloc[0], int(frame["people"].iloc[0])
    yield from loss_charts(
        ("Figure 7", "Figure 12"),
        shown.assign(panel="ε = " + shown["epsilon"].map("{:g}".format)),
        ATTRIBUTES,
        f"The number of attributes against the {{loss}}, {people:,} people of {file}{_stand_in(file)}. Rings: the prediction for *emp*.",
        panels="panel",
    )


def _stand_in(file: str) -> str:
    return (
        ", a stand-in for US Census 1990 (its five last attributes are capital gain, capital loss, dividends, union member, veteran)"
        if file == CENSUS
        else ""
    )


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    attributes, epsilons = sorted(set(frame["attributes"])), sorted(set(frame["epsilon"]))
    few, most = attributes[0], attributes[-1]

    def tv(epsilon: float, attributes: int, mechanism: str, method: str) -> Measured:
        return measured(frame, epsilon=epsilon, attributes=attributes, mechanism=mechanism, method=method, metric="tv")

    rises = {
        f"{name}, {method}, ε = {e:g}": tv(e, most, name, method) / tv(e, few, name, method)
        for name in NAMES[:4]
        for method in _METHODS
        for e in epsilons
    }
    yield bounded(
        "The total variation rises with the number of attributes",
        "Section 6.2, Figure 7",
        f"{most} attributes over {few}: {span(rises)}",
        rises,
        *BETTER.ends,
    )
    for method in _METHODS:
        gains = {
            f"{old}/{new}, {number} attributes, ε = {e:g}": tv(e, number, old, method) / tv(e, number, new, method)
            for old, new in PAIRS
            for number in attributes
            for e in epsilons
        }
        yield bounded(
            f"uRR stays better than RR, and uRAP better than RAPPOR, whatever the number of attributes, by {method}",
            "Section 6.2, Figure 7",
            f"the error of the old mechanism over that of the new one: {span(gains)}",
            gains,
            *BETTER.ends,
        )
    yield from _fails(tv, most, frame)
    least = {f"{name}, ε = {e:g}": tv(e, most, name, "EM") / tv(e, most, "uRAP", "EM") for e in epsilons for name in NAMES[:3]}
    growth = {f"ε = {e:g}": tv(e, most, "uRAP", "EM") / tv(e, few, "uRAP", "EM") for e in epsilons}
    yield bounded(
        f"uRAP bears more attributes best: with {most} of them it has the least error of the four at every ε, by EM",
        "Section 6.2, Figure 7",
        f"the errors of the others over that of uRAP: {span(least)}; from {few} to {most} attributes that of uRAP grows {span(growth)} times",
        least,
        *BETTER.ends,
    )
    yield alike_in_squares(
        frame[(frame["mechanism"] != "no privacy") & (frame["method"] != "emp+thr")],
        ("epsilon", "attributes", "method"),
        NAMES[:4],
        "Figure 12",
    )


def _fails(tv: Callable[[float, int, str, str], Measured], most: int, frame: pd.DataFrame) -> Iterator[Claim]:
    where, lowest = "Section 6.2, Figure 7", min(frame["epsilon"])
    guess = Measured(measured(frame, epsilon=lowest, attributes=most, mechanism="uRR", method="EM", metric="guess").value)
    for name in ("RR", "RAPPOR", "uRR"):
        figure = tv(lowest, most, name, "EM")
        claim = bounded(
            f"ε = {lowest:g}, {most} attributes: the total variation of {name} with EM is almost 1 ({ALIKE.told})",
            where,
            f"{figure}; uniform {guess}",
            {name: figure},
            low=ALIKE.low,
            because=_concentrated(pick(frame, epsilon=lowest, attributes=most, mechanism="uRR")) if name == "uRR" else "",
        )
        yield about_nine(claim, most)
    figure, rival = tv(lowest, most, "uRAP", "EM"), tv(lowest, most, "uRR", "EM")
    claim = bounded(
        f"ε = {lowest:g}, {most} attributes: the total variation of uRAP with EM is much smaller than 1 (1 is {FAR.told} as much)",
        where,
        f"{figure}; uRR has {rival / figure} times as much",
        {"uRAP": figure},
        high=1 / FAR.low,
    )
    yield about_nine(claim, most)


def _concentrated(frame: pd.DataFrame) -> str:
    """Why uRR fails less here than in the paper."""
    start, shown, ten = (
        measured(frame, method="emp+thr", metric="tv"),
        *(measured(frame, method="EM", metric=metric) for metric in ("shown", "ten")),
    )
    return (
        f"we take the maximum of the likelihood, and the published EM starts from emp+thr, which is at {start}. About {shown.value:.0f} reports show an item as it is, and as the ten "
        f"largest categories hold {100 * ten.value:.0f} % of the people, even these few may name some of the right ones (not tested apart)"
    )
