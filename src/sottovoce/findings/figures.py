"""The mean, the quartiles and cumulative shares of numbers, each with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sottovoce.arrays import Floats, Mask
from sottovoce.domain import Domain
from sottovoce.errors import UnsupportedError
from sottovoce.estimators import Estimate
from sottovoce.estimators.answered import shares_up_to
from sottovoce.estimators.numbers import Quantity

#: The quantiles that are shown of numbers.
_QUARTILES = {"lower quartile": 0.25, "median": 0.5, "upper quartile": 0.75}
#: Units of the last digit in an interval.
_UNITS = 2
#: The quantity of all other rows of a table.
SHARE = "share"
#: The share of answers up to a number is shown for so many numbers at most.
_MOST_PLACES = 9


@dataclass(frozen=True)
class Figure:
    """A number that sums up the answers, with its interval and a note about it. `value` is None if it doesn't exist.

    `digits` is how many decimals the table shows. The `remark` is "can't tell" if the interval covers most of the range of answers, so that
    the reports don't show how large the number is. Otherwise it's empty.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    note: str = ""
    q: float | None = None
    digits: int = 2
    remark: str = ""

    @property
    def cells(self) -> tuple[str, str, str]:
        """The number and the ends of its interval, all rounded to the nearest, so that the number is never outside and charts agree."""
        if self.value is None:
            return ("", "", "")
        low, high = self.rounded(self.digits)
        return self.remark or f"{self.value:.{self.digits}f}", low, high

    def rounded(self, digits: int) -> tuple[str, str]:
        """The ends of the interval with so many decimals."""
        return _rounded(self.low, digits), _rounded(self.high, digits)

    def seems_an_end(self, digits: int) -> bool:
        """Whether the number would look like an end of its interval with so many decimals, and isn't one."""
        if self.value is None or self.low is None or self.high is None or not self.low < self.value < self.high:
            return False
        return f"{self.value:.{digits}f}" in self.rounded(digits)

    @property
    def width(self) -> float:
        """How wide the interval is. Without an interval it isn't known."""
        return math.inf if self.low is None or self.high is None else self.high - self.low

    @property
    def words(self) -> str:
        """The number in a phrase: "mean 38.6 (38.1 to 39.0)"."""
        value, low, high = self.cells
        if not value:
            return f"{self.name}: {self.note}"
        return f"{self.name}{':' * bool(self.remark)} {value}" + (f" ({low} to {high})" if low and high else "")

    @property
    def between(self) -> str:
        """The number in a sentence: "38.6, between 38.1 and 39.0"."""
        value, low, high = self.cells
        return value + (f", {self.ends}" if low and high else "")

    @property
    def ends(self) -> str:
        """The interval in a sentence: "between 38.1 and 39.0"."""
        _, low, high = self.cells
        return f"between {low} and {high}"

    def to_row(self) -> dict[str, Any]:
        """The figure for a row of a table."""
        ends = {key: math.nan if end is None else end for key, end in self._ends.items()}
        return {"quantity": self.name, **ends, "remark": self.remark}

    @property
    def _ends(self) -> dict[str, float | None]:
        return {"value": self.value, "low": self.low, "high": self.high}

    def to_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = {} if self.q is None else {"q": self.q}
        found |= {"value": self.value, "low": _finite(self.low), "high": _finite(self.high)}
        return found | ({"remark": self.remark} if self.remark else {}) | ({"note": self.note} if self.note else {})


def _rounded(end: float | None, digits: int) -> str:
    """An end of an interval, rounded as the number is. It can be anywhere in an open bin."""
    if end is None:
        return ""
    if math.isinf(end):
        return "∞" if end > 0 else "−∞"
    return f"{round(end, digits) + 0.0:.{digits}f}"


def _finite(end: float | None) -> float | None:
    """JSON has no infinite numbers."""
    return None if end is None or math.isinf(end) else end


