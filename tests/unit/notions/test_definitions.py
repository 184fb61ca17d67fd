"""Every channel is what its paper defines, entry by entry to 2^-60, for random domains, budgets, priors and sensitive sets.

The definitions are written out here a second time, literally and in 60-digit decimals, apart from the code under test.
"""

from __future__ import annotations

from decimal import Decimal, getcontext
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sottovoce as sv
from sottovoce.channels.hashed import bucket_table, public_seeds
from strategies import domains, epsilons, priors, sensitive_sets

getcontext().prec = 60
TOLERANCE = Fraction(1, 2**60)


def exp(value: float | Decimal) -> Decimal:
    return Decimal(value).exp()


def agrees(mechanism: sv.Mechanism, expected: Any) -> None:
    """`expected(x, y)` is Q(y|x) for report y as a plain value."""
    matrix = mechanism.channel.matrix(exact=True)
    for x, row in enumerate(matrix.tolist()):
        assert sum(row) == 1
        for entry, report in zip(row, mechanism.channel.outputs(), strict=True):
            assert abs(entry - Fraction(expected(x, report))) <= TOLERANCE


@given(domains, epsilons)
def test_krr(domain: sv.Domain, epsilon: float) -> None:
    total = len(domain) + exp(epsilon) - 1
    agrees(sv.krr(domain, epsilon), lambda x, y: exp(epsilon) / total if x == y else 1 / total)


@given(st.data(), domains, epsilons)
def test_urr_definition_3(data: st.DataObject, domain: sv.Domain, epsilon: float) -> None:
    sensitive = data.draw(sensitive_sets(domain))
    total = len(sensitive) + exp(epsilon) - 1
    c1, c2 = exp(epsilon) / total, 1 / total
    c3 = 1 - len(sensitive) * c2

    def q(x: int, y: int) -> Any:
        if y in sensitive:
            return c1 if x == y else c2
        return c3 if x == y else Decimal(0)

    agrees(sv.urr(domain, epsilon, sensitive), q)


@given(st.data(), domains)
def test_iprr_definition_5(data: st.DataObject, domain: sv.Domain) -> None:
    budgets = {item: data.draw(epsilons) for item in data.draw(sensitive_sets(domain))}
    whole = 1 + sum(1 / (exp(budget) - 1) for budget in budgets.values())
    noise = {item: 1 / ((exp(budget) - 1) * whole) for item, budget in budgets.items()}

    def q(x: int, y: int) -> Any:
        if y in noise:
            return exp(budgets[y]) * noise[y] if x == y else noise[y]
        return 1 - sum(noise.values()) if x == y else Decimal(0)

    agrees(sv.iprr(domain, budgets), q)


@given(epsilons)
def test_mangat(epsilon: float) -> None:
    p = exp(-Decimal(epsilon))
    table = [[1 - p, p], [Decimal(0), Decimal(1)]]
    agrees(sv.mangat(sv.Domain(["no", "yes"]), epsilon, "yes"), lambda x, y: table[x][y])


@given(st.data(), domains, epsilons)
def test_rr_lip_and_theorem_3(data: st.DataObject, domain: sv.Domain, epsilon: float) -> None:
    prior = data.draw(priors(domain))
    growth = exp(epsilon)
    p: list[Any] = [Decimal(w) / Decimal(prior.total) for w in prior.weights]
    r = [max(pk, 1 - growth * pk) / (growth - 1) for pk in p]
    s = 1 / (1 + sum(r))
    mechanism = sv.rr_lip(domain, epsilon, prior)
    agrees(mechanism, lambda x, y: s * r[y] + (s if x == y else 0))
    if min(p) >= 1 / (growth + 1):
        printed = sv.rr_lip_published(domain, epsilon, prior)
        agrees(printed, lambda x, y: 1 - (1 - p[x]) / growth if x == y else p[y] / growth)
        assert mechanism.channel.matrix(exact=True).tolist() == printed.channel.matrix(exact=True).tolist()
    else:
        with pytest.raises(sv.ClaimError) as caught:
            sv.rr_lip_published(domain, epsilon, prior)
        assert caught.value.level > epsilon


