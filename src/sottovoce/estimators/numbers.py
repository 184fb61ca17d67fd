"""What people ask of numbers and scales: the mean, quantiles, and the share below or between some values, each with its limits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.domain import Domain
from sottovoce.errors import DomainError, ParameterError, UnsupportedError
from sottovoce.estimators.curves import Curve, GroupCurve, Limited
from sottovoce.estimators.intervals import checked_level
from sottovoce.estimators.places import below, place_of
from sottovoce.estimators.remarks import remark_of


@dataclass(frozen=True)
class Quantity:
    """A number that was asked for: its value, the limits of its interval at `level`, and what a reader must know about it.

    The `remark` is "can't tell" if the interval covers more than half of all possible values, so that the reports don't show how large the
    number is. Otherwise it's empty. Tables and JSON have it too.
    """

    value: float
    low: float
    high: float
    level: float = 0.95
    note: str = ""
    remark: str = ""

    def __str__(self) -> str:
        return f"{self.remark or f'{self.value:.4g}'} ({100 * self.level:g} % interval {self.low:.4g} to {self.high:.4g})"


def mean(domain: Domain, curve: Curve, level: Any) -> Quantity:
    """The mean of the items' centres."""
    words = _clipped(domain) or _scored(domain)
    if not all(domain.closed):
        which = " and ".join(
            repr(domain.item(place)) for place, closed in zip((0, len(domain) - 1), domain.closed, strict=True) if not closed
        )
        words = f"Answers in {which} count as the finite end of their bin."
    return value_of(domain, *curve.mean(domain.centres, checked_level(level)), level, words)


def cdf(domain: Domain, curve: Curve, value: Any, level: Any) -> Quantity:
    """The share of answers up to a value."""
    place = _place(domain, value, "the share of answers up to")
    return _share_of(curve.share(below(len(domain), place), checked_level(level)), level, _clipped(domain))


def share(domain: Domain, curve: Curve, low: Any, high: Any, level: Any) -> Quantity:
    """The share of answers between two values."""
    edges = _edges(domain)
    first = _label(domain, low) - 1 if edges is None else _place(domain, low, "the share of answers from")
    last = _place(domain, high, "the share of answers up to")
    if not first <= last or (edges is None and first == last):
        raise ParameterError(f"The range runs from {low!r} to {high!r}. Give the smaller end first.")
    weights = below(len(domain), last) - below(len(domain), first)
    return _share_of(curve.share(weights, checked_level(level)), level, _clipped(domain))


def quantile(domain: Domain, curve: Curve, q: Any, level: Any) -> Quantity:
    """The value that a part q of the answers doesn't exceed."""
    if isinstance(q, bool) or not isinstance(q, Real) or not 0 < float(q) < 1:
        raise ParameterError(f"q is {q!r}. Give a number strictly between 0 and 1, for example 0.5 for the median.")
    edges = _edges(domain)
    place = place_of(curve.fitted() if isinstance(curve, GroupCurve) else curve.p, float(q))
    low, high = curve.places(float(q), checked_level(level))
    value, low, high = _value(domain, place, float(q)), min(low, place), max(high, place)
    if edges is None:
        return value_of(domain, value, _score(domain.centres, low), _score(domain.centres, high), level)
    return value_of(domain, value, _inside(edges, low), _inside(edges, high), level, _clipped(domain))


def quantile_of(domain: Domain, p: Floats, q: float) -> float:
    """The quantile of a distribution over the items.

    >>> quantile_of(Domain.numbers(0, 100, bins=4), np.array([0.25, 0.5, 0.25, 0.0]), 0.5)
    37.5
    """
    return _value(domain, place_of(p, q), q)


def _value(domain: Domain, place: float, q: float) -> float:
    """The quantile at a place among the items."""
    edges = _edges(domain)
    if edges is None:
        return _score(domain.centres, place)
    value = float(np.interp(place, np.arange(len(edges)), edges)) if np.isfinite(edges).all() else _inside(edges, place)
    if not math.isfinite(value):
        raise UnsupportedError(_beyond(domain, edges, place, q))
    return value


def value_of(domain: Domain, value: float, low: float, high: float, level: Any, note: str = "") -> Quantity:
    """A number among those of the domain, with the interval reaching to it. The interval covers a part of the items."""
    low, high = min(low, value), max(high, value)
    covered = np.diff(np.interp([low, high], domain.centres, np.arange(len(domain)))) / max(1, len(domain) - 1)
    return Quantity(value, low, high, float(level), note, remark_of(float(covered[0])))


