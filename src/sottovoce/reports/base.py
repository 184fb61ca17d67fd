"""What all reports can do, and how their columns are read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrow import numbers_of_column
from sottovoce.errors import ReportError, UnsupportedError
from sottovoce.later import pa


def code_dtype(limit: int) -> np.dtype[Any]:
    """The smallest unsigned integer type for values in 0 .. limit − 1."""
    return np.dtype("<u1") if limit <= 1 << 8 else np.dtype("<u2") if limit <= 1 << 16 else np.dtype("<u4")


def checked_integers(values: Any, dtype: np.dtype[Any], what: str) -> NDArray[Any]:
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ReportError(f"{what} has the type {array.dtype} and the shape {array.shape}. Give a column of integers.")
    if array.dtype != dtype and array.size and (int(array.min()) < 0 or int(array.max()) > np.iinfo(dtype).max):
        raise ReportError(f"{what} lies outside 0 to {np.iinfo(dtype).max}. Was it made by this channel?")
    return array.astype(dtype, copy=False)


def fixed_binary(records: NDArray[np.uint8]) -> pa.Array:
    width = records.shape[1]
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), len(records), [None, pa.py_buffer(np.ascontiguousarray(records))])


def column_of(table: pa.Table | pa.RecordBatch, name: str) -> pa.Array:
    if not isinstance(table, (pa.Table, pa.RecordBatch)):
        raise ReportError(f"Reports can't be read from {type(table).__name__}. Give an Arrow table or record batch.")
    if name not in table.schema.names:
        raise ReportError(f"The table has no column {name!r}. Its columns are {', '.join(table.schema.names)}.")
    column = table.column(name)
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if column.null_count:
        raise ReportError(without_value(name, column.null_count))
    return column


def without_value(name: str, rows: int = 1) -> str:
    """The message for rows without a value in a column."""
    return f"{'A row' if rows == 1 else f'{rows} rows'} of column {name!r} {'is' if rows == 1 else 'are'} null. Give every report a value."


def table_columns(table: pa.Table | pa.RecordBatch, *names: str) -> list[pa.Array]:
    """Columns of a table. Missing columns and nulls raise an error."""
    return [column_of(table, name) for name in names]


def integers_of(column: pa.Array, what: str) -> NDArray[Any]:
    """The integers of a column. Decimals without a fraction are accepted, because some engines export unsigned integers that way."""
    if not pa.types.is_decimal(column.type):
        return numbers_of_column(column)
    try:
        whole = column if pa.types.is_decimal128(column.type) and column.type.scale == 0 else column.cast(pa.decimal128(38, 0))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise ReportError(f"{what} has the type {column.type}, with fractions or more than 38 digits. Give a column of integers.") from None
    if not len(whole):
        return np.zeros(0, dtype=np.uint64)
    halves = np.frombuffer(whole.buffers()[1], dtype="<u8")[2 * whole.offset : 2 * (whole.offset + len(whole))].reshape(-1, 2)
    if halves[:, 1].any():
        raise ReportError(f"{what} lies outside 0 to {(1 << 64) - 1}. Was it made by this channel?")
    return halves[:, 0]


def frames_of(column: pa.Array) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The bytes of a column of records, and their offsets."""
    kind = column.type
    if pa.types.is_fixed_size_binary(kind):
        edges = kind.byte_width * np.arange(column.offset, column.offset + len(column) + 1, dtype=np.int64)
        data = column.buffers()[1] if len(column) else None
    elif pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind):
        plain = column.cast(pa.large_binary()) if pa.types.is_binary_view(kind) else column
        width = np.dtype("<i4") if pa.types.is_binary(kind) else np.dtype("<i8")
        _, places, data = plain.buffers()
        edges = np.zeros(1, dtype=np.int64)
        if len(plain):
            edges = np.frombuffer(places, dtype=width)[plain.offset : plain.offset + len(plain) + 1].astype(np.int64)
    else:
        raise ReportError(f"Column 'report' contains {kind}. Give a column of bytes.")
    found = np.frombuffer(data, dtype=np.uint8) if data is not None and data.size else np.zeros(0, dtype=np.uint8)
    found.flags.writeable = False
    return found, edges


def records_of(column: pa.Array, width: int, what: str) -> NDArray[np.uint8]:
    """The records of a column as rows of `width` bytes, without a copy."""
    data, edges = frames_of(column)
    if not pa.types.is_fixed_size_binary(column.type) or column.type.byte_width != width:
        lengths_are(np.diff(edges), width, what)
    return data[edges[0] : edges[-1]].reshape(-1, width)


def lengths_are(lengths: NDArray[np.int64], width: int, what: str) -> None:
    """Check that all records have the required length."""
    if len(wrong := lengths[lengths != width]):
        raise ReportError(f"{what} has {wrong[0]} bytes instead of {width}. Was it made by this channel?")


def record_bytes(column: pa.Array, width: int, what: str) -> bytes:
    """The records of a column one after the other, each of `width` bytes."""
    return records_of(column, width, what).tobytes()


def whole_records(data: bytes | memoryview, width: int) -> bytes | memoryview:
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise ReportError(f"Reports can't be read from {type(data).__name__}. Give bytes.")
    if len(data) % width:
        raise ReportError(
            f"{len(data)} bytes aren't a whole number of reports of {width} bytes. Is the data cut off, or from another mechanism?"
        )
    return data


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

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes and ranges that reports of one channel share, in the order in which `from_bytes` and `from_arrow` take them."""
        values = (getattr(self, f.name) for f in fields(self))  # type: ignore[arg-type]  # reports are dataclasses
        return tuple(value for value in values if isinstance(value, int))

    def dense(self) -> NDArray[np.bool_]:
        raise UnsupportedError(f"{type(self).__name__} aren't sets of items. Use dense() for set-valued reports only.")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and np.array_equal(self.records(), other.records())

    __hash__ = None  # type: ignore[assignment]  # compared by content

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} reports)"


def same_shape(reports: object, model: Reports) -> bool:
    """Whether two sequences of reports have the same class, sizes and ranges."""
    return type(reports) is type(model) and reports.shape == model.shape


def one_shape(mine: object, other: object) -> None:
    if mine != other:
        raise ReportError("These reports come from channels of different sizes. Only join reports of one mechanism.")
