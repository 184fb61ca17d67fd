"""Reports that are a hash function and a bucket."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrow import column_of_numbers
from sottovoce.errors import ReportError
from sottovoce.later import pa
from sottovoce.reports.base import Reports, checked_integers, code_dtype, column_of, integers_of, one_shape, whole_records


@dataclass(frozen=True, eq=False, repr=False)
class HashedReports(Reports):
    """A hash function (its seed, below `seed_limit`) and a bucket (below `limit`) per person."""

    seeds: NDArray[Any]
    buckets: NDArray[Any]
    seed_limit: int
    limit: int

    def __post_init__(self) -> None:
        seeds = checked_integers(self.seeds, self._seed_dtype(self.seed_limit), "A seed")
        buckets = checked_integers(self.buckets, code_dtype(self.limit), "A bucket")
        if len(seeds) != len(buckets):
            raise ReportError(f"Got {len(seeds)} seeds and {len(buckets)} buckets. Give one of each per report.")
        if len(seeds) and (int(seeds.max()) >= self.seed_limit or int(buckets.max()) >= self.limit):
            raise ReportError(
                f"A seed isn't below {self.seed_limit}, or a bucket isn't below {self.limit}. Was the report made by this channel?"
            )
        object.__setattr__(self, "seeds", seeds)
        object.__setattr__(self, "buckets", buckets)

    @staticmethod
    def _seed_dtype(limit: int) -> np.dtype[Any]:
        return np.dtype("<u8") if limit > 1 << 32 else code_dtype(limit)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.seed_limit, self.limit

    def __len__(self) -> int:
        return len(self.seeds)

    def __getitem__(self, rows: slice | NDArray[Any]) -> HashedReports:
        return HashedReports(self.seeds[rows], self.buckets[rows], self.seed_limit, self.limit)

    def __add__(self, other: HashedReports) -> HashedReports:
        one_shape((self.seed_limit, self.limit), (other.seed_limit, other.limit))
        seeds, buckets = np.concatenate([self.seeds, other.seeds]), np.concatenate([self.buckets, other.buckets])
        return HashedReports(seeds, buckets, self.seed_limit, self.limit)

    def records(self) -> NDArray[np.uint8]:
        columns = (self.seeds, self.buckets)
        parts = (np.ascontiguousarray(column).view(np.uint8).reshape(len(self), column.itemsize) for column in columns)
        return np.concatenate(list(parts), axis=1)

    def tolist(self) -> list[tuple[int, int]]:
        return list(zip(self.seeds.tolist(), self.buckets.tolist(), strict=True))

    def to_arrow(self) -> pa.RecordBatch:
        return pa.record_batch({"seed": column_of_numbers(self.seeds), "report": column_of_numbers(self.buckets)})

    @classmethod
    def from_bytes(cls, data: bytes, seed_limit: int, limit: int) -> HashedReports:
        seed, bucket = cls._seed_dtype(seed_limit), code_dtype(limit)
        layout = np.dtype([("seed", seed), ("bucket", bucket)])
        records = np.frombuffer(whole_records(data, layout.itemsize), dtype=layout)
        return cls(records["seed"].copy(), records["bucket"].copy(), seed_limit, limit)

    @classmethod
    def from_arrow(cls, table: pa.Table | pa.RecordBatch, seed_limit: int, limit: int) -> HashedReports:
        seeds, buckets = (integers_of(column_of(table, name), what) for name, what in (("seed", "A seed"), ("report", "A bucket")))
        return cls(seeds, buckets, seed_limit, limit)
