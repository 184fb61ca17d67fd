"""Counts of several reports side by side: those of each part, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from sottovoce.arrays import Counts
from sottovoce.channels.statistic import Statistic
from sottovoce.reports import ProductReports


class SideBySide(Statistic):
    """The counts of each part. They have no information about two parts together.

    They are `sufficient` if those of every part are. The likelihood of each part then needs no more.
    """

    def __init__(self, empty: ProductReports, parts: Sequence[Statistic]) -> None:
        super().__init__(empty, sum(part.length for part in parts))
        self.parts = parts
        self.sufficient = all(part.sufficient for part in parts)
        self.steps = sum(part.steps for part in parts)
        self._edges = np.concatenate([[0], np.cumsum([part.length for part in parts])]).tolist()

    def split(self, counts: Counts) -> list[Counts]:
        """The counts of each part."""
        return [counts[low:high] for low, high in pairwise(self._edges)]

    def _count(self, reports: ProductReports) -> Counts:
        return np.concatenate([part.count(each) for part, each in zip(self.parts, reports.parts, strict=True)])

    def _adds_up(self, counts: Counts, n: int) -> bool:
        return all(part.possible(each, n) for part, each in zip(self.parts, self.split(counts), strict=True))
