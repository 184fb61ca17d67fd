"""Identifiers that were met already, so that a report that was sent twice is counted once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class Seen:
    """Remembers identifiers (128 bits as 32 hexadecimal digits) in sorted piles, 16 bytes for each.

    >>> seen = Seen()
    >>> seen.fresh(["00" * 16, "01" * 16, "00" * 16]).tolist(), seen.fresh(["01" * 16, "02" * 16]).tolist()
    ([True, True, False], [False, True])
    """

    def __init__(self) -> None:
        self._piles: list[NDArray[np.bytes_]] = []

    def fresh(self, identifiers: Sequence[str]) -> NDArray[np.bool_]:
        """Which of them were not met before (of equal ones, the first); all are remembered."""
        values = np.frombuffer(bytes.fromhex("".join(identifiers)), dtype="S16")
        distinct, first = np.unique(values, return_index=True)
        new = np.ones(len(distinct), dtype=np.bool_)
        for pile in self._piles:
            places = np.minimum(np.searchsorted(pile, distinct), len(pile) - 1)
            new &= pile[places] != distinct
        found = np.zeros(len(values), dtype=np.bool_)
        found[first[new]] = True
        if new.any():
            self._put(distinct[new])
        return found

    def _put(self, pile: NDArray[np.bytes_]) -> None:
        """A pile on top, put together with those below that are not at least twice its size."""
        while self._piles and len(self._piles[-1]) < 2 * len(pile):
            pile = np.sort(np.concatenate([self._piles.pop(), pile]))
        self._piles.append(pile)
