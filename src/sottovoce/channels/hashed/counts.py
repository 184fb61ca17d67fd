"""Counts of hashed reports: how many support each item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Counts, Mask
from sottovoce.channels.hashed import kernels
from sottovoce.channels.statistic import Statistic, exact_sum, summed
from sottovoce.reports import HashedReports

if TYPE_CHECKING:
    from sottovoce.channels.hashed.tables import HashTableChannel


class HashedCounts(Statistic):
    """How many reports support each item, which means that the item's bucket under the report's function is the reported one.

    If lifted, only the sensitive items are hashed, and numbers above their buckets reveal an item.
    """

    counts_items = True

    def __init__(self, empty: HashedReports, size: int, sensitive: Mask | None = None) -> None:
        super().__init__(empty, size)
        self._sensitive = sensitive
        self.steps = size if sensitive is None else int(sensitive.sum())

    def _count(self, reports: HashedReports) -> Counts:
        if self._sensitive is None:
            return _supported(reports.seeds, reports.buckets, reports.limit, self.length)
        buckets = reports.limit - self.length
        protected = reports.buckets < buckets
        counts = np.bincount(reports.buckets[~protected].astype(np.int64) - buckets, minlength=self.length)
        counts[self._sensitive] += _supported(reports.seeds[protected], reports.buckets[protected], buckets, self.steps)
        return counts


def _supported(seeds: NDArray[Any], buckets: NDArray[Any], g: int, items: int) -> Counts:
    return summed(len(seeds), items, items, lambda rows, found: kernels.count_support(seeds[rows], buckets[rows], g, found))


class TableCounts(Statistic):
    """Counts per function and bucket, for few functions."""

    sufficient = True

    def __init__(self, channel: HashTableChannel) -> None:
        super().__init__(channel.empty, channel.empty.seed_limit * channel.empty.limit)
        self._channel = channel

    def simulated(self, people: Counts, generator: np.random.Generator) -> Counts | None:
        """Draw everyone's function, then the counts of each function's buckets."""
        directs, table = self._channel.directs, self._channel.table
        if int(people.sum()) < table.size:
            return None  # there are more functions than reports to make
        functions = np.arange(len(directs))
        held = np.zeros((len(directs), self._channel.buckets), dtype=np.int64)
        for item in np.flatnonzero(people).tolist():
            held[functions, table[:, item]] += generator.multinomial(int(people[item]), np.full(len(directs), 1 / len(directs)))
        truthful = generator.binomial(held, np.array([direct.s for direct in directs])[:, None])
        noise = np.stack([direct.t for direct in directs])
        others = generator.multinomial((held - truthful).sum(axis=1), noise / noise.sum(axis=1, keepdims=True))
        return np.asarray((truthful + others).ravel())

    def _count(self, reports: HashedReports) -> Counts:
        counts = np.zeros(self.length, dtype=np.int64)
        kernels.count_pairs(reports.seeds, reports.buckets, reports.limit, counts)
        return counts

    def _adds_up(self, counts: Counts, n: int) -> bool:
        return exact_sum(counts) == n
