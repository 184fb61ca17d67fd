"""The columns of Hadamard response."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from sottovoce.channels.columns import NOTHING, Extreme, SetColumns, largest
from sottovoce.channels.hadamard.code import HadamardCode
from sottovoce.policy import Prior


@dataclass(frozen=True)
class CodedColumns(SetColumns):
    """Columns whose sets are those of a Hadamard code over the items that are not invertible."""

    code: HadamardCode | None = None

    def best_set(self, values: Callable[[int], Fraction]) -> list[int]:
        assert self.code is not None
        sums = self.code.set_sums(np.array([*map(values, self._variable.tolist()), None], dtype=object)[:-1])
        counts = self.code.set_sums(np.ones(self.code.items, dtype=np.int64))
        allowed = [y for y in range(len(sums)) if counts[y] or self.empty is None]
        best = max(allowed, key=sums.__getitem__)
        return self._variable[self.code.member(np.array([best]))[0]].tolist()

    def belief_ratios(self, prior: Prior) -> tuple[Extreme, Extreme]:
        if self.invertible.any():
            return NOTHING, NOTHING
        assert self.code is not None
        sums = self.code.set_sums(np.array([*prior.weights, None], dtype=object)[:-1])
        counts = self.code.set_sums(np.ones(self.code.items, dtype=np.int64))
        low, high = self.low[0], self.high[0]
        up, down = NOTHING, NOTHING
        for y, (mass, count) in enumerate(zip(sums.tolist(), counts.tolist(), strict=True)):
            mean = low + (high - low) * mass / prior.total
            if count < self.code.items:
                up = largest([up, Extreme(mean / low, y)])
            if count:
                down = largest([down, Extreme(high / mean, y)])
        return self._with_item(up, contained=False), self._with_item(down, contained=True)

    def _with_item(self, extreme: Extreme, *, contained: bool) -> Extreme:
        """The extreme with an item that its report contains, or does not."""
        assert self.code is not None
        if extreme.report is None:
            return extreme
        member = self.code.member(np.array([extreme.report]))[0]
        return replace(extreme, item=int(np.flatnonzero(member == contained)[0]))