def _bits(a: list[Decimal], b: list[Decimal]) -> Any:
    def q(x: int, y: list[int]) -> Decimal:
        product = Decimal(1)
        for j in range(len(a)):
            chance = a[j] if j == x else b[j]
            product *= chance if j in y else 1 - chance
        return product

    return q


@given(domains, epsilons)
def test_rappor_and_oue(domain: sv.Domain, epsilon: float) -> None:
    k, half = len(domain), exp(Decimal(epsilon) / 2)
    agrees(sv.rappor(domain, epsilon), _bits([half / (half + 1)] * k, [1 / (half + 1)] * k))
    agrees(sv.oue(domain, epsilon), _bits([Decimal("0.5")] * k, [1 / (exp(epsilon) + 1)] * k))


@given(domains, epsilons, st.floats(0.05, 0.95))
def test_generalized_rappor(domain: sv.Domain, epsilon: float, theta: float) -> None:
    k, t = len(domain), Decimal(theta)
    agrees(sv.rappor(domain, epsilon, theta), _bits([t] * k, [t / ((1 - t) * exp(epsilon) + t)] * k))


@given(st.data(), domains, epsilons)
def test_urap_definition_4(data: st.DataObject, domain: sv.Domain, epsilon: float) -> None:
    sensitive = data.draw(sensitive_sets(domain))
    growth = exp(epsilon)
    theta = exp(Decimal(epsilon) / 2) / (exp(Decimal(epsilon) / 2) + 1)
    d1, d2 = theta / ((1 - theta) * growth + theta), ((1 - theta) * growth + theta) / growth
    a = [theta if j in sensitive else 1 - d2 for j in range(len(domain))]
    b = [d1 if j in sensitive else Decimal(0) for j in range(len(domain))]
    agrees(sv.urap(domain, epsilon, sensitive), _bits(a, b))


@given(st.data(), domains, epsilons)
def test_ue_lip_theorem_4_and_corollary_2(data: st.DataObject, domain: sv.Domain, epsilon: float) -> None:
    known = [data.draw(priors(domain)) for _ in range(2)]
    k = len(domain)
    for mechanism, corners in ((sv.ue_lip(domain, epsilon, known[0]), known[:1]), (sv.ue_lip(domain, epsilon, priors=known), known)):
        smallest = min(Decimal(min(p.weights)) / Decimal(p.total) for p in corners)
        agrees(mechanism, _bits([Decimal("0.5")] * k, [(1 - smallest) / (exp(epsilon) - 2 * smallest + 1)] * k))


@given(st.data(), domains, epsilons)
def test_subset_selection(data: st.DataObject, domain: sv.Domain, epsilon: float) -> None:
    k = len(domain)
    size = data.draw(st.integers(1, k - 1))
    inside = size * exp(epsilon) / (size * exp(epsilon) + k - size)
    with_x = len(list(combinations(range(k - 1), size - 1)))
    without_x = len(list(combinations(range(k - 1), size)))
    agrees(sv.subset_selection(domain, epsilon, size), lambda x, y: inside / with_x if x in y else (1 - inside) / without_x)


def _hadamard(order: int) -> list[list[int]]:
    """Sylvester's construction, doubled until it has the order."""
    table = [[1]]
    while len(table) < order:
        table = [row + row for row in table] + [row + [-entry for entry in row] for row in table]
    return table


@given(domains, epsilons, st.sampled_from([1, 2, 4]))
def test_hadamard(domain: sv.Domain, epsilon: float, blocks: int) -> None:
    mechanism = sv.hadamard(domain, epsilon, blocks)
    assert isinstance(mechanism.channel, sv.HadamardChannel)
    block = mechanism.channel.code.block
    signs = _hadamard(block)
    length, half = block * blocks, block // 2
    unit = 1 / (half * exp(epsilon) + length - half)

    def q(x: int, y: int) -> Any:
        home, row = divmod(x, block - 1)
        favoured = y // block == home and signs[row + 1][y % block] == 1
        return exp(epsilon) * unit if favoured else unit

    agrees(mechanism, q)


