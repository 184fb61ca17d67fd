"""Counts of sets of fixed size."""

from __future__ import annotations

import numpy as np

from sottovoce.arrays import Counts, Mask
from sottovoce.channels.sets.counts import ContainedCounts, Simulated
from sottovoce.channels.statistic import exact_sum
from sottovoce.reports import SetReports

#: Drawing the counts of fewer reports than this for each item takes longer than making the reports.
_WORTHWHILE = 64


class SubsetCounts(ContainedCounts):
    """Every report contains `chosen` items. If lifted, they are sensitive items, or the report reveals one that isn't.

    `own` is the chance that it contains the person's own.
    """

    def __init__(
        self, empty: SetReports, chosen: int, own: float, sensitive: Mask | None = None, simulated: Simulated | None = None
    ) -> None:
        super().__init__(empty, simulated)
        self._chosen, self._own, self._sensitive = chosen, own, sensitive

    def lifted(self, empty: SetReports, sensitive: Mask, simulated: Simulated) -> SubsetCounts:
        return SubsetCounts(empty, self._chosen, self._own, sensitive, simulated)

    def _adds_up(self, counts: Counts, n: int) -> bool:
        if self._sensitive is None:
            return exact_sum(counts) == self._chosen * n
        return exact_sum(counts[self._sensitive]) == self._chosen * (n - exact_sum(counts[~self._sensitive]))

    def drawn(self, people: Counts, neutral: int, generator: np.random.Generator) -> Counts | None:
        """Draw counts: a report is a neutral draw, or the own item with uniform others. Many reports are simulated item by item.

        All that counts of a report is how many items it has yet to name. Neutral draws pass the items from the first to the last. Holders
        of an item begin there: so many of their other items lie behind it and so many before, and both ways are gone independently.
        """
        count, k = len(people), self._chosen
        if int(people.sum()) + neutral < _WORTHWHILE * count:
            return None
        if k == count:
            return np.full(count, int(people.sum()) + neutral)
        certain = generator.binomial(people, min(1.0, max(0.0, (self._own - k / count) / (1 - k / count))))
        onward, back = np.zeros((2, count, k + 1), dtype=np.int64)
        onward[0, k] = int((people - certain).sum()) + neutral
        logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, count + 1)))])
        wanted = np.arange(k)
        for item in np.flatnonzero(certain).tolist():
            behind, before = count - 1 - item, item
            split = wanted[(wanted <= behind) & (k - 1 - wanted <= before)]
            ways = -logs[split] - logs[behind - split] - logs[k - 1 - split] - logs[before - (k - 1 - split)]
            chances = np.exp(ways - ways.max())
            parts = generator.multinomial(int(certain[item]), chances / chances.sum())
            if item + 1 < count:
                onward[item + 1, split] += parts
            if item:
                back[item - 1, k - 1 - split] += parts
        return np.asarray(certain + _passed(onward, generator) + _passed(back[::-1], generator)[::-1])


def _passed(entering: Counts, generator: np.random.Generator) -> Counts:
    """How many reports name each item, on a way from the first to the last: `entering[item, r]` begin there with r items yet to name."""
    count, width = entering.shape
    wanted, under_way, found = np.arange(width), np.zeros(width, dtype=np.int64), np.zeros(count, dtype=np.int64)
    for item in range(count):
        under_way = under_way + entering[item]
        named = generator.binomial(under_way, np.minimum(1.0, wanted / (count - item)))
        found[item] = named.sum()
        under_way = under_way - named
        under_way[:-1] += named[1:]
    return found
