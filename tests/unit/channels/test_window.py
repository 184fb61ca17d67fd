"""Window channels: every quick sum against the written-out matrix, every column against enumeration, and the integers themselves."""

from __future__ import annotations

import math
import pickle
import time
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from messages import refused
from sottovoce.arithmetic import ONE, exp_below
from sottovoce.channels import MatrixChannel, WindowChannel
from sottovoce.channels.fisher import of_matrix
from sottovoce.channels.groups import Groups
from sottovoce.channels.matrix import MatrixColumns
from sottovoce.channels.model import Model
from sottovoce.channels.window.passes import between
from sottovoce.checks import FALSE_ALARM, p_value
from sottovoce.checks.conformance import enumerated_level
from sottovoce.policy import Prior
from sottovoce.wire import describe, restore

#: Items, half-width and ε of channels over all items.
SHAPES = [(2, 0, 1.0), (3, 1, 0.5), (5, 0, 1.0), (5, 2, 2.0), (6, 7, 0.1), (6, 1, 4.0), (12, 1, 3.0), (12, 2, 1.0)]


def lifted(channel: WindowChannel, epsilon: float, seed: int) -> WindowChannel:
    """The channel with three free items at random places."""
    mask = np.ones(channel.size + 3, dtype=np.bool_)
    mask[np.random.default_rng(seed).choice(len(mask), 3, replace=False)] = False
    return channel.lifted(mask, epsilon)


def uneven(size: int, half: int, seed: int) -> WindowChannel:
    """A channel whose noise differs from report to report, with free items that keep different parts of it."""
    rng = np.random.default_rng(seed)
    length, width = size + 2 * half, 2 * half + 1
    noise = rng.integers(1, 1 << 55, length).tolist()
    gain = int(rng.integers(1 << 50, 1 << 54))
    noise[0] += ONE - sum(noise) - width * gain
    mask = rng.permutation(size + 2) < size
    return WindowChannel(half, gain, np.array(noise, dtype=np.uint64), mask, rng.integers(1, 1 << 52, length).astype(np.uint64))


CHANNELS = {f"{size}-{half}-{epsilon:g}": WindowChannel.of(size, half, epsilon) for size, half, epsilon in SHAPES}
CHANNELS |= {f"{s}-{h}-{e:g}-lifted": lifted(WindowChannel.of(s, h, e), e, k) for k, (s, h, e) in enumerate(SHAPES)}
CHANNELS |= {f"uneven-{half}": uneven(6, half, half) for half in (0, 1, 2, 5)}

of_all = pytest.mark.parametrize("channel", CHANNELS.values(), ids=CHANNELS)
FEW = {name: channel for name, channel in CHANNELS.items() if channel.size <= 9}
of_few = pytest.mark.parametrize("channel", FEW.values(), ids=FEW)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5, 1.0, 2.0, 4.0, 10.0])
@pytest.mark.parametrize("size", [2, 3, 7, 64, 1000, 1024, 4096])
def test_rows_sum_to_one_and_the_level_is_at_most_epsilon(size: int, epsilon: float) -> None:
    for width in ("mean", "distribution", 0, 1, size):
        channel = sv.window(sv.Domain(size), epsilon, width).channel  # certified when it's made
        assert isinstance(channel, WindowChannel)
        noise = channel.noise.tolist()
        assert sum(noise) + channel.width * channel.gain == ONE
        assert len(noise) == size + 2 * channel.half
        worst = max(Fraction(channel.gain + each, each) for each in set(noise))
        assert worst <= exp_below(epsilon)
        assert float(worst) == pytest.approx(math.exp(epsilon), rel=1e-11), "and nothing is given away"
        assert float(channel.noise[0]) / ONE == pytest.approx(1 / (channel.width * math.exp(epsilon) + size - 1), rel=1e-11)


def test_the_level_is_that_of_the_least_noise() -> None:
    channel = WindowChannel.of(5, 1, 1.0)
    extreme = channel.columns.largest_pair(np.ones(5, dtype=np.bool_), np.ones(5, dtype=np.bool_))
    assert extreme.ratio == 1 + Fraction(channel.gain, min(channel.noise.tolist()))


