"""Plans for numbers and scales: what is predicted is what intervals and estimates show."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from messages import refused

AGE = (18, 100, 41)
N = 200_000


def population(size: int) -> np.ndarray[Any, Any]:
    hill = np.exp(-(((np.arange(size) - size / 3) / (size / 4)) ** 2)) + 0.05
    return np.asarray(hill / hill.sum())


def option(plan: sv.Plan, name: str) -> sv.Option:
    return next(each for each in plan.options if each.name == name)


@pytest.mark.parametrize("name", ["krr", "oue", "subset_selection", "hadamard"])
def test_the_interval_of_the_mean_is_as_wide_as_predicted(name: str) -> None:
    domain, p = sv.Domain.numbers(0, 100, bins=12), population(12)
    found = option(sv.plan(domain, 2.0, about="mean", n=N, p=p), name)
    tally = sv.Tally.simulate(found.mechanism, p, N, sv.SeededSource(3))
    mean = sv.estimate(tally, "projected").mean()
    assert found.half_width == pytest.approx((mean.high - mean.low) / 2, rel=0.03)
    assert mean.low < p @ domain.centres < mean.high


@pytest.mark.parametrize("reports", [1, 3])
@pytest.mark.parametrize("name", ["krr", "oue"])
def test_means_quartiles_and_distances_by_simulation(name: str, reports: int) -> None:
    """The unbiased estimate of many studies, without the noise that all shares have in common."""
    domain, p, n, runs = sv.Domain.numbers(0, 12, bins=6), population(6), 4000, 1500
    study = sv.Study.from_toml(
        f'name = "s"\nquestion = "q"\nnumbers = {{from = 0, to = 12, bins = 6}}\nreports = {reports}\n'
        f'[privacy]\nnotion = "ldp"\nepsilon = {2.0 * reports}\n[mechanism]\nname = "{name}"\n'
    )
    mechanism, generator = study.mechanism, np.random.default_rng(5)
    assert isinstance(mechanism, sv.Mechanism)
    drawn = []
    for run in range(runs):
        people = np.repeat(generator.choice(6, n // 4, p=p), reports)
        tally = sv.Tally(mechanism).add(mechanism.channel.perturb(people, sv.SeededSource(run)))
        drawn.append(sv.estimate(tally, "inversion").p)
    estimates = np.array(drawn)
    covariance = np.cov(estimates.T)
    common = covariance.sum(axis=1) / covariance.sum() if covariance.sum() > 1e-12 else np.zeros(6)
    estimates = estimates + np.outer(1 - estimates.sum(axis=1), common)

    def predicted(about: str) -> float:
        found = option(study.plan(n // 4, p=p, about=about), name)
        return float((found.half_width or 0) / 1.959964 if about != "distance" else found.w1 or 0)

    error = 5 / math.sqrt(2 * runs)
    assert predicted("mean") == pytest.approx((estimates @ domain.centres).std(), rel=error)
    moved = np.abs(np.cumsum(estimates - p, axis=1)[:, :-1])
    assert predicted("distance") == pytest.approx(2.0 * moved.sum(axis=1).mean(), rel=error)
    k = int(np.searchsorted(np.cumsum(p), 0.5))
    part = (0.5 - p[:k].sum()) / p[k]
    below = estimates[:, :k].sum(axis=1) + part * estimates[:, k]
    assert predicted("median") == pytest.approx(below.std() * 2.0 / p[k], rel=error)


def test_more_people_are_needed_for_what_is_asked() -> None:
    domain = sv.Domain.numbers(*AGE)
    for about, within in (("mean", 2.0), ("median", 2.0), ("lower quartile", 3), ("upper quartile", 3.0), ("distance", 1.0)):
        found = sv.plan(domain, 1.0, about=about, within=within)
        best = found.options[0]
        assert best.people is not None
        at = sv.plan(domain, 1.0, about=about, n=best.people).options[0]
        assert (at.w1 if about == "distance" else at.half_width) == pytest.approx(within, rel=0.01)
        assert found.to_best()[0] == 1.0
        assert all(ratio >= 1 for ratio in found.to_best())
        assert about in found.reason


def test_numbers_are_planned_for_the_distance_unless_something_is_asked() -> None:
    assert sv.plan(sv.Domain.numbers(*AGE), 1.0, n=1000).goal.measure == "w1"
    assert sv.plan(sv.Domain.numbers(*AGE), 1.0, target=0.1).goal.measure == "tv"
    assert sv.plan(sv.Domain.scale(1, 5), 1.0, n=1000).goal.measure == "tv"
    assert sv.plan(sv.Domain.scale(1, 5), 1.0, n=1000, about="mean").goal.measure == "half_width"


SHAPES = {
    "hill": lambda x: np.exp(-(((x - 0.4) / 0.2) ** 2) / 2) + 0.02,
    "falling": lambda x: np.exp(-x / 0.2),
    "flat": np.ones_like,
    "two hills": lambda x: np.exp(-(((x - 0.3) / 0.08) ** 2) / 2) + np.exp(-(((x - 0.7) / 0.08) ** 2) / 2),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("epsilon", "n"), [(0.5, 30_000), (1.0, 1000), (2.0, 3000), (4.0, 1000)])
def test_distances_are_at_most_a_few_times_too_large(shape: str, epsilon: float, n: int) -> None:
    """The smooth estimate is nearer to the truth if eight splines are more than it needs, and the best option is the best in fact."""
    domain = sv.Domain.numbers(0, 1, bins=32)
    p = SHAPES[shape]((np.arange(32) + 0.5) / 32)  # type: ignore[operator]
    p = p / p.sum()
    found, seen = sv.plan(domain, epsilon, n=n, p=p), {}
    for name in ("window", "oue", "krr"):
        tallies = [sv.Tally.simulate(option(found, name).mechanism, p, n, sv.SeededSource(seed)) for seed in range(6)]
        seen[name] = float(np.mean([np.abs(np.cumsum(sv.estimate(tally, "smooth").p - p)).sum() / 32 for tally in tallies]))
        assert 0.7 * seen[name] < option(found, name).w1 < 5 * seen[name]  # type: ignore[operator]
    assert found.options[0].name == "window" or epsilon == 4.0, "where it has no neighbours and is krr"
    assert seen["window"] < 1.2 * min(seen.values())


def test_windows_have_the_width_that_suits_the_goal() -> None:
    domain = sv.Domain.numbers(*AGE)
    for about, width in (("distance", "distribution"), ("mean", "mean"), ("median", "mean")):
        best = option(sv.plan(domain, 1.0, about=about, n=1000), "window").mechanism
        assert best.channel.half == sv.window(domain, 1.0, width).channel.half  # type: ignore[attr-defined]
    study = sv.Study.from_toml(
        'name = "s"\nquestion = "q"\nnumbers = {from = 18, to = 100, bins = 41}\n[privacy]\nnotion = "ldp"\nepsilon = 1.0\n'
    )
    assert study.mechanism.channel.half == sv.window(domain, 1.0, "distribution").channel.half  # type: ignore[attr-defined, union-attr]


def test_plans_for_a_sensitive_range_offer_windows() -> None:
    """The window is nearer to the truth than the other lift, as the plan says."""
    domain, p = sv.Domain.numbers(0, 40, bins=20), population(20)
    sensitive = domain.between(10, 40)
    for about in ("distance", "mean"):
        assert sv.plan(domain, 1.0, sensitive=sensitive, n=5000, about=about).options[0].name == "utility_optimized(window)"
    found = sv.plan(domain, 1.0, sensitive=sensitive, n=5000, p=p)
    away = {}
    for name in ("utility_optimized(window)", "utility_optimized(oue)", "ubd"):
        each = option(found, name).mechanism
        tallies = [sv.Tally.simulate(each, p, 5000, sv.SeededSource(seed), keep_reports=True) for seed in range(8)]
        away[name] = np.mean([2.0 * np.abs(np.cumsum(sv.estimate(tally, "smooth").p - p)).sum() for tally in tallies])
    assert away["utility_optimized(window)"] < 0.9 * min(away["utility_optimized(oue)"], away["ubd"])
    assert "utility_optimized(window)" not in [each.name for each in sv.plan(domain, 1.0, sensitive=sensitive[:1], n=5000).options]


def test_plans_for_sensitive_numbers_with_gaps_warn() -> None:
    domain = sv.Domain.numbers(0, 40, bins=20)
    with pytest.warns(UserWarning, match="aren't one range"):
        found = sv.plan(domain, 1.0, sensitive=[domain.item(place) for place in (1, 2, 5, 6)], n=1000)
    assert option(found, "utility_optimized(window)").mechanism.certify().holds


@pytest.mark.parametrize(
    ("domain", "asked"),
    [
        (lambda: sv.Domain("abc"), {"about": "mean"}),
        (lambda: sv.Domain.scale(1, 5), {"about": "mode"}),
        (lambda: sv.Domain.scale(1, 5), {"about": "mean", "within": 0}),
        (lambda: sv.Domain.scale(1, 5), {"about": "mean", "within": "2"}),
        (lambda: sv.Domain.scale(1, 5), {"about": "mean", "within": math.inf}),
        (lambda: sv.Domain.scale(1, 5), {"about": "mean", "target": 0.1}),
        (lambda: sv.Domain.scale(1, 5), {"about": "mean", "item": 1}),
        (lambda: sv.Domain.scale(1, 5), {"about": "mean", "at_most": 0.5}),
        (lambda: sv.Domain.scale(1, 5), {"about": "mean", "confidence": 2}),
        (lambda: sv.Domain.numbers(edges=[-math.inf, 0, 1]), {"about": "lower quartile"}),
        (lambda: sv.Domain.numbers(0, 1, bins=4097), {}),
        (lambda: sv.Domain.numbers(0, 1, bins=4097), {"about": "mean"}),
    ],
)
def test_plans_that_contradict_themselves_are_refused(domain: Any, asked: dict[str, Any]) -> None:
    with refused(sv.SottovoceError):
        sv.plan(domain(), 1.0, n=1000, **asked)
