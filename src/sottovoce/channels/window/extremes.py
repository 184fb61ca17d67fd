"""The largest of some values in a window, and outside it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Mask

Places = NDArray[np.int64]


class Extremes:
    """Items ranked by a value without ties: of those in a mask, the one with the largest value near a report, away from it, and free."""

    def __init__(self, values: Places, inside: Places, free: Places, mask: Mask) -> None:
        self._lowest = int(values.min()) - 1
        self._items = {int(value): item for item, value in enumerate(values.tolist())}
        self._inside = np.where(mask[inside], values[inside], self._lowest)
        self._free = values[free][mask[free]].max(initial=self._lowest)

    def of(self, low: Places, high: Places) -> Places:
        """Three rows of items (−1 if there is none) for the reports that are near the places low, …, high − 1."""
        before = np.concatenate([[self._lowest], np.maximum.accumulate(self._inside)])
        behind = np.concatenate([np.maximum.accumulate(self._inside[::-1])[::-1], [self._lowest]])
        away = np.maximum(before[low], behind[high])
        rows = np.stack([self._near(low, high), away, np.full(len(low), self._free)])
        return np.array([[self._items.get(value, -1) for value in row] for row in rows.tolist()], dtype=np.int64)

    def _near(self, low: Places, high: Places) -> Places:
        """The largest between the ends, by those of stretches whose lengths are powers of two: two of them cover every window."""
        table, found = self._inside, np.full(len(low), self._lowest)
        step, length = 1, high - low
        while True:
            whole = (length >= step) & (length < 2 * step)
            found[whole] = np.maximum(table[low[whole]], table[high[whole] - step])
            if 2 * step > int(length.max()):
                return found
            table = np.maximum(table[: len(table) - step], table[step:])
            step *= 2
