"""Mechanisms that are the same must be the same, to the last integer; and the implications between notions."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sottovoce as sv
from messages import refused
from sottovoce.channels.matrix import MatrixColumns
from strategies import domains, epsilons, mechanisms, priors, sensitive_sets


def same(a: sv.Mechanism, b: sv.Mechanism) -> bool:
    return bool(a.channel.matrix(exact=True).tolist() == b.channel.matrix(exact=True).tolist())


@given(st.data(), domains, epsilons)
def test_direct_family(data: st.DataObject, domain: sv.Domain, epsilon: float) -> None:
    sensitive = data.draw(sensitive_sets(domain))
    everything = list(domain)
    assert same(sv.iprr(domain, dict.fromkeys(sensitive, epsilon)), sv.urr(domain, epsilon, sensitive))
    assert same(sv.urr(domain, epsilon, everything), sv.krr(domain, epsilon))
    assert same(sv.utility_optimized(sv.krr(domain.subset(sensitive), epsilon), domain), sv.urr(domain, epsilon, sensitive))
    pair = sv.Domain(["no", "yes"])
    assert same(sv.mangat(pair, epsilon, "yes"), sv.urr(pair, epsilon, ["yes"]))


@given(st.data(), domains, epsilons)
def test_unary_family(data: st.DataObject, domain: sv.Domain, epsilon: float) -> None:
    assert same(sv.oue(domain, epsilon), sv.rappor(domain, epsilon, theta=0.5))
    assert same(sv.urap(domain, epsilon, list(domain)), sv.rappor(domain, epsilon))


@given(st.data(), domains, epsilons)
def test_urap_and_the_lift_of_rappor_differ_at_the_empty_report_only(data: st.DataObject, domain: sv.Domain, epsilon: float) -> None:
    """Where they differ is the whole empty report's mass: it goes to the item's own, revealing report (MATH 1.4b)."""
    sensitive = data.draw(sensitive_sets(domain))
    urap = sv.urap(domain, epsilon, sensitive)
    lifted = sv.utility_optimized(sv.rappor(domain.subset(sensitive), epsilon), domain)
    a = {tuple(y): column for y, column in zip(urap.channel.outputs(), urap.channel.matrix(exact=True).T.tolist(), strict=True)}
    b = {tuple(y): column for y, column in zip(lifted.channel.outputs(), lifted.channel.matrix(exact=True).T.tolist(), strict=True)}
    for y in (y for y in b if all(item in sensitive for item in y)):
        for x in range(len(domain)):
            if y == () and x not in sensitive:
                assert abs(float(b[y][x] / a[y][x]) - math.exp(-epsilon)) < 1e-12
            else:
                assert abs(float(b[y][x] - a[y][x])) < 2**-60


@settings(max_examples=150)
@given(st.data(), mechanisms())
def test_implications(data: st.DataObject, mechanism: sv.Mechanism) -> None:
    inputs = mechanism.inputs
    items = data.draw(st.lists(st.sampled_from(list(inputs)), min_size=1, unique=True))
    prior, other = data.draw(priors(inputs)), data.draw(priors(inputs))
    slack = 1e-9
    ldp = sv.LDP(math.inf).check(mechanism).level
    lip = sv.LIP(math.inf, prior).check(mechanism).level
    spread = math.log(max(prior.weights) / min(prior.weights))
    identifiability = sv.DifferentialIdentifiability(math.inf, prior).check(mechanism).level
    assert lip <= ldp + slack
    assert ldp <= 2 * lip + slack
    assert sv.BoundedPriorLIP(math.inf, [prior, other]).check(mechanism).level <= ldp + slack
    assert lip <= sv.BoundedPriorLIP(math.inf, [prior, other]).check(mechanism).level + slack
    assert sv.MutualInformation(math.inf, prior).check(mechanism).level <= lip + slack
    assert sv.MaximalLeakage(math.inf).check(mechanism).level <= lip + slack
    assert identifiability <= 2 * lip + spread + slack
    assert lip <= identifiability + spread + slack
    uldp = sv.ULDP(math.inf, items).check(mechanism).level
    assert sv.OSLDP(math.inf, items).check(mechanism).level <= uldp
    assert uldp <= ldp
    budgets = {item: data.draw(st.sampled_from([0.3, 1.0, 3.0])) for item in inputs}
    if sv.IDLDP(budgets).check(mechanism).holds:
        assert ldp <= min(max(budgets.values()), 2 * min(budgets.values()))
        assert sv.ItemULDP(budgets).check(mechanism).holds
    some = {item: budgets[item] for item in items}
    if sv.ItemULDP(some).check(mechanism).holds:
        assert sv.OSLDP(max(some.values()), items).check(mechanism).holds
    assert sv.ItemULDP(dict.fromkeys(items, 1.0)).check(mechanism).level <= uldp


@given(st.data(), domains)
def test_ipldp_without_free_items_is_ldp_at_the_largest_budget(data: st.DataObject, domain: sv.Domain) -> None:
    budgets = {item: data.draw(epsilons) for item in domain}
    mechanism = sv.iprr(domain, budgets)
    assert sv.LDP(max(budgets.values())).check(mechanism).holds
    if len(budgets) > 2:
        free = dict(list(budgets.items())[1:])
        assert sv.LDP(math.inf).check(sv.iprr(domain, free)).level == math.inf


@given(st.data(), domains)
def test_iprr_keeps_its_budgets_for_reports_of_any_kind(data: st.DataObject, domain: sv.Domain) -> None:
    items = data.draw(st.lists(st.sampled_from(list(domain)), min_size=1, unique=True))
    budgets = {item: data.draw(epsilons) for item in items}
    assert sv.ItemULDP(budgets).check(sv.iprr(domain, budgets)).holds


@given(st.data(), domains, epsilons)
def test_latent_secrets_that_are_the_items_change_nothing(data: st.DataObject, domain: sv.Domain, epsilon: float) -> None:
    prior = data.draw(priors(domain))
    unit = np.eye(len(domain)).tolist()
    for mechanism in (sv.krr(domain, epsilon), sv.oue(domain, epsilon)):
        assert sv.LIP(1.0, prior, unit).check(mechanism).level == sv.LIP(1.0, prior).check(mechanism).level
        assert sv.Pufferfish(1.0, unit).check(mechanism).level == sv.LDP(1.0).check(mechanism).level


@given(domains, epsilons, epsilons)
def test_two_reports_compose_as_stated(domain: sv.Domain, first: float, second: float) -> None:
    """The joint channel of two independent reports has at most the composed level (ULDP paper, Propositions 1 and 12)."""
    a, b = sv.urr(domain, first, [0]), sv.krr(domain, second)
    for left, right in ((a, a), (a, b), (b, b)):
        q, r = left.channel.matrix(exact=True), right.channel.matrix(exact=True)
        joint = sv.from_matrix(domain, [[u * v for u in q[x] for v in r[x]] for x in range(len(domain))])
        claim = sv.compose(left.claim, right.claim)
        # the product of two tables is rounded to one table out of 2^64, hence the last digits
        assert claim.epsilon * (1 + 1e-12) >= type(claim).check(claim, _protected_pairs(joint, q, r)).level  # type: ignore[attr-defined]  # all have ε
    assert sv.repeated(sv.LDP(0.5), 3) == sv.LDP(1.5)
    assert sv.repeated(a.claim, 2) == sv.ULDP(2 * first, [0])


def _protected_pairs(joint: sv.Mechanism, q: Any, r: Any) -> Any:
    """The joint channel on pairs of protected reports: (Y_0 × Y_1)_P of Proposition 1, renormalised by nothing."""
    keep = [i * r.shape[1] + j for i in range(q.shape[1]) for j in range(r.shape[1]) if (q[:, i] > 0).sum() > 1 and (r[:, j] > 0).sum() > 1]

    assert isinstance(joint.channel, sv.MatrixChannel)
    columns = MatrixColumns(joint.channel.rows[:, keep])
    return SimpleNamespace(inputs=joint.inputs, channel=SimpleNamespace(size=len(joint.inputs), columns=columns))


@pytest.mark.parametrize("kind", ["idue", "ipue"])
def test_budgets_of_items_compose_item_by_item(kind: str) -> None:
    domain = sv.Domain("abc")
    budgets = [{"a": 0.5, "b": 1.0, "c": 2.0}, {"a": 1.0, "b": 0.3, "c": 0.7}]
    if kind == "ipue":
        budgets = [{item: budget for item, budget in each.items() if item != "c"} for each in budgets]
    left, right = (sv.idue(domain, each) if kind == "idue" else sv.ipue(domain, each) for each in budgets)
    q, r = left.channel.matrix(exact=True), right.channel.matrix(exact=True)
    joint = sv.from_matrix(domain, [[u * v for u in q[x] for v in r[x]] for x in range(3)])
    claim = sv.compose(left.claim, right.claim)
    assert isinstance(claim, (sv.IDLDP, sv.ItemULDP))
    assert claim.budgets["a"] == pytest.approx(1.5)
    levels = claim.check(joint).levels
    assert all(levels[item] <= budget * (1 + 1e-12) for item, budget in claim.budgets.items())
    twice = sv.repeated(left.claim, 2)
    again = sv.from_matrix(domain, [[u * v for u in q[x] for v in q[x]] for x in range(3)])
    assert twice.check(again).levels["a"] == pytest.approx(1.0, rel=1e-9)
    with refused(sv.UnsupportedError):
        sv.compose(left.claim, type(left.claim)({"a": 1.0}))  # type: ignore[call-arg]  # both take budgets


def test_composition_refuses_what_has_no_rule() -> None:
    with refused(sv.UnsupportedError, "IPLDP"):
        sv.compose(sv.IPLDP({"a": 1.0}), sv.IPLDP({"a": 1.0}))
    with refused(sv.UnsupportedError):
        sv.compose(sv.IDLDP({"a": 1.0}), sv.LDP(1.0))
    with refused(sv.UnsupportedError, "LIP"):
        sv.compose(sv.LIP(1.0, [0.5, 0.5]), sv.LDP(1.0))
    with refused(sv.UnsupportedError):
        sv.compose(sv.ULDP(1.0, "a"), sv.ULDP(1.0, "b"))
    with pytest.raises(sv.ParameterError):
        sv.repeated(sv.LDP(1.0), 0)


def test_post_processing_keeps_or_weakens_the_claim() -> None:
    """Proposition 11: a map that preserves data types keeps ULDP; one that mixes them leaves OSLDP."""
    mechanism = sv.urr(sv.Domain("abcd"), 1.0, "ab")
    merged = sv.post_process(mechanism, [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert merged.claim == sv.ULDP(1.0, "ab")
    mixed = sv.post_process(mechanism, [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]])
    assert mixed.claim == sv.OSLDP(1.0, "ab")
    assert not sv.ULDP(1.0, "ab").check(mixed).holds
