"""An estimate: the distribution, its error bars, and how it came about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from sottovoce.arrays import Floats, Mask
from sottovoce.channels.groups import Groups
from sottovoce.domain import Domain, Item
from sottovoce.errors import DomainError, UnsupportedError
from sottovoce.estimators.columns import MEASURES, columns_of, largest, plain_rows
from sottovoce.estimators.intervals import Interval, Spread
from sottovoce.later import pa
from sottovoce.printable import Plottable, Tabular, table_of

if TYPE_CHECKING:
    import pandas as pd

    from sottovoce.estimators.curves import Curve
    from sottovoce.estimators.numbers import Quantity
    from sottovoce.tallies import Block


class Bars(Protocol):
    """What an interval is made from."""

    @property
    def variance(self) -> Floats: ...

    def interval(self, level: float, *, simultaneous: bool = False, reports: int = 1) -> Interval: ...

    def covariance(self) -> Floats: ...

    def grouped(self, groups: Groups) -> Bars: ...


def unknown() -> Bars:
    """No error bars."""
    raise UnsupportedError("This estimate wasn't made from reports, so its error isn't known. Use estimate(tally).")


@dataclass(frozen=True, eq=False)
class Estimate(Plottable, Tabular):
    """An estimated distribution over `domain`, and how it was made.

    `gap` bounds the total log-likelihood that is missing to the maximum, in nats (None for methods that don't maximise anything).
    `chosen` is what a method chose by itself, such as the weight α of 'corrected', and `note` describes in words what it found.
    `additive` marks methods whose shares of groups are sums of their items' shares. `unseen` marks items that a method couldn't
    distinguish from zero. They share the rest. `blocks` are the counts that the estimate was made from, `study` the study that asked,
    if it's known, and `notes` what to know about the files of its reports.

    >>> from sottovoce import Domain, SeededSource, Tally, estimate, krr
    >>> estimate(Tally.simulate(krr(Domain("abc"), 2.0), [0.2, 0.3, 0.5], 10_000, SeededSource(1)))
    Estimate(c 49.4%, b 29.8%, a 20.8%; n=10,000, method='mle')
    """

    domain: Domain
    p: Floats = field(repr=False)
    n: int
    method: str
    gap: float | None = None
    iterations: int | None = None
    chosen: Mapping[str, float] = field(default_factory=dict)
    note: str = field(default="", repr=False)
    bars: Callable[[], Bars] = field(default=unknown, repr=False)
    additive: bool = field(default=False, repr=False)
    unseen: Mask | None = field(default=None, repr=False)
    blocks: Sequence[Block] = field(default=(), repr=False)
    study: Any = field(default=None, repr=False)
    notes: Sequence[str] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        self.p.setflags(write=False)

    def __repr__(self) -> str:
        return f"Estimate({largest(self)}; n={self.n:,}, method={self.method!r})"

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
    def error_bars(self) -> Bars:
        """What standard errors and intervals are made from, made once."""
        return self.bars()

    @cached_property
    def known_margins(self) -> dict[tuple[str, ...], Estimate]:
        """The margins made so far: one of several axes needs those of its single axes, and callers ask for these too."""
        return {}

    @cached_property
    def stderr(self) -> Floats:
        """The standard error of each item's unbiased estimate (for 'mmse': of the posterior mean)."""
        found = np.sqrt(self.error_bars.variance)
        found.setflags(write=False)
        return found

    def interval(self, level: float = 0.95, *, simultaneous: bool = False, reports: int = 1) -> Interval:
        """The shares that the reports don't contradict, (low, high): for each item by itself, or for all items at once.

        The estimate lies between them: if a method puts a share outside, because it weighs all items together, the interval reaches to
        it. If each person gave several `reports`, give their number, because they reveal less about the population than as many people
        would.

        >>> from sottovoce import Domain, SeededSource, Tally, estimate, krr
        >>> e = estimate(Tally.simulate(krr(Domain("abc"), 1.0), [0.2, 0.3, 0.5], 10_000, SeededSource(1)))
        >>> low, high = e.interval(0.95)
        >>> bool(low[2] < 0.5 < high[2])
        True
        """
        low, high = self.error_bars.interval(level, simultaneous=simultaneous, reports=reports)
        return Interval(np.minimum(low, self.p), np.maximum(high, self.p))

    def group_interval(self, groups: Sequence[Any], level: float = 0.95, *, reports: int = 1) -> Interval:
        """The shares of groups of items that the reports don't contradict, each by itself. A group is a mask over the items.

        >>> from sottovoce import Domain, SeededSource, Tally, estimate, krr
        >>> e = estimate(Tally.simulate(krr(Domain("abc"), 1.0), [0.2, 0.3, 0.5], 10_000, SeededSource(1)))
        >>> low, high = e.group_interval([[True, True, False]])
        >>> bool(low[0] < 0.5 < high[0])
        True
        """
        masks = [np.asarray(group, dtype=np.bool_) for group in groups]
        if any(mask.shape != self.p.shape for mask in masks):
            raise DomainError(f"A group doesn't have {len(self.p)} entries. Give True or False for each item.")
        found = [self._group_limits(mask, level, reports) for mask in masks]
        return Interval(np.array([low for low, _ in found]), np.array([high for _, high in found]))

    def _group_limits(self, mask: Mask, level: float, reports: int) -> tuple[float, float]:
        if mask.all() or not mask.any():
            return float(mask.all()), float(mask.all())
        low, high = self.error_bars.grouped(Groups(mask.astype(np.int64), 2)).interval(level, reports=reports)
        return float(low[1]), float(high[1])

    def margin(self, *axes: str) -> Estimate:
        """The shares of one axis of a product domain, or of several, as an estimate of its own with intervals.

        It isn't the sum of this estimate over the other axes, which is far off if there are many items for so few people. If reports
        name items, it's the exact maximum of the likelihood of the axis. Otherwise the unbiased sums are fitted. A margin of several
        axes sums to those of its single axes.

        >>> from sottovoce import Domain, SeededSource, Tally, estimate, krr
        >>> domain = Domain.product(sex=["f", "m"], age=["young", "middle", "old"])
        >>> e = estimate(Tally.simulate(krr(domain, 2.0), [0.1, 0.2, 0.3, 0.2, 0.1, 0.1], 100_000, SeededSource(1)))
        >>> e.margin("sex").p.round(1).tolist(), e.margin("age").p.round(1).tolist()
        ([0.6, 0.4], [0.3, 0.3, 0.4])
        """
        from sottovoce.estimators.margins import margin

        return margin(self, axes)

    def significant(self, level: float = 0.05, control: str = "fdr") -> Mask:
        """Which items can be distinguished from zero, as a mask over the items.

        With control="fdr" at most this part of the items found is false, on average. With "familywise" the chance of a single false one
        is at most the level.

        >>> from sottovoce import Domain, SeededSource, Tally, estimate, krr
        >>> p = [0.2, 0.3, 0.5, 0, 0, 0]
        >>> estimate(Tally.simulate(krr(Domain("abcdef"), 2.0), p, 10_000, SeededSource(1))).significant().tolist()
        [True, True, True, False, False, False]
        """
        from sottovoce.estimators.significance import significant

        return significant(self.p_values(), level, control)

    def p_values(self) -> Floats:
        """For each item the chance of reports that support it as much as these do, or more, if no one has it.

        >>> from sottovoce import Domain, SeededSource, Tally, estimate, krr
        >>> estimate(Tally.simulate(krr(Domain("abc"), 2.0), [0.5, 0.5, 0], 10_000, SeededSource(1))).p_values().round(2).tolist()
        [0.0, 0.0, 0.3]
        """
        from sottovoce.estimators.significance import p_values

        if not isinstance(self.error_bars, Spread):
            raise UnsupportedError(f"{self.method!r} only describes the people who answered. Use another method to test items.")
        return p_values(self.error_bars)

    @cached_property
    def _curve(self) -> Curve:
        from sottovoce.estimators.curves import curve_of

        return curve_of(self)

    def mean(self, level: float = 0.95) -> Quantity:
        """The mean of numbers, or of the scores of a scale, with its interval. A bin counts as its middle.

        >>> from sottovoce import Domain, SeededSource, Tally, estimate, krr
        >>> e = estimate(Tally.simulate(krr(Domain.scale(1, 5), 2.0), [0.1, 0.2, 0.4, 0.2, 0.1], 10_000, SeededSource(1)))
        >>> mood = e.mean()
        >>> mood.low < 3 < mood.high
        True
        """
        from sottovoce.estimators import numbers

        return numbers.mean(self.domain, self._curve, level)

    def quantile(self, q: float, level: float = 0.95) -> Quantity:
        """The value that a part q of the answers doesn't exceed, with its interval: the median for q = 0.5.

        Answers are spread evenly within a bin. On a scale it's the score of a label.
        """
        from sottovoce.estimators import numbers

        return numbers.quantile(self.domain, self._curve, q, level)

    def cdf(self, value: Any, level: float = 0.95) -> Quantity:
        """The share of answers up to a value (a label or a score on a scale), with its interval."""
        from sottovoce.estimators import numbers

        return numbers.cdf(self.domain, self._curve, value, level)

    def share(self, low: Any, high: Any, level: float = 0.95) -> Quantity:
        """The share of answers from `low` to `high`, both included, with its interval."""
        from sottovoce.estimators import numbers

        return numbers.share(self.domain, self._curve, low, high, level)

    def covariance(self) -> Floats:
        """The exact covariance of the unbiased estimate behind this one (K×K): for sums and differences of items."""
        return self.error_bars.covariance()

    def summary(self, level: float = 0.95) -> pd.DataFrame:
        """The table that `print` shows, as a data frame: p, low, high, and whether an item can be distinguished from zero, by item.

        >>> from sottovoce import Domain, SeededSource, Tally, estimate, krr
        >>> e = estimate(Tally.simulate(krr(Domain("abc"), 2.0), [0.4, 0.6, 0], 10_000, SeededSource(1)))
        >>> e.summary(0.99)["found"].to_dict()
        {'a': True, 'b': True, 'c': False}
        """
        frame = self.to_frame(level)
        labels = [name for name in frame.columns if name not in MEASURES]
        try:
            frame["found"] = self.significant(1 - level)
        except UnsupportedError:
            frame["found"] = None
        return frame.set_index(labels).drop(columns="stderr")

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """The estimate as plain data, for JSON."""
        plain = {"n": self.n, "method": self.method, "gap": self.gap, "level": level}
        return plain | {"items": plain_rows(columns_of(self, level)), "notes": list(self.notes)}

    def to_frame(self, level: float = 0.95) -> pd.DataFrame:
        """A row for each item: its label (a column for each axis), p, stderr and the interval at `level`."""
        import pandas as pd

        return pd.DataFrame(dict(self._columns(level)))

    def to_arrow(self, level: float = 0.95) -> pa.Table:
        """The rows of `to_frame` as an Arrow table. Labels that aren't all text, or all numbers, are text."""
        return table_of(columns_of(self, level))

    def _columns(self, level: float = 0.95) -> Mapping[str, Any]:
        return columns_of(self, level)
