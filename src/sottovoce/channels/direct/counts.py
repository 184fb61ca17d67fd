"""Counts of direct reports: how often each item is named."""

from __future__ import annotations

import numpy as np

from sottovoce.arrays import Counts, Floats
from sottovoce.channels.statistic import PerReport
from sottovoce.reports import CodeReports


class DirectCounts(PerReport):
    """Counts per item, of a channel with Q(y|x) = s·[y = x] + t_y."""

    def __init__(self, empty: CodeReports, s: float, t: Floats) -> None:
        super().__init__(empty, items=True)
        self._s, self._t = s, t

    def simulated(self, people: Counts, generator: np.random.Generator) -> Counts:
        """Draw how many report the truth, then the other reports as one multinomial draw from the noise."""
        truthful = generator.binomial(people, self._s)
        noise = generator.multinomial(int((people - truthful).sum()), self._t / self._t.sum()) if self._t.any() else 0
        return np.asarray(truthful + noise)
