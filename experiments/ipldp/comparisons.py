"""The charts of both losses, and ratios of series, cell by cell, for the claims."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from experiments.charts import Axis, curves
from experiments.experiment import Picture
from experiments.measured import Measured, pick

#: The mechanisms, so that each has one colour on the page.
ORDER = ("KRR", "uRR", "IPRR", "IDUE opt0", "IDUE opt1", "IDUE opt2", "IPUE")
#: The axis of the figures about how many people are asked.
SAMPLE_RATIO = Axis("sr", "share of people asked")
#: The losses of equation (25).
LOSSES = {"MSE": "mean squared error of counts", "RE": "mean relative error of counts"}
#: Columns that do not say which cell a line belongs to.
_FIGURES = {"mean", "error", "runs", "predicted", "n"}


def published(frame: pd.DataFrame) -> pd.DataFrame:
    """The lines of what the paper shows: both losses, by both methods."""
    return frame[frame["method"].isin(["NS", "MLE"]) & frame["metric"].isin(["MSE", "RE"])]


def loss_charts(figure: str, shown: pd.DataFrame, x: Axis, told: str, **options: Any) -> Iterator[Picture]:
    """Both losses of (25) against x, a chart for each."""
    for metric in ("MSE", "RE"):
        chart = curves(pick(shown, metric=metric), x, LOSSES[metric], order=ORDER, **options)
        yield Picture(f"{figure}, {metric}", chart, told.format(metric=metric))


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


def predicted(frame: pd.DataFrame, top: Mapping[str, Any], bottom: Mapping[str, Any]) -> str:
    """The range of the same ratios as theory predicts them for the unbiased estimate."""
    exact = frame[frame["predicted"].notna()].assign(mean=lambda told: told["predicted"], error=0.0)
    values = [each.value for each in ratios(exact, top, bottom).values()]
    return f"{min(values):.2g} to {max(values):.2g}"
