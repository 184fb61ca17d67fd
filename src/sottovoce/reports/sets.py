"""Reports that are sets of items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import ReportError
from sottovoce.later import pa
from sottovoce.reports import kernels
from sottovoce.reports.base import Reports, column_of, fixed_binary, one_shape, records_of, whole_records

#: Reports whose items are counted at a time.
_ROWS = 1 << 13


@dataclass(frozen=True, eq=False, repr=False)
class SetReports(Reports):
    """A set of items per person: bit j (counted from the lowest of each word) is set if item j is in it."""

    words: NDArray[np.uint64]
    size: int

    def __post_init__(self) -> None:
        groups = -(-self.size // 64)
        if self.words.dtype != np.uint64:
            raise ReportError(f"The words have the type {self.words.dtype}. Give 64-bit unsigned integers.")
        if self.words.ndim != 2 or self.words.shape[1] != groups:
            raise ReportError(f"The words have the shape {self.words.shape}. Give {groups} words per report, for {self.size} items.")
        if self.size % 64 and len(self.words) and int(self.words[:, -1].max()) >> (self.size % 64):
            raise ReportError(f"A report sets a bit beyond its {self.size} items. Was it made by this channel?")

    @classmethod
    def of_dense(cls, bits: NDArray[np.bool_]) -> SetReports:
        return cls._of_packed(np.packbits(bits, axis=1, bitorder="little"), bits.shape[1])

    @classmethod
    def _of_packed(cls, packed: NDArray[np.uint8], size: int) -> SetReports:
        padded = np.empty((len(packed), 8 * -(-size // 64)), dtype=np.uint8)
        packed.flags.writeable = False
        kernels.pad_records(packed, padded)
        return cls(padded.view("<u8").astype(np.uint64, copy=False), size)

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.size,)

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, rows: slice | NDArray[Any]) -> SetReports:
        return SetReports(self.words[rows], self.size)

    def __add__(self, other: SetReports) -> SetReports:
        one_shape(self.size, other.size)
        return SetReports(np.concatenate([self.words, other.words]), self.size)

    def records(self) -> NDArray[np.uint8]:
        return np.ascontiguousarray(self.words.astype("<u8", copy=False)).view(np.uint8)[:, : -(-self.size // 8)]

    def dense(self) -> NDArray[np.bool_]:
        """An n×K array: whether item j is in report i."""
        return np.unpackbits(self.records(), axis=1, count=self.size, bitorder="little").astype(np.bool_)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many items each report contains."""
        return np.bitwise_count(self.words).sum(axis=1, dtype=np.int64)

    def among(self, marked: NDArray[np.bool_]) -> NDArray[np.int64]:
        """How many of the marked items each report contains."""
        mask = SetReports.of_dense(marked[None, :]).words[0]
        groups, found = np.flatnonzero(mask), np.zeros(len(self), dtype=np.int64)
        for start in range(0, len(self) if len(groups) else 0, _ROWS):
            near = self.words[start : start + _ROWS]
            some = near & mask if len(groups) == len(mask) else near[:, groups] & mask[groups]
            found[start : start + _ROWS] = np.bitwise_count(some).sum(axis=1, dtype=np.int64)
        return found

    def tolist(self) -> list[list[int]]:
        return [np.flatnonzero(row).tolist() for row in self.dense()]

    def to_arrow(self) -> pa.RecordBatch:
        return pa.record_batch({"report": fixed_binary(self.records())})

    @classmethod
    def from_bytes(cls, data: bytes, size: int) -> SetReports:
        width = -(-size // 8)
        return cls._of_packed(np.frombuffer(whole_records(data, width), dtype=np.uint8).reshape(-1, width), size)

    @classmethod
    def from_arrow(cls, table: pa.Table | pa.RecordBatch, size: int) -> SetReports:
        return cls._of_packed(records_of(column_of(table, "report"), -(-size // 8), f"A report over {size} items"), size)