@of_all
def test_quick_sums_equal_the_matrix(channel: WindowChannel) -> None:
    rng = np.random.default_rng(1)
    exact, q = channel.numerators(), channel.matrix()
    assert all(sum(row) == ONE for row in exact.tolist())
    np.testing.assert_allclose(q, (exact / ONE).astype(np.float64), rtol=1e-15, atol=0)
    p, r, priors = rng.dirichlet(np.ones(channel.size)), rng.random(channel.length), rng.dirichlet(np.ones(channel.size), 3)
    np.testing.assert_allclose(channel.passes.chances(p), p @ q, rtol=1e-13)
    np.testing.assert_allclose(channel.passes.chances(priors), priors @ q, rtol=1e-13)
    np.testing.assert_allclose(channel.passes.scores(r), q @ r, rtol=1e-13)
    np.testing.assert_allclose(channel.passes.squares(r), q**2 @ r, rtol=1e-13)
    np.testing.assert_allclose(channel.weigh(sv.CodeReports(np.arange(channel.length), channel.length)), q.T, rtol=1e-15)
    plain, prior, numbers = MatrixChannel(exact), Prior.of(p), rng.random(channel.size)
    assert channel.leakage().low == pytest.approx(plain.leakage().low, rel=1e-12)
    assert channel.information(prior).low == pytest.approx(plain.information(prior).low, rel=1e-9)
    np.testing.assert_allclose(channel.posterior_variance(p), plain.posterior_variance(p), rtol=1e-10)
    np.testing.assert_allclose(channel.posterior_variance_of(priors, numbers), plain.posterior_variance_of(priors, numbers), rtol=1e-10)
    np.testing.assert_allclose(channel.fisher(p).variances(), of_matrix(p, q).variances(), rtol=1e-7)
    assert channel.revealing(0) == plain.revealing(0)


@of_all
def test_the_likelihood_equals_that_of_the_matrix(channel: WindowChannel) -> None:
    rng = np.random.default_rng(2)
    p = rng.dirichlet(np.ones(channel.size))
    counts = rng.multinomial(300, channel.row(0))
    quick, slow = channel.model.of_counts(counts), Model(channel).tabulated(counts)
    for name in ("value", "gradient", "squares", "curvature", "cross", "weight"):
        np.testing.assert_allclose(getattr(quick.at(p), name), getattr(slow.at(p), name), rtol=1e-9, atol=1e-7, err_msg=name)
    assert quick.n == slow.n
    columns = rng.random((channel.size, 3))
    np.testing.assert_allclose(quick.through(columns)[1], slow.through(columns)[1], rtol=1e-12)
    assert (quick.through(columns)[0] == slow.through(columns)[0]).all()
    np.testing.assert_allclose(quick.hessian(p), slow.hessian(p), rtol=1e-9, atol=1e-12 * slow.hessian(p).max())
    diagonal, slope = 1e3 * rng.random(channel.size), rng.normal(size=channel.size)
    ones = np.ones((channel.size, 1))
    system = np.block([[slow.hessian(p) + np.diag(diagonal), ones], [ones.T, np.zeros((1, 1))]])
    np.testing.assert_allclose(quick.newton(p, diagonal, slope), np.linalg.solve(system, np.append(slope, 0.0))[:-1], rtol=1e-6, atol=1e-12)


@of_all
def test_inversion_is_unbiased_and_its_moments_are_right(channel: WindowChannel) -> None:
    rng = np.random.default_rng(3)
    inversion, q, p = channel.inversion, channel.matrix(), rng.dirichlet(np.ones(channel.size))
    assert inversion is not None
    values, shares = inversion.readings.values, p @ q
    scale = np.abs(values).max()
    np.testing.assert_allclose(q @ values, np.eye(channel.size), atol=1e-13 * scale)
    for power in (1, 2, 3):
        for chances in (shares[:, None], q.T):
            found = inversion.readings.moment(chances, power)
            np.testing.assert_allclose(found, (values**power * chances).sum(axis=0), rtol=1e-9, atol=1e-12 * scale**power)
    np.testing.assert_allclose(inversion.reach(), q @ (values**2).sum(axis=1), rtol=1e-10)
    np.testing.assert_allclose(inversion.products(p), values.T @ (values * shares[:, None]), rtol=1e-9, atol=1e-12 * scale**2)
    groups = Groups(np.arange(channel.size) % 2, 2)
    np.testing.assert_allclose(inversion.group_sums(groups, channel.length)[:, 0], values[:, ::2].sum(axis=1), atol=1e-12 * scale)


@pytest.mark.parametrize(("size", "half", "epsilon"), SHAPES)
def test_no_unbiased_estimate_is_better_at_equal_shares(size: int, half: int, epsilon: float) -> None:
    channel = WindowChannel.of(size, half, epsilon)
    inversion, even = channel.inversion, np.full(size, 1 / size)
    assert inversion is not None
    variance = inversion.readings.moment(inversion.expected(even)[:, None], 2) - even**2
    np.testing.assert_allclose(variance, of_matrix(even, channel.matrix()).variances(), rtol=1e-7)


