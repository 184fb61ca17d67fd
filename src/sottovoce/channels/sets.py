"""Set-like channels: a report stands for a set of items, and tells of x only whether x is in it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, islice
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arithmetic import ONE
from sottovoce.channels import kernels
from sottovoce.channels.base import Channel, Codes, Floats, draw_variable, whole
from sottovoce.channels.columns import SetColumns
from sottovoce.channels.information import Bounds, mean_xlogx_subsets
from sottovoce.errors import ParameterError, ReportError
from sottovoce.later import pa
from sottovoce.policy import Prior
from sottovoce.reports import Reports, SetReports
from sottovoce.sources import Source, Words
from sottovoce.special import xlogy

Flags = NDArray[np.bool_]


def bits_of(sets: Sequence[Sequence[int]], size: int) -> NDArray[np.bool_]:
    """Sets of items as rows of bits."""
    member = np.zeros((len(sets), size), dtype=np.bool_)
    for row, items in enumerate(sets):
        member[row, list(items)] = True
    return member


def items_of(words: NDArray[np.uint64]) -> list[int]:
    """The items in one set, from its words: bit by bit while they are few, in bulk otherwise."""
    if words.size > 1:
        return np.unpackbits(words.astype("<u8", copy=False).view(np.uint8), bitorder="little").nonzero()[0].tolist()
    bits = int.from_bytes(words.astype("<u8", copy=False).tobytes(), "little")
    items = []
    while bits:
        low = bits & -bits
        items.append(low.bit_length() - 1)
        bits ^= low
    return items


class SetLikeChannel(Channel):
    """What follows from a set system and two weights per item, whatever the reports look like.

    Weights are relative to the *neutral* draw, which depends on no item; E below averages over it.
    """

    @property
    @abstractmethod
    def columns(self) -> SetColumns: ...

    @property
    @abstractmethod
    def own(self) -> Floats | float:
        """The probability that a person's report contains her own item, per item."""

    @property
    @abstractmethod
    def empty_chance(self) -> Bounds:
        """The probability that a neutral draw is the empty set."""

    @abstractmethod
    def mean_xlogx(self, start: float, gains: Floats) -> tuple[float, float]:
        """Bounds on E[M log M], M = start + Σ_{j ∈ y} gains_j."""

    @abstractmethod
    def member(self, reports: Reports) -> NDArray[np.bool_]:
        """An n×K array: is item j in the set of report i?"""

    @abstractmethod
    def draw(self, codes: Codes, keep: int, keep_empty: int, source: Source) -> tuple[Reports, Flags]:
        """Reports of the codes.

        The code −1 asks for a neutral draw, flagged unless a further word lies below `keep` (`keep_empty` at the empty set).
        """

    def sample(self, codes: Codes, source: Source) -> Reports:
        return self.draw(codes.astype(np.int64, copy=False), 0, 0, source)[0]

    def _per_item(self, weights: Sequence[Fraction]) -> Floats:
        return np.array([float(weight) for weight in weights])[self.columns.classes]

    def _likelihood(self, reports: Reports) -> Floats:
        """`high[x]` where x is in the report and `low[x]` where it is not; a report that names an invertible item is its own."""
        columns, member = self.columns, self.member(reports)
        named = member & columns.invertible
        dense = np.where(member & ~columns.invertible, self._per_item(columns.high), self._per_item(columns.low))
        if columns.empty is not None:
            dense[~member.any(axis=1)] = self._per_item(columns.empty)
        revealed = named.any(axis=1)
        dense[revealed] = named[revealed]
        return dense

    def _revealing(self, empty: float) -> Floats:
        """The probability that the holder of each item sends a report that only she can send."""
        low = self._per_item(self.columns.low)
        at_empty = low if self.columns.empty is None else self._per_item(self.columns.empty)
        return np.where(self.columns.invertible, 1 - (1 - empty) * low - empty * at_empty, 0.0)

    def mean_largest(self, empty: float) -> float:
        """E[max_x weight at y] over the sets that are not empty."""
        return (1 - empty) * max(float(weight) for weight in self.columns.high)

    def leakage(self) -> Bounds:
        columns = self.columns
        at_empty = max(float(weight) for weight in (columns.low if columns.empty is None else columns.empty))
        chances = (self.empty_chance.low, self.empty_chance.high)
        ends = [self.mean_largest(c) + c * at_empty + float(self._revealing(c).sum()) for c in chances]
        return Bounds.around(min(ends), max(ends), terms=self.size)

    def information(self, prior: Prior) -> Bounds:
        """Σ_x P_x E[w_x log w_x] − E[M log M], and log(1/P_x) for every report that reveals x."""
        columns, p = self.columns, prior.p
        low, high, free = self._per_item(columns.low), self._per_item(columns.high), ~columns.invertible
        at_empty = low if columns.empty is None else self._per_item(columns.empty)
        own = float((p * np.where(free, xlogy(self.own, high) + xlogy(1 - self.own, low), 0.0)).sum())
        start, start_empty = float((p * low).sum()), float((p * at_empty).sum())
        least, most = self.mean_xlogx(start, (p * (high - low))[free])

        def rest(empty: float) -> float:
            named = (1 - empty) * xlogy(low, low) + empty * xlogy(at_empty, at_empty) - self._revealing(empty) * np.log(p)
            shift = empty * float(xlogy(start_empty, start_empty) - xlogy(start, start))
            return float((p * np.where(free, 0.0, named)).sum()) - shift

        ends = [rest(self.empty_chance.low), rest(self.empty_chance.high)]
        return Bounds.around(max(0.0, own - most + min(ends)), own - least + max(ends), terms=self.size)


