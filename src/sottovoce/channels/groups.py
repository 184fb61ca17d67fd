"""Groups of items, and the readings of a report about the share of a group.

A report's readings φ_j have the mean p_j, so their sum Φ_G over a group has the mean Σ_{j ∈ G} p_j. Its variance, and the limits of an
interval, need second moments of these sums. They depend on who reports: a member of the group, or another person.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Floats


@dataclass(frozen=True)
class Groups:
    """A partition of the items into `count` groups: the group of each item."""

    labels: NDArray[np.int64]
    count: int

    def totals(self, values: NDArray[np.generic]) -> Floats:
        """The sum of the items' values in each group."""
        return np.bincount(self.labels, values, minlength=self.count).astype(np.float64)

    def within(self, p: Floats) -> Floats:
        """Each item's share of its group (equal shares in a group that has none)."""
        totals, sizes = self.totals(p), self.totals(np.ones_like(p))
        even = 1 / np.maximum(sizes, 1)
        return np.where(totals[self.labels] > 0, p / np.where(totals > 0, totals, 1.0)[self.labels], even[self.labels])

    def compositions(self, p: Floats) -> Iterable[Floats]:
        """The distribution of the members of each group."""
        within = self.within(p)
        return (np.where(self.labels == group, within, 0.0) for group in range(self.count))

    def others(self, members: Floats, everybody: Floats, p: Floats) -> Floats:
        """Means among the people outside each group, from those of its members and of all people."""
        shares = self.totals(p)
        rest = 1 - shares
        return np.where(rest > 0, (everybody - shares * members) / np.where(rest > 0, rest, 1.0), members)


@dataclass(frozen=True)
class GroupMoments:
    """Moments of Φ_G, the sum of a report's readings over a group, and of Φ, their sum over all items.

    `square` is E[Φ_G²], `cross` E[Φ_G·Φ], `whole` E[Φ²]: a row for reports of the group's members, and a row for those of other people.
    `cube` is E[Φ_G³], or None if sums are treated as symmetric.
    """

    square: Floats
    cross: Floats
    whole: Floats
    cube: Floats | None = None

    def everybody(self, values: Floats, shares: Floats) -> Floats:
        """A moment among all people, if the groups have these shares."""
        return np.asarray(shares * values[0] + (1 - shares) * values[1])


def by_outputs(groups: Groups, sums: Floats, expected: Callable[[Floats], Floats], p: Floats) -> GroupMoments:
    """The moments from all outputs: `sums` is Φ_G for each output (rows) and group, `expected` the chance of each output."""
    inside = np.stack([expected(members) for members in groups.compositions(p)])
    outside = groups.others(inside.T, expected(p)[:, None], p).T
    whole = sums.sum(axis=1)

    def mean(values: Floats) -> Floats:
        return np.stack([(chances * values).sum(axis=1) for chances in (inside, outside)])

    return GroupMoments(mean(sums.T**2), mean(sums.T * whole), mean(np.broadcast_to(whole**2, sums.T.shape)), mean(sums.T**3))
