"""Reports: what leaves the devices, in compact columns. One class per shape, all with the same few methods."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sottovoce.errors import ReportError, UnsupportedError

__all__ = ["CodeReports", "HashedReports", "PopulationReports", "Reports", "SetReports"]


def code_dtype(limit: int) -> np.dtype[Any]:
    """The smallest unsigned integer type that holds 0 .. limit − 1."""
    return np.dtype("<u1") if limit <= 1 << 8 else np.dtype("<u2") if limit <= 1 << 16 else np.dtype("<u4")


def _integers(values: Any, dtype: np.dtype[Any], what: str) -> NDArray[Any]:
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ReportError(f"{what} must be a column of integers, not {array.dtype} of shape {array.shape}")
    if array.dtype != dtype and array.size and (int(array.min()) < 0 or int(array.max()) > np.iinfo(dtype).max):
        raise ReportError(f"{what} lies outside 0 to {np.iinfo(dtype).max}; such a report was not made by this channel")
    return array.astype(dtype, copy=False)


def _fixed_binary(records: NDArray[np.uint8]) -> pa.Array:
    width = records.shape[1]
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), len(records), [None, pa.py_buffer(np.ascontiguousarray(records))])


def _column(table: pa.Table | pa.RecordBatch, name: str) -> pa.Array:
    if not isinstance(table, (pa.Table, pa.RecordBatch)):
        raise ReportError(f"reports are read from an Arrow table or record batch, not from {type(table).__name__}")
    if name not in table.schema.names:
        raise ReportError(f"the table has no column {name!r}; its columns are {', '.join(table.schema.names)}")
    column = table.column(name)
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if column.null_count:
        raise ReportError(f"{column.null_count} rows of column {name!r} are null; every report needs a value")
    return column


def table_columns(table: pa.Table | pa.RecordBatch, *names: str) -> list[pa.Array]:
    """Columns of a table, each there and without nulls."""
    return [_column(table, name) for name in names]


class Reports(ABC):
    """A sequence of reports of one channel."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def __getitem__(self, rows: slice | NDArray[Any]) -> Self: ...

    @abstractmethod
    def __add__(self, other: Self) -> Self: ...

    @abstractmethod
    def records(self) -> NDArray[np.uint8]:
        """One row of bytes per report, all of the same length."""

    @abstractmethod
    def to_arrow(self) -> pa.RecordBatch:
        """The reports as Arrow columns."""

    @abstractmethod
    def tolist(self) -> list[Any]:
        """Each report as a plain value."""

    def to_bytes(self) -> bytes:
        """The records one after the other."""
        return self.records().tobytes()

    def dense(self) -> NDArray[np.bool_]:
        raise UnsupportedError(f"{type(self).__name__} are not sets of items; dense() serves set-valued reports only")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and np.array_equal(self.records(), other.records())

    __hash__ = None  # type: ignore[assignment]  # compared by content

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} reports)"


def same_shape(reports: object, model: Reports) -> bool:
    """Whether two kinds of reports agree in all but their number: class, sizes and ranges."""
    if type(reports) is not type(model):
        return False
    scalars = [f.name for f in fields(model) if isinstance(getattr(model, f.name), int)]  # type: ignore[arg-type]  # reports are dataclasses
    return all(getattr(reports, name) == getattr(model, name) for name in scalars)


def _same_shape(mine: object, other: object) -> None:
    if mine != other:
        raise ReportError("these reports come from channels of different sizes; join only reports of one mechanism")


@dataclass(frozen=True, eq=False, repr=False)
class CodeReports(Reports):
    """One integer out of `limit` per person (direct, matrix and Hadamard channels)."""

    codes: NDArray[Any]
    limit: int

    def __post_init__(self) -> None:
        codes = _integers(self.codes, code_dtype(self.limit), "a report code")
        if codes.size and self.limit <= np.iinfo(codes.dtype).max and int(codes.max()) >= self.limit:
            raise ReportError(f"report code {int(codes.max())} is not below {self.limit}; such a report was not made by this channel")
        object.__setattr__(self, "codes", codes)

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: slice | NDArray[Any]) -> CodeReports:
        return CodeReports(self.codes[rows], self.limit)

    def __add__(self, other: CodeReports) -> CodeReports:
        _same_shape(self.limit, other.limit)
        return CodeReports(np.concatenate([self.codes, other.codes]), self.limit)

    def records(self) -> NDArray[np.uint8]:
        return np.ascontiguousarray(self.codes).view(np.uint8).reshape(len(self), self.codes.itemsize)

    def tolist(self) -> list[int]:
        return self.codes.tolist()

    def to_arrow(self) -> pa.RecordBatch:
        return pa.record_batch({"report": pa.array(self.codes)})

    @classmethod
    def from_bytes(cls, data: bytes, limit: int) -> CodeReports:
        return cls(np.frombuffer(whole_records(data, code_dtype(limit).itemsize), dtype=code_dtype(limit)), limit)

    @classmethod
    def from_arrow(cls, table: pa.Table | pa.RecordBatch, limit: int) -> CodeReports:
        return cls(_column(table, "report").to_numpy(zero_copy_only=False), limit)


