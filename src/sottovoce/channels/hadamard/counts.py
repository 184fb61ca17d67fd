"""Counts of the reports of Hadamard response."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sottovoce.arrays import Counts
from sottovoce.channels.statistic import PerReport

if TYPE_CHECKING:
    from sottovoce.channels.hadamard.channel import HadamardChannel


class CodedCounts(PerReport):
    """Counts per report, which can be drawn without making the reports."""

    def __init__(self, channel: HadamardChannel) -> None:
        super().__init__(channel.empty)
        self._channel = channel

    def simulated(self, people: Counts, generator: np.random.Generator) -> Counts:
        """Draw how many report from their own half-block, and the other reports uniformly."""
        code = self._channel.code
        half = code.block // 2
        share = half / code.length
        certain = generator.binomial(people, min(1.0, max(0.0, (self._channel.own - share) / (1 - share))))
        found = generator.multinomial(int((people - certain).sum()), np.full(code.length, 1 / code.length))
        for item in np.flatnonzero(certain).tolist():
            start = item // (code.block - 1) * code.block
            reports = start + np.flatnonzero(code.contains(np.arange(start, start + code.block), item))
            found[reports] += generator.multinomial(int(certain[item]), np.full(half, 1 / half))
        return np.asarray(found)
