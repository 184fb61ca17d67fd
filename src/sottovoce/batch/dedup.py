"""Identifiers of earlier reports, so that a report that was sent twice counts once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sottovoce.piles import stacked

Halves = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class _Pile:
    """Distinct identifiers, sorted by their first half."""

    first: Halves
    second: Halves

    @classmethod
    def of(cls, first: Halves, second: Halves) -> _Pile:
        order = np.argsort(first, kind="stable")  # sorted piles, one behind the other, are merged in one pass
        return cls(first[order], second[order])

    def __len__(self) -> int:
        return len(self.first)

    def contains(self, first: Halves, second: Halves) -> NDArray[np.bool_]:
        """Whether each identifier is in the pile."""
        begin = np.minimum(np.searchsorted(self.first, first), len(self.first) - 1)
        alike = self.first[begin] == first
        found = alike & (self.second[begin] == second)
        for row in np.flatnonzero(alike & ~found).tolist():  # the same first half, by a chance of one in 2^64, or on purpose
            found[row] = bool((self.second[self.first == first[row]] == second[row]).any())
        return found


def _joined(piles: Sequence[_Pile]) -> _Pile:
    if len(piles) == 1:
        return piles[0]
    return _Pile.of(np.concatenate([pile.first for pile in piles]), np.concatenate([pile.second for pile in piles]))


class SeenIds:
    """A set of identifiers (128 bits as 32 hexadecimal digits) that takes 16 bytes for each.

    >>> seen = SeenIds()
    >>> seen.fresh(["00" * 16, "01" * 16, "00" * 16]).tolist(), seen.fresh(["01" * 16, "02" * 16]).tolist()
    ([True, True, False], [False, True])
    """

    def __init__(self) -> None:
        self._piles: tuple[_Pile, ...] = ()

    def fresh(self, identifiers: Sequence[str]) -> NDArray[np.bool_]:
        """Add identifiers, and return which are new (of equal ones, the first)."""
        halves = np.frombuffer(bytes.fromhex("".join(identifiers)), dtype=np.uint64).reshape(-1, 2)
        first, second = np.ascontiguousarray(halves[:, 0]), np.ascontiguousarray(halves[:, 1])
        order = np.lexsort((np.arange(len(first)), second, first))
        again = np.zeros(len(first), dtype=np.bool_)
        same = (first[order][1:] == first[order][:-1]) & (second[order][1:] == second[order][:-1])
        again[order[1:][same]] = True
        for pile in self._piles:
            again |= pile.contains(first, second)
        if not again.all():
            self._piles = stacked(self._piles, _Pile.of(first[~again], second[~again]), _joined)
        return ~again
