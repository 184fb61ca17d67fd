"""Inversion is unbiased with the stated variance; maximum likelihood reaches the top, and its gap is a bound."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sottovoce as sv
from messages import refused
from solver import dense, optimum
from sottovoce.channels.likelihood import total
from sottovoce.estimators import decoders
from sottovoce.estimators.covariance import covariance
from sottovoce.estimators.inversion import inversion_of, invert, invert_all
from sottovoce.estimators.report_likelihood import likelihoods
from zoo import DOMAIN, HASHED, INVERTIBLE, NAMES, NOT_INVERTIBLE, built

LISTED = [name for name in INVERTIBLE if name not in HASHED]


def population(size: int, seed: int) -> Any:
    return np.random.default_rng(seed).dirichlet(np.full(size, 0.7))


@pytest.mark.parametrize("name", INVERTIBLE)
def test_inversion_is_unbiased(name: str) -> None:
    """At the expected counts the linear formula returns p, whatever p is."""
    mechanism = built(name)
    block = sv.Tally(mechanism).blocks[0]
    for seed in range(5):
        p = population(mechanism.channel.size, seed)
        shares = inversion_of(mechanism.channel).expected(p)
        assert invert(replace(block, n=10**6, counts=shares * 10**6)).p == pytest.approx(p, abs=1e-9)  # type: ignore[arg-type]  # real or wrong on purpose


@pytest.mark.parametrize("name", NOT_INVERTIBLE)
def test_what_cannot_be_inverted_is_known(name: str) -> None:
    assert built(name).channel.inversion is None


@pytest.mark.parametrize("name", LISTED)
def test_expected_counts_and_variance_equal_enumeration(name: str) -> None:
    """Each report alone gives a value per item; their mean and variance over all reports are the stated ones."""
    mechanism = built(name)
    channel, block = mechanism.channel, sv.Tally(mechanism).blocks[0]
    p = population(channel.size, 1)
    chances = p @ channel.matrix()
    counts = np.array([channel.statistic.count(_one(channel, output)) for output in channel.outputs()])
    assert chances @ counts == pytest.approx(inversion_of(channel).expected(p), abs=1e-12)
    values = np.array([invert(replace(block, n=1, counts=row)).p for row in counts])
    exact = chances @ values**2 - (chances @ values) ** 2
    n = 1000
    stated = invert(replace(block, n=n, counts=inversion_of(channel).expected(p) * n)).variance  # type: ignore[arg-type]  # real or wrong on purpose
    assert stated == pytest.approx(exact / n, rel=1e-6, abs=1e-15)
    there = replace(block, n=n, counts=inversion_of(channel).expected(p) * n)  # type: ignore[arg-type]  # expected counts
    products = (values * chances[:, None]).T @ values - np.outer(chances @ values, chances @ values)
    assert covariance([there], np.ones((1, channel.size))) == pytest.approx(products / n, rel=1e-6, abs=1e-12)


def _one(channel: sv.Channel, output: Any) -> sv.Reports:
    """A plain value as a report."""
    if isinstance(output, list):
        return sv.SetReports.of_dense(np.isin(np.arange(channel.size), output)[None, :])
    empty = channel.reports_from_bytes(b"")
    if isinstance(output, tuple):
        assert isinstance(empty, sv.HashedReports)
        return sv.HashedReports(np.array([output[0]]), np.array([output[1]]), empty.seed_limit, empty.limit)
    assert isinstance(empty, sv.CodeReports)
    return sv.CodeReports(np.array([output]), empty.limit)


def test_hashed_inversion_by_simulation() -> None:
    mechanism = sv.olh(sv.Domain(30), 1.0)
    p = population(30, 2)
    runs = [sv.estimate(sv.Tally.simulate(mechanism, p, 3000, sv.SeededSource(seed)), "inversion") for seed in range(300)]
    errors = np.array([run.p - p for run in runs])
    deviations = np.array([run.stderr for run in runs])
    assert np.abs(errors.mean(axis=0) / (deviations.mean(axis=0) / np.sqrt(300))).max() < 5
    assert (errors**2).mean(axis=0) == pytest.approx((deviations**2).mean(axis=0), rel=0.5)
    assert (errors**2).mean() == pytest.approx((deviations**2).mean(), rel=0.05)
    with refused(sv.UnsupportedError):
        runs[0].covariance()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(3))
def test_maximum_likelihood_equals_a_convex_solver(name: str, seed: int) -> None:
    mechanism = built(name)
    p = population(mechanism.channel.size, seed)
    tally = sv.Tally.simulate(mechanism, p, 2000, sv.SeededSource(seed), keep_reports=True)
    _against_solver(tally)


@pytest.mark.parametrize("seed", range(6))
def test_mixtures_of_channels_equal_a_convex_solver(seed: int) -> None:
    """Groups of every kind at once, among them people who hide nothing."""
    rng = np.random.default_rng(seed)
    names = [name for name in NAMES if built(name).domain == DOMAIN and built(name).inputs == DOMAIN]
    chosen = {name: built(name) for name in rng.choice(names, size=4, replace=False)}
    crowd = sv.Population(chosen)
    codes = rng.choice(5, size=1500, p=population(5, seed))
    levels = [list(chosen)[k] for k in rng.integers(0, 4, size=1500)]
    _against_solver(sv.Tally(crowd, keep_reports=True).add(crowd.perturb(codes, levels, sv.SeededSource(seed))))


def _against_solver(tally: sv.Tally) -> None:
    found = sv.estimate(tally, "mle", tolerance=1e-9 * tally.n, iterations=20_000)
    rows, times = dense(tally)
    other = optimum(rows, times)
    here, there = (float(times @ np.log(rows @ p)) / tally.n for p in (found.p, other))
    assert found.p.min() >= 0
    assert found.p.sum() == pytest.approx(1, abs=1e-12)
    assert found.gap is not None
    assert abs(here - there) <= 1e-9
    assert (there - here) * tally.n <= found.gap + 1e-9 * tally.n
    parts = [part for block in tally.blocks for part in likelihoods(block)]
    assert (total(parts, found.p).value - total(parts, other).value) / tally.n == pytest.approx(here - there, abs=1e-11)


@settings(max_examples=60)
@given(st.integers(7, 50), st.floats(0.1, 6.0), st.integers(0, 2**32), st.lists(st.integers(0, 10), min_size=1, max_size=3, unique=True))
def test_random_channels_and_mixtures_equal_a_convex_solver(size: int, epsilon: float, seed: int, kinds: list[int]) -> None:
    """Up to K = 50; and with D_k from the channels' own likelihoods, N·log(max D_k) is the gap that the result states."""
    domain = sv.Domain(size)
    part = domain.subset(range(0, size, 3))
    builders: list[Any] = [
        sv.krr, sv.rappor, sv.oue, sv.olh, sv.subset_selection, sv.hadamard,
        lambda d, e: sv.urr(d, e, range(3)),
        lambda d, e: sv.urap(d, e, range(5)),
        lambda d, e: sv.utility_optimized(sv.oue(part, e), d),
        lambda d, e: sv.utility_optimized(sv.olh(part, e), d),
        lambda d, e: sv.identity(d),
    ]  # fmt: skip
    crowd = sv.Population({str(kind): builders[kind](domain, epsilon) for kind in kinds})
    rng = np.random.default_rng(seed)
    codes = rng.choice(size, size=800, p=rng.dirichlet(np.full(size, 0.5)))
    levels = [str(kinds[k]) for k in rng.integers(0, len(kinds), size=800)]
    tally = sv.Tally(crowd, keep_reports=True).add(crowd.perturb(codes, levels, sv.SeededSource(seed)))
    _against_solver(tally)
    found = sv.estimate(tally, tolerance=1e-9 * tally.n, iterations=20_000)
    rows, times = dense(tally)
    largest = ((times / (rows @ found.p)) @ rows).max() / tally.n
    assert found.gap is not None
    assert found.gap / tally.n == pytest.approx(max(0.0, np.log(largest)), abs=1e-11)


