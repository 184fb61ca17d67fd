"""What to expect of several mechanisms, asked the same: their errors with any number of people."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.mechanisms import Mechanism, identity
from sottovoce.policy import Promise
from sottovoce.utility.candidates import least_loss
from sottovoce.utility.losses import losses, worst_case

#: Losses are proportional to 1/n (l2) and 1/√n (l1, tv); they are computed for this many people, where counts are normal.
_MANY = 10**12


class Curve(ABC):
    """The error of a mechanism with any number of people. `square` is n times the squared error, if that is known."""

    square: float | None = None

    @abstractmethod
    def error(self, n: float) -> float:
        """The error with n people."""

    @abstractmethod
    def needed(self, error: float) -> float:
        """How many people bring the error down to this one, as a number with digits."""

    def people(self, error: float) -> int:
        """How many people bring the error down to this one."""
        return max(1, math.ceil(self.needed(error)))


@dataclass(frozen=True)
class Root(Curve):
    """An error that falls with the square root of the number of people. `unit` is that of one person."""

    unit: float
    square: float | None = None

    def error(self, n: float) -> float:
        return self.unit / math.sqrt(n)

    def needed(self, error: float) -> float:
        return (self.unit / error) ** 2


@dataclass(frozen=True)
class Expectations:
    """The curve of each mechanism, and that of answers without protection (None if unknown).

    `at_n` has the curves for the requested number of people, if few people differ from many. `ratios` compare worst-case errors with the
    least possible. `where` names the population of each. `left_out` names the mechanisms that are missing.
    """

    mechanisms: Sequence[Mechanism]
    curves: Sequence[Curve]
    at_n: Sequence[Curve]
    floor: Curve | None
    ratios: Sequence[float | None]
    where: Sequence[str]
    left_out: Sequence[str] = field(default=())


def expected_losses(promise: Promise, candidates: Sequence[Mechanism], p: Floats | None, n: int | None, reports: int) -> Expectations:
    """The expected total variation (and squared error) of each candidate: of the unbiased estimate, or under a prior of 'mmse'."""
    limit = least_loss(promise.divided(reports), candidates)
    if promise.prior is not None:
        left = [each.channel.posterior_variance(promise.prior.p) for each in candidates]
        found = [Root(float(np.sqrt(2 * each / math.pi).sum()) / 2, float(each.sum())) for each in left]
        where = "of method 'mmse' under the prior, about the people who answer"
        ratios = [None if not limit else float(each.sum()) / limit for each in left]
        return Expectations(candidates, found, found, None, ratios, [where] * len(found))
    worst = [worst_case(each, _MANY) for each in candidates]
    size = len(candidates[0].inputs)
    populations = [*(case.p for case in worst), np.full(size, 1 / size)] if p is None else [p]
    closeness = [None if limit is None else case.losses.l2 * _MANY / limit for case in worst]
    where = "for the worst population" if p is None else "for this population"
    many = [_over(each, populations, _MANY, reports) for each in candidates]
    at_n = many if n is None else [_over(each, populations, n, reports) for each in candidates]
    floor = _over(identity(candidates[0].inputs), populations, _MANY if n is None else n, reports)
    return Expectations(candidates, many, at_n, floor, closeness, [where] * len(many))


def _over(mechanism: Mechanism, populations: Sequence[Floats], n: int, reports: int) -> Root:
    """The largest over the uniform population and those with the largest l2 for one mechanism or another: all are asked the same."""
    found = [_of_people(mechanism, p, n, reports) for p in populations]
    return Root(max(tv for tv, _ in found), max(l2 for _, l2 in found))


def _of_people(mechanism: Mechanism, p: Floats, n: int, reports: int) -> tuple[float, float]:
    """tv·√n and l2·n with n people who give several reports each."""
    if reports == 1:
        found = losses(mechanism, p, n)
        return found.tv * math.sqrt(n), found.l2 * n
    variance = expected_variance(mechanism, p, n, reports) * n
    return float(np.sqrt(2 * variance / math.pi).sum()) / 2, float(variance.sum())


def expected_tv(mechanism: Mechanism, p: Floats, n: int, reports: int = 1) -> float:
    """The expected total variation of the unbiased estimate, with n people who give several reports each."""
    return _of_people(mechanism, p, n, reports)[0] / math.sqrt(n)


def expected_variance(mechanism: Mechanism, p: Floats, n: int, reports: int = 1) -> Floats:
    """The variance of each share of the unbiased estimate, with n people who give several reports each.

    The noise is that of all reports, and the sampling error that of n people.
    """
    return losses(mechanism, p, n * reports).per_item + p * (1 - p) * (1 - 1 / reports) / n
