"""MMSE estimates are conditional means, their error is what they say, and no other estimate with the prior does better."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sottovoce as sv
from messages import refused
from sottovoce.optima.posterior import explained_by_bits
from zoo import built

PRIOR = np.array([0.5, 0.25, 0.15, 0.1])
DOMAIN = sv.Domain(4)
MECHANISMS: dict[str, Callable[[], sv.Mechanism]] = {
    "rr_lip": lambda: sv.rr_lip(DOMAIN, 1.0, PRIOR),
    "ue_lip": lambda: sv.ue_lip(DOMAIN, 1.0, PRIOR),
    "lh_lip": lambda: sv.lh_lip(DOMAIN, 1.0, PRIOR),
    "krr": lambda: sv.krr(DOMAIN, 1.0),
    "olh": lambda: sv.olh(DOMAIN, 1.0),
    "urap": lambda: sv.urap(DOMAIN, 1.0, [0, 1]),
    "hadamard": lambda: sv.hadamard(DOMAIN, 1.0),
    "matrix": lambda: sv.from_matrix(DOMAIN, [[0.5, 0.3, 0.2], [0.3, 0.5, 0.2], [0.2, 0.3, 0.5], [0.4, 0.3, 0.3]], sv.LDP(1.0)),
}


@cache
def mechanism_of(name: str) -> sv.Mechanism:
    return MECHANISMS[name]()


def bayes(mechanism: sv.Mechanism, reports: sv.Reports, priors: Any) -> Any:
    """The rule of Bayes, report by report."""
    joint = mechanism.channel.likelihood(reports) * priors
    return joint / joint.sum(axis=1, keepdims=True)


def answered(mechanism: sv.Mechanism, n: int, seed: int) -> tuple[Any, sv.Reports]:
    codes = np.random.default_rng(seed).choice(4, size=n, p=PRIOR)
    return codes, mechanism.perturb(codes, sv.SeededSource(seed))


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_histogram_is_the_mean_posterior(name: str) -> None:
    mechanism = mechanism_of(name)
    _, reports = answered(mechanism, 300, 1)
    posterior = bayes(mechanism, reports, PRIOR)
    found = sv.estimate(sv.Tally(mechanism, keep_reports=True).add(reports), "mmse", prior=PRIOR)
    assert found.p == pytest.approx(posterior.mean(axis=0), abs=1e-12)
    assert found.stderr == pytest.approx(np.sqrt((posterior * (1 - posterior)).sum(axis=0)) / 300, rel=1e-9)
    assert found.p.sum() == pytest.approx(1)
    if "lip" in name:
        assert sv.estimate(sv.Tally(mechanism, keep_reports=True).add(reports), "mmse").p == pytest.approx(found.p)


@settings(max_examples=30)
@given(st.sampled_from(sorted(MECHANISMS)), st.integers(1, 40), st.integers(0, 2**32))
def test_every_person_may_have_a_prior_of_her_own(name: str, n: int, seed: int) -> None:
    rng, mechanism = np.random.default_rng(seed), mechanism_of(name)
    priors = rng.dirichlet(np.full(4, 0.8), size=n) * 0.99 + 0.0025
    _, reports = answered(mechanism, n, seed)
    posterior = bayes(mechanism, reports, priors)
    assert sv.mmse_histogram(mechanism, reports, priors).p == pytest.approx(posterior.mean(axis=0), abs=1e-12)
    values, c, b = rng.normal(size=4), rng.normal(size=n), rng.normal(size=n)
    found = sv.mmse_sum(mechanism, reports, priors, values=values, weights=c, offsets=b)
    assert found.value == pytest.approx(c @ (posterior @ values) + b.sum())
    assert found.mse == pytest.approx((c**2 * (posterior @ values**2 - (posterior @ values) ** 2)).sum())


@pytest.mark.parametrize("name", ["rr_lip", "ue_lip", "lh_lip", "krr", "matrix"])
def test_the_predicted_error_is_the_error(name: str) -> None:
    """Before the reports (equation 13) and after them, for the histogram and for a sum; simulated with 3,000 studies."""
    mechanism, n, runs = mechanism_of(name), 40, 3000
    values = np.array([3.0, -1.0, 4.0, 1.0])
    codes, reports = answered(mechanism, n * runs, 7)
    posterior = bayes(mechanism, reports, PRIOR).reshape(runs, n, 4)
    truth = np.eye(4)[codes].reshape(runs, n, 4)
    histogram = ((posterior.sum(axis=1) - truth.sum(axis=1)) ** 2).sum(axis=1)
    assert histogram.mean() == pytest.approx(n * sv.mmse_loss(mechanism, PRIOR), rel=5 * histogram.std() / histogram.mean() / np.sqrt(runs))
    sums = ((posterior - truth) @ values).sum(axis=1) ** 2
    assert sums.mean() == pytest.approx(n * sv.mmse_loss(mechanism, PRIOR, values=values), rel=5 * sums.std() / sums.mean() / np.sqrt(runs))
    found = sv.mmse_sum(mechanism, reports, PRIOR, values=values)
    assert found.expected == pytest.approx(n * runs * sv.mmse_loss(mechanism, PRIOR, values=values))
    assert found.mse == pytest.approx(found.expected, rel=0.05)


@pytest.mark.parametrize("name", ["rr_lip", "krr"])
def test_closed_form_losses_equal_enumeration(name: str) -> None:
    """The O(K) form of direct channels is that of their matrix."""
    mechanism = mechanism_of(name)
    tabulated = sv.from_matrix(DOMAIN, mechanism.channel.matrix(exact=True), sv.LDP(10.0))
    assert sv.mmse_loss(mechanism, PRIOR) == pytest.approx(sv.mmse_loss(tabulated, PRIOR))
    assert sv.mmse_loss(mechanism, PRIOR, values=[1, 2, 3, 4]) == pytest.approx(sv.mmse_loss(tabulated, PRIOR, values=[1, 2, 3, 4]))


def test_nothing_with_the_same_prior_does_better() -> None:
    """For the people who reported: below maximum likelihood, inversion and the prior itself."""
    mechanism, losses = mechanism_of("rr_lip"), {"mmse": 0.0, "mle": 0.0, "projected": 0.0, "prior": 0.0}
    for seed in range(200):
        codes, reports = answered(mechanism, 100, seed)
        share, tally = np.bincount(codes, minlength=4) / 100, sv.Tally(mechanism).add(reports)
        losses["prior"] += ((PRIOR - share) ** 2).sum()
        for method in ("mmse", "mle", "projected"):
            losses[method] += ((sv.estimate(tally, method).p - share) ** 2).sum()
    assert losses["mmse"] == min(losses.values())


def test_groups_may_have_priors_of_their_own() -> None:
    crowd = sv.Population({"a": mechanism_of("krr"), "b": mechanism_of("rr_lip")})
    codes = np.random.default_rng(1).choice(4, size=200, p=PRIOR)
    reports = crowd.perturb(codes, ["a", "b"] * 100, sv.SeededSource(1))
    priors = {"a": [0.1, 0.2, 0.3, 0.4], "b": PRIOR}
    expected = np.concatenate([bayes(crowd.groups[name], reports.parts[name], priors[name]) for name in crowd.names])
    assert sv.estimate(sv.Tally(crowd).add(reports), "mmse", prior=priors).p == pytest.approx(expected.mean(axis=0))
    with refused(sv.PriorError, "b"):
        sv.estimate(sv.Tally(crowd).add(reports), "mmse", prior={"a": PRIOR})


def test_many_priors_and_many_items_are_no_trouble() -> None:
    """A matrix is written down once for all priors, and none at all for direct channels."""
    wide = sv.krr(sv.Domain(200_000), 1.0)
    assert 0.99 < sv.mmse_loss(wide, np.full(200_000, 1 / 200_000)) < 1
    mechanism = sv.ue_lip(sv.Domain(8), 1.0, np.full(8, 1 / 8))
    reports = mechanism.perturb(np.arange(400) % 8, sv.SeededSource(1))
    priors = np.random.default_rng(1).dirichlet(np.ones(8), size=400)
    expected = sv.mmse_sum(mechanism, reports, priors).expected
    each = [sv.mmse_loss(mechanism, np.maximum(row, 1e-12) / np.maximum(row, 1e-12).sum(), values=np.arange(8)) for row in priors[:20]]
    assert sv.mmse_sum(mechanism, reports[slice(0, 20)], priors[:20]).expected == pytest.approx(sum(each), rel=1e-6)
    assert expected is not None


def test_sums_over_different_people_add_up() -> None:
    mechanism = mechanism_of("rr_lip")
    codes, reports = answered(mechanism, 100, 3)
    whole = sv.mmse_sum(mechanism, reports)
    halves = sv.mmse_sum(mechanism, reports[slice(0, 50)]) + sv.mmse_sum(mechanism, reports[slice(50, 100)])
    assert (halves.value, halves.mse, halves.expected) == pytest.approx((whole.value, whole.mse, whole.expected))
    assert abs(whole.value - codes.sum()) < 6 * whole.stderr
    assert sum([halves, whole]) == halves + whole
    assert sv.mmse_sum(mechanism_of("olh"), answered(mechanism_of("olh"), 9, 1)[1], PRIOR).expected is None


def test_wrong_priors_are_refused() -> None:
    krr, (_, reports) = mechanism_of("krr"), answered(mechanism_of("krr"), 10, 1)
    tally = sv.Tally(krr).add(reports)
    for wrong in ([0.5, 0.5], [0.5, 0.5, 0.5, 0.5], [np.nan, 0.5, 0.25, 0.25], [0.0, 0.5, 0.25, 0.25]):
        with pytest.raises(sv.PriorError):
            sv.estimate(tally, "mmse", prior=wrong)
        with pytest.raises(sv.PriorError):
            sv.mmse_sum(krr, reports, wrong)
        with pytest.raises(sv.PriorError):
            sv.mmse_loss(krr, wrong)
    with refused(sv.PriorError):
        sv.estimate(tally, "mmse")
    with refused(sv.PriorError):
        sv.mmse_sum(krr, reports)
    with refused(sv.PriorError):
        sv.mmse_loss(krr)
    with refused(sv.PriorError):
        sv.mmse_histogram(krr, reports)
    with refused(sv.PriorError):
        sv.mmse_sum(krr, reports, [[0.5, 0.5], [1.0]])
    with refused(sv.ReportError, "Tally"):
        sv.mmse_sum(krr, tally, PRIOR)  # type: ignore[arg-type]  # wrong on purpose
    for call in (sv.mmse_sum, sv.mmse_histogram):
        with refused(sv.ParameterError, "Population"):
            call(sv.Population({"a": krr}), reports)  # type: ignore[arg-type]  # wrong on purpose
    with refused(sv.PriorError, (9, 4), (10, 4)):
        sv.mmse_histogram(krr, reports, np.full((9, 4), 0.25))
    with refused(sv.PriorError):
        sv.mmse_histogram(krr, reports, np.full((10, 4), 0.5))
    with refused(sv.ParameterError, "values", (2,), 4):
        sv.mmse_sum(krr, reports, PRIOR, values=[1, 2])
    with refused(sv.ParameterError, "weights"):
        sv.mmse_sum(krr, reports, PRIOR, weights="x")
    with refused(sv.ParameterError):
        sv.mmse_histogram(krr, reports[slice(0, 0)], PRIOR)
    named = sv.identity(DOMAIN)
    with refused(sv.PriorError):
        sv.mmse_histogram(named, named.perturb([0]), [[0.0, 0.5, 0.25, 0.25]])


@pytest.mark.parametrize("name", ["krr", "oue", "rappor", "urap", "ipue", "idue", "ue_lip", "lh_lip", "rr_lip", "subset_selection", "ubd"])
@pytest.mark.parametrize("epsilon", [0.05, 1.0, 4.0, 15.0])
def test_losses_without_listing_reports_are_those_of_the_matrix(name: str, epsilon: float) -> None:
    """One integral for bits, one pass per function for hashes: the same as every report of the matrix."""
    mechanism = built(name, epsilon if name not in {"ipue", "idue"} else epsilon / 3)
    channel = mechanism.channel
    rng = np.random.default_rng(3)
    prior, numbers = rng.dirichlet(np.full(channel.size, 0.5)) * 0.99 + 0.01 / channel.size, rng.normal(size=channel.size)
    matrix = channel.matrix()
    chances = prior @ matrix
    seen = chances > 0
    each = prior - prior**2 * (matrix[:, seen] ** 2 / chances[seen]).sum(axis=1)
    assert channel.posterior_variance(prior) == pytest.approx(each, abs=1e-9)
    if isinstance(channel, sv.UnaryChannel):
        told = explained_by_bits(prior, channel.a, channel.b, numbers)[0]
        assert told == pytest.approx((((prior * numbers) @ matrix[:, seen]) ** 2 / chances[seen]).sum(), abs=1e-9)


def test_losses_of_many_items() -> None:
    """Where nothing can be listed: the error that people really have, within the noise of 400,000 of them."""
    size = 60
    prior = np.random.default_rng(1).dirichlet(np.full(size, 0.5)) * 0.9 + 0.1 / size
    for mechanism in (sv.ue_lip(sv.Domain(size), 3.0, prior), sv.lh_lip(sv.Domain(size), 2.0, prior, functions=64)):
        rng = np.random.default_rng(2)
        codes = rng.choice(size, size=400_000, p=prior)
        rows = mechanism.channel.likelihood(mechanism.channel.sample(codes, sv.SeededSource(3))) * prior
        posterior = rows / rows.sum(axis=1, keepdims=True)
        errors = 1 - 2 * posterior[np.arange(len(codes)), codes] + (posterior**2).sum(axis=1)
        assert sv.mmse_loss(mechanism) == pytest.approx(errors.mean(), abs=5 * errors.std() / math.sqrt(len(codes)))
        values = np.arange(size)
        squares = (posterior @ values - codes) ** 2
        assert sv.mmse_loss(mechanism, values=values) == pytest.approx(squares.mean(), abs=5 * squares.std() / math.sqrt(len(codes)))


@pytest.mark.parametrize("epsilon", [20.0, 30.0, 36.0, 40.0])
def test_losses_at_large_budgets(epsilon: float) -> None:
    """One's own bit is set half of the time, and then tells all; otherwise nobody's is, which tells nothing: half of the loss is left."""
    for prior in ([0.96, 0.01, 0.01, 0.01, 0.01], [0.2] * 5):
        left = 1 - float(np.square(prior).sum())
        assert sv.mmse_loss(sv.ue_lip(sv.Domain(5), epsilon, prior)) == pytest.approx(left / 2, rel=1e-6)
        assert sv.mmse_loss(sv.ue_lip(sv.Domain(5), epsilon, prior, theta="optimal")) < 1e-3
    assert sv.plan(3, epsilon, prior=[0.1, 0.2, 0.7], n=100).options


def test_the_best_bits_for_a_prior() -> None:
    """LIP paper, Theorem 4 has a = 1/2: not the best (two equal items at ε = 1: 0.678), and never better than the best."""
    two = sv.ue_lip(sv.Domain(2), 1.0, [0.5, 0.5], theta="optimal")
    assert two.channel.own[0] == pytest.approx(0.678, abs=1e-3)  # type: ignore[attr-defined]  # unary
    rng = np.random.default_rng(4)
    for size, epsilon in ((3, 0.5), (6, 2.0), (40, 1.0), (5, 5.0)):
        prior = rng.dirichlet(np.ones(size)) * 0.9 + 0.1 / size
        best = sv.mmse_loss(sv.ue_lip(sv.Domain(size), epsilon, prior, theta="optimal"))
        for theta in ("paper", 0.2, 0.4, 0.6, 0.8):
            other = sv.ue_lip(sv.Domain(size), epsilon, prior, theta=theta)
            assert other.certify().holds
            assert best <= sv.mmse_loss(other) * (1 + 1e-9)
    bounded = sv.ue_lip(sv.Domain(3), 1.0, priors=[[0.2, 0.3, 0.5], [0.5, 0.3, 0.2]], theta="optimal")
    assert bounded.certify().holds
    wrong: Any
    for wrong in ("best", 0.0, 1.5, None, True):
        with pytest.raises(sv.ParameterError):
            sv.ue_lip(sv.Domain(2), 1.0, [0.5, 0.5], theta=wrong)


@pytest.mark.parametrize(("size", "epsilon"), [(6, 1.0), (10, 2.0), (30, 0.5), (30, 3.0)])
def test_the_best_number_of_buckets_for_a_prior(size: int, epsilon: float) -> None:
    """Within 1 % of any other number: with few functions the loss is uneven, and flat beyond the best."""
    prior = np.random.default_rng(size).dirichlet(np.full(size, 0.7)) * 0.9 + 0.1 / size
    domain = sv.Domain(size)
    best = sv.mmse_loss(sv.lh_lip(domain, epsilon, prior, functions=64))
    for g in (*range(2, 20), 30, 50, 100, 150, 200, 250):
        assert best <= sv.mmse_loss(sv.lh_lip(domain, epsilon, prior, g=g, functions=64)) * 1.01
