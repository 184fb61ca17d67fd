"""Hashed channels over a finite public family, each function with a noise of its own.

The corrected noise of local hashing under a prior depends on the prior of the buckets, hence on the hash function. With finitely
many functions every one of them is tabulated, and certified exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.channels.base import Channel, Codes, Floats, frozen, whole
from sottovoce.channels.columns import NOTHING, Columns, Extreme, Mask, largest, ratio
from sottovoce.channels.direct import DirectChannel
from sottovoce.channels.hashed import bucket_table, draw_hashed, public_seeds
from sottovoce.channels.information import Bounds
from sottovoce.errors import ParameterError, ReportError
from sottovoce.later import pa
from sottovoce.policy import Prior
from sottovoce.reports import HashedReports, Reports
from sottovoce.sources import Source


@dataclass(frozen=True)
class TableColumns(Columns):
    """Finitely many hash functions, each with its own noise: a direct channel over buckets for each."""

    channel: HashTableChannel

    @property
    def invertible(self) -> Mask:  # type: ignore[override]  # never set, always false
        return np.zeros(self.channel.size, dtype=np.bool_)

    def _functions(self) -> Iterator[tuple[int, NDArray[np.int64], list[Fraction]]]:
        """Each function's number, the buckets of the items, and the factor by which each bucket favours its items."""
        for index, (table, direct) in enumerate(zip(self.channel.table, self.channel.directs, strict=True)):
            yield index, table, [Fraction(direct.truth + noise, noise) if noise else Fraction(1) for noise in direct.noise.tolist()]

    def largest_pair(self, numerators: Mask, denominators: Mask, prior: Prior | None = None) -> Extreme:
        best = NOTHING
        weights = [1] * self.channel.size if prior is None else prior.weights
        above, below = np.flatnonzero(numerators).tolist(), np.flatnonzero(denominators).tolist()
        above.sort(key=lambda item: weights[item], reverse=True)
        below.sort(key=lambda item: weights[item])
        for index, table, odds in self._functions():
            top: dict[int, list[int]] = {}
            for item in above:
                top.setdefault(int(table[item]), []).append(item)
            for bucket, items in top.items():
                x = items[0]
                apart = next((item for item in below if table[item] != bucket), None)
                together = next((item for item in below if table[item] == bucket and item != x), None)
                if apart is not None:
                    best = largest([best, Extreme(odds[bucket] * weights[x] / weights[apart], (index, bucket), x, apart)])
                if together is not None:
                    best = largest([best, Extreme(Fraction(weights[x], weights[together]), (index, bucket), x, together)])
        return best

    def belief_ratios(self, prior: Prior) -> tuple[Extreme, Extreme]:
        up, down = NOTHING, NOTHING
        for (index, table, odds), sums in zip(self._functions(), self.channel.bucket_weights(prior), strict=True):
            rise, fall = self._beliefs(odds, sums, prior.total)
            up = largest([up, Extreme(rise.ratio, (index, rise.report), int(np.flatnonzero(table == rise.item)[0]))])
            down = largest([down, Extreme(fall.ratio, (index, fall.report), int(np.flatnonzero(table == fall.item)[0]))])
        return up, down

    @staticmethod
    def _beliefs(odds: Sequence[Fraction], sums: Sequence[int], total: int) -> tuple[Extreme, Extreme]:
        """The direct channel's belief ratios over the buckets that hold items."""
        used = [b for b, weight in enumerate(sums) if weight]
        if len(used) == 1:
            return Extreme(Fraction(1), used[0], used[0]), Extreme(Fraction(1), used[0], used[0])
        up, down = NOTHING, NOTHING
        for b in used:
            mean = 1 + (odds[b] - 1) * Fraction(sums[b], total)
            up = largest([up, Extreme(mean, b, next(other for other in used if other != b))])
            down = largest([down, Extreme(odds[b] / mean, b, b)])
        return up, down

    def _protected_ratio(self, above: Sequence[Fraction], below: Sequence[Fraction]) -> Extreme:
        def per_bucket(weights: Sequence[Fraction], table: NDArray[np.int64]) -> list[Fraction]:
            sums = [Fraction(0)] * self.channel.buckets
            for weight, bucket in zip(weights, table.tolist(), strict=True):
                sums[bucket] += weight
            return sums

        def candidates() -> Iterator[Extreme]:
            for index, table, odds in self._functions():
                up, down = per_bucket(above, table), per_bucket(below, table)
                whole_up, whole_down = sum(up, Fraction(0)), sum(down, Fraction(0))
                for b in sorted(set(table.tolist())):
                    gain = odds[b] - 1
                    yield Extreme(ratio(whole_up + gain * up[b], whole_down + gain * down[b]), (index, b))

        return largest(candidates())


