"""The layout of a lifted channel's reports: first those of the base channel, then those that reveal a free item.

There is a class for each shape of reports: sets, hashed reports and numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arithmetic import ONE
from sottovoce.arrays import Counts, Mask
from sottovoce.channels.hashed.counts import HashedCounts
from sottovoce.channels.hashed.functions import bucket_table
from sottovoce.channels.hashed.likelihood import HashedModel
from sottovoce.channels.inversion import Inversion, tabulated
from sottovoce.channels.lifted import kernels
from sottovoce.channels.lifted.inversion import LiftedInversion
from sottovoce.channels.model import Model
from sottovoce.channels.sets.channel import listed_cells
from sottovoce.channels.sets.inversion import Liftable
from sottovoce.channels.sets.likelihood import SetModel
from sottovoce.channels.statistic import Cells, PerReport, Statistic
from sottovoce.errors import ReportError
from sottovoce.reports import CodeReports, HashedReports, Reports, SetReports
from sottovoce.reports.base import code_dtype

if TYPE_CHECKING:
    from sottovoce.channels.lifted.channel import LiftedChannel

#: Channels over more items than this are tested by the chance of each item to be in the set.
_MOST_LISTED = 12


class Layout(ABC):
    """The reports of a lifted channel, in one shape."""

    empty: Reports

    def __init__(self, channel: LiftedChannel) -> None:
        self.channel, self.base, self.sensitive, self.size = channel, channel.base, channel.sensitive, channel.size

    @abstractmethod
    def placed(self, drawn: Any, revealed: Mask, codes: NDArray[np.int64]) -> Reports:
        """Convert reports of the base to the whole domain. Flagged ones name only the own item."""

    @abstractmethod
    def split(self, reports: Any) -> tuple[Any, NDArray[np.int64]]:
        """The reports of the base, and the item that each report reveals (−1 for none, otherwise its base report is void)."""

    @abstractmethod
    def shown(self, code: int) -> Any:
        """The report that reveals an item, as a plain value."""

    @abstractmethod
    def filled(self, y: int, column: Sequence[Any]) -> bool:
        """Whether some sensitive item is in the set of the y-th report of the base, whose column is given."""

    def refuse(self, reports: Any, inner: Any, revealed: NDArray[np.int64]) -> None:
        """Raise a `ReportError` if a report has the right shape but is impossible."""
        return

    def protected(self, people: Counts, generator: np.random.Generator) -> tuple[Counts, int]:
        """How many holders of each free item don't reveal it, and how many of these send a set that isn't empty."""
        empty, keep, keep_empty = self.channel.empty_chance.low, self.channel.keep / ONE, self.channel.keep_empty / ONE
        filled = (1 - empty) * keep
        kept = generator.binomial(np.where(self.sensitive, 0, people), filled + empty * keep_empty)
        return kept, int(generator.binomial(int(kept.sum()), min(1.0, filled / (filled + empty * keep_empty))))

    def outputs(self, inner: list[Any], others: list[int]) -> list[Any]:
        """All reports: those of the base, and those that reveal the others."""
        return inner + [self.shown(code) for code in others]

    @property
    @abstractmethod
    def statistic(self) -> Statistic: ...

    @property
    def inversion(self) -> Inversion | None:
        return None

    @property
    @abstractmethod
    def model(self) -> Model: ...

    @abstractmethod
    def cells(self, code: int, reports: Any) -> Iterator[Cells]: ...


class SetLayout(Layout):
    """A protected set of sensitive items, or a single free item."""

    def __init__(self, channel: LiftedChannel) -> None:
        super().__init__(channel)
        self.sets: Any = channel.base
        self.empty = SetReports(np.zeros((0, -(-self.size // 64)), dtype=np.uint64), self.size)
        self._places = np.flatnonzero(self.sensitive)

    def placed(self, drawn: SetReports, revealed: Mask, codes: NDArray[np.int64]) -> SetReports:
        out = np.zeros((len(codes), -(-self.size // 64)), dtype=np.uint64)
        kernels.scatter(drawn.words, revealed, codes, self._places, out)
        return SetReports(out, self.size)

    def split(self, reports: SetReports) -> tuple[SetReports, NDArray[np.int64]]:
        dense = reports.dense()
        named = dense & ~self.sensitive
        revealed = np.where(named.any(axis=1), named.argmax(axis=1), -1)
        return SetReports.of_dense(dense[:, self.sensitive]), revealed

    def shown(self, code: int) -> list[int]:
        return [code]

    def filled(self, y: int, column: Sequence[Any]) -> bool:
        return bool(self.base.outputs()[y])

    def refuse(self, reports: SetReports, inner: SetReports, revealed: NDArray[np.int64]) -> None:
        if (reports.sizes[revealed >= 0] != 1).any():
            raise ReportError("A report reveals an item and names other items. Was it made by this channel?")
        self.base.possible(inner[np.flatnonzero(revealed < 0)])

    def outputs(self, inner: list[Any], others: list[int]) -> list[Any]:
        places = self._places.tolist()
        return super().outputs([[places[j] for j in items] for items in inner], others)

    @property
    def statistic(self) -> Statistic:
        return self.sets.statistic.lifted(self.empty, self.sensitive, self.simulated)

    def simulated(self, people: Counts, generator: np.random.Generator) -> Counts | None:
        """Draw counts without reports: holders of free items reveal them, or send a neutral draw that is kept."""
        protected, filled = self.protected(people, generator)
        inner = self.sets.statistic.drawn(people[self.sensitive], filled, generator)
        if inner is None:
            return None
        found = people - protected
        found[self.sensitive] = inner
        return found

    @property
    def inversion(self) -> Inversion | None:
        base = self.base.inversion
        return LiftedInversion(self.channel, base) if isinstance(base, Liftable) else None

    @property
    def model(self) -> SetModel:
        return SetModel(self.channel)

    def cells(self, code: int, reports: SetReports) -> Iterator[Cells]:
        if self.size <= _MOST_LISTED:
            yield listed_cells(self.channel, code, reports)
        else:
            yield from self.item_cells(code, reports)

    def item_cells(self, code: int, reports: SetReports) -> Iterator[Cells]:
        """Whether an item is revealed, then for a sensitive one, how often each item is in the set."""
        chance = float(self.channel.revealing_chance(self.channel.empty_chance.low)[code])
        dense = reports.dense()
        revealed = (dense & ~self.sensitive).any(axis=1)
        yield np.array([revealed.sum(), (~revealed).sum()]), np.array([chance, 1 - chance])
        if self.sensitive[code]:
            yield from self.sets.item_cells(int(np.cumsum(self.sensitive)[code] - 1), SetReports.of_dense(dense[:, self.sensitive]))


class _NumberedLayout(Layout):
    """Reports that end in a number: numbers below `limit` are those of the base, and each free item has one above."""

    limit: int

    def inner(self, numbers: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Numbers of the base, and the items that are revealed."""
        values = numbers.astype(np.int64)
        revealed = np.where(values >= self.limit, values - self.limit, -1)
        return np.where(revealed >= 0, 0, values), revealed

    def outer(self, revealed: Mask, codes: NDArray[np.int64], numbers: NDArray[Any]) -> NDArray[Any]:
        """The opposite."""
        return np.where(revealed, self.limit + codes, numbers).astype(code_dtype(self.limit + self.size))


