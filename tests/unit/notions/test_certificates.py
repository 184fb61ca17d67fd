"""Closed-form certificates equal the definitions taken literally over every report."""

from __future__ import annotations

import copy
import math
import pickle
from dataclasses import FrozenInstanceError
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sottovoce as sv
from messages import refused
from sottovoce.arithmetic import log_above
from sottovoce.checks import enumeration
from sottovoce.checks.conformance import enumerated_level
from strategies import domains, epsilons, mechanisms, priors, sensitive_sets
from zoo import NAMES, PRIOR, ZOO, built


@settings(max_examples=250)
@given(st.data(), mechanisms())
def test_every_notion_equals_enumeration(data: st.DataObject, mechanism: sv.Mechanism) -> None:
    matrix = mechanism.channel.matrix(exact=True)
    inputs = mechanism.inputs
    items = data.draw(st.lists(st.sampled_from(list(inputs)), min_size=1, unique=True))
    budgets = {item: data.draw(st.sampled_from([0.5, 1.0, 2.0])) for item in items}
    prior, second = data.draw(priors(inputs)), data.draw(priors(inputs))
    notions: list[sv.Notion] = [
        sv.LDP(1.0),
        sv.ULDP(1.0, items),
        sv.OSLDP(1.0, items),
        sv.LIP(1.0, prior),
        sv.BoundedPriorLIP(1.0, [prior, second]),
        sv.IDLDP(budgets),
        sv.ItemULDP(budgets),
    ]
    for notion in notions:
        certificate = notion.check(mechanism)
        expected = enumerated_level(mechanism, notion, matrix)
        assert certificate.level == expected, notion
        if isinstance(notion, sv.IDLDP):
            codes = {inputs.code(item): budget for item, budget in budgets.items()}
            pairs = [(x, z) for x in range(len(inputs)) for z in range(len(inputs)) if x != z]
            allowed = {(x, z): min(codes.get(x, math.inf), codes.get(z, math.inf)) for x, z in pairs}
            assert certificate.holds == all(log_above(enumeration.pair(matrix, x, z)) <= allowed[x, z] for x, z in pairs)
            worst = enumeration.idldp(matrix, codes)
            for item, budget in budgets.items():
                peers = [x for x, other in codes.items() if other == budget]
                assert certificate.levels[item] == max(0.0, *(log_above(worst[x]) for x in peers))
        elif isinstance(notion, sv.ItemULDP):
            worst = enumeration.item_uldp(matrix, [inputs.code(item) for item in items])
            assert certificate.holds == all(log_above(worst[inputs.code(item)]) <= budgets[item] for item in items)
        else:
            assert certificate.holds == (expected is not None and expected <= 1.0)


@settings(max_examples=150)
@given(st.data(), mechanisms())
def test_identifiability_latent_secrets_and_pufferfish(data: st.DataObject, mechanism: sv.Mechanism) -> None:
    matrix, inputs = mechanism.channel.matrix(exact=True), mechanism.inputs
    prior = data.draw(priors(inputs))
    weights = [prior.fraction(x) for x in range(len(prior))]
    secrets = sv.Secrets.of([_row(data, len(inputs)) for _ in range(data.draw(st.integers(2, 3)))])
    value = enumeration.identifiability(matrix, weights)
    assert sv.DifferentialIdentifiability(1.0, prior).check(mechanism).level == max(0.0, log_above(value))
    assert sv.LIP(1.0, prior, secrets).check(mechanism).level == max(0.0, log_above(enumeration.lip(matrix, weights, secrets.rows)))
    rows = secrets.rows
    expected = max(enumeration.pufferfish(matrix, [g], [h]) for g in rows for h in rows if g is not h)
    assert sv.Pufferfish(1.0, rows).check(mechanism).level == max(0.0, log_above(expected))


def _row(data: st.DataObject, count: int) -> list[Fraction]:
    weights = data.draw(st.lists(st.integers(0, 20), min_size=count, max_size=count).filter(any))
    return [Fraction(weight, sum(weights)) for weight in weights]


