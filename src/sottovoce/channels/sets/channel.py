"""Set-like channels: a report stands for a set of items, and reveals of x only whether x is in it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Floats, Mask
from sottovoce.channels.columns import SetColumns
from sottovoce.channels.fisher import Fisher
from sottovoce.channels.information import Bounds
from sottovoce.channels.protocol import KINDS, Channel, Codes
from sottovoce.channels.set_fisher import SetWeights
from sottovoce.channels.sets.counts import ContainedCounts
from sottovoce.channels.sets.likelihood import SetModel
from sottovoce.channels.statistic import Cells, Statistic
from sottovoce.policy import Prior
from sottovoce.reports import Reports, SetReports
from sottovoce.sources import Source
from sottovoce.special import xlogy

Flags = Mask

#: Sums over all reports of a set-valued channel, of which there are up to 2^K, are quick for this many items at most.
LISTED = 10
#: Channels with more reports than this are tested by the chance of each item to be in the set.
_MOST_OUTPUTS = 4096


class SetLikeChannel(Channel):
    """Base class of channels with a set system and two weights per item, whatever the shape of their reports.

    Weights are relative to the *neutral* draw, which depends on no item. E below averages over it.
    """

    @property
    @abstractmethod
    def columns(self) -> SetColumns: ...

    @property
    @abstractmethod
    def own(self) -> Floats | float:
        """The probability that a report contains the respondent's own item, per item."""

    @property
    @abstractmethod
    def empty_chance(self) -> Bounds:
        """The probability that a neutral draw is the empty set."""

    @abstractmethod
    def mean_xlogx(self, start: float, gains: Floats) -> tuple[float, float]:
        """Bounds on E[M log M], M = start + Σ_{j ∈ y} gains_j."""

    @abstractmethod
    def fisher_of(self, sets: SetWeights) -> Fisher:
        """The Fisher information of sets drawn as this channel draws them, which other items may use too."""

    @abstractmethod
    def member(self, reports: Reports) -> NDArray[np.bool_]:
        """An n×K array: is item j in the set of report i?"""

    @abstractmethod
    def draw(self, codes: Codes, keep: int, keep_empty: int, source: Source) -> tuple[Reports, Flags]:
        """Draw reports of the codes.

        The code −1 asks for a neutral draw, which is flagged unless a further word is below `keep` (`keep_empty` at the empty set).
        """

    def sample(self, codes: Codes, source: Source) -> Reports:
        return self.draw(codes.astype(np.int64, copy=False), 0, 0, source)[0]

    def per_item(self, weights: Sequence[Fraction]) -> Floats:
        """Weights per class as weights per item."""
        return np.array([float(weight) for weight in weights])[self.columns.classes]

    def weigh(self, reports: Reports) -> Floats:
        """`high[x]` if x is in the report and `low[x]` if not. A report that names an invertible item can only be of this item."""
        columns, member = self.columns, self.member(reports)
        named = member & columns.invertible
        dense = np.where(member & ~columns.invertible, self.per_item(columns.high), self.per_item(columns.low))
        if columns.empty is not None:
            dense[~member.any(axis=1)] = self.per_item(columns.empty)
        revealed = named.any(axis=1)
        dense[revealed] = named[revealed]
        return dense

    def revealing_chance(self, empty: float) -> Floats:
        """The probability that the holder of each item sends a report that only this item can produce."""
        low = self.per_item(self.columns.low)
        at_empty = low if self.columns.empty is None else self.per_item(self.columns.empty)
        return np.where(self.columns.invertible, 1 - (1 - empty) * low - empty * at_empty, 0.0)

    def revealed_chances(self) -> Floats:
        return self.revealing_chance(self.empty_chance.low)

    @property
    def even(self) -> bool:
        """Whether all items have the same weights and none is invertible, which a lift requires."""
        return len(self.columns.low) == 1 and not self.columns.invertible.any()

    def lifted(self, sensitive: Mask, epsilon: float) -> Channel:
        """Lift this channel, keeping neutral draws as often as ε allows."""
        return KINDS["lifted"].of(self, sensitive, epsilon)  # type: ignore[attr-defined]  # a LiftedChannel

    def fisher(self, p: Floats) -> Fisher:
        columns, free = self.columns, self.columns.invertible
        low, gain = self.per_item(columns.low), self.per_item([high - low for low, high in zip(columns.low, columns.high, strict=True)])
        empty = None if columns.empty is None else self.per_item(columns.empty)[free]
        revealed = self.revealing_chance(self.empty_chance.low)
        return self.fisher_of(SetWeights(p, ~free, low[~free], gain[~free], low[free], empty, revealed))

    def summable(self, times: int = 1) -> bool:
        return self.size <= LISTED

    def mean_largest(self, empty: float) -> float:
        """E[max_x weight at y] over the sets that aren't empty."""
        return (1 - empty) * max(float(weight) for weight in self.columns.high)

    def leakage(self) -> Bounds:
        columns = self.columns
        at_empty = max(float(weight) for weight in (columns.low if columns.empty is None else columns.empty))
        chances = (self.empty_chance.low, self.empty_chance.high)
        ends = [self.mean_largest(c) + c * at_empty + float(self.revealing_chance(c).sum()) for c in chances]
        return Bounds.around(min(ends), max(ends), terms=self.size)

    def information(self, prior: Prior) -> Bounds:
        """Σ_x P_x E[w_x log w_x] − E[M log M], and log(1/P_x) for every report that reveals x."""
        columns, p = self.columns, prior.p
        low, high, free = self.per_item(columns.low), self.per_item(columns.high), ~columns.invertible
        at_empty = low if columns.empty is None else self.per_item(columns.empty)
        own = float((p * np.where(free, xlogy(self.own, high) + xlogy(1 - self.own, low), 0.0)).sum())
        start, start_empty = float((p * low).sum()), float((p * at_empty).sum())
        least, most = self.mean_xlogx(start, (p * (high - low))[free])

        def rest(empty: float) -> float:
            named = (1 - empty) * xlogy(low, low) + empty * xlogy(at_empty, at_empty) - self.revealing_chance(empty) * np.log(p)
            shift = empty * float(xlogy(start_empty, start_empty) - xlogy(start, start))
            return float((p * np.where(free, 0.0, named)).sum()) - shift

        ends = [rest(self.empty_chance.low), rest(self.empty_chance.high)]
        return Bounds.around(max(0.0, own - most + min(ends)), own - least + max(ends), terms=self.size)


