"""Counts of independent bits."""

from __future__ import annotations

import numpy as np

from sottovoce.arrays import Counts, Floats
from sottovoce.channels.sets.counts import ContainedCounts
from sottovoce.reports import SetReports


class UnaryCounts(ContainedCounts):
    """How often each bit is set: with the chance a_j in reports of the item j, and b_j in others."""

    def __init__(self, empty: SetReports, a: Floats, b: Floats) -> None:
        super().__init__(empty)
        self._a, self._b = a, b

    def simulated(self, people: Counts, generator: np.random.Generator) -> Counts:
        """Given how many hold each item, the counts are independent binomials."""
        return np.asarray(generator.binomial(people, self._a) + generator.binomial(people.sum() - people, self._b))
