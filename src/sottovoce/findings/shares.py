"""Shares with their intervals, as people read them: those of all items, or those of an axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sottovoce.arrays import Floats, Mask
from sottovoce.estimators import Interval
from sottovoce.findings.formatting import percent, percent_down, percent_up

#: The width of an interval above which the reports don't say how large a share is.
_WIDE = 0.5
#: Remarks: the reports don't say how large a share is, or whether there is one.
VAGUE, MAYBE_ZERO = "can't tell", "maybe zero"


@dataclass(frozen=True, eq=False)
class Shares:
    """The shares of some labels with their intervals, if there are any, and what is compared with them.

    `found` marks the labels that can be told from zero. It's None if that's unknown.

    >>> import numpy as np
    >>> shares = Shares("sex", ["f", "m"], np.array([0.4, 0.6]), Interval(np.array([0.1, 0.3]), np.array([0.7, 0.9])))
    >>> shares.cells(0), shares.remark(0)
    (['40.00%', '10.00%', '70.00%'], "can't tell")
    """

    name: str
    labels: Sequence[str]
    p: Floats
    interval: Interval | None
    beside: Mapping[str, Floats] = field(default_factory=dict)
    found: Mask | None = None

    def take(self, order: Sequence[int]) -> Shares:
        """Some of the labels, in this order."""
        interval = None if self.interval is None else Interval(*(ends[order] for ends in self.interval))
        beside = {name: shares[order] for name, shares in self.beside.items()}
        found = None if self.found is None else self.found[order]
        return Shares(self.name, [self.labels[k] for k in order], self.p[order], interval, beside, found)

    def remark(self, k: int) -> str:
        """What to know about a share before reading it."""
        if self.interval is not None and self.interval.high[k] - self.interval.low[k] > _WIDE:
            return VAGUE
        return "" if self.found is None or self.found[k] else MAYBE_ZERO

    @property
    def remarks(self) -> list[str]:
        return [self.remark(k) for k in range(len(self.p))]

    def cells(self, k: int) -> list[str]:
        """The share, its interval and what is compared with it, rounded so that the share never lies outside."""
        low, high = (None, None) if self.interval is None else (float(ends[k]) for ends in self.interval)
        return [percent(float(self.p[k])), percent_down(low), percent_up(high), *(percent(float(each[k])) for each in self.beside.values())]

    def to_dicts(self) -> list[dict[str, Any]]:
        """A row for each label as plain data, for JSON."""
        low, high = ([None] * len(self.p),) * 2 if self.interval is None else (ends.tolist() for ends in self.interval)
        columns = {"item": self.labels, "p": self.p.tolist(), "low": low, "high": high}
        if self.found is not None:
            columns["found"] = self.found.tolist()
        columns |= {name: shares.tolist() for name, shares in self.beside.items()}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
