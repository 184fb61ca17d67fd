"""What an experiment is: settings, a measurement, and the claims that its numbers settle."""

from __future__ import annotations

import hashlib
import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

import sottovoce as sv
from experiments.data import Data
from experiments.verdicts import Claim

#: One point of an experiment: what is varied, by name. Texts and numbers only, so that it can be written down.
Setting = Mapping[str, Any]
#: One line of a result: the setting, the series, the metric with its mean and Monte-Carlo error.
Row = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """A setting with everything that its measurement may depend on: the number of runs, its own seeds, the data."""

    setting: Setting
    runs: int
    seed: int
    data: Data = field(repr=False)

    def random(self, run: int, stream: int = 0) -> np.random.Generator:
        """The draws of a run that are not reports: who is asked (0), which items are sensitive (1); streams of one run are independent."""
        return np.random.default_rng([self.seed, run, stream])

    def source(self, run: int, stream: int = 0) -> sv.SeededSource:
        """The words that reports are made of, in a run; streams of one run are independent."""
        return sv.SeededSource(int.from_bytes(hashlib.sha256(f"{self.seed} {run} {stream}".encode()).digest()[:8]))


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

    def rows(self) -> list[Row]:
        """A line for each series and metric."""
        return [
            dict(series) | {"metric": metric} | summary(values) | {"predicted": self._predicted.get((series, metric), math.nan)}
            for series, metrics in self._values.items()
            for metric, values in metrics.items()
        ]


def summary(values: Sequence[float] | np.ndarray) -> Row:
    """Mean, Monte-Carlo error of the mean, and runs."""
    array = np.asarray(values, dtype=np.float64)
    error = float(array.std(ddof=1) / math.sqrt(len(array))) if len(array) > 1 else math.nan
    return {"runs": len(array), "mean": float(array.mean()), "error": error}


@dataclass(frozen=True)
class Picture:
    """A figure of the page: a chart (drawn when it is called), what it shows, and which data it rests on."""

    name: str
    chart: Callable[[], Any]
    caption: str


@dataclass(frozen=True)
class Experiment:
    """One or several published figures that come from the same runs.

    `settings(full)` lists the points; `measure(cell)` gives the lines of one of them; `pictures(frame)` and `claims(frame)` read all lines, and nothing
    else; so does `tables(frame)`, Markdown that is put under the pictures. `alone`: the cells are timed, and run one after the other with all cores for
    themselves.
    """

    name: str
    figures: tuple[str, ...]
    title: str
    about: str
    data: tuple[str, ...]
    fast_runs: int
    full_runs: int
    settings: Callable[[bool], Sequence[Setting]]
    measure: Callable[[Cell], Iterable[Row]]
    pictures: Callable[[pd.DataFrame], Iterable[Picture]]
    claims: Callable[[pd.DataFrame], Iterable[Claim]]
    alone: bool = False
    tables: Callable[[pd.DataFrame], str] | None = None

    def runs(self, *, full: bool) -> int:
        return self.full_runs if full else self.fast_runs


@dataclass(frozen=True)
class Paper:
    """A paper: its experiments, how the claims begin that it is known for, and the smallest examples of what we contradict."""

    name: str
    title: str
    cite: str
    about: str
    experiments: tuple[Experiment, ...]
    headlines: tuple[str, ...]
    examples: Callable[[], str] | None = None
