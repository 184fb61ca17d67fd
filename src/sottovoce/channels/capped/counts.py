"""Counts of capped sets: how often each box is in a report, separately for each combination of marks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Counts
from sottovoce.channels.sets.counts import count_bits
from sottovoce.channels.statistic import Statistic, exact_sum
from sottovoce.reports import SetReports


class CappedCounts(Statistic):
    """For each set of marks: the number of reports with exactly these marks, then how many of them contain each box.

    They suffice for the likelihood of each box by itself, which is how these reports are read. Dummies aren't counted.
    """

    sufficient = True

    def __init__(self, empty: SetReports, boxes: int, marks: int, cap: int, chosen: int) -> None:
        super().__init__(empty, (boxes + 1) << marks)
        self.steps = empty.words.shape[1]
        self._boxes, self._marks, self._cap, self._chosen = boxes, marks, cap, chosen

    def _count(self, reports: SetReports) -> Counts:
        bits = self._marked(reports)
        found = np.zeros((1 << self._marks, self._boxes + 1), dtype=np.int64)
        for marks in range(1 << self._marks):
            words = reports.words[bits == marks] if self._marks else reports.words
            found[marks, 0] = len(words)
            found[marks, 1:] = count_bits(words, reports.size)[: self._boxes]
        return found.ravel()

    def _marked(self, reports: SetReports) -> NDArray[np.int64]:
        """The marks of each report as bits."""
        found = np.zeros(len(reports), dtype=np.int64)
        for mark in range(self._marks):
            place = self._boxes + mark
            found |= ((reports.words[:, place >> 6] >> np.uint64(place & 63)) & np.uint64(1)).astype(np.int64) << mark
        return found

    def _adds_up(self, counts: Counts, n: int) -> bool:
        table = counts.reshape(1 << self._marks, -1).tolist()
        if exact_sum(counts.reshape(1 << self._marks, -1)[:, 0]) != n:
            return False
        for marks, (people, *boxes) in enumerate(table):
            most = self._chosen - marks.bit_count()
            if max(boxes) > people or not (most - self._cap) * people <= sum(boxes) <= most * people or (people and most < 0):
                return False
        return True

    def margin(self, counts: Counts, places: Sequence[int], sizes: Sequence[int]) -> Counts:
        """The reports counted by whether they contain one box and by their marks, with the box first and the marks as bits after it."""
        (box,) = places
        table = counts.reshape(1 << self._marks, -1)
        return np.concatenate([table[:, 1 + box], table[:, 0] - table[:, 1 + box]])
