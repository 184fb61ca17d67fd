"""The likelihood of sets: passes over reports on all cores, and the pieces they are split into.

The reports themselves are kept, or lists of their items if they contain few. The weight of a report is p·g = Σ_x p_x·low_x + Σ_{x ∈ y}
p_x·(high_x − low_x). Many reports at a time are processed item by item, forwards for p·g and backwards for the gradient.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Floats
from sottovoce.channels.likelihood import Likelihood, MatrixLikelihood, ReportsLikelihood, Sums
from sottovoce.channels.model import EMPTY, OTHERS, REVEALED, Model, revealed
from sottovoce.channels.sets import pass_kernels as kernels
from sottovoce.parallel import in_threads
from sottovoce.reports import SetReports
from sottovoce.reports.base import code_dtype

#: Reports that contain fewer than one in this many items are kept as lists.
_SPARSE = 8
#: Reports whose sizes are counted at a time.
_ROWS = 1 << 14


def distinct_rows(words: NDArray[np.uint64]) -> tuple[NDArray[np.int64], Floats]:
    """The rows of distinct reports in an order of their own, and how often each occurs.

    In the unlikely case that a hash collides: all rows, once, as they come.
    """
    hashes = np.empty(len(words), dtype=np.uint64)
    kernels.hash_rows(words, hashes)
    _, first, places, times = np.unique(hashes, return_index=True, return_inverse=True, return_counts=True)
    if kernels.rows_differ(words, first[places]):
        return np.arange(len(words)), np.ones(len(words))
    return first, times.astype(np.float64)


class SetModel(Model):
    """The likelihood's pieces: reports that reveal their item are counted, the empty set may have its own weights, others are read."""

    def pieces(self, reports: SetReports, *, distinct: bool = True) -> dict[str, Likelihood]:
        columns, size = self.channel.columns, self.channel.size
        rows, times = distinct_rows(reports.words) if distinct else (np.arange(len(reports)), np.ones(len(reports)))
        found: dict[str, Likelihood] = {}
        if columns.invertible.any() or columns.empty is not None:
            shown = np.empty(len(reports), dtype=np.int64)
            kernels.first_items(reports.words, SetReports.of_dense(columns.invertible[None, :]).words[0], shown)
            named, empty = shown[rows] >= 0, (shown[rows] == -2) & (columns.empty is not None)
            if named.any():
                found[REVEALED] = revealed(np.bincount(shown[rows[named]], times[named], minlength=size).astype(np.float64))
            if empty.any():
                found[EMPTY] = self.counted(EMPTY, np.array([times[empty].sum()]))
            rows, times = rows[~named & ~empty], times[~named & ~empty]
        if len(rows):
            found[OTHERS] = self._sets(reports.words, rows, times)
        return found

    def templates(self) -> dict[str, ReportsLikelihood]:
        return {OTHERS: self._sets(self.channel.empty.words, np.zeros(0, dtype=np.int64), np.zeros(0))}

    def counted(self, name: str, counts: Floats) -> Likelihood:
        if name == REVEALED:
            return revealed(counts)
        return MatrixLikelihood(self.channel.per_item(self.channel.columns.empty)[None, :], counts)

    def _sets(self, words: NDArray[np.uint64], rows: NDArray[np.int64], times: Floats) -> SetLikelihood:
        columns = self.channel.columns
        low, high = self.channel.per_item(columns.low), self.channel.per_item(columns.high)
        return SetLikelihood(words, rows, times, low, np.where(columns.invertible, 0.0, high - low))


@dataclass(frozen=True)
class SetLikelihood(ReportsLikelihood):
    """Set-valued reports (some rows of packed bits) that reveal no item, and how often each occurs."""

    words: NDArray[np.uint64]
    rows: NDArray[np.int64]
    times: Floats
    low: Floats
    gain: Floats
    listed: bool = True

    def as_matrix(self) -> MatrixLikelihood:
        member = SetReports(self.words[self.rows], len(self.low)).dense()
        return MatrixLikelihood(self.low + member * self.gain, self.times)

    def records(self) -> NDArray[np.uint8]:
        return np.ascontiguousarray(self.words[self.rows].astype("<u8", copy=False)).view(np.uint8)

    def of_records(self, data: bytes | memoryview) -> SetLikelihood:
        words = np.frombuffer(data, dtype="<u8").astype(np.uint64, copy=False).reshape(-1, self.words.shape[1])
        return replace(self, words=words, rows=np.arange(len(words)), times=np.ones(len(words)), listed=False)

    @cached_property
    def _lists(self) -> tuple[NDArray[np.int64], NDArray[Any]] | None:
        """The items of each report, if they are few: the start of each report, and the items one after the other."""
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
