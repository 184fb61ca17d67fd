"""Hashed channels over a finite public family, with a separate noise for each function.

The corrected noise of local hashing under a prior depends on the prior of the buckets, hence on the hash function. With finitely many
functions, each is tabulated and certified exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Floats
from sottovoce.channels.direct import DirectChannel
from sottovoce.channels.hashed.channel import draw_hashed
from sottovoce.channels.hashed.counts import TableCounts
from sottovoce.channels.hashed.functions import bucket_table, public_seeds
from sottovoce.channels.hashed.table_columns import TableColumns
from sottovoce.channels.information import Bounds
from sottovoce.channels.protocol import Channel, Codes
from sottovoce.channels.statistic import Cells
from sottovoce.channels.tables import frozen, whole
from sottovoce.errors import ParameterError, ReportError
from sottovoce.optima.posterior import explained_by_tables
from sottovoce.policy import Prior
from sottovoce.reports import HashedReports, Reports
from sottovoce.sources import Source


@dataclass(frozen=True, eq=False)
class HashTableChannel(Channel, kind="hash-tables"):
    """A seed and a bucket, with a direct channel for each of a finite number (a power of two) of public hash functions."""

    items: int
    buckets: int
    directs: tuple[DirectChannel, ...]

    def __post_init__(self) -> None:
        whole(items=self.items, buckets=self.buckets)
        if len(self.directs) & (len(self.directs) - 1) or not self.directs:
            raise ParameterError(f"There are {len(self.directs)} hash functions. Give a power of two, for example 256.")
        if any(direct.size != self.buckets for direct in self.directs):
            raise ParameterError("A hash function has no direct channel over all buckets. Give each of them one.")
        if not all(direct.noise[row].all() for direct, row in zip(self.directs, self.table, strict=True)):
            raise ParameterError("A bucket that contains items has no noise, so a report of it reveals them. Give it a positive noise.")

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

    @property
    def length(self) -> int:
        return self.seed_limit * self.buckets

    @cached_property
    def empty(self) -> HashedReports:
        nothing = np.zeros(0, dtype=np.int64)
        return HashedReports(nothing, nothing, self.seed_limit, self.buckets)

    @cached_property
    def columns(self) -> TableColumns:
        return TableColumns(self)

    @cached_property
    def statistic(self) -> TableCounts:
        return TableCounts(self)

    def sample(self, codes: Codes, source: Source) -> Reports:
        tables, codes = np.stack([direct.noise for direct in self.directs]), codes.astype(np.int64, copy=False)
        seeds, buckets, _ = draw_hashed(codes, self.seed_limit, public_seeds(self.seed_limit), tables, self.size, 0, 0, source)
        return HashedReports(seeds, buckets, self.seed_limit, self.buckets)

    def outputs(self) -> list[tuple[int, int]]:
        return [(seed, bucket) for seed in range(self.seed_limit) for bucket in range(self.buckets)]

    def _floats(self) -> Floats:
        self.writable(self.seed_limit * self.buckets)
        buckets = np.arange(self.buckets)
        under = [direct.s * (row[:, None] == buckets) + direct.t for direct, row in zip(self.directs, self.table, strict=True)]
        return np.asarray(np.concatenate(under, axis=1) / self.seed_limit)

    def numerators(self) -> NDArray[Any]:
        self.writable(self.seed_limit * self.buckets)
        under = [direct.numerators()[row] for direct, row in zip(self.directs, self.table, strict=True)]
        return np.concatenate(under, axis=1) * Fraction(1, self.seed_limit)

    def matrix_under(self, seed: int, *, exact: bool = False) -> NDArray[Any]:
        """The K×g matrix of the bucket report under function number `seed`."""
        return self.directs[seed].matrix(exact=exact)[self.table[seed]]

    def weigh(self, reports: Reports) -> Floats:
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

    def possible(self, reports: HashedReports) -> HashedReports:
        noise = np.stack([direct.noise for direct in self.directs])
        if (noise[reports.seeds, reports.buckets] == 0).any():
            raise ReportError("A report names an empty bucket. Was it made by this channel?")
        return reports

    def posterior_variance(self, p: Floats) -> Floats:
        s, t = np.array([each.s for each in self.directs]), np.stack([each.t for each in self.directs])
        return np.maximum(0.0, p - explained_by_tables(p, self.table.astype(np.int64), s, t))

    def cells(self, code: int, reports: Reports) -> Iterator[Cells]:
        """The bucket reported under each function, and the function."""
        assert isinstance(reports, HashedReports)
        for seed in range(self.seed_limit):
            counts = np.bincount(reports.buckets[reports.seeds == seed], minlength=self.buckets)
            yield counts, self.matrix_under(seed)[code]
        yield np.bincount(reports.seeds, minlength=self.seed_limit), np.full(self.seed_limit, 1 / self.seed_limit)

    def form(self) -> dict[str, Any]:
        tables = [{"seed": str(seed)} | _table(direct) for seed, direct in zip(self._seeds, self.directs, strict=True)]
        return {"kind": "hash-tables", "items": self.items, "buckets": self.buckets, "tables": tables}

    @classmethod
    def of_form(cls, form: Mapping[str, Any]) -> HashTableChannel:
        channel = cls(form["items"], form["buckets"], tuple(DirectChannel.of_form(table) for table in form["tables"]))
        if [int(table["seed"]) for table in form["tables"]] != channel._seeds:
            raise ReportError("The hash functions aren't those of this version of sottovoce. Compile the study again.")
        return channel

    @property
    def _seeds(self) -> list[int]:
        return public_seeds(self.seed_limit).tolist()


def _table(direct: DirectChannel) -> dict[str, Any]:
    return {key: value for key, value in direct.form().items() if key != "kind"}


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