@settings(max_examples=150)
@given(st.data(), mechanisms())
def test_averages_bracket_enumeration(data: st.DataObject, mechanism: sv.Mechanism) -> None:
    matrix = mechanism.channel.matrix(exact=True)
    prior = data.draw(priors(mechanism.inputs))
    information = enumeration.information(matrix, [prior.fraction(x) for x in range(len(prior))])
    bounds = mechanism.channel.information(prior)
    assert bounds.low <= information + 1e-13
    assert information <= bounds.high + 1e-13
    assert bounds.high - bounds.low < 1e-10
    leakage = sv.MaximalLeakage(1.0).check(mechanism)
    assert leakage.level == pytest.approx(math.log(enumeration.leakage(matrix)), abs=1e-11)
    assert leakage.level >= math.log(enumeration.leakage(matrix)) - 1e-15
    assert leakage.attained


@given(st.data(), domains, epsilons)
def test_ipldp_per_item(data: st.DataObject, domain: sv.Domain, epsilon: float) -> None:
    budgets = {item: data.draw(epsilons) for item in data.draw(sensitive_sets(domain))}
    for mechanism in (sv.iprr(domain, budgets), sv.krr(domain, epsilon), sv.from_matrix(domain, sv.krr(domain, epsilon).channel.matrix())):
        certificate = sv.IPLDP(budgets).check(mechanism)
        expected = enumeration.ipldp(mechanism.channel.matrix(exact=True), sorted(budgets))
        if math.inf in expected.values():
            assert not certificate.holds
            assert certificate.level == math.inf
        else:
            assert certificate.levels == {item: log_above(value) for item, value in expected.items()}
            assert certificate.holds == all(certificate.levels[item] <= budget for item, budget in budgets.items())


@pytest.mark.parametrize("build", [lambda d, e: sv.olh(d, e), lambda d, e: sv.utility_optimized(sv.olh(d.subset([0, 1, 3]), e), d)])
def test_hashed_levels_are_reached_by_a_hash_and_passed_by_none(build: Any) -> None:
    """For hashed reports the level is the worst over the functions of the family: enumerate many of them."""
    domain, epsilon = sv.Domain(4), 1.1
    mechanism = build(domain, epsilon)
    prior = sv.Prior.of([0.1, 0.2, 0.3, 0.4])
    fractions = [prior.fraction(x) for x in range(4)]
    tables = [mechanism.channel.matrix_under(seed, exact=True) for seed in sv.SeededSource(1).take(400) >> np.uint64(2)]
    if isinstance(mechanism.claim, sv.LDP):
        worst = {
            sv.LDP(1.0): max(enumeration.ldp(t) for t in tables),
            sv.LIP(1.0, prior): max(enumeration.lip(t, fractions) for t in tables),
            sv.DifferentialIdentifiability(1.0, prior): max(enumeration.identifiability(t, fractions) for t in tables),
        }
    else:
        worst = {sv.ULDP(1.0, [0, 1, 3]): max(enumeration.uldp(t, [0, 1, 3]) for t in tables)}
        worst |= {sv.OSLDP(1.0, [0, 1, 3]): max(enumeration.osldp(t, [0, 1, 3]) for t in tables)}
    for notion, value in worst.items():
        assert notion.check(mechanism).level == log_above(value)
    leaks = [float(enumeration.leakage(t)) for t in tables]
    bounds = mechanism.channel.leakage()
    assert bounds.low <= min(leaks)
    assert max(leaks) <= bounds.high
    inside = [enumeration.information(t, fractions) for t in tables]
    known = mechanism.channel.information(prior)
    assert known.low <= np.mean(inside) <= known.high


def test_unary_information_is_bracketed_tightly_for_many_items() -> None:
    """2^300 reports, yet the bracket is narrow; a simulation of the log-likelihood ratio falls inside."""
    domain = sv.Domain(300)
    weights = 1 / np.arange(1, 301)
    prior = sv.Prior.of((weights / weights.sum()).tolist())
    for mechanism in (sv.oue(domain, 2.0), sv.subset_selection(sv.Domain(60), 1.0)):
        p = prior.p[: len(mechanism.domain)] / prior.p[: len(mechanism.domain)].sum()
        bounds = mechanism.channel.information(sv.Prior.of(p.tolist()))
        assert 0 < bounds.high - bounds.low < 1e-4
        codes = np.random.default_rng(1).choice(len(p), size=20_000, p=p)
        likelihood = mechanism.channel.likelihood(mechanism.perturb(codes, sv.SeededSource(1)))
        sample = np.log(likelihood[np.arange(len(codes)), codes] / (likelihood @ p))
        assert abs(sample.mean() - bounds.high) < 6 * sample.std() / math.sqrt(len(codes))


