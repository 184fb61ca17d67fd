"""From answers to codes: labels, columns of labels, codes that are given as such, and places on a grid."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sottovoce.domain.axis import Axis, Codes, listed
from sottovoce.domain.columns import column_names
from sottovoce.errors import DomainError


def code_of(axes: Sequence[Axis], item: Any) -> int:
    """The code of one item."""
    if len(axes) == 1:
        return axes[0].code(item)
    if not (isinstance(item, tuple) and len(item) == len(axes)):
        raise DomainError(f"{item!r} isn't an item. Give a tuple ({', '.join(str(axis.name) for axis in axes)}).")
    return int(np.ravel_multi_index([axis.code(label) for axis, label in zip(axes, item, strict=True)], _shape(axes)))


def encoded(axes: Sequence[Axis], values: ArrayLike | Iterable[Any] | Mapping[str, Iterable[Any]]) -> NDArray[Any]:
    """Codes of many items: labels, codes, a column of labels for each axis, or a data frame with these columns."""
    if isinstance(values, Mapping):
        return _of_columns(axes, values)
    if (names := column_names(values)) is not None:
        return _of_table(axes, values, names)
    if isinstance(values, bytes) or (isinstance(values, str) and _is_item(axes, values)) or not isinstance(values, Iterable):
        raise DomainError(f"{values!r} isn't a list of items. Give a list, or use perturb_one for a single answer.")
    given: Any = values.to_pylist() if hasattr(values, "to_pylist") else values
    if not isinstance(given, (np.ndarray, list, tuple, str)):
        given = list(given)
    if _are_codes(axes, given):
        if not isinstance(values, np.ndarray) and len(axes) == 1 and axes[0].mistakes(given):
            text = repr(axes[0].labels[0])
            raise DomainError(f"The items are texts such as {text}, but the answers are integers. Give them as texts.")
        return checked_codes(np.asarray(given), math.prod(_shape(axes)))
    if len(axes) == 1:
        return axes[0].codes(given)
    for row in given:
        if not isinstance(row, (tuple, list)) or len(row) != len(axes):
            code_of(axes, row)  # says what is wrong
    columns = zip(*given, strict=True) if given else [()] * len(axes)
    return _combined(axes, [axis.codes(column) for axis, column in zip(axes, columns, strict=True)])


def located(axes: Sequence[Axis], coordinates: Mapping[str, ArrayLike]) -> Codes:
    """Codes of the cells of a grid that contain points."""
    names = [axis.name for axis in axes]
    if any(axis.bounds is None for axis in axes):
        raise DomainError("This domain isn't a grid, so it has no places. Make one with Domain.grid((5, 5), x=(0, 1), y=(0, 1)).")
    if set(coordinates) != set(names):
        raise DomainError(f"Got the coordinates {listed(coordinates, 9) or 'none'}. Give one for each of {listed(names, 9)}.")
    cells: list[Codes] = []
    for axis in axes:
        assert axis.bounds is not None
        assert axis.name is not None
        (low, high), count = axis.bounds, len(axis.labels)
        try:
            values = np.asarray(coordinates[axis.name], dtype=np.float64)
        except (TypeError, ValueError):
            raise DomainError(f"The coordinates on axis {axis.name!r} aren't numbers. Give a column of numbers.") from None
        if values.ndim != 1 or (cells and len(values) != len(cells[0])):
            raise DomainError("The columns of coordinates differ in length. Give every point a coordinate on each axis.")
        outside = ~((values >= low) & (values <= high))
        if outside.any():
            span = f"which runs from {low!r} to {high!r}"
            raise DomainError(
                f"{axis.name} = {float(values[outside][0])!r} lies outside the grid, {span}. Leave it out, or widen the grid."
            )
        cells.append(np.minimum(((values - low) / (high - low) * count).astype(np.int64), count - 1))
    return _combined(axes, cells)


def checked_codes(codes: NDArray[Any], size: int) -> NDArray[Any]:
    """Codes below `size`, one per person."""
    if codes.ndim != 1:
        raise DomainError(f"Values have the shape {codes.shape}. Give one value per person.")
    if codes.dtype.kind not in "iu":
        raise DomainError(f"Got codes of type {codes.dtype}. Give integers.")
    if codes.size and (codes.max() >= size or (codes.dtype.kind == "i" and codes.min() < 0)):
        wrong = codes[(codes < 0) | (codes >= size)][0]
        raise DomainError(f"{int(wrong)} isn't a code of this domain. Give codes from 0 to {size - 1}.")
    return codes if codes.dtype.isnative else codes.astype(np.int64)


def _shape(axes: Sequence[Axis]) -> tuple[int, ...]:
    return tuple(len(axis.labels) for axis in axes)


def _combined(axes: Sequence[Axis], per_axis: Sequence[Codes]) -> Codes:
    """The codes of combinations. The last axis is counted fastest."""
    return np.ravel_multi_index(tuple(per_axis), _shape(axes)).astype(np.int64)


def _is_item(axes: Sequence[Axis], value: Any) -> bool:
    try:
        code_of(axes, value)
    except DomainError:
        return False
    return True


def _are_codes(axes: Sequence[Axis], values: Any) -> bool:
    """Whether values are codes: integers, unless integers are labels that differ from their codes."""
    if len(axes) == 1 and axes[0].integers and axes[0].labels != range(len(axes[0].labels)):
        return False
    if isinstance(values, np.ndarray):
        return values.dtype.kind in "iu"
    return len(values) > 0 and all(isinstance(value, (int, np.integer)) and not isinstance(value, bool) for value in values)


def _of_table(axes: Sequence[Axis], table: Any, names: Sequence[Any]) -> Codes:
    """Codes of the rows of a data frame that has a column for each axis."""
    wanted = [str(axis.name) for axis in axes]
    if len(wanted) > 1 and all(name in names for name in wanted):
        return _of_columns(axes, {name: table[name] for name in wanted})
    give = f"one with the columns {listed(wanted, 9)}" if len(wanted) > 1 else f"one of its columns, for example table[{names[0]!r}]"
    raise DomainError(f"A table with the columns {listed(names, 9)} isn't a list of items. Give {give}.")


def _of_columns(axes: Sequence[Axis], columns: Mapping[str, Iterable[Any]]) -> Codes:
    names = [axis.name for axis in axes]
    if names == [None]:
        raise DomainError(f"Got columns ({listed(columns, 9)}), but this domain has no axes. Give a list of answers.")
    if set(columns) != set(names):
        raise DomainError(f"The columns are {listed(columns, 9)}. Give a column for each axis: {listed(names, 9)}.")
    per_axis = [axis.codes(columns[str(axis.name)]) for axis in axes]
    if len({len(codes) for codes in per_axis}) > 1:
        raise DomainError("The columns differ in length. Give each person a label on every axis.")
    return _combined(axes, per_axis)