@dataclass(frozen=True, eq=False)
class HashTableChannel(Channel):
    """A power of two of public hash functions, each with a direct channel of its own over its buckets."""

    items: int
    buckets: int
    directs: tuple[DirectChannel, ...]

    def __post_init__(self) -> None:
        whole(items=self.items, buckets=self.buckets)
        if len(self.directs) & (len(self.directs) - 1) or not self.directs:
            raise ParameterError(f"there are {len(self.directs)} hash functions; their number must be a power of two")
        if any(direct.size != self.buckets for direct in self.directs):
            raise ParameterError("every hash function needs a direct channel over all buckets")
        if not all(direct.noise[row].all() for direct, row in zip(self.directs, self.table, strict=True)):
            raise ParameterError("a bucket that holds items has no noise, so that its report reveals them")

    @property
    def size(self) -> int:
        return self.items

    @property
    def seed_limit(self) -> int:
        return len(self.directs)

    @cached_property
    def table(self) -> NDArray[np.int64]:
        """The bucket of every item under every function."""
        return frozen(bucket_table(self.size, self.buckets, public_seeds(len(self.directs))), np.int64)

    def bucket_weights(self, prior: Prior) -> list[list[int]]:
        return bucket_weights(self.table, self.buckets, prior)

    @cached_property
    def columns(self) -> TableColumns:
        return TableColumns(self)

    def sample(self, codes: Codes, source: Source) -> Reports:
        tables, codes = np.stack([direct.noise for direct in self.directs]), codes.astype(np.int64, copy=False)
        seeds, buckets, _ = draw_hashed(codes, self.seed_limit, public_seeds(self.seed_limit), tables, self.size, 0, 0, source)
        return HashedReports(seeds, buckets, self.seed_limit, self.buckets)

    def outputs(self) -> list[tuple[int, int]]:
        return [(seed, bucket) for seed in range(self.seed_limit) for bucket in range(self.buckets)]

    def _floats(self) -> Floats:
        self._writable(self.seed_limit * self.buckets)
        buckets = np.arange(self.buckets)
        under = [direct.s * (row[:, None] == buckets) + direct.t for direct, row in zip(self.directs, self.table, strict=True)]
        return np.asarray(np.concatenate(under, axis=1) / self.seed_limit)

    def _numerators(self) -> NDArray[Any]:
        self._writable(self.seed_limit * self.buckets)
        under = [direct._numerators()[row] for direct, row in zip(self.directs, self.table, strict=True)]
        return np.concatenate(under, axis=1) * Fraction(1, self.seed_limit)

    def matrix_under(self, seed: int, *, exact: bool = False) -> NDArray[Any]:
        """The K×g matrix of the bucket report under function number `seed`."""
        return self.directs[seed].matrix(exact=exact)[self.table[seed]]

    def _likelihood(self, reports: Reports) -> Floats:
        assert isinstance(reports, HashedReports)
        noise = np.stack([direct.t for direct in self.directs])[reports.seeds, reports.buckets]
        truth = np.array([direct.s for direct in self.directs])[reports.seeds]
        return noise[:, None] + truth[:, None] * (self.table[reports.seeds] == reports.buckets[:, None])

    def leakage(self) -> Bounds:
        filled = [len(set(row.tolist())) for row in self.table]
        return Bounds.around(
            sum(1 + (count - 1) * direct.s for count, direct in zip(filled, self.directs, strict=True)) / self.seed_limit,
            terms=self.size * self.seed_limit,
        )

    def information(self, prior: Prior) -> Bounds:
        rows = np.array([[weight / prior.total for weight in row] for row in self.bucket_weights(prior)])
        return Bounds.around(
            float(np.mean([direct.information_at(p) for direct, p in zip(self.directs, rows, strict=True)])),
            terms=self.size * self.seed_limit,
        )

    def reports_from_bytes(self, data: bytes) -> Reports:
        return self._possible(HashedReports.from_bytes(data, self.seed_limit, self.buckets))

    def reports_from_arrow(self, table: pa.Table | pa.RecordBatch) -> Reports:
        return self._possible(HashedReports.from_arrow(table, self.seed_limit, self.buckets))

    def _possible(self, reports: HashedReports) -> HashedReports:
        noise = np.stack([direct.noise for direct in self.directs])
        if (noise[reports.seeds, reports.buckets] == 0).any():
            raise ReportError("a report names a bucket that holds no item; such a report was not made by this channel")
        return reports


def bucket_weights(table: NDArray[np.int64], buckets: int, prior: Prior) -> list[list[int]]:
    """The exact prior weight of every bucket under every function, summed in pieces that cannot overflow."""
    piece = 40
    pieces = -(-prior.total.bit_length() // piece)
    sums = [[0] * buckets for _ in range(len(table))]
    for k in range(pieces):
        part = np.array([weight >> (piece * k) & ((1 << piece) - 1) for weight in prior.weights], dtype=np.int64)
        for row, target in zip(table, sums, strict=True):
            binned = np.zeros(buckets, dtype=np.int64)
            np.add.at(binned, row, part)
            for b, value in enumerate(binned.tolist()):
                target[b] += value << (piece * k)
    return sums
