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
from scipy.stats import t as student

import sottovoce as sv
from experiments.data import Data

#: One point of an experiment: what is varied, by name. Texts and numbers only, so that it can be written down.
Setting = Mapping[str, Any]
#: One line of a result: the setting, the series, the metric with its mean and Monte-Carlo error.
Row = dict[str, Any]

#: The chance of a verdict that the true figure contradicts, on either side: two errors, if the runs are many.
_DOUBT = 0.0228


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
class Measured:
    """A number with its Monte-Carlo error (a standard error; nan: unknown; 0: exact), known from so many degrees of freedom (runs less one).

    >>> Measured(2.0, 0.1) / Measured(1.0, 0.0)
    2.00 ± 0.10
    """

    value: float
    error: float = 0.0
    freedom: float = math.inf

    @classmethod
    def of(cls, row: Mapping[Any, Any]) -> Measured:
        """The figure of a line of a result."""
        return cls(float(row["mean"]), float(row["error"]), float(row["runs"]) - 1)

    def __truediv__(self, other: Measured) -> Measured:
        """The ratio of two independent figures."""
        ratio = self.value / other.value
        error = abs(ratio) * math.hypot(self.error / self.value, other.error / other.value) if self.value else math.nan
        return Measured(ratio, error, min(self.freedom, other.freedom))

    def __sub__(self, other: Measured) -> Measured:
        """The difference of two independent figures."""
        return Measured(self.value - other.value, math.hypot(self.error, other.error), min(self.freedom, other.freedom))

    def __repr__(self) -> str:
        if self.error == 0:
            return _plain(self.value)
        if not math.isfinite(self.error):
            return f"{_plain(self.value)} (one run)"
        digits = max(0, 1 - math.floor(math.log10(self.error))) if self.error < 10 else 0
        if abs(self.value) < 1e-2:
            power = math.floor(math.log10(abs(self.value))) if self.value else math.floor(math.log10(self.error))
            scaled, error = self.value / 10.0**power, self.error / 10.0**power
            places = min(3, max(0, 1 - math.floor(math.log10(error))))
            return f"({scaled:.{places}f} ± {error:.{places}f})e{power}"
        return f"{self.value:,.{min(digits, 4)}f} ± {self.error:,.{min(digits, 4)}f}"


def _plain(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def pick(frame: pd.DataFrame, **where: Any) -> pd.DataFrame:
    """The lines of a result that have these values; floats are compared as they were written."""
    for name, value in where.items():
        frame = frame[np.isclose(frame[name], value) if isinstance(value, float) else frame[name] == value]
    return frame


def measured(frame: pd.DataFrame, **where: Any) -> Measured:
    """The figure of the one line that has these values."""
    found = pick(frame, **where)
    if len(found) != 1:
        raise LookupError(f"{len(found)} lines have {where}; one is wanted")
    return Measured.of(found.iloc[0])


AGREES, DIFFERS, PARTLY, UNDECIDED = "agrees", "differs", "agrees in part", "undecided"


def judged(figure: Measured, low: float = -math.inf, high: float = math.inf, among: int = 1) -> str:
    """Whether a figure lies between two bounds: only where its Monte-Carlo error leaves no doubt.

    Errors are those of Student's t: with few runs they are uncertain themselves. A figure that is one `among` many must be further outside before it counts
    as outside, so that one false alarm in 44 is one in 44 of the claim, not of its figures (Bonferroni).

    >>> judged(Measured(12.0, 0.5), low=10), judged(Measured(9.5, 0.5), low=10), judged(Measured(5.0, 0.5), low=10)
    ('agrees', 'undecided', 'differs')
    """
    inside, outside = (_doubt(figure, chance) for chance in (_DOUBT, _DOUBT / among))
    if figure.value - inside >= low and figure.value + inside <= high:
        return AGREES
    if figure.value + outside < low or figure.value - outside > high:
        return DIFFERS
    return UNDECIDED


def _doubt(figure: Measured, chance: float) -> float:
    """How far from the figure its true value may be; nan where nothing is known."""
    return figure.error * float(student.isf(chance, figure.freedom)) if figure.error else 0.0


def all_judged(figures: Iterable[Measured], low: float = -math.inf, high: float = math.inf) -> str:
    """The verdict on a claim that all of these figures lie between two bounds."""
    found = list(figures)
    return all_of(judged(each, low, high, len(found)) for each in found)


def all_of(verdicts: Iterable[str]) -> str:
    """The verdict on a claim that is made of several: it agrees where all agree, in part where some do."""
    found = set(verdicts)
    if len(found) == 1:
        return found.pop()
    if DIFFERS in found:
        return PARTLY if {AGREES, PARTLY} & found else DIFFERS
    return UNDECIDED if UNDECIDED in found else PARTLY


@dataclass(frozen=True)
class Claim:
    """A claim of a paper in our words, where it stands, what we found, and the verdict that follows from it."""

    claim: str
    where: str
    found: str
    verdict: str
    because: str = ""


@dataclass(frozen=True)
class Picture:
    """A figure of the page: a chart, what it shows, and which data it rests on."""

    name: str
    chart: Any
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
