"""Counts of window reports."""

from __future__ import annotations

import numpy as np

from sottovoce.arrays import Counts
from sottovoce.channels.statistic import PerReport
from sottovoce.channels.window.passes import Passes
from sottovoce.reports import CodeReports


class WindowCounts(PerReport):
    """Counts per report, which are sufficient."""

    def __init__(self, empty: CodeReports, passes: Passes, *, items: bool) -> None:
        super().__init__(empty, items=items)
        self._passes = passes

    def simulated(self, people: Counts, generator: np.random.Generator) -> Counts:
        """Draw how many report a place in their window, then the other reports as one multinomial draw from the noise."""
        passes, length = self._passes, self._passes.length
        inside, free = people[passes.inside], people[passes.free]
        near = generator.binomial(inside, min(1.0, passes.gain * passes.width))
        found = generator.multinomial(int((inside - near).sum()), passes.noise / passes.noise.sum())
        found = found + self._near(near, generator)
        if not len(free):
            return np.asarray(found)
        shown = generator.binomial(free, passes.shown)
        found = found + generator.multinomial(int((free - shown).sum()), passes.kept / passes.kept.sum())
        return np.concatenate([found[:length], shown])

    def _near(self, near: Counts, generator: np.random.Generator) -> Counts:
        """Places in the windows: drawn for each person, or for each place if that is less."""
        width, length = self._passes.width, self._passes.length
        if int(near.sum()) <= len(near) * width:
            places = np.repeat(np.arange(len(near)), near) + generator.integers(0, width, int(near.sum()))
            return np.bincount(places, minlength=length)
        found = np.zeros(length, dtype=np.int64)
        for rank in np.flatnonzero(near).tolist():
            found[rank : rank + width] += generator.multinomial(near[rank], np.full(width, 1 / width))
        return found
