"""Settings, the cells that are measured at them, and the lines that a measurement gives."""

from __future__ import annotations

import hashlib
import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

import sottovoce as sv
from experiments.data import Data

#: One point of an experiment: what is varied, by name. Texts and numbers only, so that it can be written down.
Setting = Mapping[str, Any]
#: One line of a result: the setting, the series, the metric with its mean and Monte-Carlo error.
Row = dict[str, Any]

Name = TypeVar("Name")
Value = TypeVar("Value")


class Modes(NamedTuple, Generic[Value]):
    """What the fast mode and the full mode have."""

    fast: Value
    full: Value

    def of(self, full: bool) -> Value:
        return self.full if full else self.fast


def grid(*, where: Callable[[Setting], bool] = lambda _: True, **axes: Iterable[Any] | Modes[Any]) -> Callable[[bool], list[Setting]]:
    """The settings of a mode: every combination of the axes, the last one varying fastest, as far as `where` allows.

    >>> settings = grid(dataset=["a", "b"], n=Modes(fast=[10], full=[10, 100]))
    >>> settings(False)
    [{'dataset': 'a', 'n': 10}, {'dataset': 'b', 'n': 10}]
    """

    def settings(full: bool) -> list[Setting]:
        values = [each.of(full) if isinstance(each, Modes) else each for each in axes.values()]
        return [setting for chosen in product(*values) if where(setting := dict(zip(axes, chosen, strict=True)))]

    return settings


@dataclass(frozen=True)
class Cell:
    """A setting with everything that its measurement may depend on: the number of runs, its own seeds, the data."""

    setting: Setting
    runs: int
    seed: int
    data: Data = field(repr=False)

    def __getitem__(self, name: str) -> Any:
        """The value of the setting of that name."""
        return self.setting[name]

    def random(self, run: int, stream: int = 0) -> np.random.Generator:
        """The draws of a run that are not reports: who is asked (0), which items are sensitive (1); streams of one run are independent."""
        return np.random.default_rng([self.seed, run, stream])

    def source(self, run: int, stream: int = 0) -> sv.SeededSource:
        """The words that reports are made of, in a run; streams of one run are independent."""
        return sv.SeededSource(int.from_bytes(hashlib.sha256(f"{self.seed} {run} {stream}".encode()).digest()[:8]))

    def trials(self, rivals: Mapping[Name, Value]) -> Iterator[tuple[Name, Value, int, sv.SeededSource]]:
        """Each of some rivals in every run, with a source of its own for its reports."""
        for stream, (name, rival) in enumerate(rivals.items()):
            for run in range(self.runs):
                yield name, rival, run, self.source(run, stream)


def seed_of(paper: str, name: str, setting: Setting) -> int:
    """The seed of a setting: fixed, and another one for each."""
    text = json.dumps([paper, name, setting], sort_keys=True)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


class Samples:
    """Values of repeated runs, by series and metric, with what theory predicts of their mean."""

    def __init__(self) -> None:
        self._values: dict[tuple[tuple[str, Any], ...], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        self._predicted: dict[tuple[tuple[tuple[str, Any], ...], str], float] = {}

    def add(self, metrics: Mapping[str, float], **series: Any) -> None:
        """One run's values of some metrics, of one series (a mechanism with a method, say)."""
        for metric, value in metrics.items():
            self._values[tuple(series.items())][metric].append(float(value))

    def predict(self, metrics: Mapping[str, float], **series: Any) -> None:
        """What theory says of the means."""
        for metric, value in metrics.items():
            self._predicted[tuple(series.items()), metric] = float(value)

    def values(self, metric: str, **series: Any) -> np.ndarray:
        """The values of a metric, run by run."""
        return np.array(self._values[tuple(series.items())][metric])

    def rows(self, **more: Any) -> list[Row]:
        """A line for each series and metric, each beginning with `more`."""
        return [
            more | dict(series) | {"metric": metric} | summary(values) | {"predicted": self._predicted.get((series, metric), math.nan)}
            for series, metrics in self._values.items()
            for metric, values in metrics.items()
        ]

    def quantiles(self, metric: str, **series: Any) -> Row:
        """What the box of a metric is drawn from: the least value, the quartiles and the largest value."""
        found = np.quantile(self.values(metric, **series), (0, 0.25, 0.5, 0.75, 1))
        return dict(zip(("least", "q1", "median", "q3", "largest"), found.tolist(), strict=True))


def summary(values: Sequence[float] | np.ndarray) -> Row:
    """Mean, Monte-Carlo error of the mean, and runs."""
    array = np.asarray(values, dtype=np.float64)
    error = float(array.std(ddof=1) / math.sqrt(len(array))) if len(array) > 1 else math.nan
    return {"runs": len(array), "mean": float(array.mean()), "error": error}


def exact(metric: str, value: float, *, runs: int = 1, predicted: float = math.nan, **series: Any) -> Row:
    """A line that was computed and not simulated run by run."""
    return series | {"metric": metric, "runs": runs, "mean": float(value), "error": 0.0, "predicted": predicted}
