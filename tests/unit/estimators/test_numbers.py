"""What people ask of numbers: against slow optimisers, simulations, and what is known exactly."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import optimize, stats

import sottovoce as sv
from messages import refused
from sottovoce.arrays import Floats
from sottovoce.estimators import calibration
from sottovoce.estimators.calibration import Chance, Null, simulated
from sottovoce.estimators.constrained import Profile
from sottovoce.estimators.curves import LikelihoodCurve, curve_of
from sottovoce.estimators.intervals import deviate
from sottovoce.estimators.numbers import value_of
from sottovoce.estimators.places import below, place_of
from sottovoce.estimators.report_likelihood import of_blocks

SIZE = 10
DOMAIN = sv.Domain.numbers(0, 100, bins=SIZE)
P = np.array([0.02, 0.08, 0.15, 0.2, 0.2, 0.15, 0.1, 0.06, 0.03, 0.01])


def test_chances_through_a_window_are_those_of_its_matrix() -> None:
    columns, inside = np.random.default_rng(1).normal(size=(SIZE, 4)), DOMAIN.subset(list(DOMAIN)[3:8])
    for mechanism in (sv.window(DOMAIN, 1.0), sv.utility_optimized(sv.window(inside, 1.0), DOMAIN)):
        block = sv.Tally.simulate(mechanism, P, 300, sv.SeededSource(1)).blocks[0]
        [part] = of_blocks([block])
        times, chances = part.through(columns)
        counts = block.channel.statistic.of_outputs(block.counts)
        assert times.tolist() == counts[counts > 0].tolist()
        assert chances == pytest.approx((block.channel.matrix().T @ columns)[counts > 0])


def blurred(domain: sv.Domain = DOMAIN, half: int = 3, epsilon: float = 1.5) -> sv.Mechanism:
    """A window channel as a table."""
    table = np.ones((len(domain), len(domain) + 2 * half))
    for item in range(len(domain)):
        table[item, item : item + 2 * half + 1] = np.exp(epsilon)
    return sv.from_matrix(domain, table / table.sum(axis=1, keepdims=True), sv.LDP(epsilon + 0.01))


def estimated(mechanism: sv.Mechanism, n: int = 3000, seed: int = 1, method: str = "plain", p: Floats = P) -> sv.Estimate:
    return asked(sv.Tally.simulate(mechanism, p, n, sv.SeededSource(seed)), method)


def asked(tally: sv.Tally, method: str) -> sv.Estimate:
    """The estimate by a method; a "plain" one knows nothing about neighbours."""
    if method == "plain":
        method = "mle" if tally.supports("mle") else "projected"
    return sv.estimate(tally, method)


def highest(counts: Floats, matrix: Floats, weights: Floats | None = None, value: float = 0.0) -> float:
    """The largest log-likelihood, with the weighted sum fixed if one is given."""
    return maximum(counts, matrix, weights, value)[1]


def maximum(counts: Floats, matrix: Floats, weights: Floats | None = None, value: float = 0.0) -> tuple[Floats, float]:
    """The most likely shares and their log-likelihood, with the weighted sum fixed if one is given, by a general optimiser."""
    size = len(matrix)
    constraints = [{"type": "eq", "fun": lambda p: p.sum() - 1, "jac": lambda p: np.ones(size)}]
    if weights is not None:
        constraints.append({"type": "eq", "fun": lambda p: weights @ p - value, "jac": lambda p: weights})
    n = counts.sum()
    found = optimize.minimize(
        lambda p: -(counts @ np.log(np.maximum(p @ matrix, 1e-12))) / n,
        np.full(size, 1 / size),
        jac=lambda p: -(matrix @ (counts / np.maximum(p @ matrix, 1e-12))) / n,
        bounds=[(0, 1)] * size,
        constraints=constraints,
        method="SLSQP",
        options={"maxiter": 2000, "ftol": 1e-12},
    )
    return found.x, float(-found.fun * n)


@pytest.mark.parametrize("weights", [below(SIZE, 4.0), below(SIZE, 6.3), below(SIZE, 7.0) - below(SIZE, 2.5), DOMAIN.centres / 100])
def test_ratio_is_that_of_the_definition(weights: Floats) -> None:
    mechanism = blurred()
    block = sv.Tally.simulate(mechanism, P, 2000, sv.SeededSource(3)).blocks[0]
    profile, counts, matrix = Profile(of_blocks([block]), P), block.counts.astype(np.float64), mechanism.channel.matrix()
    free = highest(counts, matrix)
    for shift in (-0.15, -0.05, 0.03, 0.12):
        value = float(weights @ P) + shift
        expected = 2 * (free - highest(counts, matrix, weights, value))
        assert profile.ratio(weights, value) == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("level", [0.95, 0.5])
def test_limits_are_where_the_ratio_is_critical(level: float) -> None:
    """Twice the lost log-likelihood is the square of the deviate, or of what the calibration at the 95 % limit makes of it."""
    e = estimated(blurred())
    curve = curve_of(e)
    assert isinstance(curve, LikelihoodCurve)
    calibrated, weights, z = curve.profile, below(SIZE, 3.0), deviate(level)
    plain = Profile(of_blocks(e.blocks), e.p)
    for limit in plain.limits(weights, z):
        assert plain.ratio(weights, limit) == pytest.approx(z**2, rel=0.03)
    for limit in plain.places(0.5, z):
        assert plain.ratio(below(SIZE, limit), 0.5) == pytest.approx(z**2, rel=0.05)
    ends = plain.limits(weights, 1.96)
    for limit, end, side in zip(calibrated.limits(weights, z), ends, (1, -1), strict=True):
        null = calibrated.null(weights, end)
        assert plain.ratio(weights, limit) == pytest.approx(null.most(z, side) ** 2, rel=0.05, abs=0.05)
    found, median = e.cdf(30, level), e.quantile(0.5, level)
    assert (found.low, found.high) == pytest.approx(calibrated.limits(weights, z))
    assert (median.low / 10, median.high / 10) == pytest.approx(calibrated.places(0.5, z))


def test_calibration_finds_the_moments_of_the_root() -> None:
    """The mean and the standard deviation of roots found by a general optimiser, for reports through two channels."""
    domain, p, weights = sv.Domain.numbers(0, 1, bins=5), np.array([0.4, 0.1, 0.0, 0.0, 0.5]), below(5, 2.0)
    matrices = [sv.window(domain, epsilon, 1).channel.matrix() for epsilon in (3.0, 1.5)]
    random, both, roots = np.random.default_rng(1), np.hstack(matrices), []
    for _ in range(300):
        seen = [random.multinomial(n, p @ matrix) for n, matrix in zip((100, 50), matrices, strict=True)]
        times = np.concatenate(seen).astype(np.float64)
        top, height = maximum(times, both)
        loss = 2 * (height - highest(times, both, weights, 0.5))
        roots.append(math.copysign(math.sqrt(max(0.0, loss)), float(weights @ top) - 0.5))
    chances = [Chance(100, matrices[0].T), Chance(50, matrices[1].T)]
    nulls = [simulated(chances, p, weights, [seed]) for seed in range(20)]
    error = float(np.std(roots)) / math.sqrt(300)
    assert np.mean([null.shift for null in nulls]) == pytest.approx(np.mean(roots), abs=4 * error)
    assert np.mean([null.scale for null in nulls]) == pytest.approx(np.std(roots), rel=0.15)
    # the sum that follows the root leaves less of the error to chance than 32 roots would by themselves
    assert np.std([null.shift for null in nulls]) < 0.7 * np.std(roots) / math.sqrt(32)
    assert all(null.freedom > 40 for null in nulls)


def test_calibration_of_many_cells_is_that_of_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    places = np.arange(120) / 120
    p = np.exp(-places / 0.2)
    chances, weights = [Chance(300, sv.window(sv.Domain.numbers(0, 1, bins=120), 4.0).channel.matrix().T)], below(120, 33.4)
    merged = [simulated(chances, p / p.sum(), weights, [seed]) for seed in range(6)]
    monkeypatch.setattr(calibration, "_MOST_CELLS", 120)
    whole = [simulated(chances, p / p.sum(), weights, [seed]) for seed in range(6)]
    for name, near in (("shift", 0.15), ("scale", 0.1)):
        one, other = (float(np.mean([getattr(each, name) for each in nulls])) for nulls in (merged, whole))
        assert one == pytest.approx(other, abs=near)


def test_calibration_allows_for_few_simulations() -> None:
    """A deviate of a sample with so many degrees of freedom follows Student's t."""
    null, student = Null(-0.5, 0.9, 49), stats.t.ppf(0.975, 49)
    assert null.most(1.96, 1) == pytest.approx(-0.5 + 0.9 * student, abs=2e-3)
    assert null.most(1.96, -1) == pytest.approx(0.5 + 0.9 * student, abs=2e-3)
    assert Null(-3.0, 0.9, 50).most(1.96, 1) == 0