@given(domains, epsilons, st.integers(0, 2**62 - 1))
def test_olh_under_every_hash(domain: sv.Domain, epsilon: float, seed: int) -> None:
    mechanism = sv.olh(domain, epsilon)
    assert isinstance(mechanism.channel, sv.HashedChannel)
    g = mechanism.channel.buckets
    assert g == round(np.exp(epsilon)) + 1
    total = g + exp(epsilon) - 1
    tolerance = max(TOLERANCE, Fraction(g, 2**64))  # the noise of g equal buckets is rounded up g times
    a, b = seed >> 31, seed & (2**31 - 1)
    for x, row in enumerate(mechanism.channel.matrix_under(seed, exact=True).tolist()):
        home = (a * x + b) % (2**31 - 1) * g >> 31
        assert sum(row) == 1
        for y, entry in enumerate(row):
            assert abs(entry - Fraction((exp(epsilon) if y == home else Decimal(1)) / total)) <= tolerance


@settings(max_examples=25)
@given(st.data(), domains, epsilons, st.integers(2, 5))
def test_lh_lip_under_every_hash(data: st.DataObject, domain: sv.Domain, epsilon: float, g: int) -> None:
    """Proposition 3 with the corrected direct channel over the buckets that hold items."""
    prior = data.draw(priors(domain))
    channel = sv.lh_lip(domain, epsilon, prior, g=g, functions=4).channel
    assert isinstance(channel, sv.HashTableChannel)
    for seed, buckets in enumerate(bucket_table(len(domain), g, public_seeds(4)).tolist()):
        p: list[Any] = [
            sum(Decimal(prior.weights[x]) for x in range(len(domain)) if buckets[x] == b) / Decimal(prior.total) for b in range(g)
        ]
        r: list[Any] = [max(pb, 1 - exp(epsilon) * pb) / (exp(epsilon) - 1) if pb else Decimal(0) for pb in p]
        s: Any = 1 / (1 + sum(r))
        for x, row in enumerate(channel.matrix_under(seed, exact=True).tolist()):
            assert sum(row) == 1
            for b, entry in enumerate(row):
                assert abs(entry - Fraction(s * r[b] + (s if b == buckets[x] else 0))) <= TOLERANCE


@given(st.data(), domains, epsilons, st.sampled_from([sv.krr, sv.rappor, sv.oue, sv.subset_selection, sv.hadamard]))
def test_lift(data: st.DataObject, domain: sv.Domain, epsilon: float, base: Any) -> None:
    """Non-sensitive items report y with probability e^-ε·max M(y|x), and themselves otherwise (MATH 1.4b)."""
    sensitive = data.draw(sensitive_sets(domain))
    inner = base(domain.subset(sensitive), epsilon).channel
    lifted = sv.utility_optimized(base(domain.subset(sensitive), epsilon), domain).channel
    table, inner_table = lifted.matrix(exact=True), inner.matrix(exact=True)
    others = [x for x in range(len(domain)) if x not in sensitive]
    assert all(sum(row) == 1 for row in table.tolist())
    order = [lifted.outputs().index(y if not isinstance(y, list) else [sensitive[j] for j in y]) for y in inner.outputs()]
    if base is sv.krr:
        order = list(sensitive)
    for y, place in enumerate(order):
        largest = max(inner_table[:, y])
        for rank, x in enumerate(sensitive):
            assert table[x][place] == inner_table[rank][y]
        for x in others:
            assert abs(table[x][place] - largest * Fraction(exp(-Decimal(epsilon)))) <= TOLERANCE
    revealed = [y for y in range(table.shape[1]) if y not in order]
    for x in others:
        assert sum(1 for y in revealed if table[x][y] > 0) == 1
        assert all(table[z][y] == 0 for y in revealed if table[x][y] > 0 for z in range(len(domain)) if z != x)
