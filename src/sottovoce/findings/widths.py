"""How the intervals that a page shows narrow with more people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.estimators import Interval
from sottovoce.findings.figures import UpTo
from sottovoce.findings.shares import Shares

#: More people than there can be.
_TOO_MANY = 10**15


@dataclass(frozen=True, eq=False)
class Widths:
    r"""Intervals of shares, and how they narrow: an error that is 1 now becomes `scale`, which falls as 1/√n.

    With more people an interval tends to [`least`, `most`], which is one number unless answers could be anywhere, as those that people
    marked. It reaches `below` and `above` these by its error. If it's `bounded`, it ends at 0 and 1, so that of a small share is narrower.

    >>> from sottovoce.estimators import Interval
    >>> shares = Shares("item", ["a", "b"], np.array([0.3, 0.02]), Interval(np.array([0.26, 0.0]), np.array([0.35, 0.06])))
    >>> widths = Widths.of([shares])
    >>> widths.labels[widths.widest], round(widths.half(), 3), round(widths.half(0.5), 4)
    ('a', 0.045, 0.0225)
    """

    labels: Sequence[str]
    least: Floats
    most: Floats
    below: Floats
    above: Floats
    bounded: bool = True

    @classmethod
    def of(cls, tables: Sequence[Shares], marked: float = 0.0) -> Widths | None:
        """The intervals of some tables. None if there are none, or if one covers everything, which doesn't show how wide it will be.

        A share `marked` of the answers could be any item's, and is part of all items in proportion to them.
        """
        if not tables or any(each.interval is None for each in tables):
            return None
        p, low, high = (np.concatenate(each) for each in zip(*((each.p, *each.interval) for each in tables if each.interval), strict=True))
        if not len(p) or bool(((low <= 0) & (high >= 1)).any()):
            return None
        least = np.clip(p * (1 - marked), low, high)
        most = np.minimum(least + marked, high)
        below, above = least - low, high - most
        hidden, cut = low <= 0, high >= 1  # beyond these ends the error would be as large as on the other side
        below, above = np.where(hidden, np.maximum(below, above), below), np.where(cut, np.maximum(below, above), above)
        return cls([label for each in tables for label in each.labels], least, most, below, above)

    @classmethod
    def expected(cls, half: float) -> Widths:
        """A single interval that reaches so far to either side, wherever it is."""
        return cls([""], np.zeros(1), np.zeros(1), np.array([half]), np.array([half]), bounded=False)

    def ends(self, scale: float = 1.0) -> tuple[Floats, Floats]:
        """The ends of the intervals."""
        low, high = self.least - scale * self.below, self.most + scale * self.above
        return (np.maximum(low, 0.0), np.minimum(high, 1.0)) if self.bounded else (low, high)

    def half(self, scale: float = 1.0) -> float:
        """Half the width of the widest interval."""
        low, high = self.ends(scale)
        return float((high - low).max()) / 2

    def needed(self, target: float, reached: int) -> int | None:
        """How many people narrow the widest interval to ± target. It is as wide as now with those `reached`. None if no number does."""

        def half(people: int) -> float:
            return self.half(math.sqrt(reached / people))

        if half(_TOO_MANY) > target:
            return None
        few, many = 0, _TOO_MANY
        while many - few > 1:
            middle = (few + many) // 2
            few, many = (few, middle) if half(middle) <= target else (middle, many)
        return many

    def parts_largest(self, items: int) -> bool:
        """Whether any number of people would show which share of the first so many is the largest."""
        first = int(self.least[:items].argmax())
        return items < 2 or bool(self.least[first] > np.delete(self.most[:items], first).max())

    @property
    def widest(self) -> int:
        """The place of the interval that is the widest now."""
        low, high = self.ends()
        return int((high - low).argmax())


def cumulative_shares(found: Sequence[UpTo]) -> list[Shares]:
    """Cumulative shares as a table, if there are any."""
    if not found:
        return []
    p, low, high = (np.array([getattr(each, end) for each in found]) for end in ("p", "low", "high"))
    return [Shares("up to", [f"up to {each.value:g}" for each in found], p, Interval(low, high))]
