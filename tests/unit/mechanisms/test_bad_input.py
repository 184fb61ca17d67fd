"""Wrong parameters get an error that names the rule, the value and the remedy; extreme but right ones work."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import sottovoce
from sottovoce import Domain, Mechanism
from sottovoce.checks import conform
from zoo import DOMAIN, PRIOR

sv: Any = sottovoce  # wrong types are what is tested here

BUILDERS: dict[str, Callable[[Any], Mechanism]] = {
    "krr": lambda e: sv.krr(DOMAIN, e),
    "rappor": lambda e: sv.rappor(DOMAIN, e),
    "oue": lambda e: sv.oue(DOMAIN, e),
    "olh": lambda e: sv.olh(DOMAIN, e),
    "subset_selection": lambda e: sv.subset_selection(DOMAIN, e),
    "hadamard": lambda e: sv.hadamard(DOMAIN, e),
    "mangat": lambda e: sv.mangat(sv.Domain("ab"), e, "a"),
    "urr": lambda e: sv.urr(DOMAIN, e, "a"),
    "urap": lambda e: sv.urap(DOMAIN, e, "a"),
    "iprr": lambda e: sv.iprr(DOMAIN, {"a": e}),
    "rr_lip": lambda e: sv.rr_lip(DOMAIN, e, PRIOR),
    "rr_lip_published": lambda e: sv.rr_lip_published(DOMAIN, e, PRIOR),
    "ue_lip": lambda e: sv.ue_lip(DOMAIN, e, PRIOR),
    "lh_lip": lambda e: sv.lh_lip(DOMAIN, e, PRIOR, functions=2),
    "pum": lambda e: sv.pum(DOMAIN, e, ["home"]),
}


@pytest.mark.parametrize("epsilon", [0, -1.0, math.nan, math.inf, -math.inf, 1e3, 1e-12, "one", None, True, 10**400])
@pytest.mark.parametrize("name", BUILDERS)
def test_budgets_out_of_range(name: str, epsilon: object) -> None:
    with pytest.raises(sv.BudgetError) as caught:
        BUILDERS[name](epsilon)
    assert "epsilon" in str(caught.value) or "budget" in str(caught.value)


@pytest.mark.parametrize("epsilon", [1e-6, 1e-3, 16.0, 40.0])
@pytest.mark.parametrize("name", sorted(set(BUILDERS) - {"rr_lip_published"}))
def test_budgets_at_the_ends_of_the_range_keep_their_claim(name: str, epsilon: float) -> None:
    mechanism = BUILDERS[name](epsilon)
    assert mechanism.certify().holds
    mechanism.perturb(np.zeros(10, dtype=np.int64))


PRIOR_USERS: dict[str, Callable[[Any], Any]] = {
    "rr_lip": lambda p: sv.rr_lip(DOMAIN, 1.0, p),
    "rr_lip_published": lambda p: sv.rr_lip_published(DOMAIN, 1.0, p),
    "ue_lip": lambda p: sv.ue_lip(DOMAIN, 1.0, p),
    "ue_lip-set": lambda p: sv.ue_lip(DOMAIN, 1.0, priors=[PRIOR, p]),
    "lh_lip": lambda p: sv.lh_lip(DOMAIN, 1.0, p),
    "LIP": lambda p: sv.LIP(1.0, p).check(sv.krr(DOMAIN, 1.0)),
    "DI": lambda p: sv.DifferentialIdentifiability(1.0, p).check(sv.krr(DOMAIN, 1.0)),
    "MIP": lambda p: sv.MutualInformation(1.0, p).check(sv.krr(DOMAIN, 1.0)),
}


@pytest.mark.parametrize(
    "prior",
    [
        [],
        [1.0],
        [0.25] * 4,
        [0.5, 0.5, 0.0, 0.0, 0.0],
        [0.3] * 5,
        [0.6, 0.6, -0.2, 0.0, 0.0],
        [math.nan] * 5,
        ["a"] * 5,
        [0.2, 0.2, 0.2, 0.2, None],
    ],
)
@pytest.mark.parametrize("name", PRIOR_USERS)
def test_bad_priors(name: str, prior: list[Any]) -> None:
    with pytest.raises(sv.PriorError):
        PRIOR_USERS[name](prior)


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: sv.urr(DOMAIN, 1.0, ["z"]), sv.DomainError, "'z' is not an item"),
        (lambda: sv.urr(DOMAIN, 1.0, []), sv.DomainError, "at least one"),
        (lambda: sv.urap(DOMAIN, 1.0, ["a", "a"]), sv.DomainError, "named twice"),
        (lambda: sv.urap(DOMAIN, 1.0, ["a"], theta="best"), sv.ParameterError, "'best'"),
        (lambda: sv.iprr(DOMAIN, {"z": 1.0}), sv.BudgetError, "'z'"),
        (lambda: sv.iprr(DOMAIN, {"a": -0.1}), sv.BudgetError, "item 'a'"),
        (lambda: sv.iprr(DOMAIN, {}), sv.BudgetError, "no item has a budget"),
        (lambda: sv.iprr(DOMAIN, ["a"]), sv.BudgetError, "mapping"),
        (lambda: sv.rappor(DOMAIN, 1.0, theta=1.0), sv.ParameterError, "strictly between"),
        (lambda: sv.rappor(DOMAIN, 1.0, theta=math.nan), sv.ParameterError, "strictly between"),
        (lambda: sv.rappor(DOMAIN, 1.0, theta=1e-30), sv.ParameterError, "too close"),
        (lambda: sv.mangat(DOMAIN, 1.0, "a"), sv.DomainError, "two items"),
        (lambda: sv.subset_selection(DOMAIN, 1.0, 0), sv.ParameterError, "between 1 and 4"),
        (lambda: sv.subset_selection(DOMAIN, 1.0, 5), sv.ParameterError, "between 1 and 4"),
        (lambda: sv.hadamard(DOMAIN, 1.0, 3), sv.ParameterError, "power of two"),
        (lambda: sv.olh(DOMAIN, 1.0, g=1), sv.ParameterError, "at least 2"),
        (lambda: sv.lh_lip(DOMAIN, 1.0, PRIOR, functions=3), sv.ParameterError, "power of two"),
        (lambda: sv.ue_lip(DOMAIN, 1.0), sv.PriorError, "or a set of priors"),
        (lambda: sv.from_matrix(DOMAIN, [[1.0, 0.0]] * 4), sv.ParameterError, "5 rows"),
        (lambda: sv.from_matrix(sv.Domain("ab"), [[0.5, 0.6], [0.5, 0.5]]), sv.ParameterError, "not a distribution"),
        (lambda: sv.from_matrix(sv.Domain("ab"), [[math.nan, 1], [0.5, 0.5]]), sv.ParameterError, "not a finite number"),
        (lambda: sv.from_matrix(sv.Domain("ab"), [[0.9, 0.1], [0.1, 0.9]], sv.LDP(1.0)), sv.ClaimError, "2.198"),
        (lambda: sv.utility_optimized(sv.urr(DOMAIN, 1.0, "a"), DOMAIN), sv.UnsupportedError, "LDP"),
        (lambda: sv.utility_optimized(sv.krr(sv.Domain("za"), 1.0), DOMAIN), sv.DomainError, "'z'"),
        (lambda: sv.utility_optimized(sv.krr(sv.Domain("ba"), 1.0), DOMAIN), sv.DomainError, "order"),
        (lambda: sv.LDP(-1.0), sv.BudgetError, "positive"),
        (lambda: sv.ULDP(1.0, []), sv.DomainError, "no sensitive"),
        (lambda: sv.LIP(1.0, PRIOR, [[1.0, 0.5]] * 2), sv.PriorError, "not a distribution"),
        (lambda: sv.LIP(1.0, PRIOR, [[0.5, 0.5]] * 2).check(sv.krr(DOMAIN, 1.0)), sv.PriorError, "one entry per item"),
        (lambda: sv.IPLDP({"a": 1.0}).check(sv.oue(DOMAIN, 1.0)), sv.UnsupportedError, "iprr"),
        (lambda: sv.olh(DOMAIN, 1.0).channel.matrix(), sv.UnsupportedError, "matrix_under"),
        (lambda: sv.oue(sv.Domain(100), 1.0).channel.matrix(), sv.UnsupportedError, "likelihood"),
        (lambda: sv.PriorSet.interval(0.5, 0.2), sv.PriorError, "interval"),
        (lambda: sv.krr(["a", "b"], 1.0), sv.DomainError, "make one with Domain"),
        (lambda: sv.urr(DOMAIN, 1.0, None), sv.DomainError, "no item is sensitive"),
        (lambda: sv.rr_lip(DOMAIN, 1.0, None), sv.PriorError, "one probability per item"),
        (lambda: sv.rr_lip(DOMAIN, 1.0, {0.2, 0.8}), sv.PriorError, "no order"),
        (lambda: sv.ue_lip(DOMAIN, 1.0, priors=PRIOR), sv.PriorError, "one probability per item"),
        (lambda: sv.from_matrix(DOMAIN, None), sv.ParameterError, "not a table"),
        (lambda: sv.from_matrix(sv.Domain("ab"), [["x", "y"]] * 2), sv.ParameterError, "not a finite number"),
        (lambda: sv.Mechanism(DOMAIN, sv.krr(DOMAIN, 1.0).channel, "LDP"), sv.ParameterError, "a claim is a notion"),
        (lambda: sv.krr(DOMAIN, 1.0).perturb("ab", 7), sv.SourceError, "SecureSource"),
        (lambda: sv.krr(DOMAIN, 1.0).perturb("ab", 0), sv.SourceError, "SecureSource"),
        (lambda: sv.repeated(sv.LDP(1.0), 2.5), sv.ParameterError, "positive integer"),
        (lambda: sv.Pufferfish(1.0, []), sv.PriorError, "no scenario"),
        (lambda: sv.Pufferfish(1.0, np.eye(5).tolist(), [(0, 9)]).check(sv.krr(DOMAIN, 1.0)), sv.PriorError, "does not exist"),
        (lambda: sv.Pufferfish(1.0, [["a"] * 5] * 2), sv.PriorError, "not a finite number"),
        (lambda: sv.krr(DOMAIN, 1.0).channel.reports_from_bytes(None), sv.ReportError, "from bytes"),
        (lambda: sv.krr(DOMAIN, 1.0).channel.reports_from_arrow(None), sv.ReportError, "Arrow"),
        (lambda: sv.krr(DOMAIN, 1.0).channel.perturb(np.array([9]), sv.SeededSource(1)), sv.DomainError, "not a code"),
        (lambda: sv.oue(DOMAIN, 1.0).channel.perturb(np.array([-1]), sv.SeededSource(1)), sv.DomainError, "not a code"),
        (lambda: sv.oue(DOMAIN, 1.0).channel.perturb(np.array([0.5]), sv.SeededSource(1)), sv.DomainError, "integer code"),
        (lambda: sv.hadamard(DOMAIN, 1.0, 2**40), sv.ParameterError, "at most twice"),
        (lambda: sv.SubsetChannel(4, 1, 1), sv.ParameterError, "at least as often"),
        (lambda: sv.estimate(sv.krr(DOMAIN, 1.0)), sv.ParameterError, "from a Tally"),
        (lambda: sv.estimate(sv.Tally(sv.krr(DOMAIN, 1.0)), tolerance="x"), sv.ParameterError, "tolerance is .x.; it is a positive number"),
        (lambda: sv.distance(["a"], [1.0]), sv.ParameterError, "numbers"),
        (lambda: sv.Tally.simulate(sv.krr(DOMAIN, 1.0), "abcde", 5, sv.SeededSource(1)), sv.ParameterError, "numbers"),
        (lambda: sv.Tally.simulate(sv.krr(DOMAIN, 1.0), [0.2] * 5, 5, None), sv.SourceError, "needs one"),
        (lambda: sv.Tally.simulate(sv.krr(DOMAIN, 1.0), [0.2] * 5, 5, sv.ReplaySource([1])), sv.SourceError, "used up"),
        (lambda: sv.Tally.from_bytes(sv.krr(DOMAIN, 1.0), None), sv.ReportError, "read from bytes"),
        (lambda: sv.LDP(1.0).check(3), sv.ParameterError, "judges a mechanism, not int"),
        (lambda: sv.ULDP(1.0, ["a"]).check(sv.krr(DOMAIN, 1.0).channel), sv.ParameterError, "judges a mechanism, not DirectChannel"),
        (lambda: sv.IPLDP({"a": 1.0}).check(None), sv.ParameterError, "judges a mechanism, not NoneType"),
        (lambda: conform(3), sv.ParameterError, "not int"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: sv.krr(DOMAIN, 1.0).channel.likelihood(sv.oue(DOMAIN, 1.0).perturb("ab")), sv.ReportError, "another one"),
        (lambda: sv.krr(DOMAIN, 1.0).channel.likelihood(sv.krr(sv.Domain(3), 1.0).perturb([1])), sv.ReportError, "another one"),
        (lambda: sv.pum(DOMAIN, 1.0, ["home"]).person(5), sv.DomainError, "marks"),
        (lambda: sv.Population({"x": sv.krr(DOMAIN, 1.0)}).perturb("ab", None), sv.DomainError, "every person a level"),
        (lambda: sv.iprr(["a", "b"], {"a": 1.0}), sv.DomainError, "make one with Domain"),
        (lambda: sv.pum(DOMAIN, 1.0, ["home"], base=sv.krr), sv.UnsupportedError, "urr or urap"),
        (lambda: sv.utility_optimized(sv.krr, DOMAIN), sv.ParameterError, "mechanism over the sensitive items"),
        (lambda: sv.from_matrix(DOMAIN, np.eye(5), "LDP"), sv.ParameterError, "a claim is a notion"),
        (lambda: sv.Mechanism(DOMAIN, None, sv.LDP(1.0)), sv.ParameterError, "channel"),
        (lambda: sv.ULDP(1.0, None), sv.DomainError, "list of items"),
        (lambda: sv.LDP("1.0"), sv.BudgetError, "positive"),
        (lambda: sv.PriorSet.of(None), sv.PriorError, "list of priors"),
        (lambda: sv.LIP(1.0, PRIOR, 5), sv.PriorError, "rows"),
        (lambda: sv.Pufferfish(1.0, None), sv.PriorError, "no scenario"),
        (lambda: sv.Population([1]), sv.DomainError, "mapping"),
        (lambda: sv.Domain.product(a=5), sv.DomainError, "axis"),
        (lambda: sv.Domain.grid(5, x=(0, 1)), sv.DomainError, "interval"),
        (lambda: sv.Domain.grid((2, 2), x=(0, 1), y=(0, 1)).locate(x=[0.1], y=[0.2, 0.3]), sv.DomainError, "columns of one length"),
        (lambda: sv.Domain(3).encode([True, False]), sv.DomainError, "bool"),
        (lambda: sv.post_process(sv.iprr(DOMAIN, {"a": 1.0}), np.eye(5)), sv.UnsupportedError, "post-processed"),
        (lambda: sv.krr(DOMAIN, 1.0).perturb(3), sv.DomainError, "list of items"),
        (lambda: sv.krr(sv.Domain(5), 1.0).perturb([[0, 1], [2, 3]]), sv.DomainError, "one value per person"),
        (lambda: sv.PriorSet.of([[0.5, 0.5], [1.0]]), sv.PriorError, "differ in length"),
    ],
)
def test_bad_parameters(build: Callable[[], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        build()
    assert isinstance(caught.value, sv.SottovoceError)


def test_bad_answers_change_nothing() -> None:
    """A batch with one wrong answer reads no word and makes no report."""
    source = sv.ReplaySource(range(100))
    for mechanism in (sv.krr(DOMAIN, 1.0), sv.oue(DOMAIN, 1.0)):
        with pytest.raises(sv.DomainError):
            mechanism.perturb(["a", "b", "nobody"], source)
        with pytest.raises(sv.DomainError):
            mechanism.perturb(np.array([0, 5]), source)
    assert source.remaining == 100


@pytest.mark.parametrize(
    ("build", "megabytes"),
    [
        (lambda d: sv.krr(d, 1.0), 90),
        (lambda d: sv.urr(d, 1.0, range(1000)), 60),
        (lambda d: sv.iprr(d, {item: 0.5 + (item % 3) for item in range(10_000)}), 60),
        (lambda d: sv.identity(d), 60),
        (lambda d: sv.urr(d, 1.0, range(1_000_000)), 160),  # the claim holds a million labels
        (lambda d: sv.iprr(d, dict.fromkeys(range(1_000_000), 0.5)), 220),  # and a million budgets
    ],
)
def test_a_million_items(build: Callable[[Domain], Mechanism], megabytes: int) -> None:
    tracemalloc.start()
    mechanism = build(sv.Domain(1_000_000))
    reports = mechanism.perturb(np.arange(100_000), sv.SeededSource(1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(reports) == 100_000
    assert mechanism.certify().holds
    assert peak < megabytes * 1e6


def test_a_million_items_with_a_prior() -> None:
    weights = 1 / np.arange(1, 1_000_001)
    mechanism = sv.rr_lip(sv.Domain(1_000_000), 1.0, weights / weights.sum())
    assert mechanism.certify().level <= 1.0


def test_exact_fractions_are_accepted_as_priors_and_matrices() -> None:
    third = Fraction(1, 3)
    assert sv.Prior.of([third] * 3).weights == (1, 1, 1)
    mechanism = sv.from_matrix(sv.Domain("ab"), [[third, 2 * third], [2 * third, third]])
    assert mechanism.certify().level == pytest.approx(math.log(2), abs=1e-15)
