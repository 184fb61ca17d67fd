"""Inversion: the unbiased estimate that is linear in the counts, and the distribution of its error.

Every report is read once for every item: it contains the item or not (for some channels there is a third case, and for a matrix there are
as many as reports), and each reading has a value, chosen so that its mean over the reports is the item's share p_j whatever p is. If a
report contains item j with probability a if it is the person's own and b otherwise, the values are (1 − b)/(a − b) and −b/(a − b).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from sottovoce.arrays import Floats, Mask
from sottovoce.channels.groups import GroupMoments, Groups, by_outputs
from sottovoce.errors import UnsupportedError

if TYPE_CHECKING:
    from sottovoce.channels.protocol import Channel

#: A dense linear system is solved up to this many entries.
_MOST_ENTRIES = 1 << 24


@dataclass(frozen=True)
class Readings:
    """The cases of a report for each item, one row for each case: its `values`, and its `own` chances when the item's holder reports."""

    values: Floats
    own: Floats

    def moment(self, shares: Floats, power: int) -> Floats:
        """Σ over the cases of share·value^power, for each item."""
        powers = self.values
        for _ in range(power - 1):  # products are ten times as quick as powers
            powers = powers * self.values
        return np.asarray((powers * shares).sum(axis=0))


@dataclass(frozen=True)
class Linear:
    """An unbiased estimate of p and the variance of each of its entries."""

    p: Floats
    variance: Floats


class Inversion(ABC):
    """Reads a channel's counts as an unbiased estimate of the shares."""

    #: The chances that a report contains each item, if it is the person's own and otherwise; None if there are more cases than these two.
    chances: tuple[Floats, Floats] | None = None
    #: Whether no unbiased estimate has a smaller variance.
    efficient: bool = False

    @property
    @abstractmethod
    def readings(self) -> Readings:
        """The cases of a report, and their values."""

    @abstractmethod
    def occurrences(self, shares: Floats) -> Floats:
        """How often each case of the readings occurs, from the shares of the counts: a row for each case."""

    @abstractmethod
    def expected(self, p: Floats) -> Floats:
        """The mean counts per report when items follow p."""

    def linear(self, shares: Floats, n: int) -> Linear:
        """p̂ from the counts per report of n reports."""
        cases, often = self.readings, self.occurrences(shares)
        p = cases.moment(often, 1)
        return Linear(p, np.maximum(0.0, cases.moment(often, 2) - p**2) / n)

    def products(self, p: Floats, shares: Floats | None = None) -> Floats:
        """E[φ_i·φ_j] for i ≠ j, with φ the values that a report gives the items, when items follow p.

        Computed report by report by default, or from `shares` if they are given.
        """
        shares = self.expected(p) if shares is None else shares
        seen = np.flatnonzero(shares)
        values = np.stack([self._values(report, len(shares)) for report in seen.tolist()])
        return np.asarray(values.T @ (values * shares[seen][:, None]))

    def _values(self, report: int, length: int) -> Floats:
        """The values that one of so many reports gives the items."""
        return self.readings.moment(self.occurrences(np.bincount([report], minlength=length).astype(np.float64)), 1)

    def group_sums(self, groups: Groups, length: int) -> Floats:
        """The sums of the values that each of so many reports (rows) gives the items of each group."""
        return np.stack([groups.totals(self._values(report, length)) for report in range(length)])

    def group_moments(self, groups: Groups, p: Floats) -> GroupMoments:
        """Moments of the sums of a report's values over groups of items, when items follow p. By default report by report."""
        return by_outputs(groups, self.group_sums(groups, len(self.expected(p))), self.expected, p)

    def second_moments(self, p: Floats) -> Floats:
        """E[φ_i·φ_j] for all i and j, when items follow p."""
        found = self.products(p)
        np.fill_diagonal(found, self.readings.moment(self.occurrences(self.expected(p)), 2))
        return found

    @abstractmethod
    def reach(self) -> Floats:
        """C_x = Σ_j E[φ_j² | x]: the squared length of all readings of a report of item x."""

    def _reach_by_kind(self, kind: Mask) -> Floats:
        """`reach` if all marked items are alike, and all others: the value for one of each kind."""
        found = np.zeros(len(kind))
        for mask in (kind, ~kind):
            if mask.any():
                point = np.zeros(len(kind))
                point[np.argmax(mask)] = 1.0
                found[mask] = float(self.readings.moment(self.occurrences(self.expected(point)), 2).sum())
        return found


class Contained(Inversion):
    """Inversion for reports that contain an item or not: with the chance `own` if it is the person's, with `other` otherwise."""

    def __init__(self, own: Floats, other: Floats) -> None:
        self.chances = self.own, self.other = own, other

    @cached_property
    def readings(self) -> Readings:
        return contained_or_not(self.own, self.other)

    def occurrences(self, shares: Floats) -> Floats:
        return np.stack([shares, 1 - shares])

    def expected(self, p: Floats) -> Floats:
        return self.other + (self.own - self.other) * p

    def group_moments(self, groups: Groups, p: Floats) -> GroupMoments:
        raise UnsupportedError("Sums of items have no intervals for this channel. Use the intervals of single items.")

    def reach(self) -> Floats:
        cases = self.readings
        others = cases.moment(np.stack([self.other, 1 - self.other]), 2)
        return np.asarray(cases.moment(cases.own, 2) - others + others.sum())


def contained_or_not(own: Floats, other: Floats) -> Readings:
    """The readings of reports that contain an item or not."""
    return Readings(np.stack([1 - other, -other]) / (own - other), np.stack([own, 1 - own]))


class Tabulated(Inversion):
    """Any matrix Q: the least-squares solution of p·Q = m, which is exact inversion when Q is square."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    @property
    def readings(self) -> Readings:
        return _readings(self._channel)

    def occurrences(self, shares: Floats) -> Floats:
        return np.asarray(self._channel.statistic.of_outputs(shares)[:, None])  # type: ignore[arg-type]  # shares of counts

    def expected(self, p: Floats) -> Floats:
        return self._channel.statistic.of_expected(p @ matrix_of(self._channel))

    def group_sums(self, groups: Groups, length: int) -> Floats:
        sums = np.stack([groups.totals(values) for values in self.readings.values])
        return np.stack([self._channel.statistic.of_expected(group) for group in sums.T], axis=1)

    def reach(self) -> Floats:
        return np.asarray(self.readings.own.T @ (self.readings.values**2).sum(axis=1))


def tabulated(channel: Channel) -> Tabulated | None:
    """The inversion of a channel by its matrix, if that is of moderate size and determines the population."""
    return Tabulated(channel) if channel.statistic.sufficient and _solvable(channel) else None


# matrices are large, and are kept for the few channels that were asked last


@lru_cache(maxsize=64)
def _solvable(channel: Channel) -> bool:
    length = channel.length
    if length is None or channel.size * length > _MOST_ENTRIES:
        return False
    return int(np.linalg.matrix_rank(channel.matrix())) == channel.size


@lru_cache(maxsize=8)
def _readings(channel: Channel) -> Readings:
    return Readings(np.asarray(np.linalg.pinv(matrix_of(channel)), dtype=np.float64), matrix_of(channel).T)


@lru_cache(maxsize=8)
def matrix_of(channel: Channel) -> Floats:
    """The matrix of a channel in doubles."""
    return channel.matrix()
