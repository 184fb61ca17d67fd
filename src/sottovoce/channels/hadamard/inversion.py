"""Inversion of Hadamard response, by fast transforms."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.channels.groups import Groups
from sottovoce.channels.hadamard.code import HadamardCode
from sottovoce.channels.inversion import Inversion, Readings, contained_or_not


class HadamardInversion(Inversion):
    """A report is in the item's set, in its block only, or elsewhere. The mass of a block follows from the reports in it.

    `own` is the chance of the own half-block. A report outside the item's set has the weight `low`, one in it `high`.
    """

    def __init__(self, code: HadamardCode, own: float, low: float, high: float) -> None:
        self._code, self._own, self._low, self._high = code, own, low, high

    @property
    def _homes(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """The block of each item."""
        return np.arange(self._code.items) // (self._code.block - 1)

    @cached_property
    def readings(self) -> Readings:
        code, own, size = self._code, self._own, self._code.items
        half = code.block // 2
        aside = (1 - own) / (code.length - half)
        same, far = own / 2 + aside * half / 2, aside * half
        if code.blocks == 1:
            return contained_or_not(np.full(size, own), np.full(size, same))
        held, absent = own + aside * half, aside * code.block
        slope = (same - far) / (held - absent)
        base = (slope * absent - far) / (own - same)
        values = (1 - slope) / (own - same) + base, -slope / (own - same) + base, base
        return Readings(np.tile(values, (size, 1)).T, np.tile((own, aside * half, 1 - own - aside * half), (size, 1)).T)

    def occurrences(self, shares: Floats) -> Floats:
        code = self._code
        inside = code.item_sums(shares)
        if code.blocks == 1:
            return np.stack([inside, 1 - inside])
        within = shares.reshape(code.blocks, code.block).sum(axis=1)[self._homes]
        return np.stack([inside, within - inside, 1 - within])

    def expected(self, p: Floats) -> Floats:
        return np.asarray((self._low + (self._high - self._low) * self._code.set_sums(p)) / self._code.length)

    def group_sums(self, groups: Groups, length: int) -> Floats:
        """By a transform for each group: how many of its items a report contains, and how many have their home in the report's block."""
        code, values, homes = self._code, self.readings.values[:, 0], self._homes
        found = []
        for group in range(groups.count):
            members = (groups.labels == group).astype(np.float64)
            inside, size = code.set_sums(members), members.sum()
            if code.blocks == 1:
                found.append(inside * values[0] + (size - inside) * values[1])
                continue
            near = np.repeat(np.bincount(homes, members, minlength=code.blocks), code.block)
            found.append(inside * values[0] + (near - inside) * values[1] + (size - near) * values[2])
        return np.stack(found, axis=1)

    def reach(self) -> Floats:
        return self._reach_by_kind(self._homes == self._homes[-1])  # the last block may hold fewer items
