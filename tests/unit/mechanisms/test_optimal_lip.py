"""The optimum under local information privacy: its known values, its privacy, and nothing that beats it."""

from __future__ import annotations

import contextlib
import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import sottovoce as sv
from messages import refused

KNOWN = [
    ([0.1, 0.2, 0.7], 1.0, 0.3288, 0.2905),
    ([0.1] * 10, 2.0, 0.4292, 2.1830),
    ((np.arange(1, 9) / 36).tolist(), 2.0, 0.2854, 1.0425),
]


@pytest.mark.parametrize(("prior", "epsilon", "histogram", "total"), KNOWN)
def test_known_values(prior: list[float], epsilon: float, histogram: float, total: float) -> None:
    domain = sv.Domain(len(prior))
    for utility, value, values in (("histogram", histogram, None), ("sum", total, np.arange(len(prior)))):
        found = sv.optimal_lip(domain, epsilon, prior, utility)
        assert found.loss == pytest.approx(value, abs=6e-5)
        assert 0 <= found.gap <= 1e-8 * value
        assert found.certify().holds
        assert sv.mmse_loss(found, prior, values=values) == pytest.approx(found.loss, rel=1e-6)


def rivals(domain: sv.Domain, epsilon: float, prior: Any) -> list[sv.Mechanism]:
    """Private mechanisms for the same prior; the printed one where it keeps its promise."""
    found = [sv.rr_lip(domain, epsilon, prior), sv.krr(domain, epsilon), sv.ue_lip(domain, epsilon, prior)]
    with contextlib.suppress(sv.ClaimError):
        found.append(sv.rr_lip_published(domain, epsilon, prior))
    return found


