"""Inversion of independent bits."""

from __future__ import annotations

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.channels.groups import GroupMoments, Groups
from sottovoce.channels.inversion import Contained
from sottovoce.channels.sets.inversion import Liftable, Pairs


class UnaryInversion(Contained, Liftable):
    """Given the person's item the readings are independent, and the mean of the readings of all other items is 0."""

    @property
    def neutral(self) -> float:  # type: ignore[override]  # found on demand
        return float(self.other[0])

    @property
    def pairs(self) -> Pairs:
        return Pairs(0.0, 0.0, float(self.other[0]) ** 2)

    def products(self, p: Floats, shares: Floats | None = None) -> Floats:
        return np.zeros((len(p), len(p)))

    def group_moments(self, groups: Groups, p: Floats) -> GroupMoments:
        """Independent readings: variances add up, and only the own item has a mean."""
        own, other = (chance * (1 - chance) / (self.own - self.other) ** 2 for chance in (self.own, self.other))
        apart, members = groups.totals(other), groups.totals(groups.within(p) * (own - other)) + 1
        others = groups.others(members, np.full(groups.count, (p * (own - other)).sum() + 1), p)
        square = np.stack([apart + members, apart])
        return GroupMoments(square, square, np.stack([members, others]) + other.sum())
