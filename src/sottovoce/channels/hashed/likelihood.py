"""The likelihood of hashed reports: passes over reports on all cores, and the pieces they are split into."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Floats
from sottovoce.channels.hashed import pass_kernels as kernels
from sottovoce.channels.hashed.functions import bucket_table
from sottovoce.channels.likelihood import Likelihood, MatrixLikelihood, ReportsLikelihood, Sums
from sottovoce.channels.model import OTHERS, REVEALED, Model, revealed
from sottovoce.channels.sets.likelihood import distinct_rows
from sottovoce.parallel import in_threads
from sottovoce.reports import HashedReports, SetReports


class HashedModel(Model):
    """The likelihood's pieces: protected reports, hashed over the sensitive items into `buckets`, and counts of reports that reveal their
    item.
    """

    def __init__(self, channel: Any, buckets: int) -> None:
        super().__init__(channel)
        self._buckets = buckets

    def pieces(self, reports: HashedReports, *, distinct: bool = True) -> dict[str, Likelihood]:
        if distinct:
            reports = reports[np.lexsort((reports.buckets, reports.seeds))]  # sums, to the last bit, do not depend on how the reports came
        shown = reports.buckets >= self._buckets
        found: dict[str, Likelihood] = {}
        if shown.any():
            items = reports.buckets[shown].astype(np.int64) - self._buckets
            found[REVEALED] = revealed(np.bincount(items, minlength=self.channel.size).astype(np.float64))
        if not shown.all():
            found[OTHERS] = self._hashes(reports[~shown] if shown.any() else reports)
        return found

    def templates(self) -> dict[str, ReportsLikelihood]:
        return {OTHERS: self._hashes(self.channel.empty)}

    def counted(self, name: str, counts: Floats) -> Likelihood:
        return revealed(counts)

    def _hashes(self, reports: HashedReports) -> HashedLikelihood:
        columns, per_item = self.channel.columns, self.channel.per_item
        low, high = per_item(columns.low), per_item(columns.high)
        empty = low if columns.empty is None else per_item(columns.empty)
        places, gain = np.flatnonzero(~columns.invertible), np.where(columns.invertible, 0.0, high - low)
        return HashedLikelihood(reports.seeds, reports.buckets, self._buckets, np.ones(len(reports)), places, low, gain, empty)


@dataclass(frozen=True)
class HashedLikelihood(ReportsLikelihood):
    """Hashed reports that reveal no item. Only the items at `places` are hashed. `empty` is the weight of reports that contain none of
    them.
    """

    seeds: NDArray[np.uint64]
    buckets: NDArray[Any]
    g: int
    times: Floats
    places: NDArray[np.int64]
    low: Floats
    gain: Floats
    empty: Floats

    def as_matrix(self) -> MatrixLikelihood:
        """The same as a matrix. Reports of different functions that contain the same items have equal rows. Each report occurs once."""
        member = bucket_table(len(self.places), self.g, self.seeds) == self.buckets[:, None]
        assert (self.times == 1).all()
        first, times = distinct_rows(SetReports.of_dense(member).words)
        sets = member[first]
        rows = np.where(sets.any(axis=1, keepdims=True), self.low, self.empty)
        rows[:, self.places] += sets * self.gain[self.places]
        return MatrixLikelihood(rows, times)

    @property
    def _layout(self) -> np.dtype[Any]:
        return np.dtype([("seed", "<u8"), ("bucket", self.buckets.dtype.newbyteorder("<"))])

    def records(self) -> NDArray[np.uint8]:
        rows = np.empty(len(self.seeds), dtype=self._layout)
        rows["seed"], rows["bucket"] = self.seeds, self.buckets
        return rows.view(np.uint8).reshape(len(rows), self._layout.itemsize)

    def of_records(self, data: bytes | memoryview) -> HashedLikelihood:
        rows = np.frombuffer(data, dtype=self._layout)
        seeds, buckets = rows["seed"].astype(np.uint64), rows["bucket"].astype(self.buckets.dtype)
        return replace(self, seeds=seeds, buckets=buckets, times=np.ones(len(rows)))

    def sums(self, p: Floats, *, curved: bool = True) -> Sums:
        base, base_empty = float(p @ self.low), float(p @ self.empty)
        gains = (p * self.gain)[self.places]
        parts = in_threads(len(self.times), len(gains), lambda rows: self._pass(rows, base, base_empty, gains, curved=curved))
        value = float(sum(part[0] for part in parts))
        one, two, one_empty, two_empty = np.sum([part[1] for part in parts], axis=0)
        first, second = np.zeros(len(p)), np.zeros(len(p))
        first[self.places] = np.sum([part[2] for part in parts], axis=0)
        second[self.places] = np.sum([part[3] for part in parts], axis=0)
        return Sums(
            value,
            self.low * one + self.empty * one_empty + self.gain * first,
            self.low**2 * two + self.empty**2 * two_empty + self.gain * (self.gain + 2 * self.low) * second,
            self.low * two + self.empty * two_empty + self.gain * second,
            float(two + two_empty),
        )

    def _pass(self, rows: slice, base: float, base_empty: float, gains: Floats, *, curved: bool) -> tuple[float, Floats, Floats, Floats]:
        first, second = np.zeros(len(gains)), np.zeros(len(gains))
        wanted = second if curved else second[:0]
        value, sums = kernels.pass_over_hashes(
            self.seeds[rows], self.buckets[rows], self.g, self.times[rows], base, base_empty, gains, first, wanted
        )
        return value, sums, first, second