def test_roots_are_shifted_in_sparse_populations() -> None:
    """What is kept above zero in empty bins pulls the share below the upper quartile down, so that too many roots would be rejected."""
    domain = sv.Domain.numbers(0, 1, bins=64)
    falling = np.diff(-np.exp(-np.linspace(0, 1, 65) / 0.2))
    p, weights = falling / falling.sum(), below(64, 17.5)
    few, many = (simulated([Chance(n, sv.window(domain, 4.0, 1).channel.matrix().T)], p, weights) for n in (300, 300_000))
    assert -1.0 < few.shift < -0.4
    assert abs(many.shift) < 0.35
    assert 0.7 < few.scale < 1.2


def test_calibrations_do_not_lean_towards_the_reports() -> None:
    """The root's mean at the true value is nearly that of reports from the true population, on whichever side the estimate lies.

    That of the most likely shares with this value is 0.1 off, which made intervals too wide.
    """
    domain, p, weights = sv.Domain.numbers(0, 1, bins=64), np.full(64, 1 / 64), below(64, 16)
    mechanism, leans = sv.window(domain, 0.5), []
    expected = np.mean([simulated([Chance(300, mechanism.channel.matrix().T)], p, weights, [seed]).shift for seed in range(10)])
    for seed in range(40):
        profile = estimated(mechanism, 300, seed, "mle", p)._curve.profile  # type: ignore[attr-defined]  # a likelihood curve
        if profile.ratio(weights, 0.25) > 0.5:
            side = 1 if weights @ profile.top > 0.25 else -1
            leans.append(side * (profile.null(weights, 0.25).shift - expected))
    assert len(leans) > 9
    assert abs(np.mean(leans)) < 0.06


