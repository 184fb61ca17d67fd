"""A public coin between two lifted subset channels: the mixture of set sizes that reaches the limit of ULDP.

The coin doesn't depend on anyone's item, and the size of a protected report reveals it, so whatever both channels guarantee, the mixture
guarantees too. A report that reveals a free item reveals nothing else, whichever channel made it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arithmetic import ONE
from sottovoce.arrays import Floats, Mask
from sottovoce.channels.fisher import Fisher
from sottovoce.channels.information import Bounds
from sottovoce.channels.lifted import LiftedChannel
from sottovoce.channels.mixed.columns import MixedColumns
from sottovoce.channels.mixed.counts import MixedCounts
from sottovoce.channels.mixed.inversion import MixedInversion
from sottovoce.channels.mixed.likelihood import MixedModel
from sottovoce.channels.protocol import Channel, Codes, channel_kind
from sottovoce.channels.sets.channel import listed_cells
from sottovoce.channels.statistic import Cells
from sottovoce.channels.subset import SubsetChannel, draw_subsets
from sottovoce.channels.tables import whole
from sottovoce.errors import ParameterError, ReportError
from sottovoce.policy import Prior
from sottovoce.reports import Reports, SetReports
from sottovoce.sources import Source

#: Channels over more items than this are tested by the chance of each item to be in the set.
_MOST_LISTED = 12


@dataclass(frozen=True, eq=False)
class MixedChannel(Channel, kind="mixed"):
    """With probability share/2^64 a report of the first part, otherwise of the second: lifted subsets of two different sizes."""

    parts: tuple[LiftedChannel, LiftedChannel]
    share: int

    def __post_init__(self) -> None:
        whole(share=self.share)
        if not 0 < self.share < ONE:
            raise ParameterError("The share isn't strictly between 0 and 1. If you only need one part, use it alone.")
        if len(self.parts) != 2 or not all(isinstance(p, LiftedChannel) and isinstance(p.base, SubsetChannel) for p in self.parts):
            raise ParameterError("The parts aren't two lifted subset channels. Give two of them.")
        first, second = self.parts
        if not np.array_equal(first.sensitive, second.sensitive) or self.chosen[0] == self.chosen[1]:
            raise ParameterError(
                "The parts protect different items, or use sets of the same size. Give the same items and two different sizes."
            )

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

    @property
    def length(self) -> int:
        return sum(base.length for base in self.bases) + self._shown

    @cached_property
    def empty(self) -> SetReports:
        return SetReports(np.zeros((0, -(-self.size // 64)), dtype=np.uint64), self.size)

    @cached_property
    def columns(self) -> MixedColumns:
        return MixedColumns(self.parts, ~self.sensitive)

    @cached_property
    def statistic(self) -> MixedCounts:
        return MixedCounts(self)

    @cached_property
    def inversion(self) -> MixedInversion:
        return MixedInversion(self)

    @cached_property
    def model(self) -> MixedModel:
        return MixedModel(self)

    def sample(self, codes: Codes, source: Source) -> Reports:
        codes = codes.astype(np.int64, copy=False)
        keeps = [part.keep for part in self.parts]
        drawn, revealed = draw_subsets(self.bases, keeps, self.share, self.parts[0].ranks[codes], source)
        return self.parts[0].layout.placed(drawn, revealed, codes)

    def kinds(self, reports: SetReports) -> NDArray[np.int64]:
        """The part that made each report, 0 or 1, or −1 if the report reveals its item."""
        return np.where(reports.among(~self.sensitive) > 0, -1, np.where(reports.sizes == self.chosen[0], 0, 1))

    def revealing(self, code: int) -> Any:
        return self.parts[0].revealing(code)

    def revealed_chances(self) -> Floats:
        first, second = (chance * part.revealed_chances() for chance, part in zip(self.chances, self.parts, strict=True))
        return first + second

    def has_one_report(self, code: int) -> bool:
        return False

    def outputs(self) -> list[Any]:
        """The sets of the first part, those of the second, and the revealed items."""
        first, second = (part.outputs() for part in self.parts)
        shown = self._shown
        return first[: len(first) - shown] + second[: len(second) - shown] + first[len(first) - shown :]

    @property
    def _shown(self) -> int:
        return int((~self.sensitive).sum())

    def numerators(self) -> NDArray[Any]:
        scale = (Fraction(self.share, ONE), Fraction(ONE - self.share, ONE))
        first, second = (part.numerators() * weight for part, weight in zip(self.parts, scale, strict=True))
        inner = [rows.shape[1] - self._shown for rows in (first, second)]
        return np.concatenate([first[:, : inner[0]], second[:, : inner[1]], first[:, inner[0] :] + second[:, inner[1] :]], axis=1)

    def weigh(self, reports: Reports) -> Floats:
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

    def fisher(self, p: Floats) -> Fisher:
        return Fisher.mean([part.fisher(p) for part in self.parts], self.chances)

    def _mean(self, bounds: Callable[[LiftedChannel], Bounds]) -> Bounds:
        """The mean over the coin. The parts have no reports in common except those that reveal their item."""
        found = [bounds(part) for part in self.parts]
        first, second = self.chances
        return Bounds.around(first * found[0].low + second * found[1].low, first * found[0].high + second * found[1].high, terms=2)

    def possible(self, reports: SetReports) -> SetReports:
        shown, sizes = reports.among(~self.sensitive), reports.sizes
        if (sizes[shown > 0] != 1).any():
            raise ReportError("A report reveals an item and names other items. Was it made by this channel?")
        wrong = sizes[(shown == 0) & ~np.isin(sizes, self.chosen)]
        if len(wrong):
            raise ReportError(
                f"A report contains {wrong[0]} items instead of {self.chosen[0]} or {self.chosen[1]}. Was it made by this channel?"
            )
        return reports

    def cells(self, code: int, reports: Reports) -> Iterator[Cells]:
        """Which part made the report (or unknown), then for a sensitive item, how each part fills its sets."""
        assert isinstance(reports, SetReports)
        if self.size <= _MOST_LISTED:
            yield listed_cells(self, code, reports)
            return
        kinds = self.kinds(reports)
        kept = [1.0 if self.sensitive[code] else part.keep / ONE for part in self.parts]
        made = [chance * keep for chance, keep in zip(self.chances, kept, strict=True)]
        yield np.bincount(kinds + 1, minlength=3), np.array([max(0.0, 1 - sum(made)), *made])
        for kind, part in enumerate(self.parts):
            if self.sensitive[code]:
                yield from part.item_cells(code, reports[np.flatnonzero(kinds == kind)])

    def form(self) -> dict[str, Any]:
        return {"kind": "mixed", "share": str(self.share), "parts": [part.described() for part in self.parts]}

    @classmethod
    def of_form(cls, form: Mapping[str, Any]) -> MixedChannel:
        parts = tuple(channel_kind(part["kind"]).of_form(part) for part in form["parts"])
        return cls(parts, int(form["share"]))  # type: ignore[arg-type]  # the channel checks its parts