class SetChannel(SetLikeChannel):
    """A channel whose reports are written as sets of items."""

    def member(self, reports: Reports) -> NDArray[np.bool_]:
        return reports.dense()

    def reports_from_bytes(self, data: bytes) -> Reports:
        return self._possible(SetReports.from_bytes(data, self.size))

    def reports_from_arrow(self, table: pa.Table | pa.RecordBatch) -> Reports:
        return self._possible(SetReports.from_arrow(table, self.size))

    @abstractmethod
    def _possible(self, reports: SetReports) -> SetReports:
        """The reports, unless one of them has probability zero under every item."""


@dataclass(frozen=True, eq=False)
class SubsetChannel(SetChannel):
    """A set of exactly `chosen` items: the person's own with probability include/2^64, the rest uniform."""

    items: int
    chosen: int
    include: int

    def __post_init__(self) -> None:
        whole(items=self.items, chosen=self.chosen, include=self.include)
        if not 1 <= self.chosen <= self.size or (self.chosen == self.size) != (self.include == ONE):
            raise ParameterError(f"a report of {self.chosen} out of {self.size} items is not possible; choose between 1 and all but one")
        if not self.chosen * ONE <= self.include * self.size <= ONE * self.size:
            raise ParameterError("a subset channel must name the own item at least as often as any other")

    @property
    def size(self) -> int:
        return self.items

    @cached_property
    def columns(self) -> SetColumns:
        """Relative to a uniform set of `chosen` items."""
        k, count, p = self.chosen, self.size, Fraction(self.include, ONE)
        high = p * count / k
        low = (1 - p) * count / (count - k) if k < count else high
        return SetColumns(np.zeros(count, dtype=np.intp), (low,), (high,), k, np.zeros(count, dtype=np.bool_))

    @property
    def own(self) -> float:
        return self.include / ONE

    @property
    def empty_chance(self) -> Bounds:
        return Bounds(0.0, 0.0)

    def mean_xlogx(self, start: float, gains: Floats) -> tuple[float, float]:
        return mean_xlogx_subsets(start, gains, self.chosen)

    def draw(self, codes: Codes, keep: int, keep_empty: int, source: Source) -> tuple[Reports, Flags]:
        return draw_subsets([self], [keep], 0, codes, source)

    def example(self, inside: Sequence[int], outside: Sequence[int]) -> list[int]:
        others = (j for j in range(self.size) if j not in inside and j not in outside)
        return sorted([*inside, *islice(others, self.chosen - len(inside))])

    def outputs(self) -> list[list[int]]:
        self._writable(comb(self.size, self.chosen))
        return [list(items) for items in combinations(range(self.size), self.chosen)]

    def _numerators(self) -> NDArray[Any]:
        outputs = self.outputs()
        low, high = self.columns.low[0] * ONE / len(outputs), self.columns.high[0] * ONE / len(outputs)
        return np.where(bits_of(outputs, self.size).T, np.array(high, dtype=object), np.array(low, dtype=object))

    def _possible(self, reports: SetReports) -> SetReports:
        sizes = reports.sizes
        if (sizes != self.chosen).any():
            raise ReportError(f"a report holds {int(sizes[sizes != self.chosen][0])} items; reports of this channel hold {self.chosen}")
        return reports


def draw_subsets(
    channels: Sequence[SubsetChannel], keeps: Sequence[int], share: int, codes: Codes, source: Source
) -> tuple[SetReports, Flags]:
    """`draw` for one subset channel, or for two of which the first is chosen with probability share/2^64 for each report."""
    size = channels[0].size
    out = np.empty((len(codes), -(-size // 64)), dtype=np.uint64)
    flags = np.zeros(len(codes), dtype=np.bool_)
    sizes = np.array([channel.chosen for channel in channels])
    includes = np.array([min(channel.include, ONE - 1) for channel in channels], dtype=np.uint64)
    thresholds = np.array(keeps, dtype=np.uint64)

    def body(rows: slice, words: Words) -> tuple[int, int]:
        return kernels.subset(codes[rows], words, size, np.uint64(share), sizes, includes, thresholds, out[rows], flags[rows])

    draw_variable(len(codes), 1 + len(channels) + int(sizes.max()), source, body)
    return SetReports(out, size), flags
