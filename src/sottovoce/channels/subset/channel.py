"""Subset channels: a set of fixed size, in which the own item is more likely than others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, islice
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arithmetic import ONE
from sottovoce.arrays import Floats
from sottovoce.channels.columns import SetColumns
from sottovoce.channels.fisher import Fisher
from sottovoce.channels.information import Bounds, mean_xlogx_subsets
from sottovoce.channels.protocol import Codes
from sottovoce.channels.sampling import draw_variable
from sottovoce.channels.set_fisher import SetWeights
from sottovoce.channels.sets.bits import bits_of
from sottovoce.channels.sets.channel import Flags, SetChannel
from sottovoce.channels.subset import kernels
from sottovoce.channels.subset.counts import SubsetCounts
from sottovoce.channels.subset.fisher import of_subsets
from sottovoce.channels.subset.inversion import SubsetInversion
from sottovoce.channels.tables import whole
from sottovoce.errors import ParameterError, ReportError
from sottovoce.reports import Reports, SetReports
from sottovoce.sources import Source, Words


@dataclass(frozen=True, eq=False)
class SubsetChannel(SetChannel, kind="subset"):
    """A set of exactly `chosen` items: the person's own with probability include/2^64, the others uniform."""

    items: int
    chosen: int
    include: int

    def __post_init__(self) -> None:
        whole(items=self.items, chosen=self.chosen, include=self.include)
        if not 1 <= self.chosen <= self.size or (self.chosen == self.size) != (self.include == ONE):
            raise ParameterError(f"A report can't name {self.chosen} of {self.size} items. Choose between 1 and {self.size - 1}.")
        if not self.chosen * ONE <= self.include * self.size <= ONE * self.size:
            raise ParameterError("`include` names the own item less often than other items. Use a larger value.")

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

    @cached_property
    def statistic(self) -> SubsetCounts:
        return SubsetCounts(self.empty, self.chosen, self.own)

    @cached_property
    def inversion(self) -> SubsetInversion:
        return SubsetInversion(self.size, self.chosen, self.own)

    @property
    def own(self) -> float:
        return self.include / ONE

    @property
    def empty_chance(self) -> Bounds:
        return Bounds(0.0, 0.0)

    def mean_xlogx(self, start: float, gains: Floats) -> tuple[float, float]:
        return mean_xlogx_subsets(start, gains, self.chosen)

    def fisher_of(self, sets: SetWeights) -> Fisher:
        return of_subsets(sets, self.chosen)

    def draw(self, codes: Codes, keep: int, keep_empty: int, source: Source) -> tuple[Reports, Flags]:
        return draw_subsets([self], [keep], 0, codes, source)

    def example(self, inside: Sequence[int], outside: Sequence[int]) -> list[int]:
        others = (j for j in range(self.size) if j not in inside and j not in outside)
        return sorted([*inside, *islice(others, self.chosen - len(inside))])

    @property
    def length(self) -> int:
        return comb(self.size, self.chosen)

    def outputs(self) -> list[list[int]]:
        self.writable(comb(self.size, self.chosen))
        return [list(items) for items in combinations(range(self.size), self.chosen)]

    def numerators(self) -> NDArray[Any]:
        outputs = self.outputs()
        low, high = self.columns.low[0] * ONE / len(outputs), self.columns.high[0] * ONE / len(outputs)
        return np.where(bits_of(outputs, self.size).T, np.array(high, dtype=object), np.array(low, dtype=object))

    def possible(self, reports: SetReports) -> SetReports:
        sizes = reports.sizes
        if (sizes != self.chosen).any():
            raise ReportError(
                f"A report contains {int(sizes[sizes != self.chosen][0])} items instead of {self.chosen}. Was it made by this channel?"
            )
        return reports

    def surely_possible(self, record: bytes) -> bool:
        items = int.from_bytes(record, "little")
        return items.bit_count() == self.chosen and items.bit_length() <= self.size

    def form(self) -> dict[str, Any]:
        return {"kind": "subset", "items": self.items, "chosen": self.chosen, "include": str(self.include)}

    @classmethod
    def of_form(cls, form: Mapping[str, Any]) -> SubsetChannel:
        return cls(form["items"], form["chosen"], int(form["include"]))


def draw_subsets(
    channels: Sequence[SubsetChannel], keeps: Sequence[int], share: int, codes: Codes, source: Source
) -> tuple[SetReports, Flags]:
    """Run `draw` for one subset channel, or for two, where each report uses the first with probability share/2^64."""
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
