"""Hashed channels: a public hash function to few buckets, then a direct report of the bucket."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.special import xlogy

from sottovoce.arithmetic import ONE
from sottovoce.channels import kernels
from sottovoce.channels.base import Channel, Codes, Floats, draw_variable
from sottovoce.channels.columns import NOTHING, Columns, Extreme, Mask, SetColumns, largest, ratio
from sottovoce.channels.direct import DirectChannel
from sottovoce.channels.information import Bounds
from sottovoce.channels.sets import Flags, SetLikeChannel
from sottovoce.errors import ParameterError, ReportError, UnsupportedError
from sottovoce.policy import Prior
from sottovoce.reports import HashedReports, Reports, code_dtype
from sottovoce.sources import Source, Words

#: Seeds of the whole family: two numbers of 31 bits.
SEED_LIMIT = 1 << 62


def public_seeds(count: int) -> NDArray[np.uint64]:
    """The first `count` seeds of a fixed public sequence (Weyl steps through the mixing function of SplitMix64)."""
    state = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E37_79B9_7F4A_7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58_476D_1CE4_E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D0_49BB_1331_11EB)
    return (state ^ (state >> np.uint64(31))) & np.uint64(SEED_LIMIT - 1)


def bucket_table(size: int, buckets: int, seeds: NDArray[Any]) -> NDArray[np.int64]:
    """An array (seeds, items): the bucket of every item under every seed."""
    return kernels.bucket_table(np.asarray(seeds, dtype=np.uint64), size, buckets)


@dataclass(frozen=True, eq=False)
class HashedChannel(SetLikeChannel):
    """Any hash function of the family, and the same direct channel over the buckets whatever the function is.

    The report is the function's seed and a bucket: it stands for the set of items that share the bucket.
    """

    size: int
    direct: DirectChannel

    def __post_init__(self) -> None:
        if len(np.unique(self.direct.noise)) != 1 or not self.direct.noise[0]:
            raise ParameterError("the buckets of a hashed channel share one positive noise; use HashTableChannel for a noise per function")

    @property
    def buckets(self) -> int:
        return self.direct.size

    @cached_property
    def columns(self) -> SetColumns:
        """Relative to a uniform bucket. Which items share a bucket is up to the hash function: any set of them may."""
        noise = int(self.direct.noise[0])
        low, high = Fraction(noise * self.buckets, ONE), Fraction((noise + self.direct.truth) * self.buckets, ONE)
        return SetColumns(np.zeros(self.size, dtype=np.intp), (low,), (high,), None, np.zeros(self.size, dtype=np.bool_), every_set=False)

    @property
    def own(self) -> float:
        return (self.direct.truth + int(self.direct.noise[0])) / ONE

    @property
    def empty_chance(self) -> Bounds:
        """Between a function that fills as many buckets as it can and one that puts all items into one bucket."""
        return Bounds(1 - min(self.size, self.buckets) / self.buckets, 1 - 1 / self.buckets)

    def mean_xlogx(self, start: float, gains: Floats) -> tuple[float, float]:
        """Between equally heavy buckets and a single heavy one: M has the same mean for every function (Jensen)."""
        total = float(gains.sum())
        even, alone = start + total / self.buckets, start + total
        return float(xlogy(even, even)), float(xlogy(alone, alone) + (self.buckets - 1) * xlogy(start, start)) / self.buckets

    def draw(self, codes: Codes, keep: int, keep_empty: int, source: Source) -> tuple[Reports, Flags]:
        none = np.empty(0, dtype=np.uint64)
        seeds, buckets, flags = _draw(codes, SEED_LIMIT, none, self.direct.noise[None, :], self.size, keep, keep_empty, source)
        return HashedReports(seeds, buckets, SEED_LIMIT, self.buckets), flags

    def perturb_one(self, code: int, source: Source) -> tuple[int, int]:
        seed = source.word() & (SEED_LIMIT - 1)
        return seed, self.direct.perturb_one(int(kernels.bucket(np.uint64(seed), code, self.buckets)), source)

    def matrix_under(self, seed: int, *, exact: bool = False) -> NDArray[Any]:
        """The K×g matrix of the bucket report under one hash function."""
        return self.direct.matrix(exact=exact)[bucket_table(self.size, self.buckets, np.array([seed]))[0]]

    def outputs(self) -> list[Any]:
        raise UnsupportedError("a hashed report names one of 2^62 hash functions; look at one of them with matrix_under(seed)")

    def _numerators(self) -> NDArray[Any]:
        raise UnsupportedError("a hashed report names one of 2^62 hash functions; look at one of them with matrix_under(seed)")

    def member(self, reports: Reports) -> NDArray[np.bool_]:
        assert isinstance(reports, HashedReports)
        return bucket_table(self.size, self.buckets, reports.seeds) == reports.buckets[:, None]

    def reports_from_bytes(self, data: bytes) -> Reports:
        return HashedReports.from_bytes(data, SEED_LIMIT, self.buckets)

    def reports_from_arrow(self, table: pa.Table | pa.RecordBatch) -> Reports:
        return HashedReports.from_arrow(table, SEED_LIMIT, self.buckets)


def _draw(
    codes: Codes,
    seed_limit: int,
    seeds: NDArray[np.uint64],
    tables: NDArray[np.uint64],
    size: int,
    keep: int,
    keep_empty: int,
    source: Source,
) -> tuple[NDArray[Any], NDArray[Any], Flags]:
    """Seeds, buckets and flags. Without `seeds` the first word is the seed itself, otherwise it chooses one of them."""
    buckets = tables.shape[1]
    cumulative = np.cumsum(tables, axis=1, dtype=np.uint64)
    out, out_seeds = np.empty(len(codes), dtype=code_dtype(buckets)), np.empty(len(codes), dtype=np.uint64)
    flags = np.zeros(len(codes), dtype=np.bool_)
    fixed = np.uint64(seed_limit - 1), seeds, buckets, cumulative, size, np.uint64(keep), np.uint64(keep_empty)

    def body(rows: slice, words: Words) -> tuple[int, int]:
        return kernels.hashed(codes[rows], words, *fixed, out[rows], out_seeds[rows], flags[rows])

    draw_variable(len(codes), 2.0, source, body)
    return out_seeds, out, flags


@dataclass(frozen=True)
class TableColumns(Columns):
    """Finitely many hash functions, each with its own noise: a direct channel over buckets for each."""

    channel: HashTableChannel

    @property
    def invertible(self) -> Mask:  # type: ignore[override]
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

    size: int
    buckets: int
    directs: tuple[DirectChannel, ...]

    def __post_init__(self) -> None:
        if len(self.directs) & (len(self.directs) - 1) or not self.directs:
            raise ParameterError(f"there are {len(self.directs)} hash functions; their number must be a power of two")
        if any(direct.size != self.buckets for direct in self.directs):
            raise ParameterError("every hash function needs a direct channel over all buckets")
        if not all(direct.noise[row].all() for direct, row in zip(self.directs, self.table, strict=True)):
            raise ParameterError("a bucket that holds items has no noise, so that its report reveals them")

    @property
    def seed_limit(self) -> int:
        return len(self.directs)

    @cached_property
    def table(self) -> NDArray[np.int64]:
        """The bucket of every item under every function."""
        return bucket_table(self.size, self.buckets, public_seeds(len(self.directs)))

    def bucket_weights(self, prior: Prior) -> list[list[int]]:
        return bucket_weights(self.table, self.buckets, prior)

    @cached_property
    def columns(self) -> TableColumns:
        return TableColumns(self)

    def sample(self, codes: Codes, source: Source) -> Reports:
        tables, codes = np.stack([direct.noise for direct in self.directs]), codes.astype(np.int64, copy=False)
        seeds, buckets, _ = _draw(codes, self.seed_limit, public_seeds(self.seed_limit), tables, self.size, 0, 0, source)
        return HashedReports(seeds, buckets, self.seed_limit, self.buckets)

    def outputs(self) -> list[tuple[int, int]]:
        return [(seed, bucket) for seed in range(self.seed_limit) for bucket in range(self.buckets)]

    def _numerators(self) -> NDArray[Any]:
        self._writable(self.seed_limit * self.buckets)
        under = [direct._numerators()[row] for direct, row in zip(self.directs, self.table, strict=True)]
        return np.concatenate(under, axis=1) * Fraction(1, self.seed_limit)

    def matrix_under(self, seed: int, *, exact: bool = False) -> NDArray[Any]:
        """The K×g matrix of the bucket report under function number `seed`."""
        return self.directs[seed].matrix(exact=exact)[self.table[seed]]

    def likelihood(self, reports: Reports) -> Floats:
        assert isinstance(reports, HashedReports)
        noise = np.stack([direct.t for direct in self.directs])[reports.seeds, reports.buckets]
        truth = np.array([direct.s for direct in self.directs])[reports.seeds]
        return noise[:, None] + truth[:, None] * (self.table[reports.seeds] == reports.buckets[:, None])

    def leakage(self) -> Bounds:
        filled = [len(set(row.tolist())) for row in self.table]
        return Bounds.around(sum(1 + (count - 1) * direct.s for count, direct in zip(filled, self.directs, strict=True)) / self.seed_limit)

    def information(self, prior: Prior) -> Bounds:
        rows = np.array([[weight / prior.total for weight in row] for row in self.bucket_weights(prior)])
        return Bounds.around(float(np.mean([direct.information_at(p) for direct, p in zip(self.directs, rows, strict=True)])))

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
