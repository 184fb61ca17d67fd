"""Hadamard response: a short report (one column of a Hadamard matrix) that stands for a set of items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arithmetic import ONE
from sottovoce.channels import kernels
from sottovoce.channels.base import Codes, Floats, draw_variable, whole
from sottovoce.channels.columns import NOTHING, Extreme, SetColumns, largest
from sottovoce.channels.information import Bounds, total_xlogx
from sottovoce.channels.sets import Flags, SetLikeChannel
from sottovoce.errors import ParameterError
from sottovoce.later import pa
from sottovoce.policy import Prior
from sottovoce.reports import CodeReports, Reports
from sottovoce.reports.base import code_dtype
from sottovoce.sources import Source, Words


def walsh(table: NDArray[Any]) -> NDArray[Any]:
    """The fast Walsh-Hadamard transform of each row (its length a power of two)."""
    rows, length = table.shape
    width = 1
    while width < length:
        pairs = table.reshape(rows, -1, 2, width)
        table = np.stack([pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]], axis=2).reshape(rows, -1)
        width *= 2
    return table


def _half(doubled: NDArray[Any]) -> NDArray[Any]:
    """Exact halves, whatever the numbers are."""
    if doubled.dtype.kind == "i":
        return doubled // 2
    return doubled * Fraction(1, 2) if doubled.dtype.kind == "O" else doubled / 2


@dataclass(frozen=True)
class HadamardCode:
    """Items fill blocks of `block` − 1; item x is row 1 + x mod (block − 1) of the Hadamard matrix of its block.

    The set of report y holds the items of y's block whose row has the sign + in column y.
    """

    items: int
    block: int
    blocks: int

    @property
    def length(self) -> int:
        """The number of reports."""
        return self.block * self.blocks

    def rows_of(self, weights: NDArray[Any]) -> NDArray[Any]:
        """Weights of the items laid out as (blocks, block), zero where no item is."""
        laid = np.zeros((self.blocks, self.block), dtype=weights.dtype)
        codes = np.arange(self.items)
        laid[codes // (self.block - 1), 1 + codes % (self.block - 1)] = weights
        return laid

    def set_sums(self, weights: NDArray[Any]) -> NDArray[Any]:
        """Σ of the weights of the items in each report's set; exact for integers and fractions."""
        laid = self.rows_of(weights)
        return _half(walsh(laid) + laid.sum(axis=1, keepdims=True)).reshape(-1)

    def item_sums(self, counts: NDArray[Any]) -> NDArray[Any]:
        """Σ of the counts of the reports whose set contains each item: the matrix is its own transpose."""
        table = counts.reshape(self.blocks, self.block)
        items = np.arange(self.items)
        homes, rows = items // (self.block - 1), 1 + items % (self.block - 1)
        return _half(walsh(table)[homes, rows] + table.sum(axis=1)[homes])

    def member(self, reports: NDArray[Any]) -> NDArray[np.bool_]:
        """An n×items array: is item j in the set of report i?"""
        return self.contains(reports[:, None], np.arange(self.items))

    def contains(self, reports: NDArray[Any], items: Any) -> NDArray[np.bool_]:
        """Whether the set of each report contains the item."""
        reports = reports.astype(np.int64)
        even = np.bitwise_count((reports % self.block) & (1 + items % (self.block - 1))) % 2 == 0
        return even & (reports // self.block == items // (self.block - 1))


@dataclass(frozen=True)
class CodedColumns(SetColumns):
    """Columns whose sets are those of a Hadamard code over the items that are not invertible."""

    code: HadamardCode | None = None

    def best_set(self, values: Callable[[int], Fraction]) -> list[int]:
        assert self.code is not None
        sums = self.code.set_sums(np.array([*map(values, self._variable.tolist()), None], dtype=object)[:-1])
        counts = self.code.set_sums(np.ones(self.code.items, dtype=np.int64))
        allowed = [y for y in range(len(sums)) if counts[y] or self.empty is None]
        best = max(allowed, key=sums.__getitem__)
        return self._variable[self.code.member(np.array([best]))[0]].tolist()

    def belief_ratios(self, prior: Prior) -> tuple[Extreme, Extreme]:
        if self.invertible.any():
            return NOTHING, NOTHING
        assert self.code is not None
        sums = self.code.set_sums(np.array([*prior.weights, None], dtype=object)[:-1])
        counts = self.code.set_sums(np.ones(self.code.items, dtype=np.int64))
        low, high = self.low[0], self.high[0]
        up, down = NOTHING, NOTHING
        for y, (mass, count) in enumerate(zip(sums.tolist(), counts.tolist(), strict=True)):
            mean = low + (high - low) * mass / prior.total
            if count < self.code.items:
                up = largest([up, Extreme(mean / low, y)])
            if count:
                down = largest([down, Extreme(high / mean, y)])
        return self._with_item(up, contained=False), self._with_item(down, contained=True)

    def _with_item(self, extreme: Extreme, *, contained: bool) -> Extreme:
        """The extreme with an item that its report contains, or does not."""
        assert self.code is not None
        if extreme.report is None:
            return extreme
        member = self.code.member(np.array([extreme.report]))[0]
        return replace(extreme, item=int(np.flatnonzero(member == contained)[0]))


@dataclass(frozen=True, eq=False)
class HadamardChannel(SetLikeChannel):
    """A uniform report from the item's own half-block with probability include/2^64, otherwise a uniform other one."""

    code: HadamardCode
    include: int

    def __post_init__(self) -> None:
        code = self.code
        whole(include=self.include, items=code.items, block=code.block, blocks=code.blocks)
        if (
            code.items < 1
            or code.block < 2
            or code.block & (code.block - 1)
            or code.length & (code.length - 1)
            or code.items > (code.block - 1) * code.blocks
        ):
            raise ParameterError("a Hadamard response needs blocks whose number and size are powers of two, with room for all items")
        if not code.block // 2 * ONE <= self.include * code.length < ONE * code.length:
            raise ParameterError("a Hadamard response must favour the item's own half-block, and leave the others possible")

    @property
    def size(self) -> int:
        return self.code.items

    @cached_property
    def columns(self) -> CodedColumns:
        """Relative to a uniform report."""
        length, half, p = self.code.length, self.code.block // 2, Fraction(self.include, ONE)
        flags = np.zeros(self.size, dtype=np.bool_)
        high, low = p * length / half, (1 - p) * length / (length - half)
        return CodedColumns(np.zeros(self.size, dtype=np.intp), (low,), (high,), None, flags, code=self.code)

    @cached_property
    def filled(self) -> NDArray[np.bool_]:
        """Which reports stand for a set that is not empty."""
        return self.code.set_sums(np.ones(self.size, dtype=np.int64)) > 0

    @property
    def own(self) -> float:
        return self.include / ONE

    @property
    def empty_chance(self) -> Bounds:
        chance = 1 - float(self.filled.mean())
        return Bounds(chance, chance)

    def mean_xlogx(self, start: float, gains: Floats) -> tuple[float, float]:
        mean = total_xlogx(start + self.code.set_sums(gains)) / self.code.length
        return mean, mean

    def draw(self, codes: Codes, keep: int, keep_empty: int, source: Source) -> tuple[Reports, Flags]:
        block, length = self.code.block, self.code.length
        out = np.empty(len(codes), dtype=code_dtype(length))
        flags = np.zeros(len(codes), dtype=np.bool_)
        thresholds = np.uint64(self.include), np.uint64(keep), np.uint64(keep_empty)

        def body(rows: slice, words: Words) -> tuple[int, int]:
            return kernels.hadamard(codes[rows], words, block, length, *thresholds, self.filled, out[rows], flags[rows])

        draw_variable(len(codes), 2.1, source, body)
        return CodeReports(out, length), flags

    def member(self, reports: Reports) -> NDArray[np.bool_]:
        assert isinstance(reports, CodeReports)
        return self.code.member(reports.codes)

    def matrix(self, *, exact: bool = False) -> NDArray[Any]:
        if exact:
            return super().matrix(exact=True)
        self._writable(self.code.length)
        high, low = (float(weight) / self.code.length for weight in (self.columns.high[0], self.columns.low[0]))
        return np.where(self.code.member(np.arange(self.code.length)).T, high, low)

    def row(self, code: int) -> Floats:
        high, low = (float(weight) / self.code.length for weight in (self.columns.high[0], self.columns.low[0]))
        return np.where(self.code.contains(np.arange(self.code.length), code), high, low)

    def example(self, inside: Sequence[int], outside: Sequence[int]) -> int | None:
        reports = np.arange(self.code.length)
        fits = np.ones(len(reports), dtype=np.bool_)
        for item in inside:
            fits &= self.code.contains(reports, item)
        for item in outside:
            fits &= ~self.code.contains(reports, item)
        return int(np.flatnonzero(fits)[0]) if fits.any() else None

    def outputs(self) -> list[int]:
        return list(range(self.code.length))

    def _numerators(self) -> NDArray[Any]:
        self._writable(self.code.length)
        low, high = self.columns.low[0] * ONE / self.code.length, self.columns.high[0] * ONE / self.code.length
        member = self.code.member(np.arange(self.code.length))
        return np.where(member.T, np.array(high, dtype=object), np.array(low, dtype=object))

    def reports_from_bytes(self, data: bytes) -> Reports:
        return CodeReports.from_bytes(data, self.code.length)

    def reports_from_arrow(self, table: pa.Table | pa.RecordBatch) -> Reports:
        return CodeReports.from_arrow(table, self.code.length)
