"""The codes of sets of at most m of M boxes: the empty set, the sets of one box, of two boxes, …, and the marks behind them.

Among sets of equal size, the one whose last boxes come first comes first (the combinatorial number system). A mark, such as a refusal,
stands alone instead of boxes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels.tables import frozen
from sottovoce.errors import DomainError


@dataclass(frozen=True)
class CappedSets:
    """Sets of at most `cap` of some boxes, and marks that stand alone."""

    boxes: int
    marks: int
    cap: int

    @cached_property
    def sizes(self) -> list[int]:
        """How many sets of each size there are."""
        return [comb(self.boxes, size) for size in range(self.cap + 1)]

    @property
    def count(self) -> int:
        return sum(self.sizes) + self.marks

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The first code of the sets of each size, and that of the marks."""
        return frozen(np.concatenate([[0], np.cumsum(self.sizes)]), np.int64)

    @cached_property
    def ways(self) -> NDArray[np.int64]:
        """The number of sets of j out of i boxes, which is where the sets of j + 1 boxes begin that end with box i."""
        return frozen(np.array([[comb(i, j) for j in range(self.cap + 1)] for i in range(self.boxes + 1)]), np.int64)

    def codes(self, fields: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
        """The codes of sets from a column for each box: 0 if it is chosen, 1 if not, and from 2 on the marks, in all columns alike."""
        if len(fields) != self.boxes or any(((np.asarray(each) < 0) | (np.asarray(each) >= 2 + self.marks)).any() for each in fields):
            raise DomainError(
                f"The answers don't fit the {self.boxes} boxes. Give a column for each box, with codes from 0 to {1 + self.marks}."
            )
        chosen = np.zeros(len(fields[0]), dtype=np.int64)
        places = np.zeros(len(fields[0]), dtype=np.int64)
        for box, column in enumerate(fields):
            ticked = np.asarray(column) == 0
            chosen += ticked
            places += np.where(ticked, self.ways[box, np.minimum(chosen, self.cap)], 0)
        if (chosen > self.cap).any():
            raise DomainError(f"Someone made {int(chosen.max())} choices. Allow at most {self.cap}.")
        marked = np.max(np.stack(fields), axis=0) >= 2
        if any((np.asarray(column)[marked] != np.asarray(fields[0])[marked]).any() for column in fields):
            raise DomainError("An answer contains both a refusal and a choice. Give one of them.")
        return np.where(marked, self.starts[-1] + fields[0] - 2, self.starts[chosen] + places)

    def listed(self) -> list[tuple[int, ...]]:
        """The boxes of every set in the order of the codes. Marks come after the boxes."""
        found: list[tuple[int, ...]] = []
        for size in range(self.cap + 1):
            found += sorted(combinations(range(self.boxes), size), key=lambda each: each[::-1])
        return found + [(self.boxes + mark,) for mark in range(self.marks)]