def test_large_domains_are_certified_without_enumeration() -> None:
    domain = sv.Domain(12_800)
    prior = [1 / 12_800] * 12_800
    for mechanism in (sv.oue(domain, 1.0), sv.subset_selection(domain, 1.0), sv.hadamard(domain, 1.0), sv.olh(domain, 1.0)):
        assert mechanism.certify().level == 1.0
        assert sv.LIP(1.0, prior).check(mechanism).level <= 1.0


def test_the_published_counterexamples() -> None:
    skewed = [0.025, 0.025, 0.025, 0.025, 0.9]
    with refused(sv.ClaimError, "rr_lip_published", 1, 3.245) as caught:
        sv.rr_lip_published(sv.Domain(5), 1.0, skewed)
    assert round(caught.value.level, 3) == 3.245
    assert sv.rr_lip(sv.Domain(5), 1.0, skewed).certify().holds
    with pytest.raises(sv.ClaimError) as caught:
        sv.rr_lip_published(sv.Domain(3), 1.0, [0.1, 0.2, 0.7])
    assert round(caught.value.level, 3) == 1.9


def test_latent_secrets_of_hadamard_reports() -> None:
    """Sets are compared with exact halves: a floor here once chose the wrong set."""
    half, seventh = Fraction(1, 2), Fraction(1, 7)
    rows = [[Fraction(0), Fraction(0), half, half], [2 * seventh, seventh, 2 * seventh, 2 * seventh]]
    mechanism = sv.hadamard(sv.Domain(4), 2.0, 1)
    matrix = mechanism.channel.matrix(exact=True)
    expected = max(enumeration.pufferfish(matrix, [rows[0]], [rows[1]]), enumeration.pufferfish(matrix, [rows[1]], [rows[0]]))
    assert sv.Pufferfish(9.0, rows).check(mechanism).level == log_above(expected)


def test_ipldp_wants_free_items_named_by_their_own_holders() -> None:
    """Two free items that stand in for each other are invertible, but not what the definition asks for."""
    swapped = [[0.5, 0.5, 0, 0], [0.5, 0.5, 0, 0], [0.25, 0.25, 0, 0.5], [0.25, 0.25, 0.5, 0]]
    assert not sv.IPLDP({0: 1.0, 1: 1.0}).check(sv.from_matrix(sv.Domain(4), swapped)).holds


@pytest.mark.parametrize("name", ["epsilon", "budgets", "extra"])
def test_notions_cannot_be_changed(name: str) -> None:
    for notion in (sv.LDP(1.0), sv.ULDP(1.0, "a"), sv.IPLDP({"a": 1.0}), sv.LIP(1.0, [0.5, 0.5]), sv.MaximalLeakage(1.0)):
        before = repr(notion)
        with pytest.raises(FrozenInstanceError):
            setattr(notion, name, 2.0)
        with pytest.raises(FrozenInstanceError):
            delattr(notion, name)
        assert repr(notion) == before
        assert hash(notion) == hash(copy.deepcopy(notion))


def test_certified_tables_cannot_be_changed() -> None:
    for mechanism, name in ((sv.krr(sv.Domain(3), 1.0), "noise"), (sv.oue(sv.Domain(3), 1.0), "absent")):
        with pytest.raises(ValueError, match="read-only"):
            getattr(mechanism.channel, name)[:] = 0


def test_level_is_the_next_double_above_the_exact_level() -> None:
    for epsilon in (0.1, 1.0, math.log(2), 3.3, 17.0):
        level = sv.krr(sv.Domain(7), epsilon).certify().level
        assert level <= epsilon
        assert level >= epsilon - 2e-12
    assert not sv.LDP(math.nextafter(1.0, 0)).check(sv.krr(sv.Domain(7), 1.0)).holds


