"""An estimate: the distribution, its error bars, and how it came about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.domain import Domain, Item
from sottovoce.errors import DomainError, UnsupportedError
from sottovoce.estimators.intervals import Interval

if TYPE_CHECKING:
    import pandas as pd


class Bars(Protocol):
    """What an interval is made from."""

    @property
    def variance(self) -> Floats: ...

    def interval(self, level: float, *, simultaneous: bool = False, reports: int = 1) -> Interval: ...

    def covariance(self) -> Floats: ...


def unknown() -> Bars:
    """No error bars."""
    raise UnsupportedError("this estimate was not made from reports, so its error is unknown")


@dataclass(frozen=True, eq=False)
class Estimate:
    """An estimated distribution over `domain`, and how it came about.

    `gap` bounds the total log-likelihood that is missing to the maximum, in nats (None for methods that maximise nothing). `chosen` is what
    a method chose by itself: the weight α of 'corrected', the spread of 'auto'. `note` says in words what 'auto' found.
    """

    domain: Domain
    p: Floats = field(repr=False)
    n: int
    method: str
    gap: float | None = None
    iterations: int | None = None
    chosen: Mapping[str, float] = field(default_factory=dict)
    note: str = ""
    bars: Callable[[], Bars] = field(default=unknown, repr=False)

    def __post_init__(self) -> None:
        self.p.setflags(write=False)

    def __getitem__(self, item: Item) -> float:
        """The estimated share of an item."""
        return float(self.p[self.domain.code(item)])

    def __len__(self) -> int:
        return len(self.domain)

    def __iter__(self) -> Iterator[Item]:
        """The items, as those of a mapping."""
        return iter(self.domain)

    def __contains__(self, item: object) -> bool:
        return item in self.domain

    @cached_property
    def _bars(self) -> Bars:
        return self.bars()

    @cached_property
    def stderr(self) -> Floats:
        """The standard error of each item's unbiased estimate (for 'mmse': of the posterior mean)."""
        found = np.sqrt(self._bars.variance)
        found.setflags(write=False)
        return found

    def interval(self, level: float = 0.95, *, simultaneous: bool = False, reports: int = 1) -> Interval:
        """The shares that the reports do not contradict, (low, high): for each item by itself, or for all items at once.

        If each person gave several `reports`, say how many: they tell less about the population than as many people would.

        >>> from sottovoce import Domain, SeededSource, Tally, estimate, krr
        >>> e = estimate(Tally.simulate(krr(Domain("abc"), 1.0), [0.2, 0.3, 0.5], 10_000, SeededSource(1)))
        >>> low, high = e.interval(0.95)
        >>> bool(low[2] < 0.5 < high[2])
        True
        """
        return self._bars.interval(level, simultaneous=simultaneous, reports=reports)

    def group_interval(self, groups: Sequence[Any], level: float = 0.95, *, reports: int = 1) -> Interval:
        """The shares of groups of items that the reports do not contradict, each by itself; a group is a mask over the items.

        >>> from sottovoce import Domain, SeededSource, Tally, estimate, krr
        >>> e = estimate(Tally.simulate(krr(Domain("abc"), 1.0), [0.2, 0.3, 0.5], 10_000, SeededSource(1)))
        >>> low, high = e.group_interval([[True, True, False]])
        >>> bool(low[0] < 0.5 < high[0])
        True
        """
        from sottovoce.estimators.group_intervals import group_intervals

        masks = [np.asarray(group, dtype=np.bool_) for group in groups]
        if any(mask.shape != self.p.shape for mask in masks):
            raise DomainError(f"a group says of each of the {len(self.p)} items whether it belongs to it; give lists of that length")
        return group_intervals(self._bars, masks, level, reports)

    def covariance(self) -> Floats:
        """The exact covariance of the unbiased estimate behind this one (K×K): for sums and differences of items."""
        return self._bars.covariance()

    def to_frame(self, level: float = 0.95) -> pd.DataFrame:
        """A row for each item: its label (a column for each axis), p, stderr and the interval at `level`."""
        import pandas as pd

        if len(self.domain.axes) == 1:
            labels: dict[str, Any] = {self.domain.axes[0].name or "item": list(self.domain)}
        else:
            places = np.unravel_index(np.arange(len(self.domain)), self.domain.shape)
            labels = {
                str(axis.name): [axis.labels[k] for k in place.tolist()] for axis, place in zip(self.domain.axes, places, strict=True)
            }
        low, high = self.interval(level)
        measures = {"p": self.p, "stderr": self.stderr, "low": low, "high": high}
        if taken := sorted(set(labels) & set(measures)):
            raise DomainError(f"axis {taken[0]!r} has the name of a column of the frame; rename the axis")
        return pd.DataFrame(labels | measures)
