"""A block of a tally: the statistics of one mechanism's reports, and the reports themselves where they are kept."""

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
    """Distinct reports in the order of their bytes, and how often each occurs."""

    records: NDArray[np.uint8]
    times: Counts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Grouped) and np.array_equal(self.records, other.records) and np.array_equal(self.times, other.times)

    __hash__ = None  # type: ignore[assignment]  # compared by content


class Remote(Protocol):
    """Reports that stay in files or on a cluster, and answer for themselves."""

    def likelihoods(self, names: Sequence[str]) -> Sequence[Likelihood]:
        """The likelihood of the reports of some blocks."""


@dataclass(frozen=True, eq=False)
class Block:
    """The statistics of one mechanism's reports.

    `counts` are per report where reports are items or codes, and per item (how many reports contain it) where they are sets or hashed.
    Reports that are kept lie in piles, small ones upon large ones, so that adding a few to many does not copy the many. Reports may also
    be remote, which serves the likelihood; such a block is otherwise one of totals, and is so when more is added to it.
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
        """The kept reports, all in one pile."""
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
        """Whether the block holds all that its reports say about the population, or will say."""
        return self.piles is not None or self.remote is not None or self.channel.statistic.sufficient

    @cached_property
    def grouped(self) -> Grouped | None:
        """The kept reports, identical ones together, in an order that does not depend on how they came."""
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
    """The piles put together, the small ones first."""
    whole = piles[-1]
    for pile in reversed(piles[:-1]):
        whole = pile + whole
    return whole
