"""Hashed channels: a public hash function to few buckets, then a direct report of the bucket."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arithmetic import ONE
from sottovoce.arrays import Floats
from sottovoce.channels.columns import SetColumns
from sottovoce.channels.direct import DirectChannel
from sottovoce.channels.fisher import Fisher
from sottovoce.channels.hashed import kernels
from sottovoce.channels.hashed.counts import HashedCounts
from sottovoce.channels.hashed.fisher import of_functions
from sottovoce.channels.hashed.functions import SEED_LIMIT, bucket_table, public_seeds
from sottovoce.channels.hashed.inversion import HashedInversion
from sottovoce.channels.hashed.likelihood import HashedModel
from sottovoce.channels.information import Bounds
from sottovoce.channels.protocol import Codes
from sottovoce.channels.sampling import draw_variable
from sottovoce.channels.set_fisher import SetWeights
from sottovoce.channels.sets.channel import Flags, SetLikeChannel
from sottovoce.channels.statistic import Cells
from sottovoce.channels.tables import texts, whole
from sottovoce.errors import ParameterError, UnsupportedError
from sottovoce.reports import HashedReports, Reports
from sottovoce.reports.base import code_dtype
from sottovoce.sources import Source, Words
from sottovoce.special import xlogy


@dataclass(frozen=True, eq=False)
class HashedChannel(SetLikeChannel, kind="hashed"):
    """A seed and a bucket: any hash function of the family, then a direct report of the item's bucket.

    The report stands for the set of items that share the bucket. The direct channel is the same for all functions.
    """

    slow_fisher = True

    items: int
    direct: DirectChannel

    def __post_init__(self) -> None:
        whole(items=self.items)
        if self.size < 1 or len(np.unique(self.direct.noise)) != 1 or not self.direct.noise[0]:
            raise ParameterError("The buckets don't all have the same positive noise. Use HashTableChannel for a noise per function.")

    @property
    def size(self) -> int:
        return self.items

    @property
    def buckets(self) -> int:
        return self.direct.size

    @cached_property
    def columns(self) -> SetColumns:
        """The columns relative to a uniform bucket. Any set of items may share a bucket, depending on the hash function."""
        noise = int(self.direct.noise[0])
        low, high = Fraction(noise * self.buckets, ONE), Fraction((noise + self.direct.truth) * self.buckets, ONE)
        return SetColumns(np.zeros(self.size, dtype=np.intp), (low,), (high,), None, np.zeros(self.size, dtype=np.bool_), every_set=False)

    @cached_property
    def empty(self) -> HashedReports:
        nothing = np.zeros(0, dtype=np.int64)
        return HashedReports(nothing, nothing, SEED_LIMIT, self.buckets)

    @cached_property
    def statistic(self) -> HashedCounts:
        return HashedCounts(self.empty, self.size)

    @cached_property
    def inversion(self) -> HashedInversion:
        return HashedInversion(np.full(self.size, self.own), np.full(self.size, 1 / self.buckets))

    @cached_property
    def model(self) -> HashedModel:
        return HashedModel(self, self.buckets)

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

    def fisher_of(self, sets: SetWeights) -> Fisher:
        return of_functions(sets, self.buckets)

    def draw(self, codes: Codes, keep: int, keep_empty: int, source: Source) -> tuple[Reports, Flags]:
        none = np.empty(0, dtype=np.uint64)
        seeds, buckets, flags = draw_hashed(codes, SEED_LIMIT, none, self.direct.noise[None, :], self.size, keep, keep_empty, source)
        return HashedReports(seeds, buckets, SEED_LIMIT, self.buckets), flags

    def perturb_one(self, code: int, source: Source) -> tuple[int, int]:
        seed = source.word() & (SEED_LIMIT - 1)
        return seed, self.direct.perturb_one(int(kernels.bucket(np.uint64(seed), code, self.buckets)), source)

    def matrix_under(self, seed: int, *, exact: bool = False) -> NDArray[Any]:
        """The K×g matrix of the bucket report under one hash function."""
        return self.direct.matrix(exact=exact)[bucket_table(self.size, self.buckets, np.array([seed]))[0]]

    def example(self, inside: Sequence[int], outside: Sequence[int]) -> tuple[int, int] | None:
        """The first of a few hash functions that puts the first items into one bucket and the others elsewhere."""
        seeds = public_seeds(1 << 8)
        for seed, table in zip(seeds.tolist(), bucket_table(self.size, self.buckets, seeds), strict=True):
            homes = set(table[list(inside)].tolist()) if inside else set(range(self.buckets))
            fitting = homes - set(table[list(outside)].tolist())
            if fitting and (not inside or len(homes) == 1):
                return seed, fitting.pop()
        return None

    @property
    def length(self) -> None:
        return None

    def outputs(self) -> list[Any]:
        raise UnsupportedError(
            "A hashed channel has 2^62 hash functions, so its matrix can't be listed. Use matrix_under(seed) for one of them."
        )

    def numerators(self) -> NDArray[Any]:
        raise UnsupportedError(
            "A hashed channel has 2^62 hash functions, so its matrix can't be listed. Use matrix_under(seed) for one of them."
        )

    def member(self, reports: Reports) -> NDArray[np.bool_]:
        assert isinstance(reports, HashedReports)
        return bucket_table(self.size, self.buckets, reports.seeds) == reports.buckets[:, None]

    def cells(self, code: int, reports: Reports) -> Iterator[Cells]:
        """The bucket reported, given the own bucket."""
        assert isinstance(reports, HashedReports)
        own = bucket_table(self.size, self.buckets, reports.seeds)[:, code]
        rows = self.direct.matrix()
        for bucket in range(self.buckets):
            yield np.bincount(reports.buckets[own == bucket], minlength=self.buckets), rows[bucket]

    def form(self) -> dict[str, Any]:
        return {"kind": "hashed", "items": self.items, "truth": str(self.direct.truth), "noise": texts(self.direct.noise)}

    @classmethod
    def of_form(cls, form: Mapping[str, Any]) -> HashedChannel:
        return cls(form["items"], DirectChannel.of_form(form))


def draw_hashed(
    codes: Codes,
    seed_limit: int,
    seeds: NDArray[np.uint64],
    tables: NDArray[np.uint64],
    size: int,
    keep: int,
    keep_empty: int,
    source: Source,
) -> tuple[NDArray[Any], NDArray[Any], Flags]:
    """Draw seeds, buckets and flags. Without `seeds` the first word is the seed itself, otherwise it selects one of them."""
    buckets = tables.shape[1]
    cumulative = np.cumsum(tables, axis=1, dtype=np.uint64)
    out, out_seeds = np.empty(len(codes), dtype=code_dtype(buckets)), np.empty(len(codes), dtype=np.uint64)
    flags = np.zeros(len(codes), dtype=np.bool_)
    fixed = np.uint64(seed_limit - 1), seeds, buckets, cumulative, size, np.uint64(keep), np.uint64(keep_empty)

    def body(rows: slice, words: Words) -> tuple[int, int]:
        return kernels.hashed(codes[rows], words, *fixed, out[rows], out_seeds[rows], flags[rows])

    draw_variable(len(codes), 2.0, source, body)
    return out_seeds, out, flags
