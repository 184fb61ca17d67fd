"""Inversion of window reports.

With F_j = p_0 + … + p_j over the sensitive items in order, the chance of a report is m_y = t_y·P + k_y·(1 − P) + u·(F_y − F_{y−W}), P
the share of all sensitive items. So reports that are a multiple of W apart walk from F = 0 to F = P, in steps that the counts show. By
chance their sum misses P, and what is missing is spread over the steps of such a walk by their variances (at equal shares). This is
unbiased, and at equal shares no unbiased estimate has a smaller variance, if all items are sensitive.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.channels.groups import Groups
from sottovoce.channels.inversion import Inversion, Readings
from sottovoce.channels.window.passes import Passes, Places


@dataclass(frozen=True)
class Values:
    """The value of each report for the sensitive items: `usual` for all protected reports, with corrections for a few, and `shown` for
    others.

    `reports[k, j]` are the reports that add `added[k, j]` to the usual value of the j-th sensitive item.
    """

    usual: Floats
    reports: Places
    added: Floats
    shown: Floats

    @classmethod
    def of(cls, passes: Passes) -> Values:
        """The values of the walks."""
        count, width, length = len(passes.inside), passes.width, passes.length
        even = np.zeros(len(passes.sensitive))
        even[passes.inside] = 1 / count
        variances = passes.chances(even)[:length]
        sums = [_along(each, width) for each in (variances, passes.noise, passes.kept if len(passes.kept) else np.zeros(length))]
        totals = [each[_ends(width, length)] for each in sums]
        j = np.arange(count - 1)
        part = sums[0][j] / totals[0][j % width]
        noise, kept = (each[j] - part * total[j % width] for each, total in zip(sums[1:], totals[1:], strict=True))
        usual = np.concatenate([[0.0], part - noise / passes.gain, [1.0]])
        left = np.concatenate([[0.0], kept / passes.gain, [0.0]])
        shown = usual - (usual + left) / passes.shown
        part = np.concatenate([[0.0], part, [1.0]])
        if width == 1:  # the walk goes through all reports, of which only the item's own differs from the others
            own, added = np.arange(count)[None], np.full((1, count), 1 / passes.gain)
            return cls(np.diff(usual) - np.diff(part) / passes.gain, own, added, np.diff(shown))
        found = [_steps(part, place, width, length, passes.gain) for place in range(-(-length // width))]
        return cls(np.diff(usual), np.vstack([each[0] for each in found]), np.vstack([each[1] for each in found]), np.diff(shown))


def _along(values: Floats, width: int) -> Floats:
    """Running sums of those that are a multiple of the width apart."""
    rows = -(-len(values) // width)
    padded = np.zeros(rows * width)
    padded[: len(values)] = values
    return np.cumsum(padded.reshape(rows, width), axis=0).ravel()


def _ends(width: int, length: int) -> Places:
    """A place behind the last report of the walk of each remainder."""
    rows = -(-length // width)
    return np.arange(width) + (rows - 1) * width


def _steps(part: Floats, place: int, width: int, length: int, gain: float) -> tuple[Places, Floats]:
    """The reports that are the place-th step of the walks of F_j and F_{j−1}, two rows, and what they add to the value of p_j."""
    count = len(part) - 1
    reports, added = np.zeros((2, count), dtype=np.int64), np.zeros((2, count))
    for row, (shift, sign) in enumerate(((0, 1.0), (1, -1.0))):
        j = np.arange(count) - shift  # F_j, of which the first before the items and the last are known
        report = j % width + place * width
        there = (j >= 0) & (j < count - 1) & (report < length)
        reports[row] = np.where(there, report, 0)
        added[row] = np.where(there, sign * ((report <= j) - part[j + 1]) / gain, 0.0)
    return reports, added


class WindowReadings(Readings):
    """The values of a report for each item, of which most are alike."""

    def __init__(self, passes: Passes) -> None:
        object.__setattr__(self, "_passes", passes)
        object.__setattr__(self, "_few", Values.of(passes))

    _passes: Passes
    _few: Values

    @cached_property
    def values(self) -> Floats:
        passes, few = self._passes, self._few
        found = np.zeros((passes.length + len(passes.free), len(passes.sensitive)))
        protected = np.repeat(few.usual[None], passes.length, axis=0)
        places = np.broadcast_to(np.arange(len(passes.inside)), few.reports.shape)
        np.add.at(protected, (few.reports, places), few.added)
        found[: passes.length, passes.inside] = protected
        found[passes.length :, passes.inside] = few.shown
        found[passes.length + np.arange(len(passes.free)), passes.free] = 1 / passes.shown
        return found

    @cached_property
    def own(self) -> Floats:
        return np.ascontiguousarray(self._passes.chances(np.eye(len(self._passes.sensitive))).T)

    def moment(self, shares: Floats, power: int) -> Floats:
        """Σ over the cases of share·value^power, for each item. `shares` has a column for each item, or one for all."""
        passes, few = self._passes, self._few
        wide = shares.shape[1] > 1 or len(passes.sensitive) == 1
        mine = shares[:, passes.inside] if wide else shares
        protected, shown = mine[: passes.length], mine[passes.length :]
        often = protected[few.reports, np.arange(len(passes.inside))] if wide else protected[few.reports, 0]
        change = (few.usual + few.added) ** power - few.usual**power
        found = np.zeros(len(passes.sensitive))
        found[passes.inside] = few.usual**power * protected.sum(axis=0) + few.shown**power * shown.sum(axis=0)
        found[passes.inside] += (often * change).sum(axis=0)
        if len(passes.free):
            rows = passes.length + np.arange(len(passes.free))
            found[passes.free] = (shares[rows, passes.free] if wide else shares[rows, 0]) / passes.shown**power
        return found


class WindowInversion(Inversion):
    """Counts per report, read as steps of walks."""

    def __init__(self, passes: Passes) -> None:
        self._passes = passes

    @cached_property
    def readings(self) -> WindowReadings:
        return WindowReadings(self._passes)

    def occurrences(self, shares: Floats) -> Floats:
        return shares[:, None]

    def expected(self, p: Floats) -> Floats:
        return self._passes.chances(p)

    def products(self, p: Floats, shares: Floats | None = None) -> Floats:
        values, shares = self.readings.values, self.expected(p) if shares is None else shares
        return np.asarray(values.T @ (values * shares[:, None]))

    def group_sums(self, groups: Groups, length: int) -> Floats:
        return np.stack([groups.totals(values) for values in self.readings.values])

    def reach(self) -> Floats:
        return self._passes.scores((self.readings.values**2).sum(axis=1))