def figures_of(domain: Domain, estimate: Estimate, level: float) -> Sequence[Figure]:
    """The mean of an ordered domain, and the quartiles if it consists of numbers. Nothing for other domains."""
    if not domain.ordered or len(estimate.domain) != len(domain):
        return ()
    wanted: dict[str, float | None] = {"mean": None} | (_QUARTILES if domain.edges is not None else {})
    return rounded_alike([_figure(estimate, name, q, level) for name, q in wanted.items()])


def figure_of(name: str, found: Quantity, q: float | None = None) -> Figure:
    """A number that was asked about ordered items, as a figure."""
    return Figure(name, float(found.value), float(found.low), float(found.high), found.note, q, remark=found.remark)


def rounded_alike(found: Sequence[Figure]) -> Sequence[Figure]:
    """Figures with the digits that the narrowest interval justifies: two units of the last one or more. The widest one may need one less.

    More digits would look exact, although answers are known as ranges only. There is one more if a number would look like an end of its
    interval.

    >>> [each.cells for each in rounded_alike([Figure("mean", 42.93, 40.9, 43.5), Figure("median", 42.8, 41.9, 44.2)])]
    [('43', '41', '44'), ('43', '42', '44')]
    """
    widths = [each.high - each.low for each in found if each.low is not None and each.high is not None]
    widths = [width for width in widths if 0 < width < math.inf]
    least, most = (max(0, math.ceil(math.log10(_UNITS / width))) for width in (max(widths), min(widths))) if widths else (2, 2)
    digits = min(most, least + 1)
    digits += any(each.seems_an_end(digits) for each in found)
    return [replace(each, digits=digits) for each in found]


@dataclass(frozen=True)
class UpTo:
    """The share `p` of the answers up to a number, with its interval."""

    value: float
    p: float
    low: float
    high: float

    def to_dict(self) -> dict[str, float]:
        return {"value": self.value, "p": self.p, "low": self.low, "high": self.high}


def cumulative_of(domain: Domain, estimate: Estimate, level: float) -> Sequence[UpTo]:
    """The share up to the edges of the bins of numbers, or to some of them if there are many. Empty for other domains."""
    edges = domain.edges
    if edges is None or len(estimate.domain) != len(domain):
        return ()
    try:
        found = [(float(edges[place]), estimate.cdf(float(edges[place]), level)) for place in _places(edges)]
    except UnsupportedError:
        return ()
    return [UpTo(value, float(each.value), float(each.low), float(each.high)) for value, each in found]


def cumulative_among(answers: Domain, estimate: Estimate, items: Mask, level: float) -> Sequence[UpTo]:
    """The same among those who gave one of some items, which are the bins of the answers."""
    if answers.edges is None:
        return ()
    places = _places(answers.edges)
    p, (low, high) = shares_up_to(estimate, items, places, level)
    return [
        UpTo(float(answers.edges[place]), *map(float, ends)) for place, ends in zip(places, zip(p, low, high, strict=True), strict=True)
    ]


def _places(edges: Floats) -> list[int]:
    """The edges up to which shares are shown: all but the ends, or some of them if there are many."""
    return np.unique(np.linspace(1, len(edges) - 2, min(len(edges) - 2, _MOST_PLACES)).round().astype(int)).tolist()


def notes_of(figures: Sequence[Figure]) -> list[str]:
    """Notes about figures. Figures with the same note share a line."""
    notes = [figure.note for figure in figures]
    if len(set(notes)) == 1:
        return [notes[0]] if notes[0] else []
    named: dict[str, list[str]] = {}
    for figure in figures:
        named.setdefault(figure.note, []).append(figure.name)
    return [f"{', '.join(names).capitalize()}: {note}" for note, names in named.items() if note]


def _figure(estimate: Estimate, name: str, q: float | None, level: float) -> Figure:
    try:
        found = estimate.mean(level) if q is None else estimate.quantile(q, level)
    except UnsupportedError as error:
        return Figure(name, None, None, None, str(error), q)
    return figure_of(name, found, q)