@pytest.mark.parametrize("method", ["mle", "smooth"])
def test_intervals_are_those_of_the_smooth_shares_by_all_methods(method: str) -> None:
    e = estimated(sv.window(DOMAIN, 1.0), method=method)
    smooth = estimated(sv.window(DOMAIN, 1.0), method="smooth")
    assert (e.cdf(30).low, e.quantile(0.5).high) == pytest.approx((smooth.cdf(30).low, smooth.quantile(0.5).high), abs=0.02)


def test_a_scale_of_two_labels_has_intervals() -> None:
    """There is nothing to be smooth."""
    e = estimated(sv.window(sv.Domain.scale(["no", "yes"]), 1.0, 1), method="mle", p=np.array([0.3, 0.7]))
    assert e.cdf("no").low < 0.3 < e.cdf("no").high


def test_many_items_are_merged() -> None:
    """The limits are nearly those of all bins by themselves."""
    domain = sv.Domain.numbers(0, 1, bins=160)
    p = np.exp(-0.5 * ((domain.centres - 0.4) / 0.15) ** 2)
    e = estimated(blurred(domain, half=40), 3000, method="smooth", p=p / p.sum())
    merged, whole = Profile(of_blocks(e.blocks), e.p), Profile(of_blocks(e.blocks), e.p)
    whole.labels = np.arange(160)
    assert len(np.unique(merged.labels)) == 64
    for weights in (below(160, 64.0), below(160, 81.3)):
        low, high = merged.limits(weights, 1.96)
        assert whole.limits(weights, 1.96) == pytest.approx((low, high), abs=0.1 * (high - low))


