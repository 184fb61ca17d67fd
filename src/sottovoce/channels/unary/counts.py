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

    def drawn(self, people: Counts, neutral: int, generator: np.random.Generator) -> Counts:
        """Draw the counts. Given how many people have each item, they are independent binomials."""
        found = generator.binomial(people, self._a) + generator.binomial(people.sum() - people, self._b)
        return np.asarray(found + self._filled(neutral, generator) if neutral else found)

    def _filled(self, draws: int, generator: np.random.Generator) -> Counts:
        """Draw counts of neutral draws that aren't empty. Until the first bit is set, each bit is the likelier the fewer are left."""
        left = -np.expm1(np.cumsum(np.log1p(-self._b)[::-1])[::-1])  # the chance that one of the bits from here on is set
        found, before, after = np.zeros(len(self._b), dtype=np.int64), draws, 0
        for item, chance in enumerate(self._b.tolist()):
            first = int(generator.binomial(before, min(1.0, chance / left[item])))
            found[item] = first + int(generator.binomial(after, chance))
            before, after = before - first, after + first
        return found
