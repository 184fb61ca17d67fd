"""Passes over reports that are sets or hashed: the sums that their likelihood needs, on all cores.

The reports themselves are kept, or lists of their items where they contain few. For sets the weight of a report is
p·g = Σ_x p_x·low_x + Σ_{x ∈ y} p_x·(high_x − low_x): many reports at a time are gone through item by item, forwards for p·g and backwards
for the gradient.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels.hashed import bucket_table
from sottovoce.estimators import pass_kernels as kernels
from sottovoce.estimators.model import Floats, Likelihood, MatrixLikelihood, Slope, Sums
from sottovoce.parallel import in_threads
from sottovoce.reports import SetReports
from sottovoce.reports.base import code_dtype

#: Reports that contain fewer than one in this many items are kept as lists.
_SPARSE = 8
#: Entries of a matrix up to which reports are written out as rows of it: products of small matrices are quicker than passes.
_SMALL = 1 << 16
#: Reports whose sizes are counted at a time.
_ROWS = 1 << 14


def distinct_rows(words: NDArray[np.uint64]) -> tuple[NDArray[np.int64], Floats]:
    """The rows of distinct reports, and how often each occurs (all rows, once, in the unlikely case that a hash collides)."""
    hashes = np.empty(len(words), dtype=np.uint64)
    kernels.hash_rows(words, hashes)
    _, first, places, times = np.unique(hashes, return_index=True, return_inverse=True, return_counts=True)
    if len(first) == len(words) or kernels.rows_differ(words, first[places]):
        return np.arange(len(words)), np.ones(len(words))
    return first, times.astype(np.float64)


class ReportsLikelihood(Likelihood):
    """The likelihood of one report after the other. It can be cut into parts, whose sums add up to those of the whole."""

    times: Floats
    low: Floats

    @abstractmethod
    def sums(self, p: Floats, *, curved: bool = True) -> Sums:
        """One pass over the reports. The second powers are garbage where the curvature was not asked for."""

    def at(self, p: Floats, *, curved: bool = True) -> Slope:
        return self.sums(p, curved=curved).slope

    def simplest(self) -> Likelihood:
        """The same likelihood as a matrix where that is small, otherwise these reports."""
        return self._matrix() if len(self.times) * len(self.low) <= _SMALL else self

    @abstractmethod
    def _matrix(self) -> MatrixLikelihood:
        """A row of likelihoods for each distinct report."""

    @abstractmethod
    def records(self) -> NDArray[np.uint8]:
        """A row of bytes for each distinct report."""

    @abstractmethod
    def of_records(self, data: bytes | memoryview) -> Self:
        """The likelihood of such rows, one after the other, each of which occurs once; they are not checked again."""


@dataclass(frozen=True)
class SetLikelihood(ReportsLikelihood):
    """Set-valued reports (some rows of packed bits) that reveal nobody, and how often each occurs."""

    words: NDArray[np.uint64]
    rows: NDArray[np.int64]
    times: Floats
    low: Floats
    gain: Floats
    listed: bool = True

    @property
    def n(self) -> float:
        return float(self.times.sum())

    def _matrix(self) -> MatrixLikelihood:
        member = SetReports(self.words[self.rows], len(self.low)).dense()
        return MatrixLikelihood(self.low + member * self.gain, self.times)

    def records(self) -> NDArray[np.uint8]:
        return np.ascontiguousarray(self.words[self.rows].astype("<u8", copy=False)).view(np.uint8)

    def of_records(self, data: bytes | memoryview) -> SetLikelihood:
        words = np.frombuffer(data, dtype="<u8").astype(np.uint64, copy=False).reshape(-1, self.words.shape[1])
        return replace(self, words=words, rows=np.arange(len(words)), times=np.ones(len(words)), listed=False)

    @cached_property
    def _lists(self) -> tuple[NDArray[np.int64], NDArray[Any]] | None:
        """The items of each report, where they are few: where a report begins, and the items one after the other."""
        if not self.listed:  # a single pass does not repay making lists
            return None
        sizes = np.empty(len(self.rows), dtype=np.int64)
        for start in range(0, len(self.rows), _ROWS):
            sizes[start : start + _ROWS] = np.bitwise_count(self.words[self.rows[start : start + _ROWS]]).sum(axis=1)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        if starts[-1] * _SPARSE > len(self.rows) * len(self.low):
            return None
        items = np.empty(int(starts[-1]), dtype=code_dtype(len(self.low)))
        in_threads(len(self.rows), len(self.low), lambda part: kernels.list_items(self.words, self.rows[part], starts[part], items))
        return starts, items

    def sums(self, p: Floats, *, curved: bool = True) -> Sums:
        count, base = len(p), float(p @ self.low)
        weights = p * self.gain
        work = self._pass_over_items if self._lists is not None else self._pass_over_words
        parts = in_threads(len(self.times), count, lambda rows: work(rows, base, weights, curved=curved))
        value, one, two = (float(sum(part[0][k] for part in parts)) for k in range(3))
        first, second = np.sum([part[1] for part in parts], axis=0), np.sum([part[2] for part in parts], axis=0)
        return Sums(
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

    def _pass_over_words(
        self, rows: slice, base: float, weights: Floats, *, curved: bool
    ) -> tuple[tuple[float, float, float], Floats, Floats]:
        padded, first, second = (np.zeros(64 * self.words.shape[1]) for _ in range(3))
        padded[: len(weights)] = weights
        wanted = second if curved else second[:0]
        sums = kernels.pass_over_words(self.words, self.rows[rows], self.times[rows], base, padded, first, wanted)
        return sums, first[: len(weights)], second[: len(weights)]


@dataclass(frozen=True)
class HashedLikelihood(ReportsLikelihood):
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

    def _matrix(self) -> MatrixLikelihood:
        """Reports of different functions that contain the same items are alike. Each report occurs once."""
        member = bucket_table(len(self.places), self.g, self.seeds) == self.buckets[:, None]
        assert (self.times == 1).all()
        first, times = distinct_rows(SetReports.of_dense(member).words)
        sets = member[first]
        rows = np.where(sets.any(axis=1, keepdims=True), self.low, self.empty)
        rows[:, self.places] += sets * self.gain[self.places]
        return MatrixLikelihood(rows, times)

    @property
    def _layout(self) -> np.dtype[Any]:
        return np.dtype([("seed", "<u8"), ("bucket", self.buckets.dtype.newbyteorder("<"))])

    def records(self) -> NDArray[np.uint8]:
        rows = np.empty(len(self.seeds), dtype=self._layout)
        rows["seed"], rows["bucket"] = self.seeds, self.buckets
        return rows.view(np.uint8).reshape(len(rows), self._layout.itemsize)

    def of_records(self, data: bytes | memoryview) -> HashedLikelihood:
        rows = np.frombuffer(data, dtype=self._layout)
        seeds, buckets = rows["seed"].astype(np.uint64), rows["bucket"].astype(self.buckets.dtype)
        return replace(self, seeds=seeds, buckets=buckets, times=np.ones(len(rows)))

    def sums(self, p: Floats, *, curved: bool = True) -> Sums:
        base, base_empty = float(p @ self.low), float(p @ self.empty)
        gains = (p * self.gain)[self.places]
        parts = in_threads(len(self.times), len(gains), lambda rows: self._pass(rows, base, base_empty, gains, curved=curved))
        value = float(sum(part[0] for part in parts))
        one, two, one_empty, two_empty = np.sum([part[1] for part in parts], axis=0)
        first, second = np.zeros(len(p)), np.zeros(len(p))
        first[self.places] = np.sum([part[2] for part in parts], axis=0)
        second[self.places] = np.sum([part[3] for part in parts], axis=0)
        return Sums(
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
