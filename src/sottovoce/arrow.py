"""Arrow columns from arrays and back, by their buffers.

pyarrow's own conversions copy, and the first of them loads pandas, which takes longer than most commands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.later import pa


def column_of_numbers(values: NDArray[Any]) -> pa.Array:
    """A column of the numbers of an array, which is not copied and must not change.

    >>> column_of_numbers(np.array([3, 5], dtype=np.uint8)).to_pylist()
    [3, 5]
    """
    values = np.ascontiguousarray(values)
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, pa.py_buffer(values)])


def column_of_texts(values: Sequence[str]) -> pa.Array:
    """A column of texts.

    >>> column_of_texts(["low", "höher"]).to_pylist()
    ['low', 'höher']
    """
    encoded = [value.encode() for value in values]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    return pa.StringArray.from_buffers(len(values), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded)))


def numbers_of_column(column: pa.Array) -> NDArray[Any]:
    """The numbers of a column: a view of its buffer where none is missing. Missing ones become NaN, as pyarrow has it.

    >>> numbers_of_column(pa.array([7, 8, 9], type=pa.int16())[1:]).tolist()
    [8, 9]
    """
    kind = column.type
    if column.null_count or not (pa.types.is_integer(kind) or pa.types.is_float32(kind) or pa.types.is_float64(kind)):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    dtype = np.dtype(kind.to_pandas_dtype())
    if not len(column):
        return np.zeros(0, dtype=dtype)
    return np.frombuffer(column.buffers()[1], dtype=dtype, count=len(column), offset=column.offset * dtype.itemsize)
