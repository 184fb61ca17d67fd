"""Capped channels: a set of at most m of M boxes, padded to exactly m items and reported as a set of k items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arithmetic import ONE, threshold_above
from sottovoce.channels.capped import kernels
from sottovoce.channels.capped.columns import CappedColumns
from sottovoce.channels.capped.counts import CappedCounts
from sottovoce.channels.capped.sets import CappedSets
from sottovoce.channels.columns import Extreme
from sottovoce.channels.direct import DirectChannel
from sottovoce.channels.matrix import MatrixChannel
from sottovoce.channels.model import Model
from sottovoce.channels.protocol import Channel, Codes
from sottovoce.channels.sampling import draw_variable
from sottovoce.channels.tables import whole
from sottovoce.errors import ParameterError, ReportError, UnsupportedError
from sottovoce.optima.capped import chance_of_places, reports_that_meet
from sottovoce.reports import Reports, SetReports
from sottovoce.sources import Source, Words

#: The most boxes and marks.
_MOST_BOXES = 1 << 10
#: The most sets that have codes.
MOST_SETS = 1 << 62


@dataclass(frozen=True, eq=False)
class CappedChannel(Channel, kind="capped"):
    """A report of `chosen` out of d items, which are the boxes, the marks and `cap` dummies. `sv.capped` builds one.

    An answer is a set of at most `cap` of the boxes, or one of the marks, such as a refusal. Dummies fill it up to exactly `cap` items.
    With the chance include/2^64 the report is a uniform one among those that meet the filled set, otherwise a uniform one that misses it.
    Answers only differ in their filled sets, so the channel has two weights, and their ratio is its level.
    """

    boxes: int
    marks: int
    cap: int
    chosen: int
    include: int

    def __post_init__(self) -> None:
        whole(boxes=self.boxes, marks=self.marks, cap=self.cap, chosen=self.chosen, include=self.include)
        if self.boxes + self.marks > _MOST_BOXES:  # before anything is computed of them
            raise ParameterError(f"A report can't contain {self.boxes + self.marks:,} boxes. Use at most {_MOST_BOXES:,}.")
        if not 1 <= self.cap <= self.boxes:
            raise ParameterError(f"The cap is {self.cap}. Choose between 1 and the {self.boxes} boxes.")
        if not 1 <= self.chosen <= self.items:
            raise ParameterError(f"A report can't name {self.chosen} items. Choose between 1 and {self.items}.")
        if self.size > MOST_SETS:
            raise ParameterError(f"{self.boxes} boxes have more than 2^62 sets of at most {self.cap}. Use fewer boxes or a smaller cap.")
        hits, misses = self._reports
        if not (ONE - self.include) * hits <= self.include * misses or self.include >= ONE:
            raise ParameterError(
                "`include` makes reports that meet the set too unlikely, or all other reports impossible. Choose another value."
            )

    @cached_property
    def sets(self) -> CappedSets:
        """The codes of answers."""
        return CappedSets(self.boxes, self.marks, self.cap)

    @property
    def items(self) -> int:
        """The boxes and the marks, which answers consist of."""
        return self.boxes + self.marks

    @cached_property
    def size(self) -> int:
        return self.sets.count

    @property
    def _reports(self) -> tuple[int, int]:
        return reports_that_meet(self.items, self.cap, self.chosen)

    @cached_property
    def empty(self) -> SetReports:
        everything = self.items + self.cap
        return SetReports(np.zeros((0, -(-everything // 64)), dtype=np.uint64), everything)

    @cached_property
    def statistic(self) -> CappedCounts:
        return CappedCounts(self.empty, self.boxes, self.marks, self.cap, self.chosen)

    @property
    def inversion(self) -> None:
        """Shares of whole sets aren't estimated, only those of boxes."""
        return None

    @cached_property
    def model(self) -> Model:
        raise UnsupportedError("Reports of capped sets are read box by box. Estimate the boxes, for example with study.estimates(tally).")

    @cached_property
    def columns(self) -> CappedColumns:
        """The first k boxes and marks meet the set of the first box and miss the empty set, so the ratio of the weights is attained."""
        hits, misses = self._reports
        ratio = Fraction(self.include * misses, (ONE - self.include) * hits)
        return CappedColumns(self, Extreme(ratio, list(range(self.chosen)), 1, 0))

    def sample(self, codes: Codes, source: Source) -> Reports:
        out = np.empty((len(codes), self.empty.words.shape[1]), dtype=np.uint64)
        sets, include = self.sets, np.uint64(self.include)
        codes = codes.astype(np.int64, copy=False)

        def body(rows: slice, words: Words) -> tuple[int, int]:
            return kernels.capped(codes[rows], words, sets.starts, sets.ways, self.boxes, self.items, self.chosen, include, out[rows])

        draw_variable(len(codes), 2 + self.chosen, source, body)
        return SetReports(out, self.empty.size)

    def possible(self, reports: SetReports) -> SetReports:
        sizes = reports.sizes
        if (sizes != self.chosen).any():
            raise ReportError(
                f"A report contains {int(sizes[sizes != self.chosen][0])} items instead of {self.chosen}. Was it made by this channel?"
            )
        return reports

    @property
    def length(self) -> int:
        return comb(self.empty.size, self.chosen)

    def outputs(self) -> list[list[int]]:
        self.writable(self.length)
        return [list(items) for items in combinations(range(self.empty.size), self.chosen)]

    def numerators(self) -> NDArray[Any]:
        hits, misses = self._reports
        high, low = Fraction(self.include, hits), Fraction(ONE - self.include, misses)
        outputs = [set(items) for items in self.outputs()]
        filled = [{*boxes, *range(self.items, self.items + self.cap - len(boxes))} for boxes in self.sets.listed()]
        return np.array([[high if mine & items else low for items in outputs] for mine in filled], dtype=object)

    def combined(self, codes: Sequence[Codes], sizes: Sequence[int]) -> Codes:
        """The codes of sets from those of every box: 0 if it is chosen, 1 if not, and the marks from 2 on."""
        return self.sets.codes(codes)

    def margin_of(self, places: Sequence[int], sizes: Sequence[int]) -> Channel | None:
        """The channel of one box: whether a report contains it, and which marks.

        The chances are the same for all boxes, and don't depend on what else is chosen. Without marks it is a direct report of yes or no.
        """
        return self._box if len(places) == 1 else None

    @cached_property
    def _box(self) -> Channel:
        meets = Fraction(self.include, ONE)
        answers = [(0,), (), *((1 + mark,) for mark in range(self.marks))]
        rows = []
        for own in answers:
            row = []
            for first, *rest in product((True, False), *[(False, True)] * self.marks):
                flags = [first, *reversed(rest)]  # marks are bits, and the first of them is the lowest
                inside = [place for place, flag in enumerate(flags) if flag]
                outside = [place for place, flag in enumerate(flags) if not flag]
                counted = [(len(each), sum(place in own for place in each)) for each in (inside, outside)]
                row.append(chance_of_places(self.items, self.cap, self.chosen, meets, *counted))
            rows.append(row)
        if self.marks:
            return MatrixChannel.from_probabilities(rows)
        noise = [threshold_above(rows[1][0]), threshold_above(rows[0][1])]
        return DirectChannel(ONE - sum(noise), np.array(noise, dtype=np.uint64))

    def form(self) -> dict[str, Any]:
        numbers = {"boxes": self.boxes, "marks": self.marks, "cap": self.cap, "chosen": self.chosen}
        return {"kind": "capped", **numbers, "include": str(self.include)}

    @classmethod
    def of_form(cls, form: Mapping[str, Any]) -> CappedChannel:
        return cls(form["boxes"], form["marks"], form["cap"], form["chosen"], int(form["include"]))


def reports_boxes(channel: Channel, boxes: int, marks: int, cap: int) -> bool:
    """Whether a channel reports about so many boxes and marks, of which so many are chosen at most."""
    return isinstance(channel, CappedChannel) and (channel.boxes, channel.marks, channel.cap) == (boxes, marks, cap)