class HashedLayout(_NumberedLayout):
    """A seed and a bucket of the sensitive items, or the seed 0 and a number above the buckets."""

    def __init__(self, channel: LiftedChannel) -> None:
        super().__init__(channel)
        base = self.base.empty
        assert isinstance(base, HashedReports)
        self.limit, self._seeds = base.limit, base.seed_limit
        nothing = np.zeros(0, dtype=np.int64)
        self.empty = HashedReports(nothing, nothing, base.seed_limit, base.limit + self.size)

    def placed(self, drawn: HashedReports, revealed: Mask, codes: NDArray[np.int64]) -> HashedReports:
        buckets = self.outer(revealed, codes, drawn.buckets)
        return HashedReports(np.where(revealed, 0, drawn.seeds), buckets, drawn.seed_limit, self.limit + self.size)

    def split(self, reports: HashedReports) -> tuple[HashedReports, NDArray[np.int64]]:
        inner, revealed = self.inner(reports.buckets)
        return HashedReports(reports.seeds, inner, reports.seed_limit, self.limit), revealed

    def shown(self, code: int) -> tuple[int, int]:
        return 0, self.limit + code

    def filled(self, y: int, column: Sequence[Any]) -> bool:
        return bool(max(column) * self.limit > self.base.columns.low[0] * ONE)

    def refuse(self, reports: HashedReports, inner: HashedReports, revealed: NDArray[np.int64]) -> None:
        if (inner.seeds[revealed >= 0] != 0).any():
            raise ReportError("A report that reveals its item also has a seed. Was it made by this channel?")

    @property
    def statistic(self) -> Statistic:
        assert isinstance(self.empty, HashedReports)
        return HashedCounts(self.empty, self.size, self.sensitive)

    @property
    def model(self) -> HashedModel:
        return HashedModel(self.channel, self.limit)

    def cells(self, code: int, reports: HashedReports) -> Iterator[Cells]:
        protected = np.flatnonzero(reports.buckets < self.limit)
        inner = HashedReports(reports.seeds[protected], reports.buckets[protected], reports.seed_limit, self.limit)
        if self.sensitive[code]:
            yield np.array([len(protected), len(reports) - len(protected)]), np.array([1.0, 0.0])
            yield from self.base.cells(int(np.cumsum(self.sensitive)[code] - 1), inner)
            return
        table = bucket_table(self.base.size, self.limit, inner.seeds)
        filled = np.array([len(set(row)) for row in table.tolist()])
        hit = (table == inner.buckets[:, None]).any(axis=1)
        for count in np.unique(filled).tolist():
            chosen = hit[filled == count]
            inside, outside = count * self.channel.keep, (self.limit - count) * self.channel.keep_empty
            chance = inside / (inside + outside)
            yield np.array([chosen.sum(), (~chosen).sum()]), np.array([chance, 1 - chance])


