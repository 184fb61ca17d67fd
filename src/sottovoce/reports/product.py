"""Reports with several parts, such as one for each part of a questionnaire."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import ReportError
from sottovoce.later import pa
from sottovoce.reports.base import Reports, fixed_binary, one_shape


@dataclass(frozen=True, eq=False, repr=False)
class ProductReports(Reports):
    """Several reports of each person, side by side. A record contains their bytes one after the other."""

    parts: tuple[Reports, ...]

    def __post_init__(self) -> None:
        if len({len(part) for part in self.parts}) != 1:
            raise ReportError("The parts have different numbers of reports. Give one of each per person.")

    @property
    def shape(self) -> tuple[Any, ...]:
        return tuple((type(part), part.shape) for part in self.parts)

    @property
    def widths(self) -> list[int]:
        """The bytes of each part's record."""
        return [part.records().shape[1] for part in self.parts]

    def __len__(self) -> int:
        return len(self.parts[0])

    def __getitem__(self, rows: slice | NDArray[Any]) -> ProductReports:
        return ProductReports(tuple(part[rows] for part in self.parts))

    def __add__(self, other: ProductReports) -> ProductReports:
        one_shape(self.shape, other.shape)
        return ProductReports(tuple(mine + theirs for mine, theirs in zip(self.parts, other.parts, strict=True)))

    def records(self) -> NDArray[np.uint8]:
        return np.concatenate([part.records() for part in self.parts], axis=1)

    def tolist(self) -> list[tuple[Any, ...]]:
        return list(zip(*(part.tolist() for part in self.parts), strict=True))

    def to_arrow(self) -> pa.RecordBatch:
        return pa.record_batch({"report": fixed_binary(self.records())})