@pytest.mark.parametrize("name", NAMES)
def test_the_witness_is_a_report_that_attains_the_level(name: str) -> None:
    mechanism = built(name)
    notions: list[sv.Notion] = [mechanism.claim, sv.LDP(9.0), sv.OSLDP(9.0, list(mechanism.inputs)[:1])]
    if len(mechanism.inputs) == len(PRIOR):
        notions.append(sv.LIP(9.0, PRIOR))
    for notion in notions:
        certificate = notion.check(mechanism)
        witness = certificate.witness
        assert witness is not None
        if not certificate.attained:
            continue
        weights = _weights(mechanism.channel, witness.report)
        item = mechanism.inputs.code(witness.item)
        if witness.other is None:
            assert isinstance(notion, (sv.LIP, sv.BoundedPriorLIP))
            candidates = [notion.prior] if isinstance(notion, sv.LIP) else notion.priors.corners
            moves = [abs(math.log(weights[item] / (weights @ each.p))) for each in candidates]
            assert certificate.level == pytest.approx(max(moves), abs=1e-9)
        else:
            other = weights[mechanism.inputs.code(witness.other)]
            ratio = math.log(weights[item] / other) if other else math.inf
            assert ratio == pytest.approx(certificate.level, abs=1e-9)


def _weights(channel: sv.Channel, report: Any) -> Any:
    """The likelihood of each item given one plain report."""
    if isinstance(report, list):
        return channel.likelihood(sv.SetReports.of_dense(np.isin(np.arange(channel.size), report)[None, :]))[0]
    empty = channel.reports_from_bytes(b"")
    if isinstance(report, tuple):
        assert isinstance(empty, sv.HashedReports)
        return channel.likelihood(sv.HashedReports(np.array([report[0]]), np.array([report[1]]), empty.seed_limit, empty.limit))[0]
    assert isinstance(empty, sv.CodeReports)
    return channel.likelihood(sv.CodeReports(np.array([report]), empty.limit))[0]


def test_a_lifted_channel_needs_an_even_base() -> None:
    uneven = sv.UnaryChannel(np.array([2**63, 2**63 + 2**62], dtype=np.uint64), np.array([2**62, 2**54], dtype=np.uint64))
    showing = sv.UnaryChannel(np.array([2**63, 2**63], dtype=np.uint64), np.array([2**62, 0], dtype=np.uint64))
    for base in (uneven, showing):
        with refused(sv.ParameterError):
            sv.LiftedChannel(base, np.array([True, True, False]), 2**62, 2**61)


def test_channels_are_made_of_integers() -> None:
    rows = np.array([[Fraction(3, 2), Fraction(3, 2), 2**64 - 3], [1, 1, 2**64 - 2]], dtype=object)
    with refused(sv.ParameterError):
        sv.MatrixChannel(rows)
    with refused(sv.ParameterError, "include", 2**63):
        sv.SubsetChannel(4, 2, Fraction(2**64, 2))  # type: ignore[arg-type]  # wrong on purpose
    with refused(sv.ParameterError, "truth", 2.0**63):
        sv.DirectChannel(2.0**63, np.array([2**63], dtype=np.uint64))  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize("name", ZOO)
def test_copies_are_equal_and_locked(name: str) -> None:
    """What was certified is what is sampled: also the tables that are made of others when a channel is first used."""
    mechanism = built(name)
    for twin in (copy.copy(mechanism), copy.deepcopy(mechanism), pickle.loads(pickle.dumps(mechanism))):
        assert twin == mechanism
        twin.channel.perturb(np.zeros(1, dtype=np.int64), sv.SeededSource(1))
        for value in vars(twin.channel).values():
            for table in value if isinstance(value, tuple) else (value,):
                assert not (isinstance(table, np.ndarray) and table.flags.writeable and table.dtype.kind == "u")


def test_one_item_has_nothing_to_hide() -> None:
    alone = sv.Domain("ab").subset("a")
    for mechanism in (sv.krr(alone, 1.0), sv.iprr(alone, {"a": 1.0}), sv.rr_lip(alone, 1.0, [1.0]), sv.identity(alone)):
        assert mechanism.certify().level == 0.0
