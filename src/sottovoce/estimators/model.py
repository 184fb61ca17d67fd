"""The likelihood of a tally, block by block: its value, its gradient and its curvature, in one pass over distinct reports.

Blocks are compact: a direct block is its counts, a tabulated one its counts and matrix, a set-valued one the kept reports themselves, or
lists of their items where they contain few. For sets the weight of a report is p·g = Σ_x p_x·low_x + Σ_{x ∈ y} p_x·(high_x − low_x); eight
items at a time are looked up in tables of 256 partial sums, forwards for p·g and backwards for the gradient.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels import DirectChannel, HashedChannel, LiftedChannel, MixedChannel, SetLikeChannel
from sottovoce.estimators import kernels
from sottovoce.parallel import in_threads
from sottovoce.reports import HashedReports, SetReports
from sottovoce.reports.base import code_dtype
from sottovoce.tallies import Block

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Slope:
    """At p: the log-likelihood Σ log(p·g), its gradient Σ g/(p·g), the diagonal of its Hessian Σ g²/(p·g)², and what is known of the rest.

    Along directions that keep the sum of p, the Hessian is about diag(curvature) + weight·m·mᵀ with m = cross/weight: the spread of the
    scores around their mean, item by item, and their mean. (Exactly so, with no mean, for direct parts.) The second powers are garbage
    where the curvature was not asked for.
    """

    value: float
    gradient: Floats
    squares: Floats
    curvature: Floats
    cross: Floats
    weight: float

    @classmethod
    def scattered(cls, value: float, gradient: Floats, squares: Floats, cross: Floats, weight: float) -> Slope:
        """With Σ g/(p·g)² as `cross` and Σ 1/(p·g)² as `weight`, the scores scatter around their mean."""
        return cls(value, gradient, squares, np.maximum(squares - cross**2 / weight, 0.0) if weight > 0 else squares, cross, weight)

    def __add__(self, other: Slope) -> Slope:
        return Slope(
            self.value + other.value,
            self.gradient + other.gradient,
            self.squares + other.squares,
            self.curvature + other.curvature,
            self.cross + other.cross,
            self.weight + other.weight,
        )


def impossible(size: int) -> Slope:
    """Where some report cannot have been made: the log-likelihood is −∞ and has no slope."""
    nothing = np.zeros(size)
    return Slope(-math.inf, nothing, nothing, nothing, nothing, 0.0)


class Likelihood(ABC):
    """The log-likelihood of one block."""

    @property
    @abstractmethod
    def n(self) -> float:
        """The number of reports (pseudo-counts may be fractions)."""

    @abstractmethod
    def at(self, p: Floats, *, curved: bool = True) -> Slope: ...


@dataclass(frozen=True)
class DirectLikelihood(Likelihood):
    """Counts c_y of a direct channel (or of anything with terms c_y·log(s·p_y + t_y))."""

    counts: Floats
    s: float
    t: Floats

    @property
    def n(self) -> float:
        return float(self.counts.sum())

    def at(self, p: Floats, *, curved: bool = True) -> Slope:
        seen = self.counts > 0
        mean = self.s * p + self.t
        if mean[seen].min() <= 0:
            return impossible(len(p))
        value = float((self.counts[seen] * np.log(mean[seen])).sum())
        first = np.divide(self.counts, mean, out=np.zeros_like(mean), where=seen)
        second = np.divide(first, mean, out=np.zeros_like(mean), where=seen)
        gradient = self.s * first + float((first * self.t).sum())
        squares = self.s * (self.s + 2 * self.t) * second + float((second * self.t**2).sum())
        return Slope(value, gradient, squares, self.s**2 * second, np.zeros_like(p), 0.0)


@dataclass(frozen=True)
class MatrixLikelihood(Likelihood):
    """Rows g of likelihoods (one per distinct report, any scale) and how often each occurs."""

    rows: Floats
    times: Floats

    @property
    def n(self) -> float:
        return float(self.times.sum())

    def at(self, p: Floats, *, curved: bool = True) -> Slope:
        mean = self.rows @ p
        if mean.min() <= 0:
            return impossible(len(p))
        value = float((self.times * np.log(mean)).sum())
        first = self.times / mean
        second = first / mean
        return Slope.scattered(value, first @ self.rows, second @ self.rows**2, second @ self.rows, float(second.sum()))


_BITS = (np.arange(256)[:, None] >> np.arange(8) & 1).astype(np.float64)
#: Reports that contain fewer than one in this many items are kept as lists.
_SPARSE = 8
#: Reports whose sizes are counted at a time.
_ROWS = 1 << 14


@dataclass(frozen=True)
class SetLikelihood(Likelihood):
    """Set-valued reports (some rows of packed bits) that reveal nobody, and how often each occurs."""

    words: NDArray[np.uint64]
    rows: NDArray[np.int64]
    times: Floats
    low: Floats
    gain: Floats

    @property
    def n(self) -> float:
        return float(self.times.sum())

    @cached_property
    def _lists(self) -> tuple[NDArray[np.int64], NDArray[Any]] | None:
        """The items of each report, where they are few: where a report begins, and the items one after the other."""
        sizes = np.empty(len(self.rows), dtype=np.int64)
        for start in range(0, len(self.rows), _ROWS):
            sizes[start : start + _ROWS] = np.bitwise_count(self.words[self.rows[start : start + _ROWS]]).sum(axis=1)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        if starts[-1] * _SPARSE > len(self.rows) * len(self.low):
            return None
        items = np.empty(int(starts[-1]), dtype=code_dtype(len(self.low)))
        in_threads(len(self.rows), len(self.low), lambda part: kernels.list_items(self.words, self.rows[part], starts[part], items))
        return starts, items

    def at(self, p: Floats, *, curved: bool = True) -> Slope:
        count, base = len(p), float(p @ self.low)
        weights = p * self.gain
        work = self._pass_over_items if self._lists is not None else self._pass_over_bytes
        parts = in_threads(len(self.times), count, lambda rows: work(rows, base, weights, curved=curved))
        value, one, two = (float(sum(part[0][k] for part in parts)) for k in range(3))
        first, second = np.sum([part[1] for part in parts], axis=0), np.sum([part[2] for part in parts], axis=0)
        return Slope.scattered(
            value,
            self.low * one + self.gain * first,
            self.low**2 * two + self.gain * (self.gain + 2 * self.low) * second,
            self.low * two + self.gain * second,
            two,
        )

    def _pass_over_items(
        self, rows: slice, base: float, weights: Floats, *, curved: bool
    ) -> tuple[tuple[float, float, float], Floats, Floats]:
        assert self._lists is not None
        starts, items = self._lists
        first, second = np.zeros(len(weights)), np.zeros(len(weights))
        wanted = second if curved else second[:0]
        sums = kernels.pass_over_items(starts[rows.start : rows.stop + 1], items, self.times[rows], base, weights, first, wanted)
        return sums, first, second

    def _pass_over_bytes(
        self, rows: slice, base: float, weights: Floats, *, curved: bool
    ) -> tuple[tuple[float, float, float], Floats, Floats]:
        records = self.words.astype("<u8", copy=False).view(np.uint8)
        width = records.shape[1]
        padded = np.zeros(8 * width)
        padded[: len(weights)] = weights
        first, second = np.zeros((width, 256)), np.zeros((width, 256))
        partial, wanted = padded.reshape(width, 8) @ _BITS.T, second if curved else second[:0]
        sums = kernels.pass_over_bytes(records, self.rows[rows], self.times[rows], base, partial, first, wanted)
        one, two = ((table @ _BITS).reshape(-1)[: len(weights)] for table in (first, second))
        return sums, one, two


@dataclass(frozen=True)
class HashedLikelihood(Likelihood):
    """Hashed reports that reveal nobody. Only the items at `places` are hashed; `empty` weighs reports that contain none of them."""

    seeds: NDArray[np.uint64]
    buckets: NDArray[Any]
    g: int
    times: Floats
    places: NDArray[np.int64]
    low: Floats
    gain: Floats
    empty: Floats

    @property
    def n(self) -> float:
        return float(self.times.sum())

    def at(self, p: Floats, *, curved: bool = True) -> Slope:
        base, base_empty = float(p @ self.low), float(p @ self.empty)
        gains = (p * self.gain)[self.places]
        parts = in_threads(len(self.times), len(gains), lambda rows: self._pass(rows, base, base_empty, gains, curved=curved))
        value = float(sum(part[0] for part in parts))
        one, two, one_empty, two_empty = np.sum([part[1] for part in parts], axis=0)
        first, second = np.zeros(len(p)), np.zeros(len(p))
        first[self.places] = np.sum([part[2] for part in parts], axis=0)
        second[self.places] = np.sum([part[3] for part in parts], axis=0)
        return Slope.scattered(
            value,
            self.low * one + self.empty * one_empty + self.gain * first,
            self.low**2 * two + self.empty**2 * two_empty + self.gain * (self.gain + 2 * self.low) * second,
            self.low * two + self.empty * two_empty + self.gain * second,
            float(two + two_empty),
        )

    def _pass(self, rows: slice, base: float, base_empty: float, gains: Floats, *, curved: bool) -> tuple[float, Floats, Floats, Floats]:
        first, second = np.zeros(len(gains)), np.zeros(len(gains))
        wanted = second if curved else second[:0]
        value, sums = kernels.pass_over_hashes(
            self.seeds[rows], self.buckets[rows], self.g, self.times[rows], base, base_empty, gains, first, wanted
        )
        return value, sums, first, second


def likelihoods(block: Block) -> list[Likelihood]:
    """The likelihood of a block, in pieces of simple shape."""
    channel = block.mechanism.channel
    if block.n == 0:
        return []
    if isinstance(channel, DirectChannel):
        return [DirectLikelihood(block.counts.astype(np.float64), channel.s, channel.t)]
    if block.reports is None:
        return [_tabulated(block)]
    if isinstance(channel, MixedChannel):
        assert isinstance(block.reports, SetReports)
        kinds = channel.kinds(block.reports)
        piles = block.reports[np.flatnonzero(kinds <= 0)], block.reports[np.flatnonzero(kinds == 1)]
        return [each for part, pile in zip(channel.parts, piles, strict=True) if len(pile) for each in _sets(part, pile)]
    assert isinstance(channel, SetLikeChannel)
    if isinstance(block.reports, SetReports):
        return _sets(channel, block.reports)
    assert isinstance(block.reports, HashedReports)
    order = np.lexsort((block.reports.buckets, block.reports.seeds))  # sums, to the last bit, do not depend on how the reports came
    return _hashed(channel, block.reports[order], np.ones(block.n))


def _hashed(channel: SetLikeChannel, distinct: HashedReports, times: Floats) -> list[Likelihood]:
    """Protected reports are hashed over the sensitive items; those that reveal their item are identity reports."""
    columns = channel.columns
    base = channel.base if isinstance(channel, LiftedChannel) else channel
    assert isinstance(base, HashedChannel)
    low, high = channel._per_item(columns.low), channel._per_item(columns.high)
    empty = low if columns.empty is None else channel._per_item(columns.empty)
    shown = distinct.buckets >= base.buckets
    parts: list[Likelihood] = []
    if not shown.all():
        places = np.flatnonzero(~columns.invertible)
        gain = np.where(columns.invertible, 0.0, high - low)
        seeds, buckets = distinct.seeds[~shown], distinct.buckets[~shown]
        parts.append(HashedLikelihood(seeds, buckets, base.buckets, times[~shown], places, low, gain, empty))
    if shown.any():
        items = distinct.buckets[shown].astype(np.int64) - base.buckets
        counts = np.bincount(items, times[shown], minlength=channel.size).astype(np.float64)
        parts.append(DirectLikelihood(counts, 1.0, np.zeros(channel.size)))
    return parts


def _tabulated(block: Block) -> Likelihood:
    channel = block.mechanism.channel
    counts = block.counts[channel.outputs()] if isinstance(channel, LiftedChannel) else block.counts
    seen = counts > 0
    return MatrixLikelihood(channel.matrix().T[seen], counts[seen].astype(np.float64))


def _sets(channel: SetLikeChannel, reports: SetReports) -> list[Likelihood]:
    """Reports that reveal their item are identity reports; the empty set may have weights of its own."""
    columns = channel.columns
    low, high = channel._per_item(columns.low), channel._per_item(columns.high)
    rows, times = _distinct(reports.words)
    parts: list[Likelihood] = []
    if columns.invertible.any() or columns.empty is not None:
        shown = np.empty(len(reports), dtype=np.int64)
        kernels.first_items(reports.words, SetReports.of_dense(columns.invertible[None, :]).words[0], shown)
        revealed, empty = shown[rows] >= 0, (shown[rows] == -2) & (columns.empty is not None)
        if revealed.any():
            counts = np.bincount(shown[rows[revealed]], times[revealed], minlength=channel.size).astype(np.float64)
            parts.append(DirectLikelihood(counts, 1.0, np.zeros(channel.size)))
        if empty.any():
            assert columns.empty is not None
            parts.append(MatrixLikelihood(channel._per_item(columns.empty)[None, :], np.array([times[empty].sum()])))
        rows, times = rows[~revealed & ~empty], times[~revealed & ~empty]
    if len(rows):
        parts.append(SetLikelihood(reports.words, rows, times, low, np.where(columns.invertible, 0.0, high - low)))
    return parts


def _distinct(words: NDArray[np.uint64]) -> tuple[NDArray[np.int64], Floats]:
    """The rows of distinct reports, and how often each occurs (all rows, once, in the unlikely case that a hash collides)."""
    hashes = np.empty(len(words), dtype=np.uint64)
    kernels.hash_rows(words, hashes)
    _, first, places, times = np.unique(hashes, return_index=True, return_inverse=True, return_counts=True)
    if len(first) == len(words) or kernels.rows_differ(words, first[places]):
        return np.arange(len(words)), np.ones(len(words))
    return first, times.astype(np.float64)


def total(parts: Sequence[Likelihood], p: Floats, *, curved: bool = True) -> Slope:
    """The slope of the whole log-likelihood."""
    nothing = np.zeros_like(p)
    return sum((part.at(p, curved=curved) for part in parts), start=Slope(0.0, nothing, nothing, nothing, nothing, 0.0))
