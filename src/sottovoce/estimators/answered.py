"""Shares among those who answered: fewer people answer a question that some refuse or aren't asked.

The share of an item among the answers is a ratio of two estimates that move together. Its interval contains all ratios ρ for which
numerator − ρ·denominator can't be distinguished from zero (Fieller), so it stays valid if few people answered.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sottovoce.arrays import Floats, Mask
from sottovoce.domain import Domain
from sottovoce.estimators.intervals import Interval, Spread, deviate
from sottovoce.estimators.numbers import Quantity, value_of
from sottovoce.estimators.result import Estimate


@dataclass(frozen=True)
class Answered:
    """The shares of the items that are answers among all answers, and their intervals."""

    items: Mask
    p: Floats
    interval: Interval

    @classmethod
    def of(cls, estimate: Estimate, items: Mask, level: float = 0.95) -> Answered:
        """The shares among those who gave one of some answers.

        >>> from sottovoce import Domain, SeededSource, Tally, estimate, krr
        >>> m = krr(Domain(["yes", "no", "prefer not to say"]), 2.0)
        >>> found = estimate(Tally.simulate(m, [0.2, 0.6, 0.2], 50_000, SeededSource(1)))
        >>> among = Answered.of(found, np.array([True, True, False]))
        >>> among.p.round(2).tolist(), bool(among.interval.low[0] < 0.25 < among.interval.high[0])
        ([0.25, 0.75], True)
        """
        places = np.flatnonzero(items)
        chosen = np.zeros((len(places), len(items)))
        chosen[np.arange(len(places)), places] = 1.0
        total = float(estimate.p[places].sum())
        p = estimate.p[places] / total if total > 0 else np.full(len(places), 1 / len(places))
        low, high = (np.clip(end, 0.0, 1.0) for end in _ratios(estimate, chosen, items.astype(np.float64), level, (0.0, 1.0)))
        return cls(items, p, Interval(np.minimum(low, p), np.maximum(high, p)))


def widest_among(estimate: Estimate, items: Mask) -> float | None:
    """The largest standard error of the shares among those who gave one of some answers; None if it isn't known that anyone did.

    It is that of the ratios as far as they are linear: what Fieller's intervals become with more people.
    """
    places, bars = np.flatnonzero(items), estimate.error_bars
    assert isinstance(bars, Spread)
    spread, total = bars.covariance()[np.ix_(places, places)], float(bars.mean[places].sum())
    if total <= deviate(0.95) * math.sqrt(max(0.0, float(spread.sum()))):
        return None
    share = np.clip(bars.mean[places] / total, 0.0, 1.0)
    variance = np.diag(spread) - 2 * share * spread.sum(axis=1) + share**2 * float(spread.sum())
    return math.sqrt(max(0.0, float(variance.max()))) / total


def mean_among(estimate: Estimate, items: Mask, answers: Domain, level: float = 0.95) -> Quantity:
    """The mean of the numbers that `answers` are, which are some of the items, among those who gave one of them."""
    values = answers.centres
    places = np.flatnonzero(items)
    weights = np.zeros(len(items))
    weights[places] = values
    total = float(estimate.p[places].sum())
    value = float(estimate.p @ weights) / total if total > 0 else float(values.mean())
    ends = (float(values.min()), float(values.max()))
    low, high = (float(np.clip(end[0], *ends)) for end in _ratios(estimate, weights[None], items.astype(np.float64), level, ends))
    return value_of(answers, value, low, high, level)


def shares_up_to(estimate: Estimate, items: Mask, counts: Sequence[int], level: float = 0.95) -> tuple[Floats, Interval]:
    """The shares of the first so many of some items among those who gave one of them, with their intervals."""
    places = np.flatnonzero(items)
    above = np.zeros((len(counts), len(items)))
    for row, count in enumerate(counts):
        above[row, places[:count]] = 1.0
    total = float(estimate.p[places].sum())
    p = above @ estimate.p / total if total > 0 else np.array(counts) / len(places)
    low, high = (np.clip(end, 0.0, 1.0) for end in _ratios(estimate, above, items.astype(np.float64), level, (0.0, 1.0)))
    return p, Interval(np.minimum(low, p), np.maximum(high, p))


def _ratios(estimate: Estimate, above: Floats, below: Floats, level: float, ends: tuple[float, float]) -> tuple[Floats, Floats]:
    """The limits of the ratios of sums of shares, which lie between `ends`: these, if the denominator is indistinguishable from zero.

    A numerator beyond the ends is read as one at the end, as intervals of shares are, so that no interval shrinks to nothing.
    """
    bars, square = estimate.error_bars, deviate(level) ** 2
    assert isinstance(bars, Spread)
    spread, mean = bars.covariance(), bars.mean
    top, bottom = above @ mean, float(below @ mean)
    of_top, mixed = ((above @ spread) * above).sum(axis=1), above @ spread @ below
    of_bottom = float(below @ spread @ below)
    a = bottom**2 - square * of_bottom
    if bottom <= 0 or a <= 0:
        return np.full(len(top), ends[0]), np.full(len(top), ends[1])
    top = np.clip(top, ends[0] * bottom, ends[1] * bottom)
    b, c = top * bottom - square * mixed, top**2 - square * of_top
    root = np.sqrt(np.maximum(0.0, b**2 - a * c))
    return (b - root) / a, (b + root) / a
