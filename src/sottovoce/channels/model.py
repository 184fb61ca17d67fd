"""The likelihood of a population given a channel's reports, in pieces of simple shape. By default it comes from the channel's matrix."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.arrays import Counts, Floats
from sottovoce.channels.likelihood import Likelihood, MatrixLikelihood, ReportsLikelihood, SeparableLikelihood, Sums
from sottovoce.errors import UnsupportedError

if TYPE_CHECKING:
    from sottovoce.channels.protocol import Channel

#: The pieces of reports, by name: those that reveal their item, empty sets with weights of their own, and the others.
REVEALED, EMPTY, OTHERS = "revealed", "empty", "others"

#: Reports whose likelihoods are written down at a time.
_ROWS = 1 << 12


class Model:
    """The likelihood of a channel's reports, in pieces. Names of pieces are also keys on a cluster, so don't change them."""

    def __init__(self, channel: Channel) -> None:
        self.channel: Any = channel

    def of_counts(self, counts: Counts) -> Likelihood:
        """The likelihood of counts, if they are sufficient."""
        return self.tabulated(counts)

    def separable(self, counts: Counts) -> SeparableLikelihood | None:
        """The likelihood of counts, if it has one term per item. It then applies to groups of items too."""
        return None

    def tabulated(self, counts: Counts) -> MatrixLikelihood:
        """The same by the columns of the matrix."""
        counts = self.channel.statistic.of_outputs(counts)
        seen = counts > 0
        return MatrixLikelihood(self.channel.matrix().T[seen], counts[seen].astype(np.float64))

    def pieces(self, reports: Any, *, distinct: bool = True) -> dict[str, Likelihood]:
        """The likelihood of reports, if counts aren't sufficient. With `distinct`, equal reports are counted, and sums don't depend on
        their order. Without it nothing is sorted, so that remote reports can be split into batches.
        """
        if not len(reports):
            return {}
        if not distinct:
            return {OTHERS: self._others(reports, np.ones(len(reports)))}
        records = np.ascontiguousarray(reports.records())
        rows = records.view(np.dtype((np.void, records.shape[1])))[:, 0]
        _, first, times = np.unique(rows, return_index=True, return_counts=True)
        return {OTHERS: self._others(reports[first], times.astype(np.float64))}

    def templates(self) -> dict[str, ReportsLikelihood]:
        """The pieces that must be read report by report, without any reports."""
        return {OTHERS: self._others(self.channel.empty, np.zeros(0))}

    def counted(self, name: str, counts: Floats) -> Likelihood:
        """The piece of this name with these counts, from reports or from several batches together."""
        raise UnsupportedError(f"{name!r} isn't a piece made of counts. Use one of the counted pieces.")

    def _others(self, reports: Any, times: Floats) -> ReportsLikelihood:
        return WeighedLikelihood(self.channel, reports, times, np.zeros(self.channel.size))


@dataclass(frozen=True)
class WeighedLikelihood(ReportsLikelihood):
    """Reports of any channel, weighed in batches by the channel itself."""

    channel: Channel
    reports: Any
    times: Floats
    low: Floats

    def as_matrix(self) -> MatrixLikelihood:
        return MatrixLikelihood(self.channel.weigh(self.reports), self.times)

    def records(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        return np.ascontiguousarray(self.reports.records())

    def of_records(self, data: bytes | memoryview) -> WeighedLikelihood:
        reports = self.channel.reports_from_bytes(bytes(data))
        return replace(self, reports=reports, times=np.ones(len(reports)))

    def sums(self, p: Floats, *, curved: bool = True) -> Sums:
        nothing = np.zeros_like(p)
        total = Sums(0.0, nothing, nothing, nothing, 0.0)
        for start in range(0, len(self.times), _ROWS):
            rows, times = self.channel.weigh(self.reports[start : start + _ROWS]), self.times[start : start + _ROWS]
            mean = rows @ p
            first = times / mean
            second = first / mean
            value = float((times * np.log(mean)).sum())
            total += Sums(value, first @ rows, second @ rows**2, second @ rows, float(second.sum()))
        return total


def revealed(counts: Floats) -> SeparableLikelihood:
    """The likelihood of reports that reveal their item, from how many reveal each."""
    return SeparableLikelihood(counts, 1.0, np.zeros(len(counts)))
