"""An estimate as columns: for data frames, databases, JSON, and a line of text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.domain import Item
from sottovoce.errors import DomainError, UnsupportedError

if TYPE_CHECKING:
    from sottovoce.estimators.result import Estimate

#: The columns behind the labels.
MEASURES = ("p", "stderr", "low", "high")
#: Items that a line names, and characters of such a name.
_NAMED, _LONGEST = 3, 24


def columns_of(estimate: Estimate, level: float) -> Mapping[str, Any]:
    """The labels (a column for each axis), the shares, their standard errors and intervals. Numbers that aren't known are NaN."""
    domain = estimate.domain
    if len(domain.axes) == 1:
        labels: dict[str, Any] = {domain.axes[0].name or "item": list(domain)}
    else:
        places = np.unravel_index(np.arange(len(domain)), domain.shape)
        labels = {str(axis.name): [axis.labels[k] for k in place.tolist()] for axis, place in zip(domain.axes, places, strict=True)}
    if taken := sorted(set(labels) & set(MEASURES)):
        raise DomainError(f"Axis {taken[0]!r} has the same name as a column of the data frame. Rename the axis.")
    return labels | dict(zip(MEASURES, (estimate.p, *_errors(estimate, level)), strict=True))


def _errors(estimate: Estimate, level: float) -> tuple[Floats, Floats, Floats]:
    try:
        return estimate.stderr, *estimate.interval(level)
    except UnsupportedError:
        unknown = np.full(len(estimate.p), math.nan)
        return unknown, unknown, unknown


def plain_rows(columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows as plain data, for JSON, with None for NaN."""
    return [dict(zip(columns, row, strict=True)) for row in zip(*(map(_plain, column) for column in columns.values()), strict=True)]


def largest(estimate: Estimate) -> str:
    """The largest shares, in a line."""
    order = np.argsort(-estimate.p, kind="stable")[:_NAMED].tolist()
    named = [f"{_short(estimate.domain.item(k))} {100 * estimate.p[k]:.3g}%" for k in order]
    return ", ".join(named + [f"{len(estimate.p) - _NAMED:,} more"] * (len(estimate.p) > _NAMED))


def _short(item: Item) -> str:
    text = " / ".join(map(str, item)) if isinstance(item, tuple) else str(item)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, (str, int, float)) else str(value)
