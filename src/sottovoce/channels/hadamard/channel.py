"""Hadamard response: a short report (one column of a Hadamard matrix) that stands for a set of items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arithmetic import ONE
from sottovoce.arrays import Floats
from sottovoce.channels.fisher import Fisher
from sottovoce.channels.hadamard import kernels
from sottovoce.channels.hadamard.code import HadamardCode
from sottovoce.channels.hadamard.columns import CodedColumns
from sottovoce.channels.hadamard.counts import CodedCounts
from sottovoce.channels.hadamard.fisher import of_code
from sottovoce.channels.hadamard.inversion import HadamardInversion
from sottovoce.channels.information import Bounds, total_xlogx
from sottovoce.channels.protocol import Codes
from sottovoce.channels.sampling import draw_variable
from sottovoce.channels.set_fisher import SetWeights
from sottovoce.channels.sets.channel import Flags, SetLikeChannel
from sottovoce.channels.tables import whole
from sottovoce.errors import ParameterError
from sottovoce.reports import CodeReports, Reports
from sottovoce.reports.base import code_dtype
from sottovoce.sources import Source, Words


@dataclass(frozen=True, eq=False)
class HadamardChannel(SetLikeChannel, kind="hadamard"):
    """A column of a Hadamard matrix: with probability include/2^64 from the item's own half-block, otherwise a uniform other one."""

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
            raise ParameterError("The blocks don't fit the items. Choose powers of two for their number and size, with room for all items.")
        if not code.block // 2 * ONE <= self.include * code.length < ONE * code.length:
            raise ParameterError(
                "`include` doesn't favour the item's own half-block, or makes all other reports impossible. Choose another value."
            )

    @property
    def size(self) -> int:
        return self.code.items

    @property
    def length(self) -> int:
        return self.code.length

    @cached_property
    def empty(self) -> CodeReports:
        return CodeReports(np.zeros(0, dtype=np.int64), self.code.length)

    @cached_property
    def statistic(self) -> CodedCounts:
        return CodedCounts(self)

    @cached_property
    def inversion(self) -> HadamardInversion:
        low, high = (float(weight) for weight in (self.columns.low[0], self.columns.high[0]))
        return HadamardInversion(self.code, self.own, low, high)

    @cached_property
    def columns(self) -> CodedColumns:
        """Relative to a uniform report."""
        length, half, p = self.code.length, self.code.block // 2, Fraction(self.include, ONE)
        flags = np.zeros(self.size, dtype=np.bool_)
        high, low = p * length / half, (1 - p) * length / (length - half)
        return CodedColumns(np.zeros(self.size, dtype=np.intp), (low,), (high,), None, flags, code=self.code)

    @cached_property
    def filled(self) -> NDArray[np.bool_]:
        """Which reports stand for a set that isn't empty."""
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

    def fisher_of(self, sets: SetWeights) -> Fisher:
        return of_code(sets, self.code, self.filled)

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
        self.writable(self.code.length)
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

    def possible(self, reports: Any) -> Reports:
        """Every report is possible, whatever the item."""
        return reports

    def outputs(self) -> list[int]:
        return list(range(self.code.length))

    def numerators(self) -> NDArray[Any]:
        self.writable(self.code.length)
        low, high = self.columns.low[0] * ONE / self.code.length, self.columns.high[0] * ONE / self.code.length
        member = self.code.member(np.arange(self.code.length))
        return np.where(member.T, np.array(high, dtype=object), np.array(low, dtype=object))

    def summable(self, times: int = 1) -> bool:
        return True

    def form(self) -> dict[str, Any]:
        code = self.code
        return {"kind": "hadamard", "items": code.items, "block": code.block, "blocks": code.blocks, "include": str(self.include)}

    @classmethod
    def of_form(cls, form: Mapping[str, Any]) -> HadamardChannel:
        return cls(HadamardCode(form["items"], form["block"], form["blocks"]), int(form["include"]))
