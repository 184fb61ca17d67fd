"""The window mechanism: the published densities, its widths, means, sensitive ranges, study files and maximum likelihood."""

from __future__ import annotations

import json
import math
import time
import warnings
from typing import Any

import numpy as np
import pytest

import sottovoce
from messages import refused
from sottovoce.channels import WindowChannel
from sottovoce.mechanisms.window import WIDTHS

sv: Any = sottovoce  # wrong types are tested too

EPSILONS = [0.01, 0.1, 0.5, 1.0, 2.0, 4.0, 10.0]
NUMBERS = sv.Domain.numbers(18, 100, bins=41)


def densities(width: str, epsilon: float) -> tuple[float, float, float]:
    """The limit of the channel for many items, on [0, 1]: half-width b, and the density near and away, on [−b, 1 + b]."""
    b = float(WIDTHS[width](epsilon))
    away = 1 / (2 * b * math.exp(epsilon) + 1)
    return b, math.exp(epsilon) * away, away


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_piecewise_mechanism(epsilon: float) -> None:
    """Wang et al. 2019, Algorithm 2: v in [−1, 1], reports in [−C, C], mapped so that the reports fill [−b, 1 + b]."""
    root = math.exp(epsilon / 2)
    c, high = (root + 1) / (root - 1), (math.exp(epsilon) - root) / (2 * root + 2)
    b, near, away = densities("mean", epsilon)
    scale = (1 + 2 * b) / (2 * c)
    assert near * scale == pytest.approx(high, rel=1e-12)
    assert away * scale == pytest.approx(high / math.exp(epsilon), rel=1e-12)
    for v in (-1.0, -0.3, 0.0, 0.8, 1.0):
        left = (c + 1) / 2 * v - (c - 1) / 2
        for end, place in ((left, -b), (left + c - 1, b)):
            assert 0.5 + scale * end == pytest.approx((v + 1) / 2 + place, abs=1e-12)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_square_wave(epsilon: float) -> None:
    """Li et al. 2020, Section 5: v in [0, 1], reports in [−b, 1 + b]; their b tells the most about the value."""
    growth = math.exp(epsilon)
    b, near, away = densities("distribution", epsilon)
    published = (epsilon * growth - math.expm1(epsilon)) / (2 * growth * (math.expm1(epsilon) - epsilon))
    assert b == pytest.approx(published, rel=1e-12 / min(1, epsilon**2))
    assert near == pytest.approx(growth / (2 * b * growth + 1), rel=1e-12)
    assert 2 * b * near + away == pytest.approx(1, rel=1e-12)

    def told(width: float) -> float:
        """Their bound on the mutual information, which b maximises."""
        return math.log((2 * width + 1) / (2 * width * growth + 1)) + 2 * width * epsilon * growth / (2 * width * growth + 1)

    assert told(b) > max(told(0.99 * b), told(1.01 * b))


