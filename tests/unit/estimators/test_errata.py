"""What the papers' experiments brought to light, each in the smallest example."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sottovoce as sv


def test_theorem_1_of_the_uldp_paper_needs_absolute_values() -> None:
    m = sv.pum(sv.Domain(["a", "b"]), 1.0, tags=["home"])
    r, estimate = np.array([0.5, 0.4, 0.1]), sv.Estimate(m.inputs, np.array([0.9, 0.3, -0.2]), 100, "inversion")
    truth, guess = {"home": [1.0, 0.0]}, {"home": [0.0, 1.0]}
    found = sv.resolve_tags(estimate, m, guess)
    loss, first = sv.distance(found, [0.6, 0.4]).l1, sv.distance(estimate, r).l1
    printed = found.bots["home"] * 2  # l1(π̂, π) = 2: the guess is as wrong as can be
    assert first + printed < loss <= first + found.bound(truth) + 1e-12


def test_rappor_at_ln_k_loses_the_fourth_root_in_l1() -> None:
    size = 10_000
    domain, p = sv.Domain(size), np.full(size, 1 / size)
    noisy, plain = (sv.losses(each, p, 10**9) for each in (sv.rappor(domain, math.log(size)), sv.identity(domain)))
    assert noisy.l2 / plain.l2 == pytest.approx(math.sqrt(size), rel=0.05)
    assert noisy.l1 / plain.l1 == pytest.approx(size**0.25, rel=0.05)


def test_one_sensitive_item_is_better_served_by_urr() -> None:
    domain = sv.Domain(3)
    for epsilon, least in ((1.0, 2), (0.1, 10), (0.01, 100)):
        worst = {m.name: sv.worst_case(m, 1000).losses.l2 for m in (sv.urr(domain, epsilon, [0]), sv.urap(domain, epsilon, [0]))}
        assert worst["urap"] > least * worst["urr"]


def test_lemma_1_of_the_ipldp_paper_holds_item_by_item() -> None:
    one, other = (sv.iprr(sv.Domain(2), dict(enumerate(budgets))) for budgets in ((math.log(2), math.log(3)), (math.log(3), math.log(2))))
    assert [sv.losses(m, [1.0, 0.0], 1).l2 for m in (one, other)] == pytest.approx([2, 3])
