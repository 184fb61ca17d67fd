"""Columns of texts that are numbers: weights, coordinates of places, and answers that fall into bins."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrow import numbers_of_column
from sottovoce.batch.spellings import Names
from sottovoce.domain import Domain
from sottovoce.labels import labels_of
from sottovoce.later import pa

Codes = NDArray[np.int64]

_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def binned(domain: Domain, column: pa.Array) -> tuple[Codes, tuple[int, int]]:
    """The bins of numbers (−1 for other texts), and how many were clipped from below and from above. Labels are accepted too."""
    values = numbers(column)
    finite = np.isfinite(values)
    codes = np.full(len(values), -1, dtype=np.int64)
    codes[finite] = domain.encode(values[finite])
    labels = labels_of(domain)
    for row in np.flatnonzero(~finite).tolist():
        text = (column[row].as_py() or b"").decode("utf-8", "replace")
        codes[row] = -1 if (code := labels.code(text)) is None else code
    return codes, domain.beyond(values[finite])


def is_answer(domain: Domain, text: str) -> bool:
    """Whether a text is an item in upper or lower case, or a number if the items are numbers."""
    return Names.of(labels_of(domain), ignore_case=True).code(text) is not None or (
        domain.edges is not None and math.isfinite(_number(text.encode()))
    )


def located(domain: Domain, columns: Sequence[pa.Array]) -> Codes:
    """The cells that contain points, −1 for points outside the grid."""
    points: dict[str, NDArray[np.float64]] = {}
    inside = np.ones(len(columns[0]), dtype=np.bool_)
    for axis, column in zip(domain.axes, columns, strict=True):
        assert axis.bounds is not None
        values = points[str(axis.name)] = numbers(column)
        inside &= (values >= axis.bounds[0]) & (values <= axis.bounds[1])
    codes = np.full(len(inside), -1, dtype=np.int64)
    codes[inside] = domain.locate(**{name: values[inside] for name, values in points.items()})
    return codes


def numbers(column: pa.Array) -> NDArray[np.float64]:
    """A column of texts as numbers, NaN for other texts."""
    try:
        return numbers_of_column(column.cast(pa.string()).cast(pa.float64()))
    except pa.ArrowInvalid:
        return np.array([_number(value) for value in column.to_pylist()])


def _number(value: Any) -> float:
    text = (value or b"").decode("ascii", "replace").strip()
    return float(text) if _DECIMAL.fullmatch(text) else math.nan