@pytest.mark.parametrize("width", ["mean", "distribution"])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_channel_tends_to_its_density(epsilon: float, width: str) -> None:
    b, near, away = densities(width, epsilon)
    for size in (64, 1024, 4096, 1 << 15):
        channel = sv.window(sv.Domain(size), epsilon, width).channel
        row, growth = channel.row(size // 2) * size, math.exp(epsilon)
        assert abs(channel.half / size - b) <= 1 / size
        assert abs(row.min() / away - 1) <= 3 * growth / (2 * b * growth + 1) / size
        assert abs(row.max() / near - 1) <= 3 * growth / (2 * b * growth + 1) / size


def test_the_widths_of_64_items() -> None:
    levels = (0.5, 1.0, 2.0, 4.0)
    assert [sv.window(sv.Domain(64), epsilon).channel.half for epsilon in levels] == [24, 19, 11, 4]
    assert [sv.window(sv.Domain(64), epsilon, "distribution").channel.half for epsilon in levels] == [22, 16, 8, 1]
    assert sv.window(sv.Domain(64), 1.0, 7).channel.half == 7
    assert sv.window(sv.Domain(64), 1.0, np.int64(0)).channel.length == 64


@pytest.mark.parametrize(
    "domain", [NUMBERS, sv.Domain.scale(["low", "middle", "high"]), sv.Domain.scale(1, 5), sv.Domain(9), sv.Domain([3, 5, 9])]
)
def test_ordered_domains(domain: Any) -> None:
    m = sv.window(domain, 1.0)
    assert m.claim == sv.LDP(1.0)
    assert m.certify().holds
    assert len(m.perturb(list(domain))) == len(domain)


@pytest.mark.parametrize(
    "domain",
    [sv.Domain("abc"), sv.Domain([3, 1, 2]), sv.Domain(range(9, 0, -1)), sv.Domain([1, 2, "many"]), sv.Domain.product(a=[1, 2], b=[1, 2])],
    ids=["letters", "disorder", "backwards", "mixed", "product"],
)
def test_domains_without_an_order(domain: Any) -> None:
    with refused(sv.DomainError, "Domain.numbers", "Domain.scale"):
        sv.window(domain, 1.0)


@pytest.mark.parametrize("width", [-1, 42, 1.5, "wide", None, True, [1]])
def test_widths_that_are_none(width: Any) -> None:
    with refused(sv.ParameterError, "width", repr(width)):
        sv.window(NUMBERS, 1.0, width)


def test_the_mean_is_unbiased() -> None:
    """x̂ = (ȳ − Σ y·t_y)/(uW) − h: exactly the item's place on average, for every item, and for reports that were drawn."""
    m = sv.window(sv.Domain(64), 1.0)
    channel, reports = m.channel, np.arange(m.channel.length)
    noise, near = channel.passes.noise, channel.passes.gain * channel.width
    for code in (0, 17, 63):
        assert (float(channel.row(code) @ reports) - float(reports @ noise)) / near - channel.half == pytest.approx(code, abs=1e-11)
    p = np.exp(-0.5 * ((np.arange(64) - 20) / 6) ** 2)
    p /= p.sum()
    n, drawn = 200_000, m.perturb(np.random.default_rng(1).choice(64, 200_000, p=p), sv.SeededSource(1)).codes
    found = (drawn.mean() - float(reports @ noise)) / near - channel.half
    assert abs(found - p @ np.arange(64)) < 5 * drawn.std() / (near * math.sqrt(n))


@pytest.mark.parametrize("base_width", ["mean", "distribution"])
def test_a_sensitive_range(base_width: str) -> None:
    part = NUMBERS.subset(list(NUMBERS)[5:20])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m = sv.utility_optimized(sv.window(part, 1.0, base_width), NUMBERS)
    assert m.claim == sv.ULDP(1.0, list(part))
    assert m.certify().holds
    assert m.certify().level == pytest.approx(1.0, abs=1e-12)
    p = np.random.default_rng(2).dirichlet(np.full(41, 3.0))
    tally = sv.Tally.simulate(m, p, 10**8, sv.SeededSource(2))
    likeliest, inverted = sv.estimate(tally, "mle"), sv.estimate(tally, "inversion")
    assert likeliest.gap < 1e-2
    for found in (likeliest, inverted):
        assert np.abs(found.p - p).max() < 6 * found.stderr.max()
    free = np.r_[0:5, 20:41]
    assert np.abs(likeliest.p - p)[free].max() < 1e-3


def test_lifted_windows_beat_lifted_krr() -> None:
    """The distance of the estimated running sums from the true ones, at K = 64, n = 10⁴, ε = 1."""
    domain, rng = sv.Domain(64), np.random.default_rng(3)
    p = np.exp(-0.5 * ((np.arange(64) - 25) / 9) ** 2)
    p /= p.sum()
    part = domain.subset(range(10, 50))
    errors = {
        base.__name__: np.mean(
            [
                np.abs(np.cumsum(sv.estimate(sv.Tally.simulate(m, p, 10_000, sv.SeededSource(int(seed))), "mle").p - p)).mean()
                for seed in rng.integers(0, 1 << 30, 20)
            ]
        )
        for base in (sv.window, sv.krr)
        for m in [sv.utility_optimized(base(part, 1.0), domain)]
    }
    assert errors["window"] < 0.6 * errors["krr"]


def test_a_gap_in_the_sensitive_items_is_pointed_out() -> None:
    items = list(NUMBERS)
    with pytest.warns(UserWarning, match="aren't one range") as seen:
        m = sv.utility_optimized(sv.window(NUMBERS.subset([items[2], items[3], items[9]]), 1.0), NUMBERS)
    assert seen[0].filename == __file__
    assert m.certify().holds
    assert m.channel.matrix()[9].argmax() == m.channel.matrix()[3].argmax() + 1, "places count among the sensitive items"


STUDY = (
    'name = "ages"\nquestion = "Age?"\nnumbers = {from = 18, to = 98, bins = 40}\n'
    '[privacy]\nnotion = "ldp"\nepsilon = 1.0\n[mechanism]\nname = "window"\n'
)


@pytest.mark.parametrize(("line", "half"), [("", 12), ('width = "mean"', 12), ('width = "distribution"', 10), ("width = 3", 3)])
def test_study_files(line: str, half: int) -> None:
    study = sv.Study.from_toml(STUDY + line)
    assert study.mechanism.channel.half == half
    assert study.compile()["blocks"][0]["channel"]["half"] == half


def test_study_files_with_mistakes() -> None:
    with refused(sv.StudyError, "width"):
        sv.Study.from_toml(STUDY + 'width = "wide"').mechanism  # noqa: B018 - built when it's asked for
    with refused(sv.StudyError, "order"):
        sv.Study.from_toml(STUDY.replace("numbers = {from = 18, to = 98, bins = 40}", 'items = ["a", "b", "c"]')).mechanism  # noqa: B018 - likewise


LIFTED = (
    'name = "drinks"\nquestion = "Glasses?"\nnumbers = {from = 0, to = 40, bins = 20}\n[privacy]\nnotion = "uldp"\nepsilon = 1.0\n'
    'sensitive = [{from = 10, to = 40}]\n[mechanism]\nname = "utility_optimized"\n'
)


@pytest.mark.parametrize(("line", "width"), [("", "mean"), ('width = "distribution"', "distribution"), ("width = 2", 2)])
def test_study_files_with_a_window_as_base(line: str, width: Any) -> None:
    study = sv.Study.from_toml(f'{LIFTED}base = "window"\n{line}')
    domain = study.domain
    expected = sv.utility_optimized(sv.window(domain.subset(domain.between(10, 40)), 1.0, width), domain)
    assert (study.mechanism.channel.matrix(exact=True) == expected.channel.matrix(exact=True)).all()
    assert sv.Study.from_json(json.dumps(study.compile())).mechanism.channel.matrix() == pytest.approx(expected.channel.matrix())


@pytest.mark.parametrize("lines", ['base = "oue"\nwidth = 2', 'base = "window"\nwidth = "wide"'])
def test_study_files_with_a_wrong_width_of_the_base(lines: str) -> None:
    with refused(sv.StudyError, "width"):
        sv.Study.from_toml(LIFTED + lines).mechanism  # noqa: B018 - built when it's asked for


@pytest.mark.parametrize("domain", [sv.Domain("abcd"), sv.Domain(30), sv.Domain.grid((9,), height=(0, 1))])
def test_plans_do_not_offer_it_where_they_did_not_before(domain: Any) -> None:
    for more in ({}, {"sensitive": [domain.item(0), domain.item(1)]}):
        assert not [option.name for option in sv.plan(domain, 1.0, n=1000, **more).options if "window" in option.name]


@pytest.mark.parametrize(("size", "epsilon"), [(1024, 0.5), (1024, 1.0), (1024, 4.0), (1024, 8.0), (4096, 1.0)])
def test_maximum_likelihood_of_many_items(size: int, epsilon: float) -> None:
    """The gap is as small as it was asked to be, and no other climb finds more."""
    m, places = sv.window(sv.Domain(size), epsilon), np.arange(size) / size
    p = np.exp(-0.5 * ((places - 0.4) / 0.1) ** 2) + 0.05
    p /= p.sum()
    tally = sv.Tally.simulate(m, p, 100_000, sv.SeededSource(4))
    sv.estimate(tally, "mle")
    start = time.perf_counter()
    found = sv.estimate(tally, "mle")
    assert time.perf_counter() - start < 2, "0.02 to 0.05 seconds on a quiet machine"
    assert found.gap < 1.1e-3
    likelihood = m.channel.model.of_counts(tally.blocks[0].counts)
    published = sv.estimate(tally, "em", iterations=200)
    assert likelihood.at(found.p).value >= likelihood.at(published.p).value - found.gap
    assert likelihood.at(found.p).value >= likelihood.at(p).value - found.gap
    assert abs(found.p @ places - p @ places) < 0.02


def test_maximum_likelihood_with_pseudo_counts_and_with_tiers() -> None:
    """Other parts of the likelihood: the pseudo-counts of 'map', and people with another width. All climbs agree."""
    domain = sv.Domain(12)
    p = np.random.default_rng(5).dirichlet(np.ones(12))
    for one in (sv.window(domain, 1.0), sv.utility_optimized(sv.window(domain.subset(range(3, 9)), 1.0), domain)):
        tally = sv.Tally.simulate(one, p, 5000, sv.SeededSource(5))
        plain = sv.Mechanism(domain, sv.MatrixChannel(one.channel.numerators()), one.claim, "plain")
        same = sv.Tally(plain).add(sv.CodeReports(np.repeat(np.arange(one.channel.length), tally.blocks[0].counts), one.channel.length))
        for method in ("mle", "map"):
            quick, slow = (sv.estimate(each, method, tolerance=1e-9) for each in (tally, same))
            np.testing.assert_allclose(quick.p, slow.p, atol=2e-4)
            assert max(quick.gap, slow.gap) < 1e-8
    tiers = sv.Population({"careful": sv.window(domain, 0.5), "open": sv.window(domain, 2.0)})
    tally = sv.Tally.simulate(tiers, p, {"careful": 3000, "open": 2000}, sv.SeededSource(6))
    assert sv.estimate(tally, "mle").gap < 1.1e-3


def test_windows_are_exported() -> None:
    assert sv.WindowChannel is WindowChannel
