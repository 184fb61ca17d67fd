"""Studies simulated many times: what to expect of an estimate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.catalogue import Need, method_named
from sottovoce.errors import SottovoceError, UnsupportedError
from sottovoce.estimators import Estimate, distance, estimate
from sottovoce.estimators.numbers import quantile_of
from sottovoce.mechanisms import Mechanism, Population
from sottovoce.progress import Progress
from sottovoce.sources import SeededSource
from sottovoce.tallies import Tally
from sottovoce.utility.expectations import expected_tv
from sottovoce.utility.numbers import QUARTILES, Numbers

#: The most reports that a simulation keeps unless a method is named that needs them.
MOST_KEPT = 1 << 20


@dataclass(frozen=True)
class FigureTrial:
    """How a figure of numbers came out over many simulated studies: the mean, a quartile, or the distance between the distributions.

    `error` is how far it was from the truth on average, `most` what nine runs of ten stayed below. `half_width` is that of its
    intervals on average, and `held` how often they contained the truth (None for a distance, which has no interval). `reached` is the
    part of the runs that came as close as was asked (None if nothing was asked).
    """

    about: str
    error: float
    most: float
    half_width: float | None
    held: float | None
    reached: float | None


@dataclass(frozen=True)
class Trial:
    """How a method did over many simulated studies.

    `tv` and `l2` are means, `tv_error` the Monte-Carlo error of the first, `tv_most` what nine runs of ten stayed below, `held` how
    often an interval contained the true share, over items and runs (None if there are no intervals). `predicted` is the expected total
    variation of the unbiased estimate (None if there is no formula). `from_totals` is true if people were too many to keep their
    reports: then the method is the one that `estimate` chooses for totals.
    """

    mechanism: str
    method: str
    tv: float
    tv_error: float
    tv_most: float
    l2: float
    held: float | None
    predicted: float | None
    from_totals: bool = False
    figure: FigureTrial | None = None

    def to_dict(self) -> dict[str, Any]:
        found = asdict(self)
        if self.figure is None:
            del found["figure"]
        return found


def zipf(size: int) -> Floats:
    """Shares proportional to 1/k."""
    shares = 1 / np.arange(1, size + 1)
    return np.asarray(shares / shares.sum())


def bell(size: int) -> Floats:
    """Shares of a normal distribution around the middle, six standard deviations wide."""
    shares = np.exp(-(((np.arange(size) + 0.5) / size - 0.5) ** 2) * 18)
    return np.asarray(shares / shares.sum())


def trials(
    mechanism: Mechanism | Population,
    p: Floats,
    n: int,
    *,
    reports: int = 1,
    runs: int = 100,
    methods: Sequence[str] = (),
    level: float = 0.95,
    seed: int = 1,
    goal: Numbers | None = None,
) -> list[Trial]:
    """Simulate a study of n people `runs` times, and estimate by each method (by default the one that `estimate` chooses).

    With a goal of a plan for numbers, each trial also has the error of its figure.
    Without a method, the reports of more than 2^20 people aren't kept if totals serve an estimate: a run then takes no longer for more
    people, unless reports are hashed.
    """
    chosen: list[str | None] = list(methods) or [None]
    begin = SeededSource(seed).seed * 1_000_003  # which checks it
    totals = not methods and n * reports > MOST_KEPT and _needs_reports(mechanism) and Tally(mechanism).has(Need.COUNTS)
    kept = not totals and any(method is None or method_named(method).needs_reports for method in chosen)
    found: dict[str, list[tuple[float, float, float]]] = {}
    figures: dict[str, list[tuple[float, float, float]]] = {}
    if goal is not None and len(p) != len(goal.domain):
        raise UnsupportedError(f"{_name(mechanism)} adds items of its own, which have no place in the order. Choose another mechanism.")
    with Progress(f"simulating {_name(mechanism)}") as bar:
        for run in range(runs):
            source = SeededSource(begin + run)
            tally = Tally.simulate(mechanism, p, _divided(mechanism, n), source, keep_reports=kept, reports=reports)
            for method in chosen:
                made = estimate(tally, method, progress=False)
                away = distance(made.p, p)
                found.setdefault(made.method, []).append((away.tv, away.l2, held_by(made, p, level)))
                if goal is not None:
                    figures.setdefault(made.method, []).append(_figure(made, p, goal))
            bar.at((run + 1) / runs, f"run {run + 1} of {runs}")
    predicted = _predicted(mechanism, p, n, reports)
    made_of = {method: None if goal is None else _figures(goal, np.array(figures[method])) for method in found}
    return [_trial(mechanism, method, np.array(rows), predicted, made_of[method], from_totals=totals) for method, rows in found.items()]


def _figure(made: Estimate, p: Floats, goal: Numbers) -> tuple[float, float, float]:
    """How far a figure is from the truth, the half-width of its interval, and whether this covers the truth (NaN without an interval)."""
    centres = goal.domain.centres
    if goal.about == "distance":
        return float(np.diff(centres) @ np.abs(np.cumsum(made.p - p)[:-1])), math.nan, math.nan
    q = QUARTILES.get(goal.about)
    truth = float(centres @ p) if q is None else quantile_of(goal.domain, p, q)
    try:
        found = made.mean(goal.confidence) if q is None else made.quantile(q, goal.confidence)
    except UnsupportedError:  # it fell into an open bin, or the method has no intervals
        return math.inf, math.nan, math.nan
    return abs(found.value - truth), (found.high - found.low) / 2, float(found.low <= truth <= found.high)


def _figures(goal: Numbers, rows: Floats) -> FigureTrial:
    away, width, held = rows.T
    reached = None if goal.asked is None else float((away <= goal.asked).mean())
    without = bool(np.isnan(held).all())
    return FigureTrial(
        goal.about, float(away.mean()), float(np.quantile(away, 0.9, method="higher")),
        None if without else float(np.nanmean(width)), None if without else float(np.nan_to_num(held).mean()), reached,
    )  # fmt: skip


def _needs_reports(mechanism: Mechanism | Population) -> bool:
    """Whether the likelihood needs the reports themselves."""
    return not all(block.channel.statistic.sufficient for block in Tally(mechanism).blocks)


def _trial(
    mechanism: Mechanism | Population, method: str, rows: Floats, predicted: float | None, figure: FigureTrial | None, *, from_totals: bool
) -> Trial:
    tv, l2, held = rows.T
    error = float(tv.std(ddof=1)) / math.sqrt(len(tv)) if len(tv) > 1 else math.nan
    return Trial(
        _name(mechanism), method, float(tv.mean()), error, float(np.quantile(tv, 0.9)), float(l2.mean()),
        None if np.isnan(held).any() else float(held.mean()), predicted, from_totals, figure,
    )  # fmt: skip


def _name(mechanism: Mechanism | Population) -> str:
    if isinstance(mechanism, Mechanism):
        return mechanism.name
    return ", ".join(f"{level}: {each.name}" for level, each in mechanism.groups.items())


def _divided(mechanism: Mechanism | Population, n: int) -> Any:
    """People spread evenly over the levels."""
    if isinstance(mechanism, Mechanism):
        return n
    count = len(mechanism.names)
    return {name: n // count + (rank < n % count) for rank, name in enumerate(mechanism.names)}


def held_by(made: Estimate, p: Floats, level: float) -> float:
    """How many intervals contain the true shares, or NaN if there are no intervals."""
    try:
        low, high = made.interval(level)
    except UnsupportedError:
        return math.nan
    return float(((low <= p) & (p <= high)).mean())


def _predicted(mechanism: Mechanism | Population, p: Floats, n: int, reports: int) -> float | None:
    if isinstance(mechanism, Population):
        return None
    try:
        return expected_tv(mechanism, p, n, reports)
    except SottovoceError:
        return None