class LiftedCodes(PerReport):
    """Counts per report: those of the base, then one for each item."""

    def __init__(self, empty: CodeReports, layout: CodeLayout) -> None:
        super().__init__(empty, codes=layout.channel.outputs())
        self._layout = layout

    def simulated(self, people: Counts, generator: np.random.Generator) -> Counts | None:
        return self._layout.simulated(people, generator)


class CodeLayout(_NumberedLayout):
    """Numbers of the base's reports, then one for each item."""

    def __init__(self, channel: LiftedChannel) -> None:
        super().__init__(channel)
        base = self.base.empty
        assert isinstance(base, CodeReports)
        self.limit = base.limit
        self.empty = CodeReports(np.zeros(0, dtype=np.int64), base.limit + self.size)

    def placed(self, drawn: CodeReports, revealed: Mask, codes: NDArray[np.int64]) -> CodeReports:
        return CodeReports(self.outer(revealed, codes, drawn.codes), self.limit + self.size)

    def split(self, reports: CodeReports) -> tuple[CodeReports, NDArray[np.int64]]:
        inner, revealed = self.inner(reports.codes)
        return CodeReports(inner, self.limit), revealed

    def shown(self, code: int) -> int:
        return self.limit + code

    def filled(self, y: int, column: Sequence[Any]) -> bool:
        return bool(self.base.member(CodeReports(np.array([y]), self.limit)).any())

    @property
    def statistic(self) -> PerReport:
        assert isinstance(self.empty, CodeReports)
        return LiftedCodes(self.empty, self)

    def simulated(self, people: Counts, generator: np.random.Generator) -> Counts | None:
        """Draw counts without reports, which stand for sets of sensitive items."""
        inner = self.base.statistic.simulated(people[self.sensitive], generator)
        if inner is None:
            return None
        protected, filled = self.protected(people, generator)
        member = np.array([bool(self.filled(y, ())) for y in range(self.limit)])
        for draws, those in ((filled, member), (int(protected.sum()) - filled, ~member)):
            if draws:
                inner[those] += generator.multinomial(draws, np.full(int(those.sum()), 1 / those.sum()))
        return np.concatenate([inner, np.where(self.sensitive, 0, people - protected)])

    @property
    def inversion(self) -> Inversion | None:
        return tabulated(self.channel)

    @property
    def model(self) -> Model:
        return Model(self.channel)

    def cells(self, code: int, reports: CodeReports) -> Iterator[Cells]:
        counts = np.bincount(reports.codes.astype(np.int64), minlength=self.limit + self.size)
        yield counts[self.channel.outputs()], self.channel.row(code)


#: The layout for each shape of reports that a base can have.
ROOMS: dict[type[Reports], type[Layout]] = {SetReports: SetLayout, HashedReports: HashedLayout, CodeReports: CodeLayout}