def record_bytes(column: pa.Array, width: int, what: str) -> bytes:
    """The records of a column, one after the other; each has `width` bytes."""
    try:
        fixed = column.cast(pa.binary(width)) if pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type) else column
    except pa.ArrowInvalid as error:
        raise ReportError(f"{what} takes {width} bytes: {error}") from None
    if fixed.type != pa.binary(width):
        raise ReportError(f"column 'report' holds {column.type}; {what} takes {width} bytes")
    return memoryview(fixed.buffers()[1])[fixed.offset * width : (fixed.offset + len(fixed)) * width].tobytes() if len(fixed) else b""


def whole_records(data: bytes, width: int) -> bytes:
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise ReportError(f"reports are read from bytes, not from {type(data).__name__}")
    if len(data) % width:
        raise ReportError(f"{len(data)} bytes are not a whole number of reports of {width} bytes; the data is cut or of another mechanism")
    return data


@dataclass(frozen=True, eq=False, repr=False)
class SetReports(Reports):
    """A set of items per person: bit j (counted from the lowest of each word) says whether item j is in it."""

    words: NDArray[np.uint64]
    size: int

    def __post_init__(self) -> None:
        groups = -(-self.size // 64)
        if self.words.dtype != np.uint64:
            raise ReportError(f"set-valued reports are made of 64-bit words, not of {self.words.dtype}")
        if self.words.ndim != 2 or self.words.shape[1] != groups:
            raise ReportError(f"set-valued reports over {self.size} items need {groups} words each, not the shape {self.words.shape}")
        if self.size % 64 and len(self.words) and int(self.words[:, -1].max()) >> (self.size % 64):
            raise ReportError(f"a report sets a bit beyond its {self.size} items; such a report was not made by this channel")

    @classmethod
    def of_dense(cls, bits: NDArray[np.bool_]) -> SetReports:
        return cls._of_packed(np.packbits(bits, axis=1, bitorder="little"), bits.shape[1])

    @classmethod
    def _of_packed(cls, packed: NDArray[np.uint8], size: int) -> SetReports:
        padded = np.zeros((len(packed), 8 * -(-size // 64)), dtype=np.uint8)
        padded[:, : packed.shape[1]] = packed
        return cls(padded.view("<u8").astype(np.uint64, copy=False), size)

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, rows: slice | NDArray[Any]) -> SetReports:
        return SetReports(self.words[rows], self.size)

    def __add__(self, other: SetReports) -> SetReports:
        _same_shape(self.size, other.size)
        return SetReports(np.concatenate([self.words, other.words]), self.size)

    def records(self) -> NDArray[np.uint8]:
        return np.ascontiguousarray(self.words.astype("<u8", copy=False)).view(np.uint8)[:, : -(-self.size // 8)]

    def dense(self) -> NDArray[np.bool_]:
        """An n×K array: is item j in report i?"""
        return np.unpackbits(self.records(), axis=1, count=self.size, bitorder="little").astype(np.bool_)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many items each report names."""
        return np.bitwise_count(self.words).sum(axis=1, dtype=np.int64)

    def among(self, marked: NDArray[np.bool_]) -> NDArray[np.int64]:
        """How many of the marked items each report names."""
        return np.bitwise_count(self.words & SetReports.of_dense(marked[None, :]).words[0]).sum(axis=1, dtype=np.int64)

    def tolist(self) -> list[list[int]]:
        return [np.flatnonzero(row).tolist() for row in self.dense()]

    def to_arrow(self) -> pa.RecordBatch:
        return pa.record_batch({"report": _fixed_binary(self.records())})

    @classmethod
    def from_bytes(cls, data: bytes, size: int) -> SetReports:
        width = -(-size // 8)
        return cls._of_packed(np.frombuffer(whole_records(data, width), dtype=np.uint8).reshape(-1, width), size)

    @classmethod
    def from_arrow(cls, table: pa.Table | pa.RecordBatch, size: int) -> SetReports:
        return cls.from_bytes(record_bytes(_column(table, "report"), -(-size // 8), f"a report over {size} items"), size)


@dataclass(frozen=True, eq=False, repr=False)
class HashedReports(Reports):
    """A hash function (its seed, below `seed_limit`) and a bucket (below `limit`) per person."""

    seeds: NDArray[Any]
    buckets: NDArray[Any]
    seed_limit: int
    limit: int

    def __post_init__(self) -> None:
        seeds = _integers(self.seeds, self._seed_dtype(self.seed_limit), "a seed")
        buckets = _integers(self.buckets, code_dtype(self.limit), "a bucket")
        if len(seeds) != len(buckets):
            raise ReportError(f"{len(seeds)} seeds and {len(buckets)} buckets; every report needs both")
        if len(seeds) and (int(seeds.max()) >= self.seed_limit or int(buckets.max()) >= self.limit):
            raise ReportError(
                f"a seed must be below {self.seed_limit} and a bucket below {self.limit}; such a report was not made by this channel"
            )
        object.__setattr__(self, "seeds", seeds)
        object.__setattr__(self, "buckets", buckets)

    @staticmethod
    def _seed_dtype(limit: int) -> np.dtype[Any]:
        return np.dtype("<u8") if limit > 1 << 32 else code_dtype(limit)

    def __len__(self) -> int:
        return len(self.seeds)

    def __getitem__(self, rows: slice | NDArray[Any]) -> HashedReports:
        return HashedReports(self.seeds[rows], self.buckets[rows], self.seed_limit, self.limit)

    def __add__(self, other: HashedReports) -> HashedReports:
        _same_shape((self.seed_limit, self.limit), (other.seed_limit, other.limit))
        seeds, buckets = np.concatenate([self.seeds, other.seeds]), np.concatenate([self.buckets, other.buckets])
        return HashedReports(seeds, buckets, self.seed_limit, self.limit)

    def records(self) -> NDArray[np.uint8]:
        columns = (self.seeds, self.buckets)
        parts = (np.ascontiguousarray(column).view(np.uint8).reshape(len(self), column.itemsize) for column in columns)
        return np.concatenate(list(parts), axis=1)

    def tolist(self) -> list[tuple[int, int]]:
        return list(zip(self.seeds.tolist(), self.buckets.tolist(), strict=True))

    def to_arrow(self) -> pa.RecordBatch:
        return pa.record_batch({"seed": pa.array(self.seeds), "report": pa.array(self.buckets)})

    @classmethod
    def from_bytes(cls, data: bytes, seed_limit: int, limit: int) -> HashedReports:
        seed, bucket = cls._seed_dtype(seed_limit), code_dtype(limit)
        layout = np.dtype([("seed", seed), ("bucket", bucket)])
        records = np.frombuffer(whole_records(data, layout.itemsize), dtype=layout)
        return cls(records["seed"].copy(), records["bucket"].copy(), seed_limit, limit)

    @classmethod
    def from_arrow(cls, table: pa.Table | pa.RecordBatch, seed_limit: int, limit: int) -> HashedReports:
        seeds, buckets = (_column(table, name).to_numpy(zero_copy_only=False) for name in ("seed", "report"))
        return cls(seeds, buckets, seed_limit, limit)


@dataclass(frozen=True, eq=False, repr=False)
class PopulationReports(Reports):
    """Reports of several channels: `levels[i]` names the group of person i, whose report is the next of that group."""

    levels: NDArray[np.uint8]
    names: tuple[str, ...]
    parts: Mapping[str, Reports]

    def __post_init__(self) -> None:
        counts = np.bincount(self.levels, minlength=len(self.names))
        if len(counts) > len(self.names) or any(len(self.parts[name]) != counts[code] for code, name in enumerate(self.names)):
            raise ReportError("the levels and the reports of the groups do not match; every person belongs to one group")

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
        _same_shape(self.names, other.names)
        parts = {name: self.parts[name] + other.parts[name] for name in self.names}
        return PopulationReports(np.concatenate([self.levels, other.levels]), self.names, parts)

    def _binary(self) -> pa.Array:
        """The records of all people in their order, as they come: a level's are of one length, those of two levels need not be."""
        records = [np.ascontiguousarray(self.parts[name].records()) for name in self.names]
        widths = np.array([each.shape[1] for each in records], dtype=np.int64)
        edges = np.concatenate([[0], np.cumsum(widths[self.levels])])
        data = np.empty(int(edges[-1]), dtype=np.uint8)
        for level, each in enumerate(records):
            data[edges[:-1][self.levels == level][:, None] + np.arange(each.shape[1])] = each
        return pa.Array.from_buffers(pa.large_binary(), len(self), [None, pa.py_buffer(edges), pa.py_buffer(data)])

    def records(self) -> NDArray[np.uint8]:
        raise UnsupportedError("groups have reports of different lengths; use to_arrow(), or the records of one part")

    def to_bytes(self) -> bytes:
        return b"".join(bytes([level]) + record for level, record in zip(self.levels.tolist(), self._binary().to_pylist(), strict=True))

    def tolist(self) -> list[tuple[str, Any]]:
        queues = [iter(self.parts[name].tolist()) for name in self.names]
        return [(self.names[level], next(queues[level])) for level in self.levels.tolist()]

    def to_arrow(self) -> pa.RecordBatch:
        levels = pa.DictionaryArray.from_arrays(pa.array(self.levels, type=pa.int8()), pa.array(self.names))
        return pa.record_batch({"level": levels, "report": self._binary().cast(pa.binary())})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PopulationReports) and (self.names, self.to_bytes()) == (other.names, other.to_bytes())

    __hash__ = None
