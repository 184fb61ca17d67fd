"""The Fisher information of hashed reports, averaged over many of the hash functions.

Given its function a report is one of few buckets, so its information is exact. The inverse of an average of F such matrices is too large
by a factor of about 1/(1 − K/(F·(g − 1))), as that of any sample covariance is: 1 over it is extrapolated from both halves and the whole.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Floats
from sottovoce.channels.fisher import Fisher, MatrixCore
from sottovoce.channels.hashed.functions import bucket_table
from sottovoce.channels.set_fisher import SetWeights, around, of_independent
from sottovoce.optima.solvers import csr_array

#: Among more items than this, the buckets of the items count as independent.
_MOST = 1 << 11
#: Functions to average over: at least, at most, and for the elementary steps that they take; and at least for each item and bucket.
_LEAST, _ENOUGH, _STEPS, _EACH = 1 << 13, 1 << 15, 1 << 37, 12
#: Entries of tables of sets that are written down at a time.
_ENTRIES = 1 << 21
#: From so many buckets on, sets of items that share one are written as lists.
_MANY = 8
#: Chooses the functions.
_SEED = 0


@dataclass(frozen=True)
class AveragedFisher(Fisher):
    """The mean of two halves, each an average over as many functions."""

    halves: tuple[Fisher, ...] = ()

    def variances(self) -> Floats:
        whole, halves = super().variances(), [half.variances() for half in self.halves]
        known = (whole > 0) & np.all([half > 0 for half in halves], axis=0)
        precision = 2 / np.where(known, whole, 1.0) - np.mean([1 / np.where(known, half, 1.0) for half in halves], axis=0)
        return np.where(known, 1 / precision, 0.0)


def of_functions(sets: SetWeights, buckets: int) -> Fisher:
    """The information of buckets under as many functions as it takes, the same ones every time."""
    items = len(sets.gain)
    if items > _MOST:
        empty = float((1 - 1 / buckets) ** items)
        return of_independent(replace(sets, revealed=_revealed(sets, empty)), np.full(items, 1 / buckets))
    count = min(_ENOUGH, max(_LEAST, _STEPS // (buckets * items**2), _EACH * items // max(1, buckets - 1)))
    halves = [_summed(sets, buckets, spread_seeds(count // 2, half)) for half in (_SEED, _SEED + 1)]
    both = (halves[0] + halves[1]).information(sets)
    return AveragedFisher(**vars(both), halves=tuple(half.information(sets) for half in halves))


def spread_seeds(count: int, seed: int) -> NDArray[np.uint64]:
    """About so many seeds, a random one in each cell of a grid over both of their numbers, so that their functions vary evenly."""
    side = math.isqrt(max(1, count) - 1) + 1
    cells = np.stack(np.meshgrid(np.arange(side), np.arange(side)), axis=-1).reshape(-1, 2)
    numbers = (cells + np.random.default_rng(seed).random(cells.shape)) / side * ((1 << 31) - 1)
    steps, beginnings = numbers.astype(np.uint64).T
    return np.asarray((steps << np.uint64(31)) | beginnings)


@dataclass(frozen=True)
class _Sums:
    """Sums over buckets, of 1 over their weights: by pairs of items in them, by items, over those with items, and how many there are."""

    joint: Floats
    one: Floats
    filled: float
    empty: int
    total: int

    def __add__(self, other: _Sums) -> _Sums:
        return _Sums(*(mine + its for mine, its in zip(vars(self).values(), vars(other).values(), strict=True)))

    def information(self, sets: SetWeights) -> Fisher:
        revealed = _revealed(sets, self.empty / self.total)
        if sets.inside.all():
            return Fisher.from_matrix(sets.p, self.joint / self.total, revealed)
        at_empty = sets.start(sets.kept if sets.kept_empty is None else sets.kept_empty)
        core, empty = MatrixCore(sets.inside, self.joint / self.total), self.empty / (self.total * at_empty)
        return around(replace(sets, revealed=revealed), core, self.one / self.total, self.filled / self.total, empty)


def _summed(sets: SetWeights, buckets: int, seeds: np.ndarray) -> _Sums:
    """The sums over the buckets of some functions."""
    items = len(sets.gain)
    found = _Sums(np.zeros((items, items)), np.zeros(items), 0.0, 0, 0)
    step = max(1, _ENTRIES // (buckets * items))
    over = _over_buckets if buckets >= _MANY else _over_sets
    for start in range(0, len(seeds), step):
        found += over(sets, bucket_table(items, buckets, seeds[start : start + step]), buckets)
    return found


def _over_sets(sets: SetWeights, table: NDArray[np.int64], buckets: int) -> _Sums:
    """From a table of the sets of items that share a bucket."""
    member = (table[:, None, :] == np.arange(buckets)[:, None]).reshape(-1, table.shape[1])
    filled = member.any(axis=1)
    gains = sets.gain * member[filled]
    means = sets.start(sets.kept) + gains @ sets.p[sets.inside]
    weighed = gains / means[:, None]
    return _Sums(weighed.T @ gains, weighed.sum(axis=0), float((1 / means).sum()), int((~filled).sum()), len(member))


def _over_buckets(sets: SetWeights, table: NDArray[np.int64], buckets: int) -> _Sums:
    """The same for many buckets: only items that share one add something."""
    rows, gains = (np.arange(len(table))[:, None] * buckets + table).ravel(), np.tile(sets.gain, len(table))
    total = len(table) * buckets
    filled = np.bincount(rows, minlength=total) > 0
    means = sets.start(sets.kept) + np.bincount(rows, np.tile(sets.p[sets.inside], len(table)) * gains, minlength=total)
    columns = np.tile(np.arange(table.shape[1]), len(table))
    weighed = csr_array((gains / np.sqrt(means[rows]), (rows, columns)), shape=(total, table.shape[1]))
    one = np.bincount(columns, gains / means[rows], minlength=table.shape[1]).astype(np.float64)
    return _Sums(np.asarray((weighed.T @ weighed).todense()), one, float((1 / means[filled]).sum()), int((~filled).sum()), total)


def _revealed(sets: SetWeights, empty: float) -> Floats:
    """The chance that each item is revealed, if so many of the buckets are empty."""
    revealed = np.zeros(len(sets.p))
    at_empty = sets.kept if sets.kept_empty is None else sets.kept_empty
    revealed[~sets.inside] = 1 - (1 - empty) * sets.kept - empty * at_empty
    return revealed
