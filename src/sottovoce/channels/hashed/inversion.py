"""Inversion of hashed reports."""

from __future__ import annotations

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.channels.groups import GroupMoments, Groups
from sottovoce.channels.hashed import group_kernels as kernels
from sottovoce.channels.hashed.functions import even_seeds
from sottovoce.channels.inversion import Contained
from sottovoce.errors import UnsupportedError
from sottovoce.parallel import in_threads

#: Hash functions over which moments of groups are averaged: as many as this many steps allow, within these limits.
_STEPS, _FEWEST, _MOST = 1 << 26, 1 << 12, 1 << 14


class HashedInversion(Contained):
    """A report supports the own item, or any other with the chance of its bucket."""

    def products(self, p: Floats, shares: Floats | None = None) -> Floats:
        raise UnsupportedError("The covariance of hashed reports isn't known. Use the standard errors and intervals.")

    def group_moments(self, groups: Groups, p: Floats) -> GroupMoments:
        """Moments averaged over some of the hash functions, exact for each, because it's known which items share a bucket.

        The functions are only pairwise independent, so sums have no closed form. The average is over at least 4,096 functions, the same
        ones each time. With 1,024 items, variances are within about 3 percent.
        """
        buckets = round(1 / float(self.other[0]))
        seeds = even_seeds(min(_MOST, max(_FEWEST, _STEPS // len(p))))
        # a bucket is reported with the chance `noise`, and more by the people whose item is in it
        gain = (float(self.own[0]) - 1 / buckets) * buckets / (buckets - 1)
        noise, unit = (1 - gain) / buckets, 1 / (float(self.own[0]) - 1 / buckets)
        sizes, within = groups.totals(np.ones_like(p)), groups.within(p)

        def part(rows: slice) -> Floats:
            found = np.zeros((2, 3, groups.count))
            kernels.group_moments(seeds[rows], groups.labels, sizes, within, p, buckets, gain, noise, unit, found)
            return found

        found = np.sum(in_threads(len(seeds), len(p) + buckets * groups.count, part), axis=0) / len(seeds)
        inside, outside = found[0], groups.others(found[0], found[1], p)
        return GroupMoments(*(np.stack([inside[k], outside[k]]) for k in range(3)))
