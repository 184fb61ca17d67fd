"""Ratios of series, cell by cell, and what is said of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from experiments.measured import Measured, pick
from experiments.verdicts import all_judged

#: Columns that do not say which cell a line belongs to.
_FIGURES = {"mean", "error", "runs", "predicted", "n"}


def paired(top: NDArray[np.float64], bottom: NDArray[np.float64]) -> Measured:
    """The ratio of the means of two metrics that were measured in the same runs."""
    ratio = float(top.mean() / bottom.mean())
    spread = float((top - ratio * bottom).std(ddof=1)) if len(top) > 1 else math.nan
    return Measured(ratio, spread / (float(bottom.mean()) * math.sqrt(len(top))))


def ratios(frame: pd.DataFrame, top: Mapping[str, Any], bottom: Mapping[str, Any]) -> dict[str, Measured]:
    """The ratio of the lines that have the values of `top` to those that have the values of `bottom`, for each cell that has both."""
    keys = [name for name in frame if name not in {*_FIGURES, *top}]
    both = pick(frame, **top).merge(pick(frame, **bottom), on=keys, suffixes=("", "_below"))
    below = both[["mean_below", "error_below", "runs_below"]].rename(columns=lambda name: name.removesuffix("_below"))
    pairs = zip(_rows(both), _rows(below), strict=True)
    return dict(zip(_labels(both, keys), [each / other for each, other in pairs], strict=True))


def figures(frame: pd.DataFrame) -> dict[str, Measured]:
    """The lines themselves, by cell."""
    keys = [name for name in frame if name not in _FIGURES]
    return dict(zip(_labels(frame, keys), _rows(frame), strict=True))


def _rows(frame: pd.DataFrame) -> list[Measured]:
    return [Measured.of(row) for row in frame.to_dict("records")]


def pooled(frame: pd.DataFrame, column: str = "sr") -> pd.DataFrame:
    """The means over the values of a column, with the errors of these means, and the fewest runs that one of them rests on."""
    keys = [name for name in frame if name not in {*_FIGURES, column}]
    return frame.groupby(keys, sort=False, as_index=False).agg(
        mean=("mean", "mean"),
        error=("error", lambda errors: float(np.sqrt((errors**2).sum(skipna=False))) / len(errors)),
        runs=("runs", "min"),
        predicted=("predicted", lambda told: told.mean(skipna=False)),
    )


def _labels(frame: pd.DataFrame, keys: list[str]) -> list[str]:
    """What tells each line from the others."""
    telling = [key for key in keys if frame[key].nunique() > 1] or keys[:1]
    words = {key: [f"{key.upper()} {value:g}" if isinstance(value, float) else str(value) for value in frame[key]] for key in telling}
    return [", ".join(each) for each in zip(*words.values(), strict=True)]


def span(found: Mapping[str, Measured]) -> str:
    """The least and the largest, with their cells."""
    least, most = (choose(found, key=lambda label: found[label].value) for choose in (min, max))
    return f"{found[least]} ({least}) to {found[most]} ({most})"


def verdict(found: Mapping[str, Measured], low: float = -math.inf, high: float = math.inf) -> str:
    """Whether all lie between two bounds."""
    return all_judged(found.values(), low, high)


def kept(found: Mapping[str, Measured], low: float = -math.inf, high: float = math.inf) -> str:
    """How many of them do."""
    return f"{sum(low <= each.value <= high for each in found.values())} of {len(found)}"


def predicted(frame: pd.DataFrame, top: Mapping[str, Any], bottom: Mapping[str, Any]) -> str:
    """The range of the same ratios as theory predicts them for the unbiased estimate."""
    exact = frame[frame["predicted"].notna()].assign(mean=lambda told: told["predicted"], error=0.0)
    values = [each.value for each in ratios(exact, top, bottom).values()]
    return f"{min(values):.2g} to {max(values):.2g}"
