"""Counts of sets of fixed size."""

from __future__ import annotations

from sottovoce.arrays import Counts, Mask
from sottovoce.channels.sets.counts import ContainedCounts
from sottovoce.channels.statistic import exact_sum
from sottovoce.reports import SetReports


class SubsetCounts(ContainedCounts):
    """Every report contains `chosen` items; if lifted, of those that are sensitive, or it reveals one that is not."""

    def __init__(self, empty: SetReports, chosen: int, sensitive: Mask | None = None) -> None:
        super().__init__(empty)
        self._chosen, self._sensitive = chosen, sensitive

    def lifted(self, empty: SetReports, sensitive: Mask) -> SubsetCounts:
        return SubsetCounts(empty, self._chosen, sensitive)

    def _adds_up(self, counts: Counts, n: int) -> bool:
        if self._sensitive is None:
            return exact_sum(counts) == self._chosen * n
        return exact_sum(counts[self._sensitive]) == self._chosen * (n - exact_sum(counts[~self._sensitive]))
