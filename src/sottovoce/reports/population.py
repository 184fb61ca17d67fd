"""Reports of people whose channels differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrow import column_of_numbers, column_of_texts
from sottovoce.errors import ReportError, UnsupportedError
from sottovoce.later import pa
from sottovoce.reports.base import Reports, one_shape


@dataclass(frozen=True, eq=False, repr=False)
class PopulationReports(Reports):
    """Reports of several channels. `levels[i]` names the group of person i, whose report is the next one of that group."""

    levels: NDArray[np.uint8]
    names: tuple[str, ...]
    parts: Mapping[str, Reports]

    def __post_init__(self) -> None:
        counts = np.bincount(self.levels, minlength=len(self.names))
        if len(counts) > len(self.names) or any(len(self.parts[name]) != counts[code] for code, name in enumerate(self.names)):
            raise ReportError("The levels don't match the reports of the groups. Give each person one level.")

    def __len__(self) -> int:
        return len(self.levels)

    def __getitem__(self, rows: slice | NDArray[Any]) -> PopulationReports:
        chosen = np.arange(len(self))[rows]
        parts = {}
        for code, name in enumerate(self.names):
            rank = np.cumsum(self.levels == code) - 1
            parts[name] = self.parts[name][rank[chosen[self.levels[chosen] == code]]]
        return PopulationReports(self.levels[chosen], self.names, parts)

    def __add__(self, other: PopulationReports) -> PopulationReports:
        one_shape(self.names, other.names)
        parts = {name: self.parts[name] + other.parts[name] for name in self.names}
        return PopulationReports(np.concatenate([self.levels, other.levels]), self.names, parts)

    def _binary(self) -> pa.Array:
        """The records of all people in order. Those of a level have one length. Two levels may differ."""
        records = [np.ascontiguousarray(self.parts[name].records()) for name in self.names]
        widths = np.array([each.shape[1] for each in records], dtype=np.int64)
        edges = np.concatenate([[0], np.cumsum(widths[self.levels])])
        data = np.empty(int(edges[-1]), dtype=np.uint8)
        for level, each in enumerate(records):
            data[edges[:-1][self.levels == level][:, None] + np.arange(each.shape[1])] = each
        return pa.Array.from_buffers(pa.large_binary(), len(self), [None, pa.py_buffer(edges), pa.py_buffer(data)])

    def records(self) -> NDArray[np.uint8]:
        raise UnsupportedError("The groups have reports of different lengths. Use to_arrow(), or the records of one part.")

    def to_bytes(self) -> bytes:
        return b"".join(bytes([level]) + record for level, record in zip(self.levels.tolist(), self._binary().to_pylist(), strict=True))

    def tolist(self) -> list[tuple[str, Any]]:
        queues = [iter(self.parts[name].tolist()) for name in self.names]
        return [(self.names[level], next(queues[level])) for level in self.levels.tolist()]

    def to_arrow(self) -> pa.RecordBatch:
        levels = pa.DictionaryArray.from_arrays(column_of_numbers(self.levels.astype(np.int8)), column_of_texts(self.names))
        return pa.record_batch({"level": levels, "report": self._binary().cast(pa.binary())})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PopulationReports) and (self.names, self.to_bytes()) == (other.names, other.to_bytes())

    __hash__ = None