@pytest.mark.parametrize("name", ["krr", "oue", "olh", "subset_selection", "window", "population"])
@pytest.mark.parametrize("method", ["plain", "smooth"])
def test_values_are_near_the_truth(name: str, method: str) -> None:
    people: object = 30_000 if name == "olh" else 300_000
    if name == "population":
        mechanism = sv.Population({"careful": sv.krr(DOMAIN, 0.5), "bold": sv.krr(DOMAIN, 3.0)})
        people = dict.fromkeys(mechanism.names, 150_000)
    else:
        mechanism = blurred() if name == "window" else getattr(sv, name)(DOMAIN, 2.0)  # type: ignore[assignment]
    e = asked(sv.Tally.simulate(mechanism, P, people, sv.SeededSource(1)), method)  # type: ignore[arg-type]
    median = 10 * place_of(P, 0.5)
    for found, truth, near in (
        (e.mean(), P @ DOMAIN.centres, 2.0),
        (e.quantile(0.5), median, 3.0),
        (e.cdf(30), P[:3].sum(), 0.03),
        (e.cdf(35), P[:3].sum() + P[3] / 2, 0.04),
        (e.share(20, 50), P[2:5].sum(), 0.04),
    ):
        assert found.low <= found.value <= found.high
        assert abs(found.value - truth) < near
        assert 0 < found.high - found.low < 4 * near


@pytest.mark.parametrize(("name", "runs"), [("krr", 300), ("oue", 300), ("window", 60)])
def test_intervals_contain_the_truth(name: str, runs: int) -> None:
    """Coverage of at least 90 % of each 95 % interval: at a true coverage of 95 % fewer have the chance 1e-4 (3e-2 for 60 runs)."""
    mechanism = blurred() if name == "window" else getattr(sv, name)(DOMAIN, 1.0)
    truths = [float(P @ DOMAIN.centres), 10 * place_of(P, 0.5), 10 * place_of(P, 0.25), float(P[:3].sum())]
    held = np.zeros(4)
    for seed in range(runs):
        e = estimated(mechanism, 500, seed)
        for k, found in enumerate((e.mean(), e.quantile(0.5), e.quantile(0.25), e.cdf(30))):
            held[k] += found.low <= truths[k] <= found.high
    assert (held >= 0.9 * runs).all()


def test_mean_of_a_direct_channel_is_its_formula() -> None:
    """(ȳ − Σ t·a)/s with the standard error sd(a_Y)/(s√n)."""
    mechanism = sv.krr(DOMAIN, 1.0)
    e = estimated(mechanism, 5000)
    a, counts = DOMAIN.centres, e.blocks[0].counts
    s, t = float(mechanism.channel.s), np.asarray(mechanism.channel.t, dtype=np.float64)  # type: ignore[attr-defined]
    mean = float(a @ counts / 5000)
    error = math.sqrt(float(a**2 @ counts) / 5000 - mean**2) / (s * math.sqrt(5000))
    expected = (mean - float(t @ a)) / s
    found = e.mean()
    assert found.value == pytest.approx(expected)
    assert (found.low, found.high) == pytest.approx((expected - 1.96 * error, expected + 1.96 * error), rel=1e-3)


@pytest.mark.parametrize("name", ["krr", "oue", "olh", "window"])
@pytest.mark.parametrize("n", [3, 200])
def test_limits_grow_with_their_level(name: str, n: int) -> None:
    mechanism = blurred() if name == "window" else getattr(sv, name)(DOMAIN, 1.0)
    for method in ("plain", "smooth", "inversion"):
        e = estimated(mechanism, n, method=method)
        for ask in (
            e.mean,
            lambda level, e=e: e.quantile(0.3, level),
            lambda level, e=e: e.cdf(42, level),
            lambda level, e=e: e.share(11, 60, level),
        ):
            found = [ask(level) for level in (0.5, 0.9, 0.99)]
            for each in found:
                assert each.low <= each.value <= each.high
            for narrow, wide in pairwise(found):
                assert wide.low <= narrow.low + 0.1
                assert wide.high >= narrow.high - 0.1


def test_scales() -> None:
    domain = sv.Domain.scale(["awful", "bad", "fair", "good", "great"])
    e = estimated(sv.krr(domain, 3.0), 100_000, p=np.array([0.1, 0.2, 0.4, 0.2, 0.1]))
    assert e.quantile(0.5).value == 3.0
    assert (e.quantile(0.5).low, e.quantile(0.5).high) == (3.0, 3.0)
    assert e.mean().value == pytest.approx(3, abs=0.02)
    assert e.mean().note == "Labels count from 1 (awful) to 5 (great)."
    assert estimated(sv.krr(sv.Domain.scale(1, 5), 3.0), p=np.full(5, 0.2)).mean().note == ""
    assert e.cdf("bad").value == pytest.approx(0.3, abs=0.01)
    assert e.cdf(2).value == e.cdf("bad").value == e.cdf(2.9).value
    assert e.share("bad", "good").value == pytest.approx(0.8, abs=0.01)
    assert e.share("great", "great").value == pytest.approx(0.1, abs=0.01)
    with refused(sv.ParameterError, "good", "bad"):
        e.share("good", "bad")
    with refused(sv.DomainError, "superb"):
        e.cdf("superb")


