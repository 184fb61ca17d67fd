"""The tables of channels: checked, made read-only, hashed, and written as JSON."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import ParameterError


def digested(part: Any) -> Any:
    """The fields of a channel, its arrays as digests."""
    if isinstance(part, np.ndarray):
        exact = part.astype(str).tolist() if part.dtype == object else np.ascontiguousarray(part).tobytes()
        return part.shape, hashlib.sha256(repr(exact).encode() if isinstance(exact, list) else exact).hexdigest()
    if isinstance(part, (tuple, list)):
        return [digested(each) for each in part]
    if is_dataclass(part):
        return type(part).__name__, [digested(getattr(part, f.name)) for f in fields(part)]
    return part


def same_fields(a: Any, b: Any) -> bool:
    """Whether two fields are equal, also if they are arrays or consist of arrays."""
    if isinstance(a, (tuple, list)) and type(a) is type(b):
        return len(a) == len(b) and all(map(same_fields, a, b))
    return np.array_equal(a, b) if np.ndarray in {type(a), type(b)} else bool(a == b)


def whole(**numbers: Any) -> None:
    """Raise an error for parameters that aren't integers, or are negative."""
    for name, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
            raise ParameterError(f"{name} is {value!r}. Give a non-negative integer.")


def frozen(table: NDArray[Any], dtype: Any) -> NDArray[Any]:
    """A private read-only copy, so that what was certified is what is sampled."""
    copy = np.array(table, dtype=dtype)
    copy.setflags(write=False)
    return copy


def texts(values: NDArray[Any]) -> list[str]:
    """Write integers as JSON decimal strings."""
    return [str(value) for value in values.tolist()]


def integers(values: Sequence[str]) -> NDArray[np.uint64]:
    """Read what `texts` wrote."""
    return np.array([int(text) for text in values], dtype=np.uint64)