@of_few
def test_columns_equal_enumeration(channel: WindowChannel) -> None:
    """Pairs under any masks and priors, beliefs, and ratios of mixtures: exactly those of the written-out columns."""
    rng = np.random.default_rng(4)
    quick, slow = channel.columns, MatrixColumns(channel.numerators())
    matrix = channel.numerators()
    assert (quick.invertible == slow.invertible).all()
    for _ in range(40):
        above, below = rng.random((2, channel.size)) < rng.random()
        weights = 1 + rng.multinomial(1000 - channel.size, rng.dirichlet(np.ones(channel.size)))
        prior = Prior.of([Fraction(int(weight), 1000) for weight in weights])
        for given in (None, prior):
            found, expected = (columns.largest_pair(above, below, given) for columns in (quick, slow))
            assert found.ratio == expected.ratio
            if found.item is not None:
                x, other = found.item, found.other
                assert other is not None
                assert above[x]
                assert below[other]
                weight = Fraction(1) if given is None else given.fraction(x) / given.fraction(other)
                assert weight * Fraction(matrix[x, found.report], matrix[other, found.report]) == found.ratio
        assert [each.ratio for each in quick.belief_ratios(prior)] == [each.ratio for each in slow.belief_ratios(prior)]
        up, down = ([Fraction(int(k), 7) for k in rng.integers(0, 5, channel.size)] for _ in range(2))
        if any(down):
            assert quick.protected_ratio(up, down).ratio == slow.protected_ratio(up, down).ratio
            assert quick.largest_ratio(up, down).ratio == slow.largest_ratio(up, down).ratio


