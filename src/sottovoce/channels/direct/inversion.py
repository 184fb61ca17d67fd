"""Inversion of direct reports."""

from __future__ import annotations

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.channels.groups import GroupMoments, Groups
from sottovoce.channels.inversion import Contained, contained_or_not


class DirectInversion(Contained):
    """Inversion with the least possible variance, for reports that name one item."""

    efficient = True

    def __init__(self, s: float, t: Floats) -> None:
        super().__init__(s + t, t)
        self._s, self._odds = s, t / s

    def products(self, p: Floats, shares: Floats | None = None) -> Floats:
        odds = self._odds
        return -np.outer(odds, odds) - np.outer(p, odds) - np.outer(odds, p)

    def group_moments(self, groups: Groups, p: Floats) -> GroupMoments:
        """Moments of groups, for which the reports are those of a direct channel over the groups."""
        other = groups.totals(self.other)
        chances = self._s + other, other
        cases = contained_or_not(*chances)
        square, cube = (np.stack([cases.moment(np.stack([each, 1 - each]), k) for each in chances]) for k in (2, 3))
        mean = np.stack([np.ones_like(other), np.zeros_like(other)])
        return GroupMoments(square, mean, np.ones_like(mean), cube)
