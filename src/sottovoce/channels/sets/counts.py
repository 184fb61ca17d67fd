"""Counts of sets: how many reports contain each item."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Counts, Mask
from sottovoce.channels.sets import counting_kernels as kernels
from sottovoce.channels.statistic import Statistic, summed
from sottovoce.reports import SetReports


class ContainedCounts(Statistic):
    """How many reports contain each item. They don't suffice for the likelihood, which needs the sets themselves."""

    counts_items = True

    def __init__(self, empty: SetReports) -> None:
        super().__init__(empty, empty.size)

    def lifted(self, empty: SetReports, sensitive: Mask) -> ContainedCounts:
        """The counts of the lifted channel, whose reports may also reveal an item that is not sensitive."""
        return ContainedCounts(empty)

    def _count(self, reports: SetReports) -> Counts:
        return count_bits(reports.words, reports.size)


def count_bits(words: NDArray[np.uint64], size: int) -> Counts:
    """How often each item is in the sets."""
    return summed(len(words), words.shape[1], size, lambda rows, found: kernels.count_bits(words[rows], found))
