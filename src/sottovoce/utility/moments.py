"""The effect of one report on the reading of a share, by who made the report.

Inversion reads a value φ_j for every item off every report, and Φ_G = Σ_{j∈G} φ_j for a group G. The mean of Φ_G is the group's share v, so
n reports estimate it with the variance (v·M₁ + (1 − v)·M₀ − v²)/n, with M₁ = E[Φ_G²] if a member of G reports and M₀ if anyone else does.
Both are means over the people in question. Over all populations they are largest if those people all have the item with the largest E[Φ_G²
| x]. A parabola in v remains, and the worst share is (M₁ − M₀)/2, if that is a share.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Floats, Mask
from sottovoce.channels.groups import Groups
from sottovoce.channels.inversion import Inversion
from sottovoce.errors import UnsupportedError
from sottovoce.estimators.group_spread import pulls_of, second_moments
from sottovoce.estimators.inversion import inversion_of
from sottovoce.mechanisms import Mechanism

#: Items up to which every one of them is tried as the reporter's, if items that look alike differ, and kinds of items for sums.
_MOST_TRIED, _MOST_KINDS = 1 << 10, 1 << 6
#: How exactly moments of a whole population must agree with those of the kinds of items that it consists of.
_ALIKE = 1e-9
#: A little of the population is put everywhere, so that there are members and others.
_EVERYWHERE = 1e-9

Labels = NDArray[Any]


@dataclass(frozen=True)
class Moments:
    """The moments of one or several readings, by who reports: someone whose item counts (`own`), or someone else (`other`).

    Each has two rows, of the second and the third moment (which is known for single items only), and a column for each reading.
    """

    own: Floats
    other: Floats

    def variance(self, share: Floats | float, reports: int = 1) -> Floats:
        """n times the variance of the mean reading when the item or the group has a share, and each of n people gives some reports.

        The noise is that of all reports, and the sampling error that of n people.
        """
        noise = share * self.own[0] + (1 - share) * self.other[0] - share**2
        return np.asarray(np.maximum(noise, 0.0) / reports + share * (1 - share) * (1 - 1 / reports))

    def worst(self, reports: int = 1, at_most: float = 1.0) -> Floats:
        """The share with the largest variance, among those that are at most this large."""
        slope = (self.own[0] - self.other[0]) / reports + (1 - 1 / reports)
        return np.asarray(np.clip(slope / 2, 0.0, at_most))

    def skew(self, share: Floats | float, reports: int = 1) -> Floats:
        """The third central moment over the second, of a person's mean reading."""
        second, third = (share * own + (1 - share) * other for own, other in zip(self.own, self.other, strict=True))
        variance = np.maximum(second - share**2, 0.0)
        cube = third - 3 * share * second + 2 * share**3
        return np.divide(cube, variance * reports, out=np.zeros_like(variance), where=variance > 0)


def item_moments(mechanism: Mechanism, p: Floats | None) -> Moments:
    """The moments of each item's reading, when the others follow p, or hold what is worst for the item.

    >>> from sottovoce import Domain, krr
    >>> found = item_moments(krr(Domain(10), 1.0), None)
    >>> round(float(found.variance(0.1)[0]) / 10_000, 6)  # as `losses` has it for 10,000 people
    0.000419
    """
    inversion = inversion_of(mechanism.channel)
    cases = inversion.readings

    def at(population: Floats) -> Floats:
        often = inversion.occurrences(inversion.expected(population))
        return np.stack([cases.moment(often, power) for power in (2, 3)])

    own = np.stack([cases.moment(cases.own, power) for power in (2, 3)])
    if inversion.chances is not None:
        there = inversion.chances[1]
        return Moments(own, np.stack([cases.moment(np.stack([there, 1 - there]), power) for power in (2, 3)]))
    if p is not None:
        shares = (1 - _EVERYWHERE) * p + _EVERYWHERE / len(p)
        return Moments(own, (at(shares) - shares * own) / (1 - shares))
    return Moments(own, _worst_others(at, own, _kinds(inversion)))


