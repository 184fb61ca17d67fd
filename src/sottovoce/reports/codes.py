"""Reports that are numbers: direct, matrix and Hadamard channels."""

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
class CodeReports(Reports):
    """One integer out of `limit` per person (direct, matrix and Hadamard channels)."""

    codes: NDArray[Any]
    limit: int

    def __post_init__(self) -> None:
        codes = checked_integers(self.codes, code_dtype(self.limit), "A report code")
        if codes.size and self.limit <= np.iinfo(codes.dtype).max and int(codes.max()) >= self.limit:
            raise ReportError(f"Report code {int(codes.max())} isn't below {self.limit}. Was it made by this channel?")
        object.__setattr__(self, "codes", codes)

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.limit,)

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: slice | NDArray[Any]) -> CodeReports:
        return CodeReports(self.codes[rows], self.limit)

    def __add__(self, other: CodeReports) -> CodeReports:
        one_shape(self.limit, other.limit)
        return CodeReports(np.concatenate([self.codes, other.codes]), self.limit)

    def records(self) -> NDArray[np.uint8]:
        return np.ascontiguousarray(self.codes).view(np.uint8).reshape(len(self), self.codes.itemsize)

    def tolist(self) -> list[int]:
        return self.codes.tolist()

    def to_arrow(self) -> pa.RecordBatch:
        return pa.record_batch({"report": column_of_numbers(self.codes)})

    @classmethod
    def from_bytes(cls, data: bytes, limit: int) -> CodeReports:
        return cls(np.frombuffer(whole_records(data, code_dtype(limit).itemsize), dtype=code_dtype(limit)), limit)

    @classmethod
    def from_arrow(cls, table: pa.Table | pa.RecordBatch, limit: int) -> CodeReports:
        return cls(integers_of(column_of(table, "report"), "A report code"), limit)
