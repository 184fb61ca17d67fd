"""Items that can be told from zero: p-values, and the rules that allow for many tests."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, false_discovery_control, norm

import sottovoce as sv
from messages import refused
from sottovoce.estimators.intervals import spread
from sottovoce.estimators.significance import p_values, significant
from sottovoce.special import binomial_tail, normal_tail


def test_tails_are_those_of_scipy() -> None:
    rng = np.random.default_rng(1)
    for n in (1, 7, 300, 100_000, 10**8):
        chances = rng.uniform(0, 1, 5) ** 3
        counts = np.clip(binom.rvs(n, chances, random_state=2) + np.arange(-2, 3), 0, n)
        expected = binom.sf(counts - 1, n, chances)
        np.testing.assert_allclose(binomial_tail(counts, n, chances), expected, rtol=1e-6, atol=1e-300)
        np.testing.assert_allclose(binomial_tail(np.tile(counts, 10_000), n, np.tile(chances, 10_000))[:5], expected, rtol=1e-6)
    assert binomial_tail([0, 3, 3], 5, np.array([0.0, 0.0, 1.0])).tolist() == [1.0, 0.0, 1.0]
    z = np.linspace(-8, 8, 41)
    np.testing.assert_allclose(normal_tail(z), norm.sf(z), rtol=1e-9)
    np.testing.assert_allclose(normal_tail(np.tile(z, 1000))[:41], norm.sf(z), rtol=1e-9)


def test_rules_are_the_published_ones() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        values = rng.uniform(size=12) ** rng.uniform(1, 8)
        assert significant(values, 0.1, "fdr").tolist() == (false_discovery_control(values) <= 0.1).tolist()
        order, kept = np.argsort(values), 0
        while kept < 12 and values[order[kept]] <= 0.1 / (12 - kept):
            kept += 1
        assert np.flatnonzero(significant(values, 0.1, "familywise")).tolist() == sorted(order[:kept].tolist())


@pytest.mark.parametrize("name", ["krr", "oue", "olh", "subset_selection", "ubd", "population"])
def test_p_values_of_items_that_nobody_has_are_even(name: str) -> None:
    """The part of them below 5 %, over 200 studies of 30 such items; twice as many would fail."""
    domain = sv.Domain(40)
    p = np.array([0.1] * 10 + [0.0] * 30)
    people: int | dict[str, int] = 2000
    mechanism: sv.Mechanism | sv.Population
    if name == "population":
        mechanism = sv.Population({"careful": sv.oue(domain, 0.5), "bold": sv.krr(domain, 2.0)})
        people = {"careful": 2000, "bold": 500}
    else:
        mechanism = sv.ubd(domain, 1.0, list(range(35))) if name == "ubd" else getattr(sv, name)(domain, 1.0)
    small = []
    for seed in range(200):
        tally = sv.Tally.simulate(mechanism, p, people, sv.SeededSource(seed))
        found = p_values(spread(tally.blocks))[10:35]
        small.append(found < 0.05)
    assert 0.035 < np.mean(small) < 0.065


def test_few_of_the_items_found_are_false() -> None:
    domain, p = sv.Domain(2000), np.zeros(2000)
    p[:40] = 1 / 40
    false, any_false, missed = [], [], []
    for seed in range(100):
        e = sv.estimate(sv.Tally.simulate(sv.oue(domain, 2.0), p, 20_000, sv.SeededSource(seed)), "projected")
        found, strict = e.significant(0.1), e.significant(0.1, "familywise")
        assert found[strict].all()
        false.append(found[40:].sum() / max(1, found.sum()))
        any_false.append(strict[40:].any())
        missed.append(1 - strict[:40].mean())
    assert 0.07 < np.mean(false) < 0.13
    assert 0.01 < np.mean(any_false) < 0.25
    assert np.mean(missed) < 0.5


def test_free_items_are_found_when_anyone_has_them() -> None:
    m = sv.urr(sv.Domain("abcd"), 1.0, "ab")
    e = sv.estimate(sv.Tally(m).add(sv.CodeReports(np.array([0] * 30 + [1] * 30 + [2]), 4)))
    assert e.significant(0.05, "familywise").tolist()[2:] == [True, False]


def test_many_items_that_cannot_be_told_from_zero_change_the_method() -> None:
    p = np.zeros(1500)
    p[:3] = 0.5, 0.3, 0.2
    e = sv.estimate(sv.Tally.simulate(sv.krr(sv.Domain(1500), 4.0), p, 5000, sv.SeededSource(1)))
    assert e.method == "threshold"
    assert "1,500" in e.note
    assert np.flatnonzero(e.significant()).tolist() == [0, 1, 2]
    assert len(np.unique(e.p[~e.significant()])) == 1
    low, high = e.interval()
    assert ((low <= e.p) & (e.p <= high)).all()
    dense = sv.estimate(sv.Tally.simulate(sv.krr(sv.Domain(1500), 4.0), np.full(1500, 1 / 1500), 10**8, sv.SeededSource(1)))
    few = sv.estimate(sv.Tally.simulate(sv.krr(sv.Domain(3), 1.0), [0.5, 0.3, 0.2], 10, sv.SeededSource(1)))
    assert (dense.method, few.method) == ("mle", "mle")


def test_what_cannot_be_tested() -> None:
    tally = sv.Tally.simulate(sv.krr(sv.Domain(3), 1.0), [0.5, 0.3, 0.2], 100, sv.SeededSource(1))
    e = sv.estimate(tally)
    for level in (0, 1, True, "x"):
        with refused(sv.ParameterError, level):
            e.significant(level)  # type: ignore[arg-type]  # the test
    with refused(sv.ParameterError, "all"):
        e.significant(0.05, "all")
    with refused(sv.ParameterError, "all"):
        sv.estimate(tally, "threshold", control="all")
    with refused(sv.UnsupportedError, "mmse"):
        sv.estimate(tally, "mmse", prior=[0.5, 0.3, 0.2]).significant()