def test_numbers_that_the_reports_do_not_show_have_a_remark() -> None:
    few, many = (sv.estimate(sv.Tally.simulate(sv.krr(DOMAIN, 0.5), P, n, sv.SeededSource(1))) for n in (20, 10**6))
    for ask in (sv.Estimate.mean, lambda e: e.quantile(0.5), lambda e: e.cdf(50), lambda e: e.share(20, 60)):
        vague, clear = ask(few), ask(many)
        assert (vague.remark, clear.remark) == ("can't tell", "")
        assert str(vague).startswith("can't tell (95 % interval ")
        assert str(clear).startswith(f"{clear.value:.4g} (")


def test_remarks_follow_the_items_that_an_interval_covers() -> None:
    powers = sv.Domain.numbers(edges=[1, 10, 100, 1000, 10000, math.inf])
    assert value_of(powers, 50, 2, 400, 0.95).remark == ""
    assert value_of(powers, 50, 2, 4000, 0.95).remark == "can't tell"
    assert value_of(powers, 50, 2, math.inf, 0.95).remark == "can't tell"


def test_ends() -> None:
    e = estimated(sv.krr(DOMAIN, 2.0))
    assert (e.cdf(0).value, e.cdf(-5).high, e.cdf(100).low, e.cdf(math.inf).value) == (0, 0, 1, 1)
    assert e.mean().note == "Numbers outside 0–100 count as 0 or 100."
    assert str(e.cdf(100)) == "1 (95 % interval 1 to 1)"


def test_open_bins() -> None:
    domain = sv.Domain.numbers(edges=[-math.inf, 0, 10, 20, 30, math.inf])
    e = estimated(sv.krr(domain, 3.0), 50_000, p=np.array([0.1, 0.2, 0.3, 0.2, 0.2]))
    assert e.quantile(0.5).value == pytest.approx(16.7, abs=1)
    assert e.cdf(0).value == pytest.approx(0.1, abs=0.01)
    assert e.cdf(30).value == pytest.approx(0.8, abs=0.01)
    assert "count as the finite end" in e.mean().note
    with refused(sv.UnsupportedError, "0.9", "30 or more", "at least 30"):
        e.quantile(0.9)
    with refused(sv.UnsupportedError, "0.05", "at most 0"):
        e.quantile(0.05)
    with refused(sv.UnsupportedError, "40", "30"):
        e.cdf(40)
    assert e.quantile(0.7999).high in (30.0, math.inf)


def test_what_isnt_asked_of_numbers() -> None:
    e = estimated(sv.krr(sv.Domain(10), 2.0))
    for question, values in (("mean", ()), ("quantile", (0.5,)), ("cdf", (3,)), ("share", (1, 2))):
        with refused(sv.DomainError):
            getattr(e, question)(*values)
    numbers = estimated(sv.krr(DOMAIN, 2.0))
    with refused(sv.ParameterError, "1.5"):
        numbers.quantile(1.5)
    with refused(sv.ParameterError, "soon"):
        numbers.cdf("soon")
    with refused(sv.ParameterError, "50", "20"):
        numbers.share(50, 20)
    with refused(sv.ParameterError, "2"):
        numbers.mean(level=2)


def test_margins_of_products_have_means() -> None:
    domain = sv.Domain.product(age=DOMAIN, sex=["f", "m"])
    e = sv.estimate(sv.Tally.simulate(sv.oue(domain, 3.0), np.outer(P, [0.4, 0.6]).ravel(), 100_000, sv.SeededSource(1)))
    found = e.margin("age").mean()
    assert found.low <= P @ DOMAIN.centres <= found.high
    assert found.high - found.low < 4


def test_place_of_a_share() -> None:
    assert place_of(np.array([0.5, 0.5]), 0.25) == 0.5
    assert place_of(np.array([0.5, 0.0, 0.5]), 0.5) == 1.5
    assert place_of(np.array([0.0, 1.0, 0.0]), 0.5) == 1.5
