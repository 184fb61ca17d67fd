"""A public coin between two lifted subset channels: the mixture of set sizes that reaches the limit of ULDP.

The coin depends on nobody's item, and the size of a protected report shows how it fell: what is true of both channels is true of the
mixture. A report that shows a free item shows nothing else, whichever channel made it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arithmetic import ONE
from sottovoce.channels.base import Channel, Codes, Floats, whole
from sottovoce.channels.columns import Columns, Extreme, Mask, Pattern, largest
from sottovoce.channels.information import Bounds
from sottovoce.channels.lifted import LiftedChannel
from sottovoce.channels.sets import SubsetChannel, draw_subsets
from sottovoce.errors import ParameterError, ReportError
from sottovoce.later import pa
from sottovoce.policy import Prior
from sottovoce.reports import Reports, SetReports
from sottovoce.sources import Source


@dataclass(frozen=True)
class MixedColumns(Columns):
    """The columns of several channels whose reports differ, but for those that reveal an item."""

    parts: tuple[LiftedChannel, ...]
    invertible: Mask

    def largest_pair(self, numerators: Mask, denominators: Mask, prior: Prior | None = None) -> Extreme:
        return self._largest(lambda columns: columns.largest_pair(numerators, denominators, prior))

    def belief_ratios(self, prior: Prior) -> tuple[Extreme, Extreme]:
        up = self._largest(lambda columns: columns.belief_ratios(prior)[0])
        return up, self._largest(lambda columns: columns.belief_ratios(prior)[1])

    def _protected_ratio(self, above: Sequence[Fraction], below: Sequence[Fraction]) -> Extreme:
        return self._largest(lambda columns: columns._protected_ratio(above, below))

    def _largest(self, extreme: Callable[[Columns], Extreme]) -> Extreme:
        """The larger extreme of the parts, with a report of the part that it is of."""
        found = []
        for part in self.parts:
            one = extreme(part.columns)
            shown = part.example(one.report.inside, one.report.outside) if isinstance(one.report, Pattern) else one.report
            found.append(replace(one, report=shown))
        return largest(found)


@dataclass(frozen=True, eq=False)
class MixedChannel(Channel):
    """With probability share/2^64 a report of the first part, otherwise of the second: subsets of different sizes, lifted."""

    parts: tuple[LiftedChannel, LiftedChannel]
    share: int

    def __post_init__(self) -> None:
        whole(share=self.share)
        if not 0 < self.share < ONE:
            raise ParameterError("the share of a mixed channel lies strictly between 0 and 1: with one part alone, use that part")
        if len(self.parts) != 2 or not all(isinstance(p, LiftedChannel) and isinstance(p.base, SubsetChannel) for p in self.parts):
            raise ParameterError("a mixed channel has two parts, both of them lifted subset channels")
        first, second = self.parts
        if not np.array_equal(first.sensitive, second.sensitive) or self.chosen[0] == self.chosen[1]:
            raise ParameterError("the parts of a mixed channel protect the same items, by sets of different sizes")

    @property
    def size(self) -> int:
        return self.parts[0].size

    @property
    def sensitive(self) -> Mask:
        """The items that are protected."""
        return self.parts[0].sensitive

    @cached_property
    def bases(self) -> tuple[SubsetChannel, SubsetChannel]:
        """The subset channels over the sensitive items."""
        first, second = (part.base for part in self.parts)
        assert isinstance(first, SubsetChannel)
        assert isinstance(second, SubsetChannel)
        return first, second

    @property
    def chosen(self) -> tuple[int, int]:
        """The sizes of the protected sets."""
        return self.bases[0].chosen, self.bases[1].chosen

    @property
    def chances(self) -> tuple[float, float]:
        """The probabilities of the parts."""
        return self.share / ONE, (ONE - self.share) / ONE

    @cached_property
    def columns(self) -> MixedColumns:
        return MixedColumns(self.parts, ~self.sensitive)

    def sample(self, codes: Codes, source: Source) -> Reports:
        codes = codes.astype(np.int64, copy=False)
        keeps = [part.keep for part in self.parts]
        drawn, revealed = draw_subsets(self.bases, keeps, self.share, self.parts[0].ranks[codes], source)
        return self.parts[0].placed(drawn, revealed, codes)

    def kinds(self, reports: SetReports) -> NDArray[np.int64]:
        """The part that made each report, 0 or 1; −1 where the report reveals its item."""
        return np.where(reports.among(~self.sensitive) > 0, -1, np.where(reports.sizes == self.chosen[0], 0, 1))

    def revealing(self, code: int) -> Any:
        return self.parts[0].revealing(code)

    def outputs(self) -> list[Any]:
        """The sets of the first part, those of the second, and the items that are shown."""
        first, second = (part.outputs() for part in self.parts)
        shown = self._shown
        return first[: len(first) - shown] + second[: len(second) - shown] + first[len(first) - shown :]

    @property
    def _shown(self) -> int:
        return int((~self.sensitive).sum())

    def _numerators(self) -> NDArray[Any]:
        scale = (Fraction(self.share, ONE), Fraction(ONE - self.share, ONE))
        first, second = (part._numerators() * weight for part, weight in zip(self.parts, scale, strict=True))
        inner = [rows.shape[1] - self._shown for rows in (first, second)]
        return np.concatenate([first[:, : inner[0]], second[:, : inner[1]], first[:, inner[0] :] + second[:, inner[1] :]], axis=1)

    def _likelihood(self, reports: Reports) -> Floats:
        assert isinstance(reports, SetReports)
        found, kinds = np.empty((len(reports), self.size)), self.kinds(reports)
        for kind, part in enumerate(self.parts):
            rows = np.flatnonzero(kinds == kind if kind else kinds <= 0)
            found[rows] = part.likelihood(reports[rows])
        return found

    def leakage(self) -> Bounds:
        return self._mean(LiftedChannel.leakage)

    def information(self, prior: Prior) -> Bounds:
        return self._mean(lambda part: part.information(prior))

    def _mean(self, bounds: Callable[[LiftedChannel], Bounds]) -> Bounds:
        """The mean over the coin: reports of the parts are disjoint, but for those that tell their item in either."""
        found = [bounds(part) for part in self.parts]
        first, second = self.chances
        return Bounds.around(first * found[0].low + second * found[1].low, first * found[0].high + second * found[1].high, terms=2)

    def reports_from_bytes(self, data: bytes) -> Reports:
        return self._possible(SetReports.from_bytes(data, self.size))

    def reports_from_arrow(self, table: pa.Table | pa.RecordBatch) -> Reports:
        return self._possible(SetReports.from_arrow(table, self.size))

    def _possible(self, reports: SetReports) -> SetReports:
        shown, sizes = reports.among(~self.sensitive), reports.sizes
        if (sizes[shown > 0] != 1).any():
            raise ReportError("a report reveals an item and names others; such a report was not made by this channel")
        wrong = sizes[(shown == 0) & ~np.isin(sizes, self.chosen)]
        if len(wrong):
            raise ReportError(
                f"a report holds {wrong[0]} items; protected reports of this channel hold {self.chosen[0]} or {self.chosen[1]}"
            )
        return reports
