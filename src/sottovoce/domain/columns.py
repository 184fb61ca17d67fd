"""What data frames hand over: tables, columns with missing values, and numbers that stand beside their items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

#: Columns of numbers that stand beside items.
WEIGHTS = ("share", "count", "people", "p", "proportion")


def is_missing(value: Any) -> bool:
    """Whether a value stands for nothing, as None, NaN, pandas.NA and NaT do."""
    if value is None:
        return True
    try:
        return bool(value != value)  # noqa: PLR0124 - NaN
    except TypeError:  # pandas.NA is neither the same nor another
        return True
    except ValueError:  # of many values
        return False


def column_names(values: Any) -> list[Any] | None:
    """The columns of a table of pandas, polars or Arrow. None for anything else."""
    names = getattr(values, "column_names", getattr(values, "columns", None))
    return None if names is None or callable(names) or isinstance(values, Mapping) else list(names)


def by_item(values: Any, items: Any) -> Mapping[Any, Any] | None:
    """Numbers by item: a mapping, a pandas series whose index has the items, or a table with a column of items and one of numbers.

    None for anything else, such as a column of answers.
    """
    if isinstance(values, Mapping):
        return values
    if (names := column_names(values)) is not None:
        weight = next((name for name in WEIGHTS if name in names), None)
        others = [name for name in names if name != weight]
        item = next((name for name in ("item", "answer") if name in others), others[0] if len(others) == 1 else None)
        return None if weight is None or item is None else _joined(values[item], values[weight])
    index = getattr(values, "index", None)
    if index is None or callable(index) or np.asarray(values).dtype.kind not in "fiu":
        return None
    labels = list(index)
    if np.asarray(index).dtype.kind in "iu" and getattr(values, "name", None) not in {"count", "proportion"}:
        return None  # the numbers of rows
    return _joined(labels, values) if len(set(labels)) == len(labels) and all(each in items for each in labels) else None


def _joined(items: Any, numbers: Any) -> Mapping[Any, Any]:
    listed, weights = (each.to_pylist() if hasattr(each, "to_pylist") else list(each) for each in (items, numbers))
    found: dict[Any, Any] = {}
    for item, weight in zip(listed, weights, strict=True):
        found[item] = found[item] + weight if item in found else weight
    return found