@pytest.mark.parametrize("size", [2, 50, 3000, 100_000])
def test_direct_blocks_are_solved_exactly(size: int) -> None:
    rng = np.random.default_rng(size)
    domain = sv.Domain(size)
    budgets = {item: 0.2 + item % 7 for item in range(0, size, 2)}
    groups = {"low": sv.krr(domain, 0.1), "mid": sv.krr(domain, 3.0), "items": sv.iprr(domain, budgets), "open": sv.identity(domain)}
    p = rng.dirichlet(np.full(size, 0.3))
    for names in (["low"], ["mid"], ["items"], list(groups)):
        crowd = sv.Population({name: groups[name] for name in names})
        tally = sv.Tally(crowd)
        codes = rng.choice(size, size=5000, p=p)
        tally = tally.add(crowd.perturb(codes, [names[k] for k in rng.integers(0, len(names), size=5000)], sv.SeededSource(1)))
        found = sv.estimate(tally, "mle")
        assert found.method == "mle"
        assert found.gap is not None
        assert found.gap / tally.n <= 1e-12


def test_em_climbs_towards_the_same_top() -> None:
    tally = sv.Tally.simulate(sv.oue(DOMAIN, 1.0), population(5, 1), 5000, sv.SeededSource(1), keep_reports=True)
    top, slow = sv.estimate(tally, "mle", tolerance=1e-6), sv.estimate(tally, "em", tolerance=1e-2)
    short = sv.estimate(tally, "em", iterations=5)
    assert short.iterations == 5
    assert short.gap is not None
    assert slow.gap is not None
    assert slow.gap <= 1e-2 < short.gap
    assert np.abs(slow.p - top.p).max() < 0.01
    assert top.iterations is not None
    assert slow.iterations is not None
    assert top.iterations < slow.iterations


