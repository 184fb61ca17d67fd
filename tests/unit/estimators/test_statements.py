"""Statements of the papers that no other test shows (docs/papers says which test shows which)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.estimators.result import Estimate
from strategies import domains, epsilons, priors


@given(st.data(), domains, epsilons)
def test_ldp_implies_ipldp_for_larger_budgets(data: st.DataObject, domain: sv.Domain, epsilon: float) -> None:
    """IPLDP paper, Section 4.2: every report of an ε-LDP channel keeps any budgets of at least ε, and no smaller one."""
    mechanism = sv.krr(domain, epsilon)
    budgets = {item: epsilon * data.draw(st.floats(1.0, 3.0)) for item in domain}
    assert sv.IPLDP(budgets).check(mechanism).holds
    budgets[next(iter(domain))] = 0.99 * epsilon
    assert not sv.IPLDP(budgets).check(mechanism).holds


@given(st.data(), domains, epsilons)
def test_processing_a_report_keeps_lip(data: st.DataObject, domain: sv.Domain, epsilon: float) -> None:
    """LIP paper, Lemma 1: no map of reports raises the level."""
    prior = data.draw(priors(domain))
    mechanism = sv.rr_lip(domain, epsilon, prior)
    post = np.array([data.draw(st.lists(st.integers(1, 9), min_size=3, max_size=3)) for _ in domain], dtype=np.float64)
    processed = sv.post_process(mechanism, post / post.sum(axis=1, keepdims=True))
    notion = sv.LIP(epsilon, prior)
    assert notion.check(processed).level <= notion.check(mechanism).level * (1 + 1e-9) + 1e-12


@given(st.data(), domains, epsilons)
def test_lip_for_all_priors_is_ldp(data: st.DataObject, domain: sv.Domain, epsilon: float) -> None:
    """LIP paper, Section 2.2.1: no prior gives more than the LDP level, and priors that single out an answer come close to it."""
    mechanism = sv.krr(domain, epsilon)
    assert sv.LIP(9.0, data.draw(priors(domain))).check(mechanism).level <= epsilon * (1 + 1e-12)
    sharp = [1e-9] * len(domain)
    sharp[0] = 1 - 1e-9 * (len(domain) - 1)
    assert sv.LIP(9.0, sharp).check(mechanism).level == pytest.approx(epsilon, rel=1e-6)


@given(st.data(), domains, epsilons)
def test_protecting_the_answer_protects_secrets_behind_it(data: st.DataObject, domain: sv.Domain, epsilon: float) -> None:
    """LIP paper, (18): the level for a latent secret is at most the level for the answer."""
    joint = np.array(
        [data.draw(st.lists(st.integers(1, 9), min_size=len(domain), max_size=len(domain))) for _ in range(2)], dtype=np.float64
    )
    prior = (joint.sum(axis=0) / joint.sum()).tolist()
    secrets = (joint / joint.sum(axis=1, keepdims=True)).tolist()
    shares = joint.sum(axis=1) / joint.sum()
    assert np.allclose(shares @ np.array(secrets), prior)
    mechanism = sv.krr(domain, epsilon)
    behind = sv.LIP(9.0, prior, secrets).check(mechanism).level
    assert behind <= sv.LIP(9.0, prior).check(mechanism).level * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0])
def test_foreign_bits_are_rarer_than_those_of_oue(epsilon: float) -> None:
    """LIP paper, (35): with a prior above zero everywhere, UE-LIP's b is at most OUE's 1/(e^ε + 1)."""
    domain = sv.Domain(5)
    for prior in ([0.2] * 5, [0.05, 0.1, 0.15, 0.3, 0.4]):
        mine, plain = sv.ue_lip(domain, epsilon, prior), sv.oue(domain, epsilon)
        assert mine.channel.b[0] < plain.channel.b[0]  # type: ignore[attr-defined]  # unary
        assert plain.channel.b[0] == pytest.approx(1 / (math.exp(epsilon) + 1))  # type: ignore[attr-defined]  # likewise


def test_baselines_say_what_they_say() -> None:
    """LPDE paper, Section 5.1: Uniform, and the reports as if they were answers."""
    mechanism = sv.krr(sv.Domain("abc"), 1.0)
    tally = sv.Tally(mechanism).add(sv.CodeReports(np.array([0, 0, 1, 0]), 3))
    assert sv.estimate(tally, "uniform").p.tolist() == [1 / 3] * 3
    assert sv.estimate(tally, "observed").p.tolist() == [0.75, 0.25, 0.0]


def test_an_unknown_tag_follows_the_items_that_are_not_sensitive_to_all() -> None:
    """ULDP paper, Section 5.3: π̂ ∝ r̂ over X_N, its negative entries cut; uniform over X_N where nothing is left."""
    mechanism = sv.pum(sv.Domain(["park", "cafe", "clinic"]), 2.0, tags=["home"], sensitive=["clinic"])
    for shares, expected in [
        ([0.3, 0.1, 0.2, 0.4], [0.3 + 0.3, 0.1 + 0.1, 0.2]),
        ([0.6, -0.1, 0.1, 0.4], [1.0, -0.1, 0.1]),
        ([-0.1, -0.1, 0.6, 0.6], [0.2, 0.2, 0.6]),
    ]:
        found = sv.resolve_tags(Estimate(mechanism.inputs, np.array(shares), 100, "inversion"), mechanism)
        assert found.p.tolist() == pytest.approx(expected)
