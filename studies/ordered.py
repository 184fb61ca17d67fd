"""How close are estimated distributions of numbers, and how often do the intervals of means, quantiles and shares contain the truth?

    python studies/ordered.py [--runs 50] [--coverage 400] [--windows 400 400 400] [--kept ordered.json]

Takes about four hours on one core, most of it for intervals of windows (`--windows` sets how many studies of each population, for each n).
Cells that `--kept` has already are not measured again.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import sottovoce as sv
from sottovoce.estimators.constrained import Profile
from sottovoce.estimators.curves import LikelihoodCurve, curve_of
from sottovoce.estimators.intervals import deviate
from sottovoce.estimators.places import below, place_of
from tables import written

SIZE = 64
EPSILONS, PEOPLE = (0.5, 1.0, 2.0, 4.0), (1_000, 10_000, 100_000)
FEW = (300, 3_000, 30_000)
QUARTERS = (0.25, 0.5, 0.75)
WIDTHS = ("mean", "distribution")
#: Answers to the question for the age in UCI Adult, from 17 to 90.
AGES = (
    "595 862 1053 1113 1096 1178 1329 1206 1195 1153 1232 1280 1223 1278 1325 1253 1335 1303 1337 1348 1280 1264 1206 1187 1235 "
    "1165 1104 1067 1096 1097 1081 845 847 866 877 738 711 613 621 564 551 555 523 449 450 394 335 340 284 237 "
    "238 178 149 133 118 120 108 77 72 69 54 34 30 38 37 15 11 13 5 1 3 6 2 55"
)


def normal(edges: np.ndarray, centre: float, width: float) -> np.ndarray:
    """The shares of a normal distribution between the edges."""
    sums = np.array([0.5 * math.erf((edge - centre) / width / 2**0.5) for edge in edges])
    return np.diff(sums) / (sums[-1] - sums[0])


def populations() -> dict[str, np.ndarray]:
    """Eight distributions on [0, 1] in 64 bins; the ages have a bin for each year."""
    edges = np.linspace(0, 1, SIZE + 1)
    falling = np.diff(-np.exp(-edges / 0.2))
    hill, income = normal(edges, 0.5, 0.15), normal(np.log(np.maximum(edges, 1e-9)), math.log(0.2), 0.7)
    round_numbers = np.where(np.arange(SIZE) % 5 == 0, np.exp(-((((np.arange(SIZE) + 0.5) / SIZE) - 0.45) ** 2) / 0.125), 0.0)
    point = 0.8 * hill
    point[SIZE // 4] += 0.2
    ages = np.array([int(count) for count in AGES.split()], dtype=np.float64)
    return {
        "normal": hill,
        "bimodal": 0.5 * normal(edges, 0.3, 0.08) + 0.5 * normal(edges, 0.7, 0.08),
        "exponential": falling / falling.sum(),
        "income": income,
        "uniform": np.full(SIZE, 1 / SIZE),
        "round numbers": round_numbers / round_numbers.sum(),
        "point mass": point,
        "ages": ages / ages.sum(),
    }


def distance(p: np.ndarray, q: np.ndarray) -> float:
    """W1 if the domain has the length 1."""
    return float(np.abs(np.cumsum(p - q)).sum() / len(p))


def published(counts: np.ndarray, matrix: np.ndarray, epsilon: float) -> np.ndarray:
    """EMS of Li et al. (2020): expectation-maximisation, smoothed by (1, 2, 1)/4 after each step, ended by their rule."""
    p, before = np.full(len(matrix), 1 / len(matrix)), -math.inf
    for _ in range(10_000):
        mean = p @ matrix
        p = p * (matrix @ (counts / mean))
        padded = np.pad(p, 1, mode="edge")
        p = padded[:-2] / 4 + padded[1:-1] / 2 + padded[2:] / 4
        p /= p.sum()
        height = float(counts @ np.log(p @ matrix))
        if abs(height - before) < 1e-3 * math.exp(epsilon):
            break
        before = height
    return p


def errors(p: np.ndarray, epsilon: float, n: int, runs: int) -> dict[str, float]:
    """The mean W1 of each method."""
    domain = sv.Domain.numbers(0, 1, bins=len(p))
    found: dict[str, list[float]] = {}

    def note(name: str, shares: np.ndarray) -> None:
        found.setdefault(name, []).append(distance(shares, p))

    mechanisms = {width: sv.window(domain, epsilon, width) for width in WIDTHS}
    others = {"oue": sv.oue(domain, epsilon), "krr": sv.krr(domain, epsilon)}
    for run in range(runs):
        source = sv.SeededSource(run)
        for width, mechanism in mechanisms.items():
            tally = sv.Tally.simulate(mechanism, p, n, source)
            note(f"smooth, {width}", sv.estimate(tally, "smooth").p)
            note(f"mle, {width}", sv.estimate(tally, "mle").p)
            if width == "distribution":
                note("ems", published(tally.blocks[0].counts, mechanism.channel.matrix(), epsilon))
        for name, mechanism in others.items():
            note(name, sv.estimate(sv.Tally.simulate(mechanism, p, n, source), "projected").p)
    return {name: float(np.mean(each)) for name, each in found.items()}


def accepted(profile: Profile, weights: np.ndarray, value: float) -> bool:
    """Whether an interval has a value: the limit on its side of the estimate lies beyond it.

    No calibration moves the critical value of 1.96 below 0.7 or above 4, so that clear cases need no limit.
    """
    root, side = profile.ratio(weights, value) ** 0.5, 1 if value < weights @ profile.top else -1
    if not 0.7 < root < 4:
        return root <= 0.7
    return side * (value - profile.limit(weights, deviate(0.95), side)) >= 0


def held(build: Callable[[sv.Domain], sv.Mechanism], p: np.ndarray, n: int, runs: int, first: int = 0) -> list[float]:
    """How often (in percent) intervals contain the mean, the quartiles, the median, and the share below 0.3."""
    domain, hits = sv.Domain.numbers(0, 1, bins=len(p)), np.zeros(5)
    mechanism, size = build(domain), len(p)
    places = [*(place_of(p, share) for share in QUARTERS), 0.3 * size]
    shares = [*QUARTERS, float(below(size, 0.3 * size) @ p)]
    for run in range(first, first + runs):
        tally = sv.Tally.simulate(mechanism, p, n, sv.SeededSource(run))
        e = sv.estimate(tally, "mle" if tally.supports("mle") else "projected")
        mean = e.mean()
        hits[0] += mean.low <= domain.centres @ p <= mean.high
        profile = curve.profile if isinstance(curve := curve_of(e), LikelihoodCurve) else None
        for k, (place, share) in enumerate(zip(places, shares, strict=True), start=1):
            if profile is not None:
                hits[k] += accepted(profile, below(size, place), share)
            else:
                below_it = e.cdf(place / size)
                hits[k] += below_it.low <= share <= below_it.high
    return (100 * hits / runs).tolist()


class Kept:
    """Cells that were measured, in a file if one is named."""

    def __init__(self, file: Path | None) -> None:
        self.file = file
        self.cells: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file and file.exists() else {}

    def get(self, key: str, measure: Callable[[], Any]) -> Any:
        if key not in self.cells:
            self.cells[key] = measure()
            print(key, self.cells[key], flush=True)
            if self.file:
                self.file.write_text(json.dumps(self.cells), encoding="utf-8")
        return self.cells[key]


def write_errors(kept: Kept, runs: int) -> None:
    columns = ["smooth, mean", "smooth, distribution", "mle, mean", "mle, distribution", "ems", "oue", "krr"]
    rows, ratios = [], []
    for epsilon in EPSILONS:
        for n in PEOPLE:
            cells = {
                name: kept.get(f"errors {epsilon} {n} {name} {runs}", partial(errors, p, epsilon, n, runs))
                for name, p in populations().items()
            }
            means = [math.exp(np.mean([math.log(cell[column] / cell["smooth, mean"]) for cell in cells.values()])) for column in columns]
            worst = {}
            for width in WIDTHS:
                for name, cell in cells.items():
                    worst[width, name] = cell[f"smooth, {width}"] / min(cell[f"mle, {each}"] for each in WIDTHS)
            shown = []
            for width in WIDTHS:
                ratio, name = max((worst[width, each], each) for each in cells)
                shown.append(f"{ratio:.2f} ({name})")
            ratios.append([f"{epsilon:g}", f"{n:,}", *(f"{mean:.2f}" for mean in means[1:]), *shown])
            if epsilon == 1 and n == 10_000:
                rows = [[name, *(f"{cell[column]:.4f}" for column in columns)] for name, cell in cells.items()]
    written("numbers", ["population", *columns], rows)
    written("numbers-ratios", ["ε", "n", *columns[1:], *(f"worst, {width}" for width in WIDTHS)], ratios)


def write_coverage(kept: Kept, runs: int, windows: list[int]) -> None:
    """The share of all studies in each cell, and the least and the most of the populations. Windows take much longer than the others."""
    mechanisms: dict[tuple[str, float], Callable[[sv.Domain], sv.Mechanism]] = {
        (f"window, {width}", epsilon): partial(sv.window, epsilon=epsilon, width=width) for width in WIDTHS for epsilon in EPSILONS
    }
    mechanisms |= {("krr", 1.0): partial(sv.krr, epsilon=1.0), ("oue", 1.0): partial(sv.oue, epsilon=1.0)}
    rows = []
    for (label, epsilon), build in mechanisms.items():
        for n, few in zip(FEW, windows, strict=True):
            times = few if label.startswith("window") else runs
            cells = [
                kept.get(f"held {label} {epsilon} {n} {name} {times}", partial(held, build, p, n, times, 1000 * place))
                for place, (name, p) in enumerate(populations().items())
            ]
            table = np.array(cells)
            spans = (f"{each.mean():.1f} ({each.min():.1f} to {each.max():.1f})" for each in table.T)
            rows.append([label, f"{epsilon:g}", f"{n:,}", f"{times * len(cells):,}", *spans])
    written(
        "numbers-coverage",
        ["mechanism", "ε", "n", "studies", "mean", "lower quartile", "median", "upper quartile", "share below 0.3"],
        rows,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--coverage", type=int, default=400)
    parser.add_argument("--windows", type=int, nargs=len(FEW), default=[400] * len(FEW), help="studies of each population, for each n")
    parser.add_argument("--kept", type=Path, default=None)
    given = parser.parse_args()
    kept = Kept(given.kept)
    if given.runs:
        write_errors(kept, given.runs)
    if given.coverage:
        write_coverage(kept, given.coverage, given.windows)


if __name__ == "__main__":
    main()