@pytest.mark.parametrize(("size", "half", "epsilon"), [shape for shape in SHAPES if shape[0] <= 6])
def test_every_notion_equals_enumeration(size: int, half: int, epsilon: float) -> None:
    domain = sv.Domain(size)
    prior = [Fraction(k + 1, size * (size + 1) // 2) for k in range(size)]
    budgets: dict[Any, float] = {k: 1.0 + k for k in range(size)}
    all_items = sv.Mechanism(domain, WindowChannel.of(size, half, epsilon), sv.LDP(epsilon), "window")
    larger = sv.Domain(size + 2)
    some = sv.utility_optimized(sv.Mechanism(larger.subset(range(size)), all_items.channel, sv.LDP(epsilon), "window"), larger)
    notions: list[Any] = [sv.LDP(1.0), sv.ULDP(1.0, [0]), sv.OSLDP(1.0, [1]), sv.IDLDP(budgets), sv.ItemULDP({0: 1.0})]
    notions += [sv.LIP(1.0, prior), sv.DifferentialIdentifiability(1.0, prior)] + ([sv.IPLDP(budgets)] if half == 0 else [])
    for m, those in ((all_items, notions), (some, [sv.LDP(1.0), sv.ULDP(1.0, range(size)), sv.OSLDP(1.0, [0]), sv.ItemULDP({0: 1.0})])):
        matrix = m.channel.matrix(exact=True)
        for notion in those:
            assert notion.check(m).level == enumerated_level(m, notion, matrix), notion


def test_reports_that_are_items_are_judged_item_by_item() -> None:
    m = sv.window(sv.Domain(4), 1.0, width=0)
    assert m.channel.names_items
    assert sv.IPLDP(dict.fromkeys(range(4), 1.0)).check(m).holds
    assert not sv.IPLDP(dict.fromkeys(range(3), 1.0)).check(m).holds, "the last item has no budget, and others name it"
    with refused(sv.UnsupportedError, "IPLDP"):
        sv.IPLDP({0: 1.0}).check(sv.window(sv.Domain(4), 1.0, width=1))


@of_all
def test_the_same_word_gives_the_same_report_one_by_one(channel: WindowChannel) -> None:
    words = np.random.default_rng(5).integers(0, ONE - 1, 200, dtype=np.uint64, endpoint=True)
    total = int(channel.noise.sum())
    words[:4] = [0, ONE - 1, total, total - 1]
    codes = np.arange(200) % channel.size
    source = sv.ReplaySource(words)
    assert channel.perturb(codes, sv.ReplaySource(words)).tolist() == [channel.perturb_one(int(code), source) for code in codes]


@of_all
def test_sampling_and_simulation_follow_the_matrix(channel: WindowChannel) -> None:
    """Exact tests with a false-alarm rate below 1e-9; simulated counts of few and of many people."""
    for code in range(channel.size):
        assert p_value(channel, code, channel.perturb(np.full(20_000, code), sv.SeededSource(code))) > FALSE_ALARM / channel.size
    generator = np.random.default_rng(6)
    for n in (10, 1_000_000):
        people = generator.multinomial(n, np.full(channel.size, 1 / channel.size))
        found, expected = channel.statistic.simulated(people, generator), people @ channel.matrix()
        assert found.sum() == n
        assert (np.abs(found - expected) < 7 * np.sqrt(expected) + 7).all()


def test_sampling_accepts_the_channel_and_rejects_a_tenth_more() -> None:
    right, wrong = (WindowChannel.of(64, 19, epsilon) for epsilon in (1.0, 1.1))
    for code in (0, 31, 63):
        reports = right.perturb(np.full(2_000_000, code), sv.SecureSource())
        assert p_value(right, code, reports) > FALSE_ALARM
        assert p_value(wrong, code, reports) < FALSE_ALARM


@of_all
def test_the_channel_travels(channel: WindowChannel) -> None:
    assert restore(describe(channel)) == channel == pickle.loads(pickle.dumps(channel))
    assert restore(describe(channel)).fingerprint == channel.fingerprint


@pytest.mark.parametrize(("size", "half", "epsilon"), SHAPES)
def test_the_lift_is_that_of_the_matrix(size: int, half: int, epsilon: float) -> None:
    base = WindowChannel.of(size, half, epsilon)
    mask = np.arange(size + 3) % 4 != 3 if size > 8 else np.arange(size + 3) >= 3
    mask = mask if int(mask.sum()) == size else np.arange(size + 3) >= 3
    assert (base.lifted(mask, epsilon).numerators() == base.as_matrix().lifted(mask, epsilon).numerators()).all()
    assert base.lifted(np.ones(size, dtype=np.bool_), epsilon) is base


def test_running_sums_keep_their_digits() -> None:
    values = np.random.default_rng(7).random(20_000) * 10.0 ** np.random.default_rng(8).integers(-9, 9, 20_000)
    low = np.arange(0, 19_000, 500)
    exact = [math.fsum(values[start : start + 700]) for start in low.tolist()]
    np.testing.assert_allclose(between(values, low, low + 700), exact, rtol=5e-15)


def test_large_channels_are_judged_quickly() -> None:
    m, everything = sv.window(sv.Domain(4096), 1.0), np.ones(4096, dtype=np.bool_)
    prior = Prior.of(np.random.default_rng(9).dirichlet(np.ones(4096)))
    start = time.perf_counter()
    assert sv.LDP(1.0).check(m).holds
    assert 0 < sv.LIP(1.0, prior).check(m).level < 1
    assert m.channel.columns.largest_pair(everything, everything, prior).ratio > 1
    assert time.perf_counter() - start < 10, "0.3 seconds on a quiet machine"


@pytest.mark.parametrize(
    "tables",
    [
        (1, 1, [1, 1, ONE - 6]),
        (-1, 1, [1, ONE - 2]),
        (2, 1, [ONE - 6, 1, 1]),
        (0, 0, [1, ONE - 1]),
        (0, 1, [0, ONE - 1]),
        (0, 1, [1, ONE - 2], [True, True, False]),
        (0, 1, [1, ONE - 2], [True, False, True], [1, 0]),
        (0, 1, [1, ONE - 2], [True, False, False], [1, 1]),
        (0, 1, [1, ONE - 2], [True, False, True], [ONE - 2, 2]),
    ],
    ids=["sum", "negative", "wide", "no window", "no noise", "nothing kept", "a report not kept", "items", "never shown"],
)
def test_tables_that_no_channel_has(tables: Any) -> None:
    half, gain, noise, *rest = tables
    arrays: list[Any] = [np.array(each, dtype=dtype) for each, dtype in zip(rest, (np.bool_, np.uint64), strict=False)]
    with refused(sv.ParameterError):
        WindowChannel(half, gain, np.array(noise, dtype=np.uint64), *arrays)


def test_a_lifted_window_is_not_lifted_again() -> None:
    once = lifted(WindowChannel.of(5, 1, 1.0), 1.0, 1)
    with refused(sv.UnsupportedError):
        once.lifted(np.ones(9, dtype=np.bool_), 1.0)
    with refused(sv.ReportError):
        restore({**once.form(), "sensitive": [0, 0, 1, 2, 3]})
    with refused(sv.ParameterError):
        WindowChannel.of(1 << 20, 1, 1e-18)