def test_map_is_maximum_likelihood_with_pseudo_counts() -> None:
    mechanism = sv.krr(DOMAIN, 1.0)
    tally = sv.Tally.simulate(mechanism, [0.6, 0.3, 0.1, 0.0, 0.0], 300, sv.SeededSource(2))
    plain, penalised = sv.estimate(tally, "mle"), sv.estimate(tally, "map", strength=20)
    assert np.abs(sv.estimate(tally, "map", strength=1e-9).p - plain.p).max() < 1e-4
    assert np.abs(penalised.p - 0.2).sum() < np.abs(plain.p - 0.2).sum()
    assert penalised.p.min() > 0


@given(st.lists(st.floats(-2, 2), min_size=1, max_size=12), st.data())
def test_projection_is_the_nearest_distribution(values: list[float], data: st.DataObject) -> None:
    """The conditions of optimality: where p is positive, metric·(values − p) is constant, and nowhere larger."""
    z = np.array(values)
    metric = np.array(data.draw(st.lists(st.floats(0.1, 10), min_size=len(z), max_size=len(z))))
    p = decoders.project(z, metric)
    assert p.min() >= 0
    assert p.sum() == pytest.approx(1)
    force = metric * (z - p)
    assert force[p > 1e-9] == pytest.approx(np.full((p > 1e-9).sum(), force.max()), abs=1e-6)


def test_decoders() -> None:
    z = np.array([0.7, 0.4, -0.1])
    assert decoders.normalized(z) == pytest.approx([0.7 / 1.1, 0.4 / 1.1, 0])
    assert decoders.normalized(np.array([-1.0, -2.0])) == pytest.approx([0.5, 0.5])
    for values, stderr, expected in (
        ([0.6, 0.01, -0.02, 0.01], 0.05, [0.6, 0.4 / 3, 0.4 / 3, 0.4 / 3]),
        ([0.01, 0.02], 0.5, [0.5, 0.5]),
        ([0.9, 0.4], 0.01, [0.9 / 1.3, 0.4 / 1.3]),
    ):
        kept = decoders.exceeds(np.array(values), np.full(len(values), stderr), 0.05)
        assert decoders.thresholded(np.array(values), kept) == pytest.approx(expected)


@settings(max_examples=80)
@given(st.sampled_from(sorted(NAMES)), st.booleans(), st.sampled_from(sv.METHODS))
def test_supports_is_honest(name: str, keep: bool, method: str) -> None:
    mechanism = built(name)
    reports = mechanism.channel.perturb(np.arange(60) % mechanism.channel.size, sv.SeededSource(1))
    tally = sv.Tally(mechanism, keep_reports=keep).add(reports)
    if tally.supports(method):
        found = sv.estimate(tally, method, prior=np.full(mechanism.channel.size, 1 / mechanism.channel.size))
        assert found.method == method
        assert found.p.sum() == pytest.approx(1, abs=1e-6) or method in {"inversion", "average"}
        assert len(found.p) == len(found.domain)
    else:
        with pytest.raises(sv.UnsupportedError) as caught:
            sv.estimate(tally, method)
        assert ("order" if method == "smooth" else "keep_reports=True") in str(caught.value)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 8.0])
def test_few_and_identical_reports_are_no_trouble(name: str, epsilon: float) -> None:
    """One to six people who all hold the same item: the curvature may vanish, the estimate must not."""
    mechanism = built(name, 1.0 if name == "rr_lip_published" else epsilon)
    for n in (1, 2, 6):
        for seed in range(5):
            reports = mechanism.channel.perturb(np.full(n, mechanism.channel.size - 1), sv.SeededSource(seed))
            found = sv.estimate(sv.Tally(mechanism, keep_reports=True).add(reports))
            assert found.method == "mle"
            assert found.gap is not None
            assert found.gap <= 1e-3
            assert np.isfinite(found.p).all()


