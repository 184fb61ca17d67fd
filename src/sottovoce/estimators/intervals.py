"""Error bars: the standard error of the unbiased estimate, and intervals that are honest near zero and for few people.

An interval contains every share v that the reports don't contradict. If an item has the share v, the mean T of its readings has mean v,
a variance σ²(v) and a third moment μ(v), all polynomials in v. Its quantile at the normal deviate z is, to the second order (Cornish
and Fisher), v + z·σ + (z² − 1)·μ/(6·σ²). The limits are the v at which T is exactly the upper, or the lower, quantile. For a count of
reports this is close to the exact (mid-P) interval down to a count of zero, and it needs no likelihood: it only uses how often a report
supports the item, which the totals contain. A T below zero is read as zero, and one far above 1 as little above it, so that an interval
never shrinks to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.channels.groups import Groups
from sottovoce.errors import ParameterError
from sottovoce.estimators import kernels
from sottovoce.estimators.covariance import covariance
from sottovoce.estimators.decoders import project
from sottovoce.estimators.inversion import group_weights, inversion_of, invert_all
from sottovoce.special import normal_quantile
from sottovoce.tallies import Block

#: A little of the population is put everywhere, so that there are others, whoever seems to hold everything.
_EVERYWHERE = 1e-5


class Interval(NamedTuple):
    """The least and the greatest share of each item."""

    low: Floats
    high: Floats


def deviate(level: Any, items: int = 1) -> float:
    """The normal deviate of an interval at a level, for so many items at once (Bonferroni)."""
    return float(-normal_quantile((1 - checked_level(level)) / 2 / items))


def checked_level(level: Any) -> float:
    """The level of an interval, or a `ParameterError`."""
    if isinstance(level, bool) or not isinstance(level, Real) or not 0 < float(level) < 1:
        raise ParameterError(f"The level is {level!r}. Give a number strictly between 0 and 1, for example 0.95.")
    return float(level)


def checked_reports(reports: Any) -> int:
    """How many reports each person gave, or a `ParameterError`."""
    if isinstance(reports, bool) or not isinstance(reports, Integral) or reports < 1:
        raise ParameterError(f"reports is {reports!r}. Give the number of reports of each person, at least 1.")
    return int(reports)


@dataclass(frozen=True)
class Spread:
    """The unbiased estimate behind an interval, and the polynomials of its second and third moments.

    `second` and `third` have a row for people with the item, and a row for people without it: Σ_groups w²·E[φ²]/n and Σ w³·E[φ³]/n².
    `mixed` is Σ w³·E[φ²]/n², `squares` and `cubes` are Σ w²/n and Σ w³/n². `equal` means that all groups of people weigh alike.
    """

    blocks: Sequence[Block]
    weights: Floats
    mean: Floats
    variance: Floats
    second: Floats
    third: Floats
    mixed: Floats
    squares: Floats
    cubes: Floats
    equal: bool

    @cached_property
    def around(self) -> Floats:
        """The people, as they seem to be: the projected inversion, and a little of everything."""
        return _around(self.mean)

    def interval(self, level: float, *, simultaneous: bool = False, reports: int = 1) -> Interval:
        """The limits at a level: for each item on its own, or for all of them at once (Bonferroni)."""
        return self._of_people(reports).limits(deviate(level, len(self.mean) if simultaneous else 1))

    def _of_people(self, reports: int) -> Spread:
        """The spread if each person gave several reports: who the people are varies as with so many times fewer of them.

        To the variance of independent reports comes v·(1 − v)·(1/people − 1/reports).
        """
        if checked_reports(reports) == 1:
            return self
        more = (reports - 1) * self.squares
        return replace(self, second=self.second + np.stack([more, np.zeros_like(more)]), squares=self.squares + more)

    def covariance(self) -> Floats:
        """The covariance matrix of the unbiased estimate."""
        return covariance(self.blocks, self.weights)

    def grouped(self, groups: Groups) -> Spread:
        """The spread of sums over groups of items."""
        from sottovoce.estimators.group_spread import group_spread

        return group_spread(self, groups)

    def limits(self, z: float) -> Interval:
        """The limits at a normal deviate."""
        return self._limits(np.maximum(self.mean, 0.0), z)

    def _limits(self, seen: Floats, z: float) -> Interval:
        """The limits if the mean readings are as seen."""
        low, high = np.empty_like(seen), np.empty_like(seen)
        kernels.limits(seen, z, self.second, self.third, self.mixed, self.squares, self.cubes, low, high)
        return Interval(low, high)


def spread(blocks: Sequence[Block], *, equal: bool = False) -> Spread:
    """The spread of the inversion of some blocks.

    For a few channels, how people without an item support it depends on the item that they have. They follow the projected inversion.
    """
    linear, weights = invert_all(blocks, equal=equal), group_weights(blocks, equal=equal)
    around = _around(linear.p)
    second, third, mixed = (np.zeros((2, len(around))) for _ in range(3))
    for block, w in zip(blocks, weights, strict=True):
        inversion, n = inversion_of(block.channel), block.n
        cases, everybody = inversion.readings, inversion.occurrences(inversion.expected(around))
        for row in range(2):
            two, three = (_moments(cases.moment(cases.own, k), cases.moment(everybody, k), around)[row] for k in (2, 3))
            second[row] += w**2 / n * two
            third[row] += w**3 / n**2 * three
            mixed[row] += w**3 / n**2 * two
    squares, cubes = (np.sum([w**k / b.n ** (k - 1) for w, b in zip(weights, blocks, strict=True)], axis=0) for k in (2, 3))
    return Spread(blocks, weights, linear.p, linear.variance, second, third, mixed, squares, cubes, equal)


def _around(p: Floats) -> Floats:
    return (1 - _EVERYWHERE) * project(p) + _EVERYWHERE / len(p)


def _moments(own: Floats, everybody: Floats, p: Floats) -> tuple[Floats, Floats]:
    """A moment among the holders of each item, and among the others (that of all people, less the holders' part)."""
    return own, (everybody - p * own) / (1 - p)
