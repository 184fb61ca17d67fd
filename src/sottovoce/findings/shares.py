"""Shares with their intervals, formatted for people: those of all items, or those of an axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sottovoce.arrays import Floats, Mask
from sottovoce.estimators import Interval
from sottovoce.estimators.remarks import remark_of
from sottovoce.findings.formatting import digits_of, ends_text, percent_between, share_text

#: The remark at a share that can't be told from zero. One whose interval is too wide is `VAGUE`.
MAYBE_ZERO = "maybe zero"


@dataclass(frozen=True, eq=False)
class Shares:
    """The shares of some labels with their intervals, if there are any, and shares to compare with.

    `found` marks the labels that are distinguishable from zero, or is None if that's unknown.

    >>> import numpy as np
    >>> shares = Shares("sex", ["f", "m"], np.array([0.4, 0.6]), Interval(np.array([0.1, 0.3]), np.array([0.7, 0.9])))
    >>> shares.cells(0), shares.remark(0)
    (['40%', '10 to 70%'], "can't tell")
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
        """A remark to read before a share."""
        wide = "" if self.interval is None else remark_of(float(self.interval.high[k] - self.interval.low[k]))
        return wide or ("" if self.found is None or self.found[k] else MAYBE_ZERO)

    @property
    def remarks(self) -> list[str]:
        return [self.remark(k) for k in range(len(self.p))]

    @cached_property
    def digits(self) -> int:
        """The decimals of all shares of a table."""
        return digits_of(self.widths)

    @property
    def widths(self) -> Sequence[float]:
        return [] if self.interval is None else (self.interval.high - self.interval.low).tolist()

    def ends(self, k: int) -> tuple[float | None, float | None]:
        """The ends of a label's interval, if there is one."""
        return (None, None) if self.interval is None else (float(self.interval.low[k]), float(self.interval.high[k]))

    def cells(self, k: int, digits: int | None = None) -> list[str]:
        """The share, its interval and the shares to compare with, with so many decimals or those of the table.

        The ends are rounded outwards, so that the share is never outside. A share that may be zero isn't written as zero: no one would
        know that.
        """
        many, others = self.digits if digits is None else digits, (float(each[k]) for each in self.beside.values())
        low, high = self.ends(k)
        share = share_text(float(self.p[k]), many, low)
        if self.remark(k) == MAYBE_ZERO and share == share_text(0.0, many):
            share = f"under {share_text(10.0 ** -(2 + many), many)}"
        return [share, ends_text(low, high, many), *(share_text(each, many) for each in others)]

    def sentence(self, k: int, digits: int | None = None) -> str:
        """The share with its interval, with so many decimals or those of the table: "25.5%, between 24.4 and 26.6%"."""
        return percent_between(float(self.p[k]), *self.ends(k), self.digits if digits is None else digits)

    def to_dicts(self) -> list[dict[str, Any]]:
        """A row for each label as plain data, for JSON."""
        low, high = ([None] * len(self.p),) * 2 if self.interval is None else (ends.tolist() for ends in self.interval)
        columns = {"item": self.labels, "p": self.p.tolist(), "low": low, "high": high}
        if self.found is not None:
            columns["found"] = self.found.tolist()
        columns |= {name: shares.tolist() for name, shares in self.beside.items()}
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        return [row | ({"remark": remark} if remark else {}) for row, remark in zip(rows, self.remarks, strict=True)]
