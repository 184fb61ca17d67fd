"""Unary mechanisms with the best bits: for a worst population, for budgets per item, for large budgets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sottovoce as sv
from messages import refused
from sottovoce.optima.unary import BitProblem


@settings(max_examples=40)
@given(st.integers(1, 60), st.integers(0, 300), st.floats(0.05, 6.0))
def test_the_best_theta_beats_all_others(sensitive: int, free: int, epsilon: float) -> None:
    if sensitive + free < 2:
        return
    domain, items = sv.Domain(sensitive + free), range(sensitive)
    best = sv.worst_case(sv.urap(domain, epsilon, items, theta="optimal"), 1).losses.l2
    paper = sv.worst_case(sv.urap(domain, epsilon, items), 1).losses.l2
    others = [sv.worst_case(sv.urap(domain, epsilon, items, theta=theta), 1).losses.l2 for theta in np.linspace(0.02, 0.98, 49)]
    assert best <= min(paper, *others) * (1 + 1e-6)


@pytest.mark.parametrize("epsilon", [30.0, 36.0, 38.0, 40.0])
def test_large_budgets_tell_nearly_everything(epsilon: float) -> None:
    for size, sensitive in ((5, 2), (20, 3), (100, 10)):
        domain, items = sv.Domain(size), range(sensitive)
        for mechanism in (sv.urap(domain, epsilon, items, theta="optimal"), sv.ipue(domain, dict.fromkeys(items, epsilon))):
            assert sv.worst_case(mechanism, 1).losses.l2 == pytest.approx(1 - 1 / size, rel=1e-3)


def test_theta_for_an_expected_share() -> None:
    domain, items = sv.Domain(20), range(3)
    assert sv.urap(domain, 1.0, items, theta="optimal").channel.own[0] == pytest.approx(0.556, abs=1e-3)  # type: ignore[attr-defined]  # unary
    p = np.concatenate([np.full(3, 0.3), np.full(17, 0.1 / 17)])
    told = sv.losses(sv.urap(domain, 1.0, items, theta="optimal", share=0.9), p, 1).l2
    assert told < sv.losses(sv.urap(domain, 1.0, items, theta="optimal"), p, 1).l2
    for wrong in ({"theta": "best"}, {"theta": "optimal", "share": 2.0}, {"theta": 0.5, "share": 0.5}):
        with pytest.raises(sv.ParameterError):
            sv.urap(domain, 1.0, items, **wrong)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.floats(0.05, 6.0), st.integers(1, 20)), min_size=1, max_size=5))
def test_idue_models_are_ordered(levels: list[tuple[float, int]]) -> None:
    """opt0 is never worse than opt1 and opt2, all are certified on their integers, and none is worse than its uniform special case."""
    budgets = [epsilon for epsilon, count in levels for _ in range(count)]
    if len(budgets) < 2:
        return
    domain = sv.Domain(len(budgets))
    lowest = min(budgets)
    found = {m: sv.worst_case(sv.idue(domain, dict(enumerate(budgets)), m), 1).losses.l2 for m in ("opt0", "opt1", "opt2")}
    assert found["opt0"] <= min(found.values()) * (1 + 1e-6)
    assert found["opt1"] <= sv.worst_case(sv.rappor(domain, lowest), 1).losses.l2 * (1 + 1e-6)
    assert found["opt2"] <= sv.worst_case(sv.oue(domain, lowest), 1).losses.l2 * (1 + 1e-6)


def test_idue_beats_oue_at_the_smallest_budget() -> None:
    domain = sv.Domain(100)
    budgets = {item: 1.0 if item < 5 else 4.0 for item in range(100)}
    plain = sv.worst_case(sv.oue(domain, 1.0), 1).losses.l2
    for model in ("opt0", "opt1"):
        assert sv.worst_case(sv.idue(domain, budgets, model), 1).losses.l2 < 0.65 * plain
    for wrong in ({0: 1.0}, dict.fromkeys(range(100), -1.0), {"x": 1.0}):
        with pytest.raises(sv.BudgetError):
            sv.idue(domain, wrong)
    with refused(sv.ParameterError, "opt9", "opt0", "opt1", "opt2"):
        sv.idue(domain, budgets, "opt9")


@settings(max_examples=25)
@given(st.lists(st.tuples(st.floats(0.05, 6.0), st.integers(1, 20)), min_size=1, max_size=4), st.integers(1, 40))
def test_ipue_is_never_worse_than_what_it_generalises(levels: list[tuple[float, int]], free: int) -> None:
    """opt0 beats opt1, opt2 and uRAP with the best θ at the smallest budget; with equal budgets it is that uRAP."""
    budgets = dict(enumerate(epsilon for epsilon, count in levels for _ in range(count)))
    domain, lowest = sv.Domain(len(budgets) + free), min(budgets.values())
    found = {m: sv.worst_case(sv.ipue(domain, budgets, m), 1).losses.l2 for m in ("opt0", "opt1", "opt2")}
    assert found["opt0"] <= min(found.values()) * (1 + 1e-9)
    assert found["opt0"] <= sv.worst_case(sv.urap(domain, lowest, budgets, theta="optimal"), 1).losses.l2 * (1 + 1e-6)
    if len(budgets) > 1:
        alike = dict.fromkeys(budgets, lowest)
        expected = sv.worst_case(sv.urap(domain, lowest, budgets, theta="optimal"), 1).losses.l2
        assert sv.worst_case(sv.ipue(domain, alike), 1).losses.l2 == pytest.approx(expected, rel=1e-6)


def test_ipue_among_many_sensitive_items() -> None:
    """Its reason to exist: a fourth of the error of iprr, half of that of the best mechanism at the smallest budget."""
    domain, budgets = sv.Domain(100), {item: 0.5 if item % 2 else 2.0 for item in range(50)}
    loss = sv.worst_case(sv.ipue(domain, budgets), 1).losses.l2
    assert loss < 0.25 * sv.worst_case(sv.iprr(domain, budgets), 1).losses.l2
    assert loss < 0.6 * sv.uldp_limit(100, 50, 0.5).value
    for wrong in ({}, {"x": 1.0}, {0: -1.0}):
        with pytest.raises(sv.BudgetError):
            sv.ipue(domain, wrong)
    with refused(sv.ParameterError, "opt9", "opt0", "opt1", "opt2"):
        sv.ipue(domain, budgets, "opt9")
    assert sv.ipue(sv.Domain(3), dict.fromkeys(range(3), 1.0)).certify().holds


def test_the_bits_of_ipue_are_no_local_optimum() -> None:
    """Other starts find nothing better."""
    rng = np.random.default_rng(1)
    for _ in range(12):
        size = int(rng.integers(1, 5))
        problem = BitProblem.of(np.sort(rng.uniform(0.05, 5, size)).tolist(), rng.integers(1, 40, size).tolist(), 9, smaller=False)
        found = min(problem.loss(*bits) for bits in problem.bits("opt0"))
        for _ in range(6):
            part = rng.uniform(0.02, 0.98) * problem.limits.min()
            start = np.concatenate([problem.budgets - part, part * rng.uniform(0.3, 1, size)])
            other = problem._solved(lambda x: (x[: len(x) // 2], x[len(x) // 2 :]), start)
            assert found <= problem._loss(*other) * (1 + 1e-6)


def test_unequal_budgets_and_many_levels_are_no_trouble() -> None:
    for budgets in ({0: 1e-3, 1: 1e-3, 2: 20.0, 3: 20.0}, {0: 1e-3, 1: 1e-3, 2: 1e-3, 3: 20.0}, {0: 1e-6, 1: 40.0, 2: 1.0, 3: 1.0}):
        for model in ("opt0", "opt1", "opt2"):
            assert sv.idue(sv.Domain(4), budgets, model).certify().holds
    many = {item: float(epsilon) for item, epsilon in enumerate(np.repeat(np.linspace(0.1, 5, 25), 4))}
    assert sv.idue(sv.Domain(100), many).certify().holds
    different = {item: 0.5 + 0.05 * item for item in range(60)}
    found = sv.ipue(sv.Domain(65), different)
    assert found.certify().holds
    assert sv.worst_case(found, 1).losses.l2 < 0.5 * sv.uldp_limit(65, 60, 0.5).value