@settings(max_examples=40)
@given(st.integers(2, 6), st.floats(0.05, 4.0), st.integers(0, 2**32))
def test_nothing_private_does_better(size: int, epsilon: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    prior, values = rng.dirichlet(np.ones(size)) * 0.98 + 0.02 / size, rng.normal(size=size)
    domain = sv.Domain(size)
    for utility, numbers in (("histogram", None), ("sum", values)):
        found = sv.optimal_lip(domain, epsilon, prior, utility, values=numbers)
        assert found.certify().holds
        for rival in rivals(domain, epsilon, prior):
            assert found.loss <= sv.mmse_loss(rival, prior, values=numbers) * (1 + 1e-6), rival.name


@settings(max_examples=25)
@given(st.integers(2, 5), st.floats(0.1, 3.0), st.integers(0, 2**32))
def test_random_private_channels_never_beat_it(size: int, epsilon: float, seed: int) -> None:
    """Random columns within the bounds, mixed to a channel where that is possible: what they tell is never more."""
    rng = np.random.default_rng(seed)
    prior = rng.dirichlet(np.ones(size)) * 0.9 + 0.1 / size
    best = sv.optimal_lip(sv.Domain(size), epsilon, prior)
    low, high = math.exp(-epsilon), math.exp(epsilon)
    columns = low + (high - low) * rng.random((400, size))
    columns = columns / (columns @ prior)[:, None]
    columns = columns[((columns >= low) & (columns <= high)).all(axis=1)]
    columns = np.concatenate([columns, np.ones((1, size))])
    told = ((prior * columns) ** 2).sum(axis=1)
    solved = linprog(-told, A_eq=columns.T, b_eq=np.ones(size), bounds=(0, None), method="highs")
    assert 1 + solved.fun >= best.loss - 1e-7


def corners(rows: Any, prior: Any) -> Any:
    """All corners of {rows·ρ ≥ 0, ρ ≥ 0, Σ P·ρ = 1}, by trying every choice of tight constraints."""
    size = len(prior)
    bounds = np.concatenate([rows, np.eye(size)])
    tight = np.array(list(combinations(range(len(bounds)), size - 1)))
    systems = np.concatenate([bounds[tight], np.tile(prior, (len(tight), 1, 1))], axis=1)
    systems = systems[np.abs(np.linalg.det(systems)) > 1e-12]
    columns = np.linalg.solve(systems, np.tile(np.eye(size)[-1][:, None], (len(systems), 1, 1)))[:, :, 0]
    columns = columns[(columns @ bounds.T >= -1e-10).all(axis=1)]
    return np.unique(np.maximum(columns, 0).round(12), axis=0)


def listed(rows: Any, prior: Any, values: Any) -> float:
    """The least loss by listing every corner: the literal linear programme."""
    columns = corners(rows, prior)
    told = ((prior * columns) ** 2).sum(axis=1) if values is None else (columns @ (prior * (values - prior @ values))) ** 2
    solved = linprog(-told, A_eq=columns.T, b_eq=np.ones(len(prior)), bounds=(0, None), method="highs")
    return float((1.0 if values is None else prior @ (values - prior @ values) ** 2) + solved.fun)


def _bounds(prior: Any, epsilon: float) -> Any:
    """LIP with one prior, as rows: Σ P·ρ ≤ e^ε·ρ_x and ρ_x ≤ e^ε·Σ P·ρ."""
    size = len(prior)
    return np.concatenate([math.exp(epsilon) * np.eye(size) - prior, math.exp(epsilon) * np.tile(prior, (size, 1)) - np.eye(size)])


@settings(max_examples=24, deadline=None)
@given(st.integers(2, 4), st.floats(0.1, 2.5), st.integers(0, 2**32), st.sampled_from(["plain", "secrets", "priors", "scenarios"]))
def test_the_optimum_is_that_of_the_listed_corners(size: int, epsilon: float, seed: int, promise: str) -> None:
    """For every kind of promise: against every corner of its polytope, found by brute force."""
    rng = np.random.default_rng(seed)
    prior, first, second = (rng.dirichlet(np.ones(size)) * 0.9 + 0.1 / size for _ in range(3))
    grow = math.exp(epsilon)
    cases: dict[str, tuple[dict[str, Any], Any]] = {
        "plain": ({}, _bounds(prior, epsilon)),
        "secrets": ({"secrets": [first, second]}, grow * np.array([prior, prior, first, second]) - np.array([first, second, prior, prior])),
        "priors": (
            {"priors": [first, second]},
            np.concatenate([_bounds(first, epsilon), _bounds(second, epsilon)]),
        ),
        "scenarios": ({"scenarios": [first, second]}, np.array([grow * first - second, grow * second - first])),
    }
    options, rows = cases[promise]
    for utility, values in (("histogram", None), ("sum", np.arange(size))):
        found = sv.optimal_lip(sv.Domain(size), epsilon, prior, utility, **options)
        assert found.certify().holds
        assert found.loss == pytest.approx(listed(rows, prior, values), abs=2e-7)
        assert found.gap <= 1e-7


@pytest.mark.parametrize(("size", "epsilon"), [(8, 2.0), (10, 0.5), (12, 3.0)])
def test_few_items_are_solved_exactly(size: int, epsilon: float) -> None:
    """Up to 12 items, with a proven gap of next to nothing, for every promise but sets of priors (and for those, sums)."""
    rng = np.random.default_rng(size)
    prior, first, second = (rng.dirichlet(np.full(size, 2.0)) * 0.9 + 0.1 / size for _ in range(3))
    spread = float(prior @ np.arange(size) ** 2 - (prior @ np.arange(size)) ** 2)
    promises: list[dict[str, Any]] = [{}, {"secrets": [first, second]}, {"scenarios": [first, second]}]
    for options in promises:
        for utility, scale in (("histogram", 1.0), ("sum", spread)):
            assert sv.optimal_lip(sv.Domain(size), epsilon, prior, utility, **options).gap <= 1e-7 * scale
    assert sv.optimal_lip(sv.Domain(size), epsilon, prior, "sum", priors=[first, second]).gap <= 1e-7 * spread


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_the_unit_of_the_values_does_not_matter(scale: float) -> None:
    found = sv.optimal_lip(sv.Domain(5), 1.0, [0.1, 0.2, 0.3, 0.15, 0.25], "sum", np.array([0, 1, 3, 4, 10]) * scale)
    assert found.loss == pytest.approx(7.904083895 * scale**2, rel=1e-8)
    assert found.gap <= 1e-8 * scale**2


@pytest.mark.parametrize("epsilon", [1e-6, 1e-4, 1e-3, 0.01])
def test_small_budgets_are_solved_as_well(epsilon: float) -> None:
    """What a report tells is tiny, and the gap is small beside it."""
    prior = [0.1, 0.2, 0.7]
    promises: list[dict[str, Any]] = [{}, {"secrets": [[0.2, 0.3, 0.5], [0.0, 0.1, 0.9]]}, {"priors": [prior, [0.3, 0.3, 0.4]]}]
    for options in promises:
        found = sv.optimal_lip(sv.Domain(3), epsilon, prior, **options)
        assert found.gap <= 0.01 * (0.46 - found.loss)
        assert found.loss <= sv.mmse_loss(sv.rr_lip(sv.Domain(3), epsilon, prior)) + 1e-12


def test_protecting_less_tells_more() -> None:
    """Secrets behind the answers ask for less than the answers; more priors ask for more; an observer with any prior asks for LDP."""
    domain, prior = sv.Domain(4), np.array([0.1, 0.2, 0.3, 0.4])
    plain = sv.optimal_lip(domain, 1.0, prior).loss
    weak = sv.optimal_lip(domain, 1.0, prior, secrets=[[0.05, 0.25, 0.35, 0.35], [0.15, 0.15, 0.25, 0.45]]).loss
    strong = sv.optimal_lip(domain, 1.0, prior, secrets=np.eye(4).tolist()).loss
    assert weak < 0.5 * plain
    assert strong == pytest.approx(plain, abs=1e-7)
    one = sv.optimal_lip(domain, 1.0, prior, priors=[prior]).loss
    two = sv.optimal_lip(domain, 1.0, prior, priors=[prior, [0.4, 0.3, 0.2, 0.1]]).loss
    corners_ = [np.where(np.arange(4) == k, 1 - 3e-6, 1e-6) for k in range(4)]
    all_priors = sv.optimal_lip(domain, 1.0, prior, priors=corners_).loss
    ldp = sv.optimal_lip(domain, 1.0, prior, scenarios=np.eye(4).tolist()).loss
    assert one == pytest.approx(plain, abs=1e-7)
    assert one < two < all_priors + 1e-9
    assert all_priors == pytest.approx(ldp, abs=1e-4)
    assert ldp <= sv.mmse_loss(sv.krr(domain, 1.0), prior) + 1e-9


@settings(max_examples=40, deadline=None)
@given(st.floats(0.05, 0.95), st.floats(0.02, 0.98), st.floats(0.02, 0.98), st.floats(0.1, 2.0))
def test_the_printed_form_for_a_latent_secret_is_private_and_not_optimal(p: float, low: float, high: float, epsilon: float) -> None:
    """LIP paper, Theorem 2: two answers, a latent secret with two values (whose mean is the prior)."""
    least, most = min(low, high), max(low, high)
    if not least < p < most:
        return
    grow = math.exp(epsilon)
    q0 = max(0, (most - p * grow) / ((grow + 1) * (most - p)), (p - least * grow) / ((grow + 1) * (p - least)))
    q1 = max(0, (1 + most * grow - grow - p) / ((grow + 1) * (most - p)), (1 + p * grow - grow - least) / ((grow + 1) * (p - least)))
    secrets, prior = [[1 - least, least], [1 - most, most]], [1 - p, p]
    printed = sv.from_matrix(sv.Domain(2), [[1 - q0, q0], [q1, 1 - q1]], sv.LIP(epsilon * (1 + 1e-9), prior, secrets))
    best = sv.optimal_lip(sv.Domain(2), epsilon, prior, secrets=secrets)
    assert best.loss <= sv.mmse_loss(printed, prior) + 1e-8


def test_where_the_printed_latent_form_loses() -> None:
    """G = X, P_1 = 0.2, ε = 1: the printed q₀ = q₁ = 0.269, where (0.153, 0.269) is private."""
    prior, secrets = [0.8, 0.2], [[1.0, 0.0], [0.0, 1.0]]
    printed = sv.from_matrix(sv.Domain(2), [[0.731, 0.269], [0.269, 0.731]])
    best = sv.optimal_lip(sv.Domain(2), 1.0, prior, secrets=secrets)
    rows = best.channel.matrix()
    assert sorted(rows.min(axis=1).round(3).tolist()) == [0.153, 0.269]
    assert best.loss < 0.97 * sv.mmse_loss(printed, prior)


def test_weak_correlation_needs_no_noise() -> None:
    """LIP paper, Proposition 1: where every answer says little about the secret it is released as it is."""
    prior, secrets = [0.2, 0.3, 0.5], [[0.15, 0.35, 0.5], [0.3, 0.2, 0.5]]
    ratios = np.array(secrets) / prior
    assert max(ratios.max(), 1 / ratios.min()) < math.e
    for utility in ("histogram", "sum"):
        found = sv.optimal_lip(sv.Domain(3), 1.0, prior, utility, secrets=secrets)
        assert found.loss < 1e-9
        assert sorted(found.channel.matrix().max(axis=1).tolist()) == pytest.approx([1, 1, 1])
    assert sv.optimal_lip(sv.Domain(3), 0.2, prior, secrets=secrets).loss > 0.1


def test_weak_correlation_of_one_answer_is_not_enough() -> None:
    """Proposition 1 is stated answer by answer, and is false so: an answer that says little may leave others that say much."""
    secrets, epsilon = np.array([[0.13, 0.74, 0.13], [0.55, 0.34, 0.11]]), 0.4954
    prior = 0.375 * secrets[0] + 0.625 * secrets[1]
    second = secrets[:, 1] / prior[1]
    assert max(second.max(), 1 / second.min()) < math.exp(epsilon)  # (19) holds for the second answer
    released = sv.from_matrix(sv.Domain(3), [[1, 0], [0, 1], [1, 0]], sv.LDP(math.inf))  # and yet whatever tells it as it is
    assert sv.LIP(epsilon, prior, secrets.tolist()).check(released).level > epsilon + 0.15
    assert sv.optimal_lip(sv.Domain(3), epsilon, prior, secrets=secrets.tolist()).certify().holds


@settings(max_examples=30)
@given(st.floats(0.02, 0.98), st.floats(0.02, 0.98), st.floats(0.1, 3.0))
def test_bounded_priors_of_two_items(low: float, high: float, epsilon: float) -> None:
    """LIP paper, Proposition 2: private iff a·e^ε + b ≥ 1 and (1 − b)e^ε + 1 − a ≥ 1; the corrected pair is rr_lip's, and optimal."""
    a, b = min(low, high), max(low, high)
    grow, priors = math.exp(epsilon), sv.PriorSet.interval(a, b)
    printed = [[1 - b / (b - a + grow), b / (b - a + grow)], [(1 - a) / (b - a + grow), 1 - (1 - a) / (b - a + grow)]]
    level = sv.BoundedPriorLIP(epsilon, priors).check(sv.from_matrix(sv.Domain(2), printed)).level
    private = a * grow + b >= 1 and (1 - b) * grow + (1 - a) >= 1
    assert (level <= epsilon * (1 + 1e-7)) == private or min(abs(a * grow + b - 1), abs((1 - b) * grow - a)) < 1e-6
    first = max(b / (grow - 1 + b), (1 / grow - a) / (1 - a))
    second = max((1 - a) / (grow - a), (1 / grow - 1 + b) / b)
    corrected = [first * (1 - second) / (1 - first * second), second * (1 - first) / (1 - first * second)]
    found = sv.rr_lip(sv.Domain(2), epsilon, priors=priors)
    matrix = found.channel.matrix()
    assert [matrix[0, 1], matrix[1, 0]] == pytest.approx(corrected, rel=1e-9)
    assert found.certify().holds
    best = sv.optimal_lip(sv.Domain(2), epsilon, priors=priors)
    mean = [1 - (a + b) / 2, (a + b) / 2]
    assert sv.mmse_loss(found, mean) == pytest.approx(best.loss, abs=1e-7)


@settings(max_examples=40)
@given(st.integers(2, 6), st.floats(0.1, 4.0), st.integers(0, 2**32))
def test_direct_channels_for_sets_of_priors_are_tight(size: int, epsilon: float, seed: int) -> None:
    """The level is ε to the last bits: no direct channel tells the truth more often."""
    rng = np.random.default_rng(seed)
    priors = [rng.dirichlet(np.ones(size)) * 0.9 + 0.1 / size for _ in range(3)]
    found = sv.rr_lip(sv.Domain(size), epsilon, priors=priors)
    assert epsilon * (1 - 1e-9) <= found.certify().level <= epsilon
    for prior in priors:
        assert sv.LIP(epsilon, prior).check(found).holds


def test_many_items_have_a_proven_gap() -> None:
    size = 40
    prior = np.random.default_rng(1).dirichlet(np.full(size, 5.0)) * 0.9 + 0.1 / size
    for utility, values in (("histogram", None), ("sum", np.arange(size))):
        found = sv.optimal_lip(sv.Domain(size), 1.0, prior, utility)
        assert found.certify().holds
        assert found.loss <= sv.mmse_loss(sv.rr_lip(sv.Domain(size), 1.0, prior), values=values)
        assert found.gap <= 0.01 * found.loss


@pytest.mark.parametrize("epsilon", [2.0, 6.0])
def test_many_unlike_items_are_solved(epsilon: float) -> None:
    """A prior by Zipf's law: the programme has a channel at every step, and what is left untold is known, whether it is much or little."""
    size = 60
    prior = 1 / np.arange(1, size + 1)
    prior /= prior.sum()
    found, plain = sv.optimal_lip(sv.Domain(size), epsilon, prior), sv.rr_lip(sv.Domain(size), epsilon, prior)
    assert found.certify().holds
    assert found.gap <= 0.005 * found.loss
    assert found.loss <= sv.mmse_loss(plain, prior) * (1 + 1e-6)
    assert epsilon > 2 or found.loss < 0.75 * sv.mmse_loss(plain, prior)


def test_wrong_questions() -> None:
    domain = sv.Domain("abc")
    for options in (
        {"utility": "median"},
        {"utility": "sum", "values": [1, 2]},
        {"utility": "sum", "values": [1, 1, 1]},
        {"values": [1, 2, 3]},
    ):
        with pytest.raises(sv.ParameterError):
            sv.optimal_lip(domain, 1.0, [0.2, 0.3, 0.5], **options)
    for prior in ([0.0, 0.5, 0.5], [0.5, 0.5], [0.5, 0.5, 0.5]):
        with pytest.raises(sv.PriorError):
            sv.optimal_lip(domain, 1.0, prior)
    with pytest.raises(sv.BudgetError):
        sv.optimal_lip(domain, -1.0, [0.2, 0.3, 0.5])
    prior, rows = [0.2, 0.3, 0.5], [[0.1, 0.4, 0.5], [0.3, 0.2, 0.5]]
    wrong: list[tuple[Any, ...]] = [
        ({"prior": None}, sv.PriorError),
        ({"secrets": rows, "priors": [prior]}, sv.ParameterError, "secrets", "priors", "scenarios"),
        ({"pairs": [(0, 1)]}, sv.ParameterError, "scenarios"),
        ({"secrets": [[0.5, 0.5], [0.1, 0.9]]}, sv.PriorError, 2, 3),
        ({"scenarios": [[0.5, 0.5], [0.1, 0.9]]}, sv.PriorError, 2, 3),
        ({"priors": [[0.5, 0.5]]}, sv.PriorError, 2, 3),
        ({"priors": []}, sv.PriorError),
        ({"scenarios": rows, "pairs": [(0, 7)]}, sv.PriorError, 0, 1),
        ({"scenarios": rows, "pairs": [(0, 0)]}, sv.PriorError),
        ({"scenarios": rows, "pairs": []}, sv.PriorError, []),
        ({"scenarios": rows, "pairs": [(0.5, 1)]}, sv.PriorError, [(0.5, 1)]),
        ({"scenarios": rows, "pairs": 5}, sv.PriorError, 5),
        ({"utility": "sum", "values": [1e300, 0, 1]}, sv.ParameterError, 3, 1e100),
    ]
    for given_, error, *values in wrong:
        with refused(error, *values):
            sv.optimal_lip(domain, 1.0, **{"prior": prior, **given_})


@pytest.mark.parametrize("prior", [[0.5, 0.5], [1e-12, 1 - 1e-12], [0.001, 1e-6, 0.998999], [1e-9, 1e-9, 1 - 2e-9]])
@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 20.0, 40.0])
def test_extremes(prior: list[float], epsilon: float) -> None:
    """Very skewed priors and very large budgets: private, and the loss stated is that of the channel."""
    found = sv.optimal_lip(sv.Domain(len(prior)), epsilon, prior)
    assert found.certify().holds
    assert found.loss == pytest.approx(sv.mmse_loss(found, prior), abs=1e-12)
    assert 0 <= found.gap <= found.loss