class SetChannel(SetLikeChannel):
    """A channel whose reports are written as sets of items."""

    @cached_property
    def empty(self) -> SetReports:
        return SetReports(np.zeros((0, -(-self.size // 64)), dtype=np.uint64), self.size)

    @cached_property
    def statistic(self) -> Statistic:
        return ContainedCounts(self.empty)

    @cached_property
    def model(self) -> SetModel:
        return SetModel(self)

    def member(self, reports: Reports) -> NDArray[np.bool_]:
        return reports.dense()

    @abstractmethod
    def possible(self, reports: SetReports) -> SetReports:
        """Return the reports, or raise an error if one of them has probability zero under every item."""

    def contained(self, code: int) -> Floats:
        """The chance of each item to be in a report of the item `code`."""
        own, other = self.inversion.chances  # type: ignore[union-attr, misc]  # reports that contain an item or not
        chances = other.copy()
        chances[code] = own[code]
        return chances

    def cells(self, code: int, reports: Reports) -> Iterator[Cells]:
        """The cells are the reports, or how often each item is in them if they are too many to list."""
        assert isinstance(reports, SetReports)
        if 2**reports.size <= _MOST_OUTPUTS:
            yield self.listed_cells(code, reports)
        else:
            yield from self.item_cells(code, reports)

    def listed_cells(self, code: int, reports: SetReports) -> Cells:
        """How often each report occurs, and its chance."""
        return listed_cells(self, code, reports)

    def item_cells(self, code: int, reports: SetReports) -> Iterator[Cells]:
        """How often each item is in the reports, and the chance of that."""
        inside = reports.dense().sum(axis=0)
        for count, chance in zip(inside.tolist(), self.contained(code).tolist(), strict=True):
            yield np.array([count, len(reports) - count]), np.array([chance, 1 - chance])


def listed_cells(channel: Channel, code: int, reports: SetReports) -> Cells:
    """How often each of few possible sets occurs, and its chance."""
    chances = channel.row(code)
    columns = {sum(1 << j for j in output): y for y, output in enumerate(channel.outputs())}
    values, frequency = np.unique(reports.words[:, 0], return_counts=True)
    counts = np.zeros(len(chances), dtype=np.int64)
    for value, count in zip(values.tolist(), frequency.tolist(), strict=True):
        counts[columns[value]] = count
    return counts, chances
