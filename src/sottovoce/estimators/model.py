"""The likelihood of a tally, block by block: its value, its gradient and its curvature, in one pass over grouped reports.

Blocks are compact: a direct block is its counts, a tabulated one its counts and matrix, a set-valued one the bytes of its distinct
reports. For sets the weight of a report is p·g = Σ_x p_x·low_x + Σ_{x ∈ y} p_x·(high_x − low_x); eight items at a time are looked up in
tables of 256 partial sums, forwards for p·g and backwards for the gradient.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels import DirectChannel, HashedChannel, SetLikeChannel
from sottovoce.channels.base import THREADS
from sottovoce.channels.lifted import LiftedChannel
from sottovoce.estimators import kernels
from sottovoce.reports import HashedReports, SetReports, code_dtype
from sottovoce.tallies import Block

Floats = NDArray[np.float64]
Result = TypeVar("Result")

#: Reports times items from which on all cores are used.
_PARALLEL_FROM = 1 << 22


@dataclass(frozen=True)
class Slope:
    """At p: Σ log(p·g), Σ g/(p·g), Σ g²/(p·g)² and Σ g/(p·g)², each over all reports, and Σ 1/(p·g)²."""

    value: float
    gradient: Floats
    squares: Floats
    cross: Floats
    weight: float

    def __add__(self, other: Slope) -> Slope:
        return Slope(
            self.value + other.value,
            self.gradient + other.gradient,
            self.squares + other.squares,
            self.cross + other.cross,
            self.weight + other.weight,
        )

    @property
    def curvature(self) -> Floats:
        """The diagonal of the Hessian along directions that keep the sum of p."""
        return np.maximum(self.squares - self.cross**2 / self.weight, 0.0)


def impossible(size: int) -> Slope:
    """Where some report cannot have been made: the log-likelihood is −∞ and has no slope."""
    nothing = np.zeros(size)
    return Slope(-math.inf, nothing, nothing, nothing, 0.0)


class Likelihood(ABC):
    """The log-likelihood of one block."""

    @property
    @abstractmethod
    def n(self) -> float:
        """The number of reports (pseudo-counts may be fractions)."""

    @abstractmethod
    def at(self, p: Floats) -> Slope: ...


@dataclass(frozen=True)
class DirectLikelihood(Likelihood):
    """Counts c_y of a direct channel (or of anything with terms c_y·log(s·p_y + t_y))."""

    counts: Floats
    s: float
    t: Floats

    @property
    def n(self) -> float:
        return float(self.counts.sum())

    def at(self, p: Floats) -> Slope:
        seen = self.counts > 0
        mean = self.s * p + self.t
        if mean[seen].min() <= 0:
            return impossible(len(p))
        value = float((self.counts[seen] * np.log(mean[seen])).sum())
        first = np.divide(self.counts, mean, out=np.zeros_like(mean), where=seen)
        second = np.divide(first, mean, out=np.zeros_like(mean), where=seen)
        gradient = self.s * first + float((first * self.t).sum())
        squares = self.s * (self.s + 2 * self.t) * second + float((second * self.t**2).sum())
        return Slope(value, gradient, squares, self.s * second + float((second * self.t).sum()), float(second.sum()))


@dataclass(frozen=True)
class MatrixLikelihood(Likelihood):
    """Rows g of likelihoods (one per distinct report, any scale) and how often each occurs."""

    rows: Floats
    times: Floats

    @property
    def n(self) -> float:
        return float(self.times.sum())

    def at(self, p: Floats) -> Slope:
        mean = self.rows @ p
        if mean.min() <= 0:
            return impossible(len(p))
        value = float((self.times * np.log(mean)).sum())
        first = self.times / mean
        second = first / mean
        return Slope(value, first @ self.rows, second @ self.rows**2, second @ self.rows, float(second.sum()))


def in_threads(reports: int, items: int, work: Callable[[slice], Result]) -> list[Result]:
    """Work on all reports: in as many parts as there are cores, where there is enough to do."""
    if reports * items < _PARALLEL_FROM:
        return [work(slice(0, reports))]
    edges = [reports * k // THREADS for k in range(THREADS + 1)]
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(work, [slice(*pair) for pair in pairwise(edges)]))


_BITS = (np.arange(256)[:, None] >> np.arange(8) & 1).astype(np.float64)
#: Reports that contain fewer than one in this many items are kept as lists.
_SPARSE = 8


@dataclass(frozen=True)
class SetLikelihood(Likelihood):
    """Distinct set-valued reports (bytes, lowest bit first) that reveal nobody, and how often each occurs."""

    records: NDArray[np.uint8]
    times: Floats
    low: Floats
    gain: Floats

    @property
    def n(self) -> float:
        return float(self.times.sum())

    @cached_property
    def _lists(self) -> tuple[NDArray[np.int64], NDArray[Any]] | None:
        """The items of each report, where they are few: where a report begins, and the items one after the other."""
        filled = int(np.bitwise_count(self.records).sum())
        if filled * _SPARSE > self.records.size * 8:
            return None
        starts, items = np.empty(len(self.records) + 1, dtype=np.int64), np.empty(filled, dtype=code_dtype(len(self.low)))
        kernels.list_items(self.records, starts, items)
        return starts, items

    def at(self, p: Floats) -> Slope:
        count, base = len(p), float(p @ self.low)
        weights = p * self.gain
        work = self._pass_over_items if self._lists is not None else self._pass_over_bytes
        parts = in_threads(len(self.times), count, lambda rows: work(rows, base, weights))
        value, one, two = (float(sum(part[0][k] for part in parts)) for k in range(3))
        first, second = np.sum([part[1] for part in parts], axis=0), np.sum([part[2] for part in parts], axis=0)
        return Slope(
            value,
            self.low * one + self.gain * first,
            self.low**2 * two + self.gain * (self.gain + 2 * self.low) * second,
            self.low * two + self.gain * second,
            two,
        )

    def _pass_over_items(self, rows: slice, base: float, weights: Floats) -> tuple[tuple[float, float, float], Floats, Floats]:
        assert self._lists is not None
        starts, items = self._lists
        first, second = np.zeros(len(weights)), np.zeros(len(weights))
        sums = kernels.pass_over_items(starts[rows.start : rows.stop + 1], items, self.times[rows], base, weights, first, second)
        return sums, first, second

    def _pass_over_bytes(self, rows: slice, base: float, weights: Floats) -> tuple[tuple[float, float, float], Floats, Floats]:
        width = self.records.shape[1]
        padded = np.zeros(8 * width)
        padded[: len(weights)] = weights
        first, second = np.zeros((width, 256)), np.zeros((width, 256))
        sums = kernels.pass_over_bytes(self.records[rows], self.times[rows], base, padded.reshape(width, 8) @ _BITS.T, first, second)
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

    def at(self, p: Floats) -> Slope:
        base, base_empty = float(p @ self.low), float(p @ self.empty)
        gains = (p * self.gain)[self.places]
        parts = in_threads(len(self.times), len(gains), lambda rows: self._pass(rows, base, base_empty, gains))
        value = float(sum(part[0] for part in parts))
        one, two, one_empty, two_empty = np.sum([part[1] for part in parts], axis=0)
        first, second = np.zeros(len(p)), np.zeros(len(p))
        first[self.places] = np.sum([part[2] for part in parts], axis=0)
        second[self.places] = np.sum([part[3] for part in parts], axis=0)
        return Slope(
            value,
            self.low * one + self.empty * one_empty + self.gain * first,
            self.low**2 * two + self.empty**2 * two_empty + self.gain * (self.gain + 2 * self.low) * second,
            self.low * two + self.empty * two_empty + self.gain * second,
            float(two + two_empty),
        )

    def _pass(self, rows: slice, base: float, base_empty: float, gains: Floats) -> tuple[float, Floats, Floats, Floats]:
        first, second = np.zeros(len(gains)), np.zeros(len(gains))
        value, sums = kernels.pass_over_hashes(
            self.seeds[rows], self.buckets[rows], self.g, self.times[rows], base, base_empty, gains, first, second
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
    assert block.grouped is not None
    distinct = channel.reports_from_bytes(block.grouped.records.tobytes())
    times = block.grouped.times.astype(np.float64)
    if isinstance(distinct, SetReports):
        assert isinstance(channel, SetLikeChannel)
        return _sets(channel, block.grouped.records, distinct, times)
    assert isinstance(distinct, HashedReports)
    assert isinstance(channel, SetLikeChannel)
    return _hashed(channel, distinct, times)


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


def _sets(channel: SetLikeChannel, records: NDArray[np.uint8], distinct: SetReports, times: Floats) -> list[Likelihood]:
    """Reports that reveal their item are identity reports; the empty set may have weights of its own."""
    columns = channel.columns
    low, high = channel._per_item(columns.low), channel._per_item(columns.high)
    bits = SetReports.of_dense(columns.invertible[None, :]).words[0]
    named = distinct.words & bits
    revealed = named.any(axis=1)
    empty = ~distinct.words.any(axis=1) if columns.empty is not None else np.zeros(len(times), dtype=np.bool_)
    parts: list[Likelihood] = []
    plain = ~revealed & ~empty
    if plain.any():
        parts.append(SetLikelihood(np.ascontiguousarray(records[plain]), times[plain], low, np.where(columns.invertible, 0.0, high - low)))
    if revealed.any():
        shown = distinct[np.flatnonzero(revealed)].dense() & columns.invertible
        counts = np.bincount(shown.argmax(axis=1), times[revealed], minlength=channel.size).astype(np.float64)
        parts.append(DirectLikelihood(counts, 1.0, np.zeros(channel.size)))
    if empty.any():
        assert columns.empty is not None
        parts.append(MatrixLikelihood(channel._per_item(columns.empty)[None, :], np.array([times[empty].sum()])))
    return parts


def total(parts: Sequence[Likelihood], p: Floats) -> Slope:
    """The slope of the whole log-likelihood."""
    slope = parts[0].at(p)
    for part in parts[1:]:
        slope = slope + part.at(p)
    return slope