def _worst_others(at: Callable[[Floats], Floats], own: Floats, kinds: Labels) -> Floats:
    """The moments of each item's reading when the person has another item, the one with the largest second moment."""
    size, count = len(kinds), int(kinds.max()) + 1
    if 2 * count < size:
        found = np.stack([_of_kind(at, np.flatnonzero(kinds == kind), size) for kind in range(count)])
        p = _irregular(size)
        mass = np.bincount(kinds, p, minlength=count)[:, None] - (np.arange(count)[:, None] == kinds) * p
        seconds = np.where(np.isfinite(found[:, 0]), found[:, 0], 0.0)
        if _same(p * own[0] + (mass * seconds).sum(axis=0), at(p)[0]):
            return _largest(found)
    if size > _MOST_TRIED:
        raise UnsupportedError(f"The worst population for one of {size:,} items isn't known. Give p, the shares that you expect.")
    best = np.full((2, size), -np.inf)
    for x in range(size):
        found = at(_point(size, x))
        found[:, x] = -np.inf
        best = np.where(found[0] > best[0], found, best)
    return best


def _of_kind(at: Callable[[Floats], Floats], members: Labels, size: int) -> Floats:
    """The moments when a person has an item of one kind: the first one, and for that item itself the second one."""
    found = at(_point(size, members[0]))
    found[:, members[0]] = at(_point(size, members[1]))[:, members[0]] if len(members) > 1 else -np.inf
    return found


def _largest(found: Floats) -> Floats:
    """Of several moments of each item those with the largest second one."""
    best = np.argmax(found[:, 0], axis=0)
    return np.asarray(np.take_along_axis(found, best[None, None, :], axis=0)[0])


def group_moments(mechanism: Mechanism, groups: Mask, p: Floats | None) -> Moments:
    """The moments of the reading of each group, given as rows of a mask. People follow p, or have the worst item for the group.

    They are those of margins: what all readings of a report miss to 1 is taken from each group as `GroupSpread` does.

    >>> from sottovoce import Domain, krr
    >>> group = np.arange(10)[None, :] < 5
    >>> found = group_moments(krr(Domain(10), 1.0), group, None)
    >>> round(float(found.worst()[0]), 3), round(float(found.variance(0.5)[0]), 2)
    (0.5, 11.63)
    """
    found = np.stack([_of_group(inversion_of(mechanism.channel), group, p) for group in groups], axis=1)
    unknown = np.full(len(groups), np.nan)
    return Moments(np.stack([found[0], unknown]), np.stack([found[1], unknown]))


def _of_group(inversion: Inversion, group: Mask, p: Floats | None) -> Floats:
    """The second moments of a group's reading when a member reports, and when anyone else does."""
    size, parts = len(group), Groups(group.astype(np.int64), 2)
    even = np.full(size, 1 / size)
    pulls = pulls_of(inversion, parts, even)

    def at(population: Floats) -> Floats:
        mixed = (1 - _EVERYWHERE) * population + _EVERYWHERE / size
        return second_moments(inversion.group_moments(parts, mixed), pulls)[:, 1]

    if p is not None:
        return at(p)
    found = at(even)
    if _same(found, at(_irregular(size))):
        return found  # it doesn't matter what people hold
    # where items of one kind still differ (Hadamard response), many of them are taken on average
    kinds, best = np.arange(size) if size <= _MOST_KINDS else _kinds(inversion), np.full(2, -np.inf)
    if kinds.max() >= _MOST_KINDS:
        raise UnsupportedError("The worst population for a sum of so many different items isn't known. Give p, the shares that you expect.")
    for kind in range(int(kinds.max()) + 1):
        alike = kinds == kind
        for place, part in enumerate((alike & group, alike & ~group)):
            if part.any():
                best[place] = max(best[place], at(part / part.sum())[place])
    return best


def _kinds(inversion: Inversion) -> Labels:
    """A number for each item, the same for items that are read alike."""
    cases = inversion.readings
    return np.ravel(np.unique(np.vstack([cases.values, cases.own]), axis=1, return_inverse=True)[1])


def _irregular(size: int) -> Floats:
    """A population without any pattern: a linear function that agrees with a guess here does so everywhere."""
    return np.random.Generator(np.random.PCG64(0)).dirichlet(np.ones(size))


def _same(guess: Floats, exact: Floats) -> bool:
    return bool(np.allclose(guess, exact, rtol=_ALIKE, atol=_ALIKE * float(np.abs(exact).max())))


def _point(size: int, place: int) -> Floats:
    found = np.zeros(size)
    found[place] = 1.0
    return found
