"""Every estimator against the number of people: three populations, three mechanisms, at ε = 1."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

import sottovoce as sv
from experiments.beyond.limits import METHODS, at_most, to_a_percent
from experiments.beyond.populations import POPULATIONS, estimated, mechanism_of, population
from experiments.cells import Cell, Modes, Row, Samples, exact, grid
from experiments.charts import NUMBER_OF_PEOPLE, curves
from experiments.experiment import Picture
from experiments.measured import Measured, pick
from experiments.verdicts import Claim, all_judged, all_of, judged, settled

_EPSILON = 1.0
_PLACE = ("mechanism", "population", "n")
_QUARTER = 1.25
#: Passes of the published loop, and the people up to which it is run on sets (each pass reads every report).
_PASSES, _PEOPLE = 100, 100_000
_BOUND = "Cramér-Rao"
_ORDER = [*METHODS, _BOUND]
_METHODS = dict.fromkeys(("inversion", "projected", "normalized", "threshold", "mle", "map", "auto"), 10_000)
#: From this many people on a sum of readings with several values is normal, as the prediction of the total variation takes it to be.
_NORMAL = 10_000

FIGURES = ("10", "11")
TITLE = "Charts 10 and 11: every estimator against the number of people"
ABOUT = "All methods read the same reports in each run."
RUNS = Modes(fast=4, full=50)

settings = grid(
    mechanism=("krr", "oue", "ubd"),
    population=Modes(fast=("zipf", "sparse"), full=POPULATIONS),
    n=Modes(fast=(100, 1000, 10_000), full=(100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000)),
)


def measure(cell: Cell) -> list[Row]:
    name, n = cell["mechanism"], cell["n"]
    mechanism, p, samples = mechanism_of(name, _EPSILON), population(cell["population"]), Samples()
    methods = _METHODS | ({"em": _PASSES} if name == "krr" or n <= _PEOPLE else {})
    estimated(samples, cell, mechanism, p, n, methods)
    expected = sv.losses(mechanism, p, n)
    samples.predict({"l2": expected.l2} | ({"tv": expected.tv} if name != "ubd" or n >= _NORMAL else {}), method="inversion")
    bound = sv.cramer_rao(mechanism, p, n, cell.source(0, 100)).sum()
    return [*samples.rows(), exact("l2", bound, method="Cramér-Rao")]


def pictures(frame: pd.DataFrame) -> Iterator[Picture]:
    labels = [f"{mechanism}, {POPULATIONS[name]}" for mechanism, name in zip(frame["mechanism"], frame["population"], strict=True)]
    for number, metric, label, more in (
        (10, "tv", "total variation", "Where inversion is above 1 it says nothing, and is not drawn."),
        (
            11,
            "l2",
            "squared error",
            "Cramér-Rao: the least that an unbiased estimate can have; estimates that know that shares are not negative, or that shrink, may be below. Errors above 1 are not drawn.",
        ),
    ):
        shown = pick(frame.assign(panel=labels), metric=metric)
        shown = shown[shown["mean"] <= 1].sort_values("method", key=lambda names: names.map(_ORDER.index), kind="stable")
        yield Picture(
            f"Chart {number}, estimators by {label}",
            curves(
                shown,
                NUMBER_OF_PEOPLE,
                label,
                color="method",
                dash="",
                panels="panel",
                columns=shown["population"].nunique(),
                form="~g",
                order=_ORDER,
            ),
            f"ε = {_EPSILON:g}, K = 100, every tenth item sensitive for `ubd`. {more} `em` is the published loop stopped after {_PASSES} passes; `map` has the pseudo-count 1. Rings: predicted. No data file: "
            "the populations are those named.",
        )


@dataclass(frozen=True)
class _Table:
    """The means of a metric, and its lines by setting and method: a row for each setting, a column for each method."""

    mean: pd.DataFrame
    lines: dict[Any, dict[str, Any]]

    @classmethod
    def of(cls, frame: pd.DataFrame, metric: str) -> _Table:
        lines = pick(frame, metric=metric).set_index([*_PLACE, "method"])
        return cls(lines["mean"].unstack(), dict(zip(lines.index, lines.to_dict("records"), strict=True)))

    def ratio(self, place: Any, one: str, other: str) -> Measured:
        """One method over another in a setting. Both read the same reports, so that the error is rather too large."""
        return self._figure(place, one) / self._figure(place, other)

    def _figure(self, place: Any, method: str) -> Measured:
        row = self.lines[*place, method]
        return to_a_percent(row["mean"]) if method == _BOUND else Measured.of(row)

    def ratios(self, one: str, other: str, rows: Any = slice(None)) -> list[Measured]:
        """One method over another in all settings that have both."""
        return [self.ratio(place, one, other) for place in self.mean.loc[rows, [one, other]].dropna().index]

    def ends(self, one: str, other: str, rows: Any = slice(None)) -> tuple[tuple[Measured, str], tuple[Measured, str]]:
        """The least and the largest ratio of two methods, each with where it is."""
        ratios = (self.mean.loc[rows, one] / self.mean.loc[rows, other]).dropna()
        least, most = ((self.ratio(place, one, other), _told(place)) for place in (ratios.idxmin(), ratios.idxmax()))
        return least, most


def _told(place: Any) -> str:
    return f"{place[0]}, {POPULATIONS[place[1]]}, n = {place[2]:,}"


def claims(frame: pd.DataFrame) -> Iterator[Claim]:
    tv = _Table.of(frame, "tv")
    few = tv.mean.index.get_level_values("n") <= 1000
    (least, low), (most, high) = tv.ends("mle", "auto", few)
    yield settled(
        "With 1,000 people or fewer `auto` is at least as close as maximum likelihood",
        "Chart 10",
        f"mle over auto, total variation: from {least} ({low}) to {most} ({high})",
        all_judged(tv.ratios("mle", "auto", few), low=1.0),
        "few people tell `auto` little about the spread of the shares: it then stays near one share for all, which is far from a population of five items",
    )
    yield _behind(tv)
    (least, low), (most, high) = tv.ends("projected", "mle")
    mechanism, people = (tv.mean.index.get_level_values(name) for name in ("mechanism", "population"))
    alike, few_items = (
        tv.ratios("projected", "mle", mechanism != "ubd"),
        _mean(tv.ratios("projected", "mle", (mechanism == "ubd") & (people == "sparse"))),
    )
    yield settled(
        "Maximum likelihood gains little (a quarter at most) over inversion that is put back on the simplex with `krr` and `oue`, and more than a tenth with `ubd` where few items occur",
        "Chart 10",
        f"projected over mle: from {least} ({low}) to {most} ({high}); at most {max(alike, key=lambda each: each.value)} with `krr` and `oue`; {few_items} with `ubd` and the sparse population (mean over n)",
        all_of([all_judged(alike, high=_QUARTER), judged(few_items, low=1.1)]),
    )
    (least, low), (most, high) = tv.ends("em", "mle")
    yield settled(
        f"EM stopped after {_PASSES} passes is no maximum of the likelihood: closer to the truth in some places, far behind in others",
        "Chart 10",
        f"em over mle: from {least} ({low}) to {most} ({high})",
        all_of([judged(least, high=1.0), judged(most, low=1.0)]),
    )
    squared, many = _Table.of(frame, "l2"), frame["n"].max()
    (least, low), (most, high) = squared.ends("mle", _BOUND, squared.mean.index.get_level_values("n") == many)
    yield settled(
        "The Cramér-Rao bound is no limit for estimates that know that shares are not negative",
        "Chart 11",
        f"squared error of mle over the bound, n = {many:,}: from {least} ({low}) to {most} ({high})",
        judged(least, high=0.9),
    )


def _mean(figures: Sequence[Measured]) -> Measured:
    """The mean of independent figures."""
    error = math.sqrt(sum(each.error**2 for each in figures)) / len(figures)
    return Measured(sum(each.value for each in figures) / len(figures), error, min(each.freedom for each in figures))


def _behind(tv: _Table) -> Claim:
    """How far `auto` is from the best of the other methods, where it is furthest."""
    rivals = tv.mean[["projected", "normalized", "threshold", "mle", "map"]]
    behind = tv.mean["auto"] / rivals.min(axis=1)
    place = behind.idxmax()
    best = str(rivals.loc[place].idxmin())
    furthest, late = tv.ratio(place, "auto", best), behind[behind > _QUARTER]
    found = (
        f"auto over the best of the others: {behind.median():.2f} in the middle of {len(behind)} settings, at most {furthest} ({_told(place)}, where `{best}` is best); more than a quarter "
        f"behind in {len(late)} of them"
    )
    verdict = all_of([judged(furthest, high=_QUARTER, among=len(behind)), at_most(behind.median(), _QUARTER)])
    sparse = int((late.index.get_level_values("population") == "sparse").sum())
    return settled(
        "`auto` is never more than a quarter behind the best of the other methods, whichever that is",
        "Chart 10",
        found,
        verdict,
        f"{sparse} of the {len(late)} settings have the sparse population, which is not what `auto` supposes: shares that follow a log-normal law, none of them nothing",
    )
