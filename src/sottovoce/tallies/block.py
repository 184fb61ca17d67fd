"""A block of a tally: the counts of one mechanism's reports, and the reports themselves if they are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Counts
from sottovoce.channels import Channel
from sottovoce.channels.likelihood import Likelihood
from sottovoce.mechanisms import Mechanism
from sottovoce.piles import stacked
from sottovoce.reports import Reports


@dataclass(frozen=True, eq=False)
class Grouped:
    """Distinct reports, sorted by their bytes, and how often each occurs."""

    records: NDArray[np.uint8]
    times: Counts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Grouped) and np.array_equal(self.records, other.records) and np.array_equal(self.times, other.times)

    __hash__ = None  # type: ignore[assignment]  # compared by content


class Remote(Protocol):
    """Reports that stay in files or on a cluster, which compute their own likelihood."""

    def likelihoods(self, names: Sequence[str]) -> Sequence[Likelihood]:
        """The likelihood of the reports of some blocks."""


@dataclass(frozen=True, eq=False)
class Block:
    """The counts of one mechanism's reports.

    `counts` has an entry per possible report if reports are items or codes, and per item (the number of reports that contain it) if they
    are sets or hashed. Kept reports are in `piles` of falling size, so that adding a few to many doesn't copy the many. With `remote`
    reports, the block can compute the likelihood without having them. Adding more reports turns it into one of totals.
    """

    mechanism: Mechanism
    n: int
    counts: Counts = field(repr=False)
    piles: tuple[Reports, ...] | None = field(default=None, repr=False)
    name: str = ""
    remote: Remote | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.counts.setflags(write=False)

    @classmethod
    def empty(cls, mechanism: Mechanism, *, keep_reports: bool, name: str = "") -> Block:
        statistic = mechanism.channel.statistic
        piles = (mechanism.channel.empty,) if keep_reports and not statistic.sufficient else None
        return cls(mechanism, 0, np.zeros(statistic.length, dtype=np.int64), piles, name)

    @property
    def channel(self) -> Channel:
        return self.mechanism.channel

    @property
    def elsewhere(self) -> Remote | None:
        """The name of `remote` in earlier versions."""
        return self.remote

    @property
    def reports(self) -> Reports | None:
        """The kept reports, in one piece."""
        if self.piles is not None and len(self.piles) > 1:
            object.__setattr__(self, "piles", (_one_pile(self.piles),))
        return None if self.piles is None else self.piles[0]

    def add(self, reports: Reports) -> Block:
        counted = self.channel.statistic.count(reports)
        piles = None if self.piles is None else stacked(self.piles, reports, _one_pile)
        return replace(self, n=self.n + len(reports), counts=self.counts + counted, piles=piles, remote=None)

    def merged(self, other: Block) -> Block:
        piles = None if self.piles is None or other.reports is None else stacked(self.piles, other.reports, _one_pile)
        return replace(self, n=self.n + other.n, counts=self.counts + other.counts, piles=piles, remote=None)

    def totals(self) -> Block:
        """The same counts without the reports."""
        return replace(self, piles=None, remote=None)

    @property
    def sufficient(self) -> bool:
        """Whether the counts contain everything that reports reveal about the population, now and after more are added."""
        return self.piles is not None or self.remote is not None or self.channel.statistic.sufficient

    @cached_property
    def grouped(self) -> Grouped | None:
        """The kept reports with equal ones merged, in an order that doesn't depend on how they came."""
        if self.reports is None:
            return None
        records = np.ascontiguousarray(self.reports.records())
        if len(records) == 0:
            return Grouped(records, np.zeros(0, dtype=np.int64))
        rows = records.view(np.dtype((np.void, records.shape[1])))[:, 0]
        distinct, times = np.unique(rows, return_counts=True)
        return Grouped(distinct.view(np.uint8).reshape(len(distinct), records.shape[1]), times.astype(np.int64))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Block):
            return NotImplemented
        same = self.mechanism == other.mechanism and self.n == other.n and np.array_equal(self.counts, other.counts)
        return same and self.grouped == other.grouped

    __hash__ = None  # type: ignore[assignment]  # compared by content


def _one_pile(piles: Sequence[Reports]) -> Reports:
    """Join the piles, the small ones first."""
    whole = piles[-1]
    for pile in reversed(piles[:-1]):
        whole = pile + whole
    return whole
