"""Predicted losses are what simulations give and what the papers proved; no mechanism beats the limits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sottovoce as sv
from messages import refused
from paths import ROOT
from zoo import DOMAIN, INVERTIBLE, built

PREDICTED = [name for name in INVERTIBLE if name != "identity"]


def draws(size: int, seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [*(rng.dirichlet(np.full(size, a)) for a in (0.05, 0.3, 1.0, 5.0) for _ in range(40)), *np.eye(size), np.full(size, 1 / size)]


@pytest.mark.parametrize("name", PREDICTED)
def test_predictions_equal_simulation(name: str) -> None:
    """With 700 studies; tests/long has more studies of larger ones."""
    mechanism, n, runs = built(name), 3000, 700
    p = np.random.default_rng(3).dirichlet(np.ones(mechanism.channel.size))
    stated = sv.losses(mechanism, p, n)
    errors = np.array([sv.estimate(sv.Tally.simulate(mechanism, p, n, sv.SeededSource(s)), "inversion").p - p for s in range(runs)])
    l1, l2 = np.abs(errors).sum(axis=1), (errors**2).sum(axis=1)
    assert l1.mean() == pytest.approx(stated.l1, abs=5 * l1.std() / math.sqrt(runs) + 0.005 * stated.l1)
    assert l2.mean() == pytest.approx(stated.l2, abs=5 * l2.std() / math.sqrt(runs))
    assert 5 * l2.std() / math.sqrt(runs) < 0.25 * stated.l2  # so that a variance wrong by a fourth would be seen
    assert stated.per_item.sum() == pytest.approx(stated.l2)
    deviations = np.abs(errors)
    doubt = 5 * deviations.std(axis=0) / math.sqrt(runs) + 0.01 * stated.absolute
    assert (np.abs(deviations.mean(axis=0) - stated.absolute) <= doubt).all()
    assert (stated.tv, stated.mse) == pytest.approx((stated.l1 / 2, stated.l2 / len(p)))


def test_rare_counts_deviate_as_they_do() -> None:
    """Without noise and with few people the l1 loss is that of binomial counts, not of normal ones."""
    p, n = np.array([0.9, 0.099, 0.001]), 20
    counts = np.random.default_rng(1).multinomial(n, p, size=400_000)
    assert sv.losses(sv.identity(sv.Domain("abc")), p, n).l1 == pytest.approx(np.abs(counts / n - p).sum(axis=1).mean(), rel=0.005)


@pytest.mark.parametrize("name", PREDICTED)
def test_no_population_is_worse_than_the_worst(name: str) -> None:
    mechanism = built(name)
    worst = sv.worst_case(mechanism, 1000)
    others = [sv.losses(mechanism, p, 1000).l2 for p in draws(mechanism.channel.size, 1)]
    assert max(others) <= worst.losses.l2 * (1 + 1e-9)
    assert max(others) >= worst.losses.l2 * 0.9


@pytest.mark.parametrize("name", PREDICTED)
def test_no_population_is_worse_in_l1(name: str) -> None:
    mechanism, n = built(name), 10**12
    inversion = mechanism.channel.inversion
    if inversion is None or inversion.chances is None:
        with refused(sv.UnsupportedError):
            sv.worst_case(mechanism, n, "l1")
        return
    worst = sv.worst_case(mechanism, n, "l1")
    others = [sv.losses(mechanism, p, n).l1 for p in draws(mechanism.channel.size, 2)]
    assert max(others) <= worst.losses.l1 * (1 + 1e-6)
    assert max(others) >= worst.losses.l1 * 0.9


def _groups(sensitive: int, free: int) -> tuple[sv.Domain, range]:
    return sv.Domain(sensitive + free), range(sensitive)


@settings(max_examples=60)
@given(st.integers(1, 12), st.integers(1, 40), st.floats(0.05, 6.0), st.integers(0, 2**32))
def test_losses_of_urr_and_urap_as_printed(sensitive: int, free: int, epsilon: float, seed: int) -> None:
    """ULDP paper, Propositions 4, 7, 15 and 18, at any p."""
    domain, items = _groups(sensitive, free)
    p, n = np.random.default_rng(seed).dirichlet(np.full(len(domain), 0.5)), 10**14
    inside, outside, grow = p[:sensitive], p[sensitive:], math.expm1(epsilon)
    v = (sensitive + grow) / grow
    urr = sv.losses(sv.urr(domain, epsilon, items), p, n)
    root = math.sqrt(2 / (n * math.pi))
    printed = np.sqrt((inside + 1 / grow) * (v - inside - 1 / grow)).sum() + np.sqrt(outside * (v - outside)).sum()
    assert urr.l1 == pytest.approx(root * printed, rel=1e-4)  # (11)
    mass = 2 * grow * (sensitive - inside.sum()) + sensitive * (sensitive - 1)
    assert urr.l2 == pytest.approx((mass / grow**2 + 1 - (p**2).sum()) / n, rel=1e-6)  # (25)
    half = math.expm1(epsilon / 2)
    urap = sv.losses(sv.urap(domain, epsilon, items), p, n)
    v = (half + 1) / half
    printed = np.sqrt((inside + 1 / half) * (v - inside)).sum() + np.sqrt(outside * (v - outside)).sum()
    assert urap.l1 == pytest.approx(root * printed, rel=1e-4)  # (16)
    printed = 1 + ((sensitive + 1) * (half + 1) - 1) / half**2 - inside.sum() / half - (p**2).sum()
    assert urap.l2 == pytest.approx(printed / n, rel=1e-6)  # (27)


@settings(max_examples=60)
@given(st.integers(1, 12), st.integers(1, 40), st.floats(0.02, 0.98))
def test_worst_cases_of_urr_and_urap_as_printed(sensitive: int, free: int, part: float) -> None:
    """ULDP paper, Propositions 5, 6, 8, 16, 17 and 19, each in its regime."""
    domain, items = _groups(sensitive, free)
    n, size, root = 10**14, sensitive + free, math.sqrt(2 / (10**14 * math.pi))
    only_free = np.concatenate([np.zeros(sensitive), np.full(free, 1 / free)])
    epsilon = part * math.log(free + 1)  # below the bound of Propositions 5 and 16
    grow = math.expm1(epsilon)
    worst = sv.worst_case(sv.urr(domain, epsilon, items), n)
    assert worst.p == pytest.approx(only_free, abs=1e-9)
    assert worst.losses.l2 == pytest.approx((sensitive * (sensitive + 2 * grow - 1) / grow**2 + 1 - 1 / free) / n, rel=1e-6)  # (26)
    if sensitive <= free:
        printed = sensitive * math.sqrt(sensitive + grow - 1) / grow + math.sqrt(sensitive * free / grow + free - 1)
        assert sv.worst_case(sv.urr(domain, epsilon, items), n, "l1").losses.l1 == pytest.approx(root * printed, rel=1e-3)  # (12)
    epsilon = math.log(free + 1) + 3 * part  # above it: Propositions 6 and 17
    grow = math.expm1(epsilon)
    mixed = np.where(np.arange(size) < sensitive, (1 - free / grow) / size, (1 + sensitive / grow) / size)
    worst = sv.worst_case(sv.urr(domain, epsilon, items), n)
    assert worst.p == pytest.approx(mixed, abs=1e-8)
    assert worst.losses.l2 == pytest.approx(((sensitive + grow) / grow) ** 2 * (1 - 1 / size) / n, rel=1e-6)
    assert worst.losses.l1 == pytest.approx(root * math.sqrt(size - 1) * (sensitive + grow) / grow, rel=1e-4)  # (14)
    epsilon = part * 2 * math.log(free / 2 + 1)  # Propositions 8 and 19
    half = math.expm1(epsilon / 2)
    worst = sv.worst_case(sv.urap(domain, epsilon, items), n)
    assert worst.p == pytest.approx(only_free, abs=1e-9)
    assert worst.losses.l2 == pytest.approx((1 + ((sensitive + 1) * (half + 1) - 1) / half**2 - 1 / free) / n, rel=1e-6)  # (28)
    if sensitive <= free:
        printed = math.sqrt(half + 1) * sensitive / half + math.sqrt((half + 1) * free / half - 1)
        assert worst.losses.l1 == pytest.approx(root * printed, rel=1e-4)  # (17)


@settings(max_examples=60)
@given(st.lists(st.floats(0.05, 5.0), min_size=1, max_size=8), st.integers(0, 12), st.integers(0, 2**32))
def test_losses_of_iprr_as_printed(budgets: list[float], free: int, seed: int) -> None:
    """IPLDP paper, Theorem 3 at any p, Theorem 4 with its set D* found by filling, and Lemma 1 the right way round."""
    size = len(budgets) + free
    if size < 2:
        return
    domain, n = sv.Domain(size), 10**13
    mechanism = sv.iprr(domain, dict(enumerate(budgets)))
    r = np.concatenate([1 / np.expm1(budgets), np.zeros(free)])
    inverse = 1 + r.sum()
    p = np.random.default_rng(seed).dirichlet(np.full(size, 0.5))
    found = sv.losses(mechanism, p, n)
    assert found.l2 == pytest.approx(((p + r) * (inverse - p - r)).sum() / n, rel=1e-6)  # (13)
    assert found.l1 == pytest.approx(math.sqrt(2 / (n * math.pi)) * np.sqrt((p + r) * (inverse - p - r)).sum(), rel=1e-3)  # (14)
    order = np.sort(r)
    count = max(k for k in range(1, size + 1) if order[k - 1] < (1 + order[:k].sum()) / k)
    chosen = 1 + order[:count].sum()
    worst = sv.worst_case(mechanism, n)
    assert worst.losses.l2 == pytest.approx((inverse**2 - chosen**2 / count - (order[count:] ** 2).sum()) / n, rel=1e-6)  # (19)
    larger = sv.iprr(domain, {item: budget + 0.3 for item, budget in enumerate(budgets)})
    assert sv.losses(larger, p, n).l2 < found.l2  # Lemma 1 is printed with the opposite order


def test_errata_of_iprr() -> None:
    """Theorem 6 lacks 1/n, and its condition does not suffice for unequal budgets: what it gives is an upper bound then."""
    domain, budgets = sv.Domain(5), {0: 0.75, 1: 10.0, 2: 10.0, 3: 10.0}
    assert min(budgets.values()) > math.log(1 + 1)
    worst = sv.worst_case(sv.iprr(domain, budgets), 1000).losses.l2 * 1000
    printed = sum((4 + math.expm1(e)) / (4 * math.expm1(e)) for e in budgets.values()) ** 2 * (1 - 1 / 5)
    assert worst < 0.95 * printed
    equal = sv.worst_case(sv.iprr(domain, dict.fromkeys(range(4), 1.8)), 1000).losses.l2 * 1000
    assert equal == pytest.approx(((4 + math.expm1(1.8)) / math.expm1(1.8)) ** 2 * (1 - 1 / 5))


def test_high_privacy_of_iprr() -> None:
    """IPLDP paper, Theorem 5. (22) is printed without the root over the double sum; with it, it is an upper bound (Cauchy and Schwarz)."""
    budgets, n = np.array([1e-3, 2e-3, 5e-3, 1e-2]), 10**9
    worst = sv.worst_case(sv.iprr(sv.Domain(10), dict(enumerate(budgets.tolist()))), n).losses
    pairs = (1 / budgets).sum() ** 2 - (1 / budgets**2).sum()
    assert worst.l2 == pytest.approx(pairs / n, rel=0.01)  # (21)
    bound = math.sqrt(2 * 4 / (n * math.pi)) * math.sqrt(pairs)
    assert 0.8 * bound < worst.l1 <= bound * 1.01
    assert worst.l1 < 0.01 * math.sqrt(2 * 4 / (n * math.pi)) * pairs  # (22) as printed


@settings(max_examples=30)
@given(st.integers(2, 6), st.floats(0.1, 4.0), st.integers(0, 2**32))
def test_losses_under_a_prior_as_printed(size: int, epsilon: float, seed: int) -> None:
    """LIP paper: (14) without a report, (24) for a sum, (39) for the histogram; the bitwise estimate of (30) never beats the posterior."""
    rng = np.random.default_rng(seed)
    prior, a = rng.dirichlet(np.ones(size)) * 0.9 + 0.1 / size, rng.normal(size=size)
    mechanism = sv.rr_lip(sv.Domain(size), epsilon, prior)
    q = mechanism.channel.matrix()
    chances = prior @ q
    without = float(prior @ a**2 - (prior @ a) ** 2)
    told = sum(a[m] * a[k] * prior[m] * prior[k] * (float((q[m] * q[k] / chances).sum()) - 1) for m in range(size) for k in range(size))
    assert sv.mmse_loss(mechanism, values=a) == pytest.approx(without - told, rel=1e-6, abs=1e-9)
    assert sv.mmse_loss(mechanism, values=a) <= without + 1e-12
    posterior = prior[:, None] * q / chances
    spread = (posterior**2 @ chances) - prior**2
    assert sv.mmse_loss(mechanism) == pytest.approx(float((prior * (1 - prior) - spread).sum()), rel=1e-6)
    unary = sv.ue_lip(sv.Domain(size), epsilon, prior)
    assert isinstance(unary.channel, sv.UnaryChannel)
    own, other = unary.channel.a, unary.channel.b
    ones = prior * own + (1 - prior) * other
    bitwise = prior * (1 - prior) - ((prior * own) ** 2 / ones + (prior * (1 - own)) ** 2 / (1 - ones) - prior**2)
    assert sv.mmse_loss(unary) <= bitwise.sum() + 1e-9


VALUES = {
    (625, 15): (5223.78, 48.1222, 1.04696),
    (400, 76): (29580.8, 272.628, 1.41354),
    (100, 50): (19193.9, 176.936, 2.24215),
    (20, 3): (597.139, 6.27317, 1.27202),
}


@pytest.mark.parametrize(("size", "sensitive"), VALUES)
def test_the_limit_has_its_known_values(size: int, sensitive: int) -> None:
    for epsilon, value in zip((0.1, 1.0, math.log(size)), VALUES[size, sensitive], strict=True):
        found = sv.uldp_limit(size, sensitive, epsilon)
        assert found.value == pytest.approx(value, rel=5e-6)
        assert len(found.sizes) <= 2
        assert sum(found.sizes.values()) == pytest.approx(1)


@settings(max_examples=80)
@given(st.integers(2, 1000), st.data(), st.floats(0.01, 20.0))
def test_the_limit_is_a_saddle_point(size: int, data: st.DataObject, epsilon: float) -> None:
    """No other α is better for the limit, no other size lowers it; it grows with what is sensitive and falls with ε."""
    sensitive = data.draw(st.integers(1, size))
    found = sv.uldp_limit(size, sensitive, epsilon)
    assert math.isfinite(found.value)
    assert found.value >= (1 - 1 / size) * (1 - 1e-6)
    assert sv.uldp_limit(size, sensitive, epsilon + 0.5).value <= found.value * (1 + 1e-7)
    if sensitive < size:
        assert sv.uldp_limit(size, sensitive + 1, epsilon).value >= found.value * (1 - 1e-7)


def test_ratios_to_the_limit_are_the_known_ones() -> None:
    """For 76 sensitive items out of 400: uRR 17.5, 7.4 and 1.00 times the limit, uRAP 1.03, 1.10 and 3.7 times."""
    domain, items = _groups(76, 324)
    for epsilon, urr, urap in ((0.1, 17.5, 1.03), (1.0, 7.4, 1.10), (math.log(400), 1.00, 3.7)):
        limit = sv.uldp_limit(400, 76, epsilon).value
        assert sv.worst_case(sv.urr(domain, epsilon, items), 1).losses.l2 / limit == pytest.approx(urr, rel=0.01)
        assert sv.worst_case(sv.urap(domain, epsilon, items), 1).losses.l2 / limit == pytest.approx(urap, rel=0.01)


@settings(max_examples=40)
@given(st.integers(2, 40), st.data(), st.floats(0.05, 6.0))
def test_nothing_is_below_the_limit(size: int, data: st.DataObject, epsilon: float) -> None:
    sensitive = data.draw(st.integers(1, size - 1))
    domain, items = _groups(sensitive, size - sensitive)
    limit = sv.uldp_limit(size, sensitive, epsilon).value
    part = domain.subset(items)
    for mechanism in (
        sv.urr(domain, epsilon, items),
        sv.urap(domain, epsilon, items),
        sv.urap(domain, epsilon, items, theta="optimal"),
        sv.utility_optimized(sv.oue(part, epsilon), domain),
        sv.utility_optimized(sv.subset_selection(part, epsilon), domain),
        sv.krr(domain, epsilon),
        sv.oue(domain, epsilon),
    ):
        assert sv.worst_case(mechanism, 1).losses.l2 >= limit * (1 - 1e-6), mechanism.name


@pytest.mark.parametrize("name", [name for name in PREDICTED if name != "olh"])
def test_inversion_is_never_below_the_cramer_rao_bound(name: str) -> None:
    mechanism = built(name)
    for p in draws(mechanism.channel.size, 5)[80:90]:
        bound, stated = sv.cramer_rao(mechanism, p, 100), sv.losses(mechanism, p, 100).per_item
        assert (bound <= stated * (1 + 1e-6) + 1e-10).all()
        if isinstance(mechanism.channel, sv.DirectChannel) and (mechanism.channel.t > 0).all():
            listed = sv.from_matrix(mechanism.inputs, mechanism.channel.matrix(exact=True), sv.LDP(39.0))
            assert sv.cramer_rao(listed, p, 100) == pytest.approx(bound, rel=1e-6)


def test_the_bound_is_met_by_maximum_likelihood_and_simulated_where_it_must_be() -> None:
    mechanism, p = sv.oue(DOMAIN, 3.0), np.array([0.1, 0.15, 0.2, 0.25, 0.3])
    bound = sv.cramer_rao(mechanism, p, 2000).sum()
    errors = [sv.estimate(sv.Tally.simulate(mechanism, p, 2000, sv.SeededSource(s), keep_reports=True)).p - p for s in range(600)]
    assert (np.array(errors) ** 2).sum(axis=1).mean() == pytest.approx(bound, rel=0.12)
    wide = sv.oue(sv.Domain(40), 2.0)
    q = np.full(40, 1 / 40)
    simulated = sv.cramer_rao(wide, q, 1000)
    assert simulated.std() / simulated.mean() < 0.05
    assert 0.9 < simulated.sum() / sv.losses(wide, q, 1000).l2 < 1.0
    with refused(sv.UnsupportedError):
        sv.cramer_rao(sv.from_matrix(sv.Domain("abc"), [[0.5, 0.5], [0.4, 0.6], [0.6, 0.4]]), [0.2, 0.3, 0.5], 10)


def test_wrong_questions() -> None:
    krr = sv.krr(DOMAIN, 1.0)
    uniform = np.full(5, 0.2)
    for p in ([0.5, 0.5], [0.2] * 4 + [0.3], [np.nan] * 5, "abcde"):
        with pytest.raises(sv.ParameterError):
            sv.losses(krr, p, 10)
    for n in (0, -1, 1.5, True):
        with pytest.raises(sv.ParameterError):
            sv.losses(krr, uniform, n)  # type: ignore[arg-type]  # wrong on purpose
    with refused(sv.ParameterError, "l3", "l2", "l1"):
        sv.worst_case(krr, 10, "l3")
    with refused(sv.UnsupportedError, "l1", "l2"):
        sv.worst_case(sv.hadamard(DOMAIN, 1.0), 10, "l1")
    for call in (sv.losses, sv.cramer_rao):
        with refused(sv.ParameterError, 3):
            call(3, uniform, 10)  # type: ignore[arg-type]  # wrong on purpose
    for size, sensitive in ((5, 6), (1, 1), (5, 0), (5.0, 2)):
        with pytest.raises(sv.ParameterError):
            sv.uldp_limit(size, sensitive, 1.0)  # type: ignore[arg-type]  # wrong on purpose
    assert sv.uldp_limit(np.int64(20), 3, 1.0).value == sv.uldp_limit(20, 3, 1.0).value  # type: ignore[arg-type]  # numbers too
    with pytest.raises(sv.BudgetError):
        sv.uldp_limit(5, 2, -1.0)


def test_bounds_at_shares_of_zero_and_large_domains() -> None:
    """A share of 0 is the limit of small ones; rare reports that reveal their item are seen; nothing is listed that cannot be."""
    lifted = sv.utility_optimized(sv.oue(sv.Domain(4).subset([0, 1]), 1.0), sv.Domain(4))
    for mechanism in (sv.urap(sv.Domain(4), 1.0, [0]), lifted):
        for small in (0.0, 1e-15, 1e-9, 1e-4):
            p = np.array([(1 - small) / 3] * 3 + [small])
            bound, stated = sv.cramer_rao(mechanism, p, 1), sv.losses(mechanism, p, 1).per_item
            assert (bound <= stated + 1e-6).all()
    wide = sv.urap(sv.Domain(40), 1.0, range(3))
    for small in (0.0, 1e-7, 1e-5, 1e-3):
        p = np.array([(1 - small) / 39] * 39 + [small])
        assert sv.cramer_rao(wide, p, 1)[-1] <= 1.05 * sv.losses(wide, p, 1).per_item[-1] + 1e-8
    assert sv.cramer_rao(sv.oue(sv.Domain(200), 0.5), np.full(200, 1 / 200), 10).min() > 0
    with refused(sv.ParameterError, "n", 0):
        sv.cramer_rao(sv.oue(DOMAIN, 1.0), np.full(5, 0.2), 0)
    with refused(sv.UnsupportedError, 2000, "likelihood"):
        sv.oue(sv.Domain(2000), 1.0).channel.matrix()


def test_rare_items_among_very_many_people() -> None:
    """Counts with a small mean are Poisson, however many people there are."""
    open_channel = sv.identity(sv.Domain(2))
    for n in (10**6, 10**9, 10**12, 10**15):
        p = np.array([1 - 100 / n, 100 / n])
        assert sv.losses(open_channel, p, n).l1 * n / 2 == pytest.approx(7.972, rel=2e-3)


def test_half_the_sum_of_errors_is_called_total_variation_everywhere() -> None:
    """It isn't the total of the errors, which is twice as large."""
    truth, found = np.array([0.5, 0.3, 0.2]), np.array([0.4, 0.3, 0.3])
    assert sv.distance(found, truth).tv == pytest.approx(0.1)
    assert sv.distance(found, truth).l1 == pytest.approx(0.2)
    expected = sv.losses(sv.krr(sv.Domain(3), 1.0), truth, 1000)
    assert expected.tv == expected.l1 / 2 == pytest.approx(expected.absolute.sum() / 2)
    texts = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "clients/js/pages").rglob("*.ts"), ROOT / "README.md"]
    assert [path for path in texts if "total error" in path.read_text(encoding="utf-8").lower()] == []
