"""Counts that are drawn without making reports follow the law of the counts of reports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

import sottovoce as sv
from zoo import NAMES, built

#: One of 2^62 hash functions is part of their reports: those must be made.
MADE = {"olh", "utility_optimized-olh"}
DRAWN = [name for name in NAMES if name not in MADE and not name.startswith("lh_lip")]
#: Mechanisms over more items than those of the zoo, and two channels that differ a little from one of them.
LARGER: dict[str, Callable[[], sv.Mechanism]] = {
    "subset": lambda: sv.subset_selection(sv.Domain(9), 0.7),
    "lifted-subset": lambda: sv.utility_optimized(sv.subset_selection(sv.Domain(12).subset(range(8)), 1.0), sv.Domain(12)),
    "lifted-oue": lambda: sv.utility_optimized(sv.oue(sv.Domain(7).subset([0, 2, 3]), 2.0), sv.Domain(7)),
    "ubd": lambda: sv.ubd(sv.Domain(20), 1.0, [1, 4, 6]),
    "hadamard": lambda: sv.hadamard(sv.Domain(9), 1.8),
    "hash-tables": lambda: sv.lh_lip(sv.Domain(6), 1.0, [0.3, 0.2, 0.2, 0.1, 0.1, 0.1], g=3, functions=4),
}


def _made(name: str) -> sv.Mechanism:
    return LARGER[name]() if name in LARGER else built(name)


def _population(size: int) -> Any:
    p = np.arange(size, 0, -1.0)
    p[size // 2] = 0
    return p / p.sum()


def counts_of_single_reports(mechanism: sv.Mechanism, p: Any, made: int) -> Any:
    """The counts of one report each, of people who follow p."""
    codes = np.random.default_rng(3).choice(len(p), made, p=p)
    reports = mechanism.channel.sample(codes, sv.SeededSource(5))
    records = np.ascontiguousarray(reports.records())
    rows = records.view(np.dtype((np.void, records.shape[1])))[:, 0]
    _, first, kind = np.unique(rows, return_index=True, return_inverse=True)
    return np.array([mechanism.channel.statistic.count(reports[k : k + 1]) for k in first], dtype=np.float64)[kind]


def strangeness(mechanism: sv.Mechanism, p: Any, drawn: Any, n: int) -> tuple[float, float]:
    """How improbable the mean and the spread of drawn counts are, if n reports that are made have theirs."""
    single = counts_of_single_reports(mechanism, p, 200_000)
    mean, covariance = single.mean(axis=0), np.cov(single.T)
    values, vectors = np.linalg.eigh(covariance)
    used = values > 1e-9 * values.max()
    assert np.allclose((drawn - n * mean) @ vectors[:, ~used] / n, 0, atol=0.01)  # what is fixed in reports is fixed in counts
    whitened = (drawn / n - mean) @ vectors[:, used] / np.sqrt(values[used])
    runs = len(drawn)
    far = (whitened.mean(axis=0) ** 2).sum() / (1 / (n * runs) + 1 / len(single))
    spread = n * (whitened**2).sum(axis=1)
    excess = abs(spread.mean() / used.sum() - 1)
    return float(chi2.sf(far, used.sum())), float(excess)


@pytest.mark.parametrize("name", [*DRAWN, *LARGER])
def test_counts_are_drawn_as_reports_would_be_counted(name: str) -> None:
    mechanism, n, runs = _made(name), 3000, 400
    p = _population(mechanism.channel.size)
    drawn = np.array([_simulated(mechanism, p, n, seed) for seed in range(runs)], dtype=np.float64)
    assert all(mechanism.channel.statistic.possible(counts.astype(np.int64), n) for counts in drawn)
    chance, excess = strangeness(mechanism, p, drawn, n)
    assert chance > 1e-9
    assert excess < 0.45  # 400 runs, around the mean of as many reports as 70 runs have


def _simulated(mechanism: sv.Mechanism, p: Any, n: int, seed: int) -> Any:
    generator = np.random.default_rng(seed)
    found = mechanism.channel.statistic.simulated(generator.multinomial(n, p), generator)
    assert found is not None
    return found


@pytest.mark.parametrize("name", ["subset", "lifted-subset", "lifted-oue", "ubd", "hadamard", "hash-tables"])
def test_another_channel_would_be_noticed(name: str) -> None:
    """The same mechanism at a tenth more ε has other means, which the test sees."""
    near: dict[str, Callable[[], sv.Mechanism]] = {
        "subset": lambda: sv.subset_selection(sv.Domain(9), 0.77),
        "lifted-subset": lambda: sv.utility_optimized(sv.subset_selection(sv.Domain(12).subset(range(8)), 1.1), sv.Domain(12)),
        "lifted-oue": lambda: sv.utility_optimized(sv.oue(sv.Domain(7).subset([0, 2, 3]), 2.2), sv.Domain(7)),
        "ubd": lambda: sv.ubd(sv.Domain(20), 1.1, [1, 4, 6]),
        "hadamard": lambda: sv.hadamard(sv.Domain(9), 1.98),
        "hash-tables": lambda: sv.lh_lip(sv.Domain(6), 1.1, [0.3, 0.2, 0.2, 0.1, 0.1, 0.1], g=3, functions=4),
    }
    mechanism, other = _made(name), near[name]()
    p = np.eye(mechanism.channel.size)[0] * 0.9 + 0.1 / mechanism.channel.size
    if other.channel.statistic.length != mechanism.channel.statistic.length:
        pytest.fail("choose a level that changes the chances only")
    drawn = np.array([_simulated(other, p, 3000, seed) for seed in range(400)], dtype=np.float64)
    assert strangeness(mechanism, p, drawn, 3000)[0] < 1e-9


def test_the_counts_of_two_items_vary_together_as_in_reports() -> None:
    """Not only each item's variance: covariances within 5 standard errors, for sets whose items exclude one another."""
    mechanism = sv.subset_selection(sv.Domain(7), 1.0)
    p, n, runs = _population(7), 2000, 3000
    drawn = np.array([_simulated(mechanism, p, n, seed) for seed in range(runs)], dtype=np.float64)
    exact = n * (mechanism.channel.inversion.second_moments(p) - np.outer(p, p))  # type: ignore[union-attr]  # it has one
    own, other = mechanism.channel.inversion.chances  # type: ignore[union-attr, misc]  # sets that contain an item or not
    exact *= (own[0] - other[0]) ** 2
    error = np.sqrt((np.outer(np.diag(exact), np.diag(exact)) + exact**2) / runs)
    assert (np.abs(np.cov(drawn.T) - exact) < 6.5 * error).all()


def test_very_many_people_cost_no_more() -> None:
    for mechanism in (sv.krr(sv.Domain(50), 1.0), sv.subset_selection(sv.Domain(50), 1.0), sv.ubd(sv.Domain(50), 1.0, range(9))):
        tally = sv.Tally.simulate(mechanism, np.full(50, 0.02), 10**11, sv.SeededSource(1))
        assert tally.n == 10**11
        assert sv.estimate(tally, "inversion").p == pytest.approx(np.full(50, 0.02), abs=2e-4)