def _share_of(found: Limited, level: Any, note: str) -> Quantity:
    """A share, with the interval reaching to it."""
    value, low, high = found
    low, high = min(low, value), max(high, value)
    return Quantity(value, low, high, float(level), note, remark_of(high - low))


def _edges(domain: Domain) -> Floats | None:
    """The edges of the bins, None for a scale. Items without an order raise an error."""
    if not domain.ordered:
        raise DomainError(
            "These items have no order, so they have no mean and no quantiles. Ask for numbers or a scale (Domain.numbers, Domain.scale)."
        )
    bounds = domain.axes[0].bounds
    return domain.edges if bounds is None else np.linspace(*bounds, len(domain) + 1)


def _clipped(domain: Domain) -> str:
    edges = _edges(domain)
    if edges is None or not any(domain.closed):
        return ""
    ends = [f"{edge:g}" for edge in (edges[0], edges[-1])]
    match domain.closed:
        case (True, True):
            return f"Numbers outside {ends[0]}–{ends[1]} count as {ends[0]} or {ends[1]}."
        case (True, False):
            return f"Numbers below {ends[0]} count as {ends[0]}."
    return f"Numbers above {ends[1]} count as {ends[1]}."


def _scored(domain: Domain) -> str:
    """Which numbers the labels of a scale stand for, unless they are those numbers."""
    labels, scores = (domain.item(0), domain.item(len(domain) - 1)), (domain.centres[0], domain.centres[-1])
    if not domain.axes[0].scale or labels == scores:
        return ""
    return f"Labels count from {scores[0]:g} ({labels[0]}) to {scores[1]:g} ({labels[1]})."


def _number(value: Any) -> float | None:
    is_number = isinstance(value, (Real, np.number)) and not isinstance(value, (bool, np.bool_))
    return float(value) if is_number and not math.isnan(value) else None


def _label(domain: Domain, value: Any) -> int:
    """How many labels of a scale come up to this one: a label, or its score."""
    if value in domain:
        return domain.code(value) + 1
    number = _number(value)
    if number is None:
        raise DomainError(f"{value!r} isn't on the scale. Give one of its labels or a number.")
    return int((domain.centres <= number).sum())


def _place(domain: Domain, value: Any, what: str) -> float:
    """The place of a value among the items, from 0 to K."""
    edges = _edges(domain)
    if edges is None:
        return float(_label(domain, value))
    number = _number(value)
    if number is None:
        raise ParameterError(f"The value is {value!r}. Give a number.")
    if math.isinf(number) or not edges[0] < number < edges[-1]:
        return 0.0 if number <= edges[0] else float(len(domain))
    k = int(np.searchsorted(edges, number, side="right")) - 1
    low, high = float(edges[k]), float(edges[k + 1])
    if number == low:
        return float(k)
    if math.isinf(low) or math.isinf(high):
        finite = high if math.isinf(low) else low
        raise UnsupportedError(
            f"{what} {number:g} isn't known, because {number:g} is inside the open bin {domain.item(k)!r}. Use {finite:g} instead."
        )
    return k + (number - low) / (high - low)


def _inside(edges: Floats, place: float) -> float:
    """The value at a place: infinite inside an open bin."""
    k = min(int(place), len(edges) - 2)
    part, low, high = place - k, float(edges[k]), float(edges[k + 1])
    if part in (0.0, 1.0):
        return high if part else low
    return low + part * (high - low) if math.isfinite(low) and math.isfinite(high) else (low if math.isinf(low) else high)


def _beyond(domain: Domain, edges: Floats, place: float, q: float) -> str:
    last = place > len(domain) / 2
    known = f"at least {edges[-2]:g}" if last else f"at most {edges[1]:g}"
    return (
        f"The quantile {q:g} lies in the open bin {domain.item(len(domain) - 1 if last else 0)!r}. It's {known}. "
        "Close the bin with a finite edge next time."
    )


def _score(centres: Floats, place: float) -> float:
    """The score of the label at a place."""
    return float(centres[min(max(math.ceil(place - 1e-9) - 1, 0), len(centres) - 1)])
