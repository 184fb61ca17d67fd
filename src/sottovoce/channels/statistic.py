"""The statistic of a channel's reports that a tally adds up: integers that merge by addition."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Counts, Floats
from sottovoce.channels import counting_kernels as kernels
from sottovoce.errors import ReportError
from sottovoce.parallel import in_threads
from sottovoce.reports import CodeReports, Reports
from sottovoce.reports.base import same_shape

#: Counts of reports in disjoint cells, and the chance of each cell.
Cells = tuple[NDArray[Any], Floats]

#: Up to this many counts, four tables of them stay in the nearest memory.
_NEAR = 1 << 10


class Statistic(ABC):
    """Counts of the reports of one channel. `empty` has the shape of its reports."""

    #: Whether the counts are all that the likelihood needs of the reports.
    sufficient: bool = False
    #: Whether `of_items` counts something: reports that name items, or contain them.
    counts_items: bool = False
    #: Elementary steps that counting a report takes.
    steps: int = 1

    def __init__(self, empty: Reports, length: int) -> None:
        self.empty, self.length = empty, length

    def count(self, reports: Reports) -> Counts:
        """Count some reports. The loops are unchecked, so reports of another shape raise an error first."""
        if not same_shape(reports, self.empty):
            raise ReportError("The shape of these reports doesn't fit this mechanism. Were they made by a different study?")
        return self._count(reports)

    @abstractmethod
    def _count(self, reports: Any) -> Counts: ...

    def possible(self, counts: Counts, n: int) -> bool:
        """Whether n reports of the channel can have these counts (as far as sums show)."""
        if counts.shape != (self.length,) or counts.dtype.kind != "i" or n < 0 or (counts < 0).any() or (counts > n).any():
            return False
        return self._adds_up(counts, n)

    def _adds_up(self, counts: Counts, n: int) -> bool:
        return True

    def of_items(self, counts: Counts) -> Counts:
        """How many reports name or contain each item, if `counts_items`."""
        return counts

    def of_outputs(self, counts: Counts) -> Counts:
        """How many reports of each kind there are, in the order of the channel's outputs, if the counts are `sufficient`."""
        return counts

    def of_expected(self, outputs: Floats) -> Floats:
        """The opposite of `of_outputs`, for chances."""
        return outputs

    def margin(self, counts: Counts, places: Sequence[int], sizes: Sequence[int]) -> Counts:
        """The counts of a channel's `margin_of`, for reports that name items. Items are combinations."""
        groups = grouped(places, sizes)
        return np.bincount(groups, counts, minlength=math.prod(sizes[place] for place in places)).astype(np.int64)

    def simulated(self, people: Counts, generator: np.random.Generator) -> Counts | None:
        """Counts drawn as if `people[x]` respondents with each item had reported. None if the reports must be made for that."""
        return None


class PerReport(Statistic):
    """Counts per report, for reports that are numbers. `codes` are the numbers of the channel's outputs if some numbers aren't used."""

    sufficient = True

    def __init__(
        self,
        empty: CodeReports,
        *,
        items: bool = False,
        codes: Sequence[int] | None = None,
        matrix: Callable[[], Floats] | None = None,
    ) -> None:
        super().__init__(empty, empty.limit)
        self.counts_items, self.matrix = items, matrix
        self.codes = None if codes is None else np.asarray(codes, dtype=np.int64)

    def _count(self, reports: CodeReports) -> Counts:
        codes = reports.codes
        if self.length > _NEAR:
            return summed(len(codes), 1, self.length, lambda rows, found: kernels.count_many_codes(codes[rows], found))
        return summed(len(codes), 1, self.length, lambda rows, found: kernels.count_codes(codes[rows], found.reshape(4, -1)), tables=4)

    def _adds_up(self, counts: Counts, n: int) -> bool:
        return exact_sum(counts) == n

    def of_outputs(self, counts: Counts) -> Counts:
        return counts if self.codes is None else counts[self.codes]

    def of_expected(self, outputs: Floats) -> Floats:
        if self.codes is None:
            return outputs
        found = np.zeros(self.length, dtype=outputs.dtype)
        found[self.codes] = outputs
        return found

    def simulated(self, people: Counts, generator: np.random.Generator) -> Counts | None:
        """Draw a multinomial for the holders of each item, if the matrix is given."""
        if self.matrix is None:
            return None
        held = np.flatnonzero(people)
        return np.asarray(self.of_expected(generator.multinomial(people[held], self.matrix()[held]).sum(axis=0)))


class PerOutput(PerReport):
    """Counts per report for reports of any shape that can be listed. Each is looked up among the outputs."""

    def __init__(self, empty: Reports, outputs: Sequence[Any], matrix: Callable[[], Floats] | None = None) -> None:
        Statistic.__init__(self, empty, len(outputs))
        self.codes, self.matrix = None, matrix
        self._places = places_of(outputs)

    def _count(self, reports: Reports) -> Counts:
        records = np.ascontiguousarray(reports.records())
        counts = np.zeros(self.length, dtype=np.int64)
        if len(records):
            rows = records.view(np.dtype((np.void, records.shape[1])))[:, 0]
            _, first, times = np.unique(rows, return_index=True, return_counts=True)
            for value, number in zip(reports[first].tolist(), times.tolist(), strict=True):
                counts[place_of(value, self._places)] += number
        return counts


class Uncounted(Statistic):
    """No counts, for reports that can't be listed and don't add up. Estimates need kept reports."""

    def __init__(self, empty: Reports) -> None:
        super().__init__(empty, 0)

    def _count(self, reports: Reports) -> Counts:
        return np.zeros(0, dtype=np.int64)


def grouped(places: Sequence[int], sizes: Sequence[int]) -> NDArray[np.int64]:
    """For each combination of items, the last place counted fastest, the code of the combination at some of the places."""
    codes = np.unravel_index(np.arange(math.prod(sizes)), sizes)
    return np.ravel_multi_index([codes[place] for place in places], [sizes[place] for place in places]).astype(np.int64)


def places_of(outputs: Sequence[Any]) -> dict[Hashable, int]:
    """The place of each output, by its plain value."""
    return {_plain(output): place for place, output in enumerate(outputs)}


def place_of(report: Any, places: Mapping[Hashable, int]) -> int:
    """The place of a report, or a `ReportError` if it isn't among the outputs."""
    try:
        return places[_plain(report)]
    except KeyError:
        raise ReportError(f"{report} isn't a report of this channel. Was it made by a different study?") from None


def _plain(report: Any) -> Hashable:
    """A report as numbers and tuples, whatever it's written as: lists, tuples, sets or arrays."""
    if isinstance(report, (set, frozenset)):
        return tuple(sorted(report))
    return tuple(map(_plain, report)) if isinstance(report, (list, tuple, np.ndarray)) else report


def exact_sum(counts: Counts) -> int:
    """The sum of non-negative counts, exact however large they are."""
    return int(counts.sum()) if len(counts) * int(counts.max(initial=0)) < 1 << 63 else sum(counts.tolist())


def summed(rows: int, steps_each: int, length: int, body: Callable[[slice, Counts], None], tables: int = 1) -> Counts:
    """Counts added up by a loop over the rows, in parts on all cores."""

    def part(those: slice) -> Counts:
        found = np.zeros(tables * length, dtype=np.int64)
        body(those, found)
        return np.asarray(found.reshape(tables, length).sum(axis=0))

    return np.asarray(np.sum(in_threads(rows, steps_each, part), axis=0))