def test_projection_of_extreme_values() -> None:
    assert decoders.project(np.array([1e17, 0.0])).tolist() == [1.0, 0.0]
    assert decoders.project(np.array([-1e20, -1e20])).tolist() == [0.5, 0.5]


def test_a_matrix_that_confuses_populations_is_not_inverted() -> None:
    mechanism = sv.from_matrix(sv.Domain("abc"), [[0.5, 0.5], [0.4, 0.6], [0.6, 0.4]], sv.LDP(1.0))
    tally = sv.Tally(mechanism).add(mechanism.perturb("abcabc"))
    assert not tally.supports("inversion")
    with pytest.raises(sv.UnsupportedError):
        sv.estimate(tally, "projected")
    assert sv.estimate(tally).method == "mle"


def test_groups_are_weighted_by_their_precision() -> None:
    crowd = sv.Population({"careful": sv.krr(DOMAIN, 0.2), "open": sv.identity(DOMAIN)})
    p = population(5, 3)
    codes = np.random.default_rng(1).choice(5, size=4000, p=p)
    tally = sv.Tally(crowd).add(crowd.perturb(codes, ["careful", "open"] * 2000, sv.SeededSource(1)))
    weighted, average = sv.estimate(tally, "inversion"), sv.estimate(tally, "average")
    assert weighted.stderr is not None
    assert average.stderr is not None
    assert weighted.stderr.max() < average.stderr.max() / 5
    assert np.abs(weighted.p - p).sum() < np.abs(average.p - p).sum()
    assert average.p == pytest.approx(np.mean([invert(block).p for block in tally.blocks], axis=0))
    assert invert_all(tally.blocks).p == pytest.approx(weighted.p)


def test_wrong_use_is_a_clear_error() -> None:
    krr, oue = sv.krr(DOMAIN, 1.0), sv.oue(DOMAIN, 1.0)
    totals = sv.Tally(oue).add(oue.perturb("abc"))
    assert sv.estimate(totals).method == "projected"
    with refused(sv.UnsupportedError, "mle", "keep_reports=True"):
        sv.estimate(totals, "mle")
    with refused(sv.ParameterError, "magic", *sorted(sv.METHODS)):
        sv.estimate(totals, "magic")
    with refused(sv.ParameterError):
        sv.estimate(sv.Tally(krr))
    full = sv.Tally(krr).add(krr.perturb("abc"))
    for options in (
        {"tolerance": 0.0},
        {"tolerance": float("nan")},
        {"iterations": 0},
        {"iterations": 1.5},
        {"strength": -1.0},
        {"strength": float("inf")},
    ):
        with pytest.raises(sv.ParameterError):
            sv.estimate(full, "map", **options)
    with refused(sv.ParameterError, "alpha", 2.0):
        sv.estimate(full, "threshold", alpha=2.0)
    assert sv.estimate(full)["a"] == sv.estimate(full).p[0]
    assert sv.estimate(full, "map", strength=0.0).p == pytest.approx(sv.estimate(full, "mle").p)
    with refused(sv.DomainError):
        sv.Population({"x": krr, "p": sv.pum(DOMAIN, 1.0, ["home"])})
    with refused(sv.ParameterError, "n", 10, "x"):
        sv.Tally.simulate(sv.Population({"x": krr}), [0.2] * 5, 10, sv.SeededSource(1))
    for name, option in (("tolerance", True), ("alpha", "x"), ("iterations", 2.5), ("strength", None)):
        with refused(sv.ParameterError, name, option):
            sv.estimate(full, **{name: option})  # type: ignore[arg-type]  # wrong on purpose
    assert sv.estimate(full, "em", tolerance=np.float32(1.0), iterations=np.int64(5)).method == "em"  # type: ignore[arg-type]  # numbers too


@pytest.mark.parametrize("base", [sv.urr, sv.urap])
def test_personal_tags_are_spread_over_the_items(base: Any) -> None:
    """With the true spread of every tag the estimate is unbiased, and Theorem 1 holds in every run."""
    mechanism = sv.pum(DOMAIN, 2.0, ["home", "work"], sensitive=["a"], base=base)
    true = {"home": np.array([0.0, 0.5, 0.3, 0.2, 0.0]), "work": np.array([0.0, 0.0, 0.1, 0.4, 0.5])}
    r = np.array([0.1, 0.2, 0.1, 0.1, 0.1, 0.25, 0.15])
    p = r[:5] + r[5] * true["home"] + r[6] * true["work"]
    guess = {tag: np.full(5, 0.2) for tag in true}
    runs = []
    for seed in range(40):
        found = sv.estimate(sv.Tally.simulate(mechanism, r, 20_000, sv.SeededSource(seed)), "inversion")
        known, vague = sv.resolve_tags(found, mechanism, true), sv.resolve_tags(found, mechanism, guess)
        first = np.abs(found.p - r).sum()
        assert np.abs(vague.p - p).sum() <= first + vague.bound(true, guess) + 1e-12
        assert vague.bound(true, guess) == vague.bound(true) <= vague.worst
        assert vague.p.sum() == pytest.approx(found.p.sum())
        runs.append(known.p)
    spread = np.std(runs, axis=0) / np.sqrt(40)
    assert np.abs(np.mean(runs, axis=0) - p).max() < 5 * spread.max()
    assert sv.resolve_tags(found, mechanism).p[0] == pytest.approx(found.p[0])


