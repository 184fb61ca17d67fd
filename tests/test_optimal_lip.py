"""The optimum under local information privacy: its known values, its privacy, and nothing that beats it."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import sottovoce as sv
from sottovoce.optima import lip

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
        assert found.gap == 0
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


@pytest.mark.parametrize("utility", ["histogram", "sum"])
@pytest.mark.parametrize(("size", "epsilon"), [(5, 1.0), (8, 2.0), (10, 0.5), (12, 3.0)])
def test_generated_corners_reach_the_listed_optimum(size: int, epsilon: float, utility: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Column generation against the full list: within its own bound; exact for sums, close for histograms of few items."""
    prior = np.random.default_rng(size).dirichlet(np.full(size, 2.0)) * 0.9 + 0.1 / size
    listed = sv.optimal_lip(sv.Domain(size), epsilon, prior, utility)
    monkeypatch.setattr(lip, "LISTED", 0)
    generated = sv.optimal_lip(sv.Domain(size), epsilon, prior, utility)
    assert listed.loss <= generated.loss + 1e-6
    assert generated.loss - generated.gap <= listed.loss + 1e-6
    assert generated.loss <= listed.loss * (1.0001 if utility == "sum" else 1.3)


def test_many_items_have_a_proven_gap() -> None:
    size = 40
    prior = np.random.default_rng(1).dirichlet(np.full(size, 5.0)) * 0.9 + 0.1 / size
    for utility, values in (("histogram", None), ("sum", np.arange(size))):
        found = sv.optimal_lip(sv.Domain(size), 1.0, prior, utility)
        assert found.certify().holds
        assert found.loss <= sv.mmse_loss(sv.rr_lip(sv.Domain(size), 1.0, prior), values=values)
        assert found.gap <= 0.01 * found.loss


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


@pytest.mark.parametrize("prior", [[0.5, 0.5], [1e-12, 1 - 1e-12], [0.001, 1e-6, 0.998999], [1e-9, 1e-9, 1 - 2e-9]])
@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 20.0, 40.0])
def test_extremes(prior: list[float], epsilon: float) -> None:
    """Very skewed priors and very large budgets: private, and the loss stated is that of the channel."""
    found = sv.optimal_lip(sv.Domain(len(prior)), epsilon, prior)
    assert found.certify().holds
    assert found.loss == pytest.approx(sv.mmse_loss(found, prior), abs=1e-12)
    assert 0 <= found.gap <= found.loss
