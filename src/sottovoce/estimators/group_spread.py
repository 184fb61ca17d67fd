"""The spread of groups of items: an axis of a product, a few answers together.

The sum of an item's readings over a group is an unbiased estimate T_G of the group's share. Readings of some channels don't add up to 1
over all items. What they miss is noise that the groups share, and the known total takes it away: T − C·1·(1ᵀT − 1)/(1ᵀC·1), with C the
covariance of the sums. C is that of equally frequent items, so that the estimate stays unbiased. For two groups this halves the variance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.channels.groups import GroupMoments, Groups
from sottovoce.channels.inversion import Inversion
from sottovoce.estimators.covariance import block_covariance
from sottovoce.estimators.decoders import project
from sottovoce.estimators.intervals import Interval, Spread
from sottovoce.estimators.inversion import inversion_of, invert
from sottovoce.estimators.projected_gradient import Top
from sottovoce.estimators.separable import maximised

#: Standard errors by which a sum may lie outside of 0 and 1: so many, and such a part of those that an interval reaches.
_OUTSIDE, _OUTSIDE_PART = 1.5, 0.75
#: Sums of readings whose variance over all items is less than this are taken for constant.
_CONSTANT = 1e-9


@dataclass(frozen=True)
class GroupSpread(Spread):
    """The spread of groups of the items that `items` is about.

    `pulls` has how much of what all readings miss to 1 is taken from each group, a row for each block.
    """

    items: Spread
    groups: Groups
    pulls: Floats

    def limits(self, z: float) -> Interval:
        """The limits at a normal deviate. A sum below 0 or above 1 is read as little outside, so that no interval shrinks to nothing."""
        reach = min(_OUTSIDE, _OUTSIDE_PART * z)
        least, most = -reach * np.sqrt(self.second[1]), 1 + reach * np.sqrt(np.maximum(0.0, self.second[0] - self.squares))
        low, high = self._limits(np.clip(self.mean, least, most), z)
        return Interval(np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0))

    def covariance(self) -> Floats:
        """The covariance matrix of the groups' unbiased estimates."""
        member = (self.groups.labels == np.arange(self.groups.count)[:, None]).astype(np.float64)
        found = np.zeros((self.groups.count, self.groups.count))
        for block, weights, pulls in zip(self.blocks, self.weights, self.pulls, strict=True):
            read = weights[:, None] * (member - pulls[:, None])
            found += read @ block_covariance(block) @ read.T
        return found

    def grouped(self, groups: Groups) -> GroupSpread:
        return group_spread(self.items, Groups(groups.labels[self.groups.labels], groups.count))

    def fitted(self) -> tuple[Floats, Top | None]:
        """The distribution over the groups that fits best: the exact maximum of the likelihood if reports name items, and so groups,
        otherwise the distribution that is nearest to the unbiased estimates, in units of their errors.
        """
        parts = [block.channel.model.separable(block.counts) for block in self.blocks]
        separable = [part.grouped(self.groups) for part in parts if part is not None]
        if len(separable) == len(self.blocks):
            top = maximised(separable)
            return top.p, top
        return project(self.mean, 1 / np.maximum(self.variance, 1e-12 * float(self.variance.max()) or 1.0)), None


def group_spread(items: Spread, groups: Groups) -> GroupSpread:
    """The spread of the sums of inversions over groups of items.

    How people speak for a group depends on what they hold, for a few channels: within a group they are as all people seem to be.
    """
    blocks, around, equal, size = items.blocks, items.around, items.equal, len(groups.labels)
    even = np.full(size, 1 / size)
    inversions = [inversion_of(block.channel) for block in blocks]
    pulls = np.stack([pulls_of(inversion, groups, even) for inversion in inversions])
    seconds = [second_moments(inversion.group_moments(groups, around), pull) for inversion, pull in zip(inversions, pulls, strict=True)]
    n = np.array([float(block.n) for block in blocks])
    weights = _weights(inversions, groups, pulls, n, equal=equal)
    sums = np.stack([groups.totals(items.mean if len(blocks) == 1 else invert(block).p) for block in blocks])
    mean = (weights * (sums - pulls * (sums.sum(axis=1, keepdims=True) - 1))).sum(axis=0)
    scale = weights**2 / n[:, None]
    second, squares = np.sum([s * each for s, each in zip(scale[:, None], seconds, strict=True)], axis=0), scale.sum(axis=0)
    third, mixed, cubes = _thirds(inversions, groups, around, weights, n, seconds) if not pulls.any() else _symmetric(groups.count)
    share = np.clip(mean, 0.0, 1.0)
    variance = np.maximum(0.0, share * second[0] + (1 - share) * second[1] - squares * share**2)
    return GroupSpread(blocks, weights, mean, variance, second, third, mixed, squares, cubes, equal, items, groups, pulls)


def pulls_of(inversion: Inversion, groups: Groups, p: Floats) -> Floats:
    """C·1/(1ᵀC·1): how much each group takes of what all readings of a report miss to 1."""
    moments, shares = inversion.group_moments(groups, p), groups.totals(p)
    whole = float(moments.everybody(moments.whole, shares)[0]) - 1
    if whole < _CONSTANT:
        return np.zeros(groups.count)
    pulls = np.asarray((moments.everybody(moments.cross, shares) - shares) / whole)
    return pulls / pulls.sum()


def second_moments(moments: GroupMoments, pulls: Floats) -> Floats:
    """E[(Φ_G − k·(Φ − 1))²] among the members of each group, and among other people."""
    mean = np.stack([np.ones_like(pulls), np.zeros_like(pulls)])
    second = moments.square - 2 * pulls * (moments.cross - mean) + pulls**2 * (moments.whole - 1)
    return np.maximum(0.0, second)  # where nobody else speaks for a group, rounding would leave less than nothing


def _weights(inversions: Sequence[Inversion], groups: Groups, pulls: Floats, n: Floats, *, equal: bool) -> Floats:
    """The weight of each block for each group: by the precision that it has where items are equally frequent."""
    if equal or len(inversions) == 1:
        return np.full(pulls.shape, 1 / len(inversions))
    even, precision = np.full(len(groups.labels), 1 / len(groups.labels)), np.empty(pulls.shape)
    shares = groups.totals(even)
    for row, (inversion, pull) in enumerate(zip(inversions, pulls, strict=True)):
        moments = inversion.group_moments(groups, even)
        precision[row] = n[row] / np.maximum(moments.everybody(second_moments(moments, pull), shares) - shares**2, 1e-300)
    return np.asarray(precision / precision.sum(axis=0))


def _thirds(
    inversions: Sequence[Inversion], groups: Groups, p: Floats, weights: Floats, n: Floats, seconds: Sequence[Floats]
) -> tuple[Floats, Floats, Floats]:
    """The parts of the third moment, as `Spread` has them. None if a channel treats sums as symmetric."""
    cubes = [inversion.group_moments(groups, p).cube for inversion in inversions]
    known = [cube for cube in cubes if cube is not None]
    if len(known) < len(cubes):
        return _symmetric(groups.count)
    scale = weights**3 / n[:, None] ** 2
    third, mixed = (np.sum([s * each for s, each in zip(scale[:, None], rows, strict=True)], axis=0) for rows in (known, seconds))
    return third, mixed, scale.sum(axis=0)


def _symmetric(count: int) -> tuple[Floats, Floats, Floats]:
    return np.zeros((2, count)), np.zeros((2, count)), np.zeros(count)
