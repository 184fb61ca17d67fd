"""Counts of sets: how many reports contain each item."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Counts, Mask
from sottovoce.channels.sets import counting_kernels as kernels
from sottovoce.channels.statistic import Statistic, summed
from sottovoce.reports import SetReports

#: Draws counts for the holders of the items; None if the reports must be made.
Simulated = Callable[[Counts, np.random.Generator], Counts | None]


class ContainedCounts(Statistic):
    """How many reports contain each item. They don't suffice for the likelihood, which needs the sets themselves."""

    counts_items = True

    def __init__(self, empty: SetReports, simulated: Simulated | None = None) -> None:
        super().__init__(empty, empty.size)
        self._simulated = simulated

    def lifted(self, empty: SetReports, sensitive: Mask, simulated: Simulated) -> ContainedCounts:
        """The counts of the lifted channel, whose reports may also reveal an item that is not sensitive."""
        return ContainedCounts(empty, simulated)

    def drawn(self, people: Counts, neutral: int, generator: np.random.Generator) -> Counts | None:
        """Draw counts as if `people[x]` holders of each item had reported, and so many neutral draws had given sets that aren't empty."""
        return None

    def simulated(self, people: Counts, generator: np.random.Generator) -> Counts | None:
        return self.drawn(people, 0, generator) if self._simulated is None else self._simulated(people, generator)

    def _count(self, reports: SetReports) -> Counts:
        return count_bits(reports.words, reports.size)


def count_bits(words: NDArray[np.uint64], size: int) -> Counts:
    """How often each item is in the sets."""
    return summed(len(words), words.shape[1], size, lambda rows, found: kernels.count_bits(words[rows], found))