def test_tags_resolve_only_what_they_belong_to() -> None:
    mechanism = sv.pum(DOMAIN, 2.0, ["home"])
    found = sv.estimate(sv.Tally.simulate(mechanism, np.full(6, 1 / 6), 1000, sv.SeededSource(1)))
    other = sv.estimate(sv.Tally.simulate(sv.krr(DOMAIN, 1.0), np.full(5, 0.2), 1000, sv.SeededSource(1)))
    with refused(sv.ParameterError, "pum"):
        sv.resolve_tags(other, mechanism)
    with refused(sv.ParameterError, "gym", "home"):
        sv.resolve_tags(found, mechanism, {"gym": np.full(5, 0.2)})
    with refused(sv.ParameterError, "home", 5):
        sv.resolve_tags(found, mechanism, {"home": np.full(5, 0.5)})


def test_distances() -> None:
    truth = [0.5, 0.3, 0.2, 0.0]
    found = sv.Estimate(sv.Domain("abcd"), np.array([0.6, 0.5, -0.1, 0.0]), 10, "inversion")
    d = sv.distance(found, truth)
    assert (d.l1, d.tv, d.l2, d.mse) == pytest.approx((0.6, 0.3, 0.14, 0.035))
    assert d.relative == pytest.approx((0.1 / 0.5 + 0.2 / 0.3 + 0.3 / 0.2) / 3)
    cut, middle = np.array([6, 5]) / 11, np.array([6 / 11 + 0.5, 5 / 11 + 0.3, 0.2]) / 2
    first = float((cut * np.log(cut / middle[:2])).sum())
    second = float((np.array([0.5, 0.3, 0.2]) * np.log(np.array([0.5, 0.3, 0.2]) / middle)).sum())
    assert d.js == pytest.approx((first + second) / 2)
    assert d.kl == math.inf  # the third item exists and has no share
    assert sv.distance([0.6, 0.2, 0.2, 0.0], truth).kl == pytest.approx(0.5 * np.log(0.5 / 0.6) + 0.3 * np.log(1.5))
    assert sv.distance([0.9, 0.3, 0.3, -0.2], truth).kl == pytest.approx(sv.distance([0.6, 0.2, 0.2, 0.0], truth).kl)
    assert sv.distance(truth, truth).kl == sv.distance(truth, truth).js == 0.0
    assert sv.distance([0.0, 1.0], [1.0, 0.0]).js == pytest.approx(np.log(2))
    for estimate, target in (([0.5, 0.5], [1.0]), ([np.nan, 1.0], [0.5, 0.5]), ([0.5, 0.5], [0.5, 0.6]), ([0.5, 0.5], [1.5, -0.5])):
        with pytest.raises(sv.ParameterError):
            sv.distance(estimate, target)


@pytest.mark.parametrize(("size", "width", "n"), [(100, 3, 10**5), (100, 10, 10**9), (60, 5, 2000)])
def test_channels_that_blur_are_climbed_to_the_top(size: int, width: int, n: int) -> None:
    """Matrices whose rows are alike for neighbours: a first-order climb does not arrive, the interior method does."""
    x = np.arange(size)
    blur = np.exp(-0.5 * ((x[:, None] - x) / width) ** 2) + 0.01 / size
    mechanism = sv.from_matrix(sv.Domain(size), blur / blur.sum(axis=1, keepdims=True))
    p = 1 / np.arange(1, size + 1)
    tally = sv.Tally.simulate(mechanism, p / p.sum(), n, sv.SeededSource(1))
    found = sv.estimate(tally)
    assert found.gap is not None
    assert found.gap <= 1e-3
    assert found.iterations is not None
    assert found.iterations < 300
    rows, times = dense(tally)
    largest = ((times / (rows @ found.p)) @ rows).max() / n
    assert n * max(0.0, np.log(largest)) <= 2e-3
    short = sv.estimate(tally, iterations=50)
    assert short.iterations == 50
