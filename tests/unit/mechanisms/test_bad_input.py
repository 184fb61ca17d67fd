"""Wrong parameters get an error that names the rule, the value and the remedy; extreme but right ones work."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import sottovoce
from large import LARGE, takes_at_most
from messages import refused
from sottovoce import Mechanism
from sottovoce.checks import conform
from zoo import DOMAIN, ENTRIES, PARTS, PRIOR, example

sv: Any = sottovoce  # wrong types are what is tested here

#: Every mechanism that a study can name; a matrix has no budget of its own.
BUILDERS = [name for name, entry in ENTRIES.items() if entry.examples]


def build(name: str, epsilon: Any) -> Mechanism:
    """The first example of a mechanism, with one budget throughout."""
    entry = ENTRIES[name]
    given = dict(next(iter(entry.examples.values())))
    if "budgets" in entry.takes:
        given["budgets"] = dict.fromkeys(given.get("budgets", PARTS["budgets"]), 1)
    return example(entry, given, epsilon)


@pytest.mark.parametrize("epsilon", [0, -1.0, math.nan, math.inf, -math.inf, 1e3, 1e-12, "one", None, True, 10**400])
@pytest.mark.parametrize("name", BUILDERS)
def test_budgets_out_of_range(name: str, epsilon: object) -> None:
    with pytest.raises(sv.BudgetError) as caught:
        build(name, epsilon)
    assert "epsilon" in str(caught.value) or "budget" in str(caught.value)


@pytest.mark.parametrize("epsilon", [1e-6, 1e-3, 16.0, 40.0])
@pytest.mark.parametrize("name", [name for name in BUILDERS if name != "rr_lip_published"])
def test_budgets_at_the_ends_of_the_range_keep_their_claim(name: str, epsilon: float) -> None:
    mechanism = build(name, epsilon)
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


WRONG: list[tuple[Any, ...]] = [
    (lambda: sv.urr(DOMAIN, 1.0, ["z"]), sv.DomainError, "z"),
    (lambda: sv.urr(DOMAIN, 1.0, []), sv.DomainError),
    (lambda: sv.urap(DOMAIN, 1.0, ["a", "a"]), sv.DomainError, "a"),
    (lambda: sv.urap(DOMAIN, 1.0, ["a"], theta="best"), sv.ParameterError, "theta", "best"),
    (lambda: sv.iprr(DOMAIN, {"z": 1.0}), sv.BudgetError, "z"),
    (lambda: sv.iprr(DOMAIN, {"a": -0.1}), sv.BudgetError, "a", -0.1),
    (lambda: sv.iprr(DOMAIN, {}), sv.BudgetError),
    (lambda: sv.iprr(DOMAIN, ["a"]), sv.BudgetError, ["a"]),
    (lambda: sv.rappor(DOMAIN, 1.0, theta=1.0), sv.ParameterError, "theta", 1.0),
    (lambda: sv.rappor(DOMAIN, 1.0, theta=math.nan), sv.ParameterError, "theta", "nan"),
    (lambda: sv.rappor(DOMAIN, 1.0, theta=1e-30), sv.ParameterError, "theta", 1e-30),
    (lambda: sv.mangat(DOMAIN, 1.0, "a"), sv.DomainError, 5),
    (lambda: sv.subset_selection(DOMAIN, 1.0, 0), sv.ParameterError, 0, 4),
    (lambda: sv.subset_selection(DOMAIN, 1.0, 5), sv.ParameterError, 5, 4),
    (lambda: sv.hadamard(DOMAIN, 1.0, 3), sv.ParameterError, 3),
    (lambda: sv.olh(DOMAIN, 1.0, g=1), sv.ParameterError, "g"),
    (lambda: sv.lh_lip(DOMAIN, 1.0, PRIOR, functions=3), sv.ParameterError, 3),
    (lambda: sv.ue_lip(DOMAIN, 1.0), sv.PriorError),
    (lambda: sv.from_matrix(DOMAIN, [[1.0, 0.0]] * 4), sv.ParameterError, (4, 2), 5),
    (lambda: sv.from_matrix(sv.Domain("ab"), [[0.5, 0.6], [0.5, 0.5]]), sv.ParameterError, 1, 1.1),
    (lambda: sv.from_matrix(sv.Domain("ab"), [[math.nan, 1], [0.5, 0.5]]), sv.ParameterError, 1),
    (lambda: sv.from_matrix(sv.Domain("ab"), [[0.9, 0.1], [0.1, 0.9]], sv.LDP(1.0)), sv.ClaimError, 2.198),
    (lambda: sv.utility_optimized(sv.urr(DOMAIN, 1.0, "a"), DOMAIN), sv.UnsupportedError, "ULDP", "LDP"),
    (lambda: sv.utility_optimized(sv.krr(sv.Domain("za"), 1.0), DOMAIN), sv.DomainError, "z"),
    (lambda: sv.utility_optimized(sv.krr(sv.Domain("ba"), 1.0), DOMAIN), sv.DomainError),
    (lambda: sv.LDP(-1.0), sv.BudgetError, "LDP", -1.0),
    (lambda: sv.ULDP(1.0, []), sv.DomainError, "ULDP"),
    (lambda: sv.LIP(1.0, PRIOR, [[1.0, 0.5]] * 2), sv.PriorError, 0, 1.5),
    (lambda: sv.LIP(1.0, PRIOR, [[0.5, 0.5]] * 2).check(sv.krr(DOMAIN, 1.0)), sv.PriorError, 2, 5),
    (lambda: sv.IPLDP({"a": 1.0}).check(sv.oue(DOMAIN, 1.0)), sv.UnsupportedError, "IPLDP", "iprr"),
    (lambda: sv.olh(DOMAIN, 1.0).channel.matrix(), sv.UnsupportedError, "matrix_under"),
    (lambda: sv.oue(sv.Domain(100), 1.0).channel.matrix(), sv.UnsupportedError, 100, "likelihood"),
    (lambda: sv.PriorSet.interval(0.5, 0.2), sv.PriorError, 0.5, 0.2),
    (lambda: sv.krr(["a", "b"], 1.0), sv.DomainError, ["a", "b"]),
    (lambda: sv.urr(DOMAIN, 1.0, None), sv.DomainError),
    (lambda: sv.rr_lip(DOMAIN, 1.0, None), sv.PriorError),
    (lambda: sv.rr_lip(DOMAIN, 1.0, {0.2, 0.8}), sv.PriorError),
    (lambda: sv.ue_lip(DOMAIN, 1.0, priors=PRIOR), sv.PriorError, 0.1),
    (lambda: sv.from_matrix(DOMAIN, None), sv.ParameterError),
    (lambda: sv.from_matrix(sv.Domain("ab"), [["x", "y"]] * 2), sv.ParameterError, 1),
    (lambda: sv.Mechanism(DOMAIN, sv.krr(DOMAIN, 1.0).channel, "LDP"), sv.ParameterError, "LDP"),
    (lambda: sv.krr(DOMAIN, 1.0).perturb("ab", 7), sv.SourceError, 7, "SecureSource"),
    (lambda: sv.krr(DOMAIN, 1.0).perturb("ab", 0), sv.SourceError, 0, "SecureSource"),
    (lambda: sv.repeated(sv.LDP(1.0), 2.5), sv.ParameterError, 2.5),
    (lambda: sv.Pufferfish(1.0, []), sv.PriorError, "Pufferfish"),
    (lambda: sv.Pufferfish(1.0, np.eye(5).tolist(), [(0, 9)]).check(sv.krr(DOMAIN, 1.0)), sv.PriorError, 4),
    (lambda: sv.Pufferfish(1.0, [["a"] * 5] * 2), sv.PriorError, 0),
    (lambda: sv.krr(DOMAIN, 1.0).channel.reports_from_bytes(None), sv.ReportError, "NoneType"),
    (lambda: sv.krr(DOMAIN, 1.0).channel.reports_from_arrow(None), sv.ReportError, "NoneType"),
    (lambda: sv.krr(DOMAIN, 1.0).channel.perturb(np.array([9]), sv.SeededSource(1)), sv.DomainError, 9, 4),
    (lambda: sv.oue(DOMAIN, 1.0).channel.perturb(np.array([-1]), sv.SeededSource(1)), sv.DomainError, -1, 4),
    (lambda: sv.oue(DOMAIN, 1.0).channel.perturb(np.array([0.5]), sv.SeededSource(1)), sv.DomainError, "float64"),
    (lambda: sv.hadamard(DOMAIN, 1.0, 2**40), sv.ParameterError, 2**40),
    (lambda: sv.SubsetChannel(4, 1, 1), sv.ParameterError),
    (lambda: sv.estimate(sv.krr(DOMAIN, 1.0)), sv.ParameterError, "Mechanism"),
    (lambda: sv.estimate(sv.Tally(sv.krr(DOMAIN, 1.0)), tolerance="x"), sv.ParameterError, "tolerance", "x"),
    (lambda: sv.distance(["a"], [1.0]), sv.ParameterError),
    (lambda: sv.Tally.simulate(sv.krr(DOMAIN, 1.0), "abcde", 5, sv.SeededSource(1)), sv.ParameterError),
    (lambda: sv.Tally.simulate(sv.krr(DOMAIN, 1.0), [0.2] * 5, 5, None), sv.SourceError, None),
    (lambda: sv.Tally.simulate(sv.krr(DOMAIN, 1.0), [0.2] * 5, 5, sv.ReplaySource([1])), sv.SourceError),
    (lambda: sv.Tally.from_bytes(sv.krr(DOMAIN, 1.0), None), sv.ReportError, "NoneType"),
    (lambda: sv.LDP(1.0).check(3), sv.ParameterError, "int"),
    (lambda: sv.ULDP(1.0, ["a"]).check(sv.krr(DOMAIN, 1.0).channel), sv.ParameterError, "DirectChannel"),
    (lambda: sv.IPLDP({"a": 1.0}).check(None), sv.ParameterError, "NoneType"),
    (lambda: conform(3), sv.ParameterError, "int"),  # type: ignore[arg-type]  # wrong on purpose
    (lambda: sv.krr(DOMAIN, 1.0).channel.likelihood(sv.oue(DOMAIN, 1.0).perturb("ab")), sv.ReportError),
    (lambda: sv.krr(DOMAIN, 1.0).channel.likelihood(sv.krr(sv.Domain(3), 1.0).perturb([1])), sv.ReportError),
    (lambda: sv.pum(DOMAIN, 1.0, ["home"]).person(5), sv.DomainError, 5),
    (lambda: sv.Population({"x": sv.krr(DOMAIN, 1.0)}).perturb("ab", None), sv.DomainError, 2),
    (lambda: sv.iprr(["a", "b"], {"a": 1.0}), sv.DomainError, ["a", "b"]),
    (lambda: sv.pum(DOMAIN, 1.0, ["home"], base=sv.krr), sv.UnsupportedError, "krr"),
    (lambda: sv.from_matrix(DOMAIN, np.eye(5), "LDP"), sv.ParameterError, "LDP"),
    (lambda: sv.Mechanism(DOMAIN, None, sv.LDP(1.0)), sv.ParameterError, None),
    (lambda: sv.ULDP(1.0, None), sv.DomainError, None),
    (lambda: sv.LDP("1.0"), sv.BudgetError, "LDP", "1.0"),
    (lambda: sv.PriorSet.of(None), sv.PriorError, None),
    (lambda: sv.LIP(1.0, PRIOR, 5), sv.PriorError, 5),
    (lambda: sv.Pufferfish(1.0, None), sv.PriorError, "Pufferfish"),
    (lambda: sv.Population([1]), sv.DomainError),
    (lambda: sv.Domain.product(a=5), sv.DomainError),
    (lambda: sv.Domain.grid(5, x=(0, 1)), sv.DomainError, 5, 1),
    (lambda: sv.Domain.grid((2, 2), x=(0, 1), y=(0, 1)).locate(x=[0.1], y=[0.2, 0.3]), sv.DomainError),
    (lambda: sv.Domain(3).encode([True, False]), sv.DomainError, "bool"),
    (lambda: sv.post_process(sv.iprr(DOMAIN, {"a": 1.0}), np.eye(5)), sv.UnsupportedError, "iprr"),
    (lambda: sv.krr(DOMAIN, 1.0).perturb(3), sv.DomainError, 3, "perturb_one"),
    (lambda: sv.krr(sv.Domain(5), 1.0).perturb([[0, 1], [2, 3]]), sv.DomainError, (2, 2)),
    (lambda: sv.PriorSet.of([[0.5, 0.5], [1.0]]), sv.PriorError),
]


_CASES = [pytest.param(make, error, values, id="-".join([error.__name__, *map(str, values)])) for make, error, *values in WRONG]


@pytest.mark.parametrize(("make", "error", "values"), _CASES)
def test_bad_parameters(make: Callable[[], object], error: type[Exception], values: list[object]) -> None:
    with refused(error, *values) as caught:
        make()
    assert isinstance(caught.value, sv.SottovoceError)


def test_a_constructor_is_no_base() -> None:
    with pytest.raises(sv.ParameterError) as caught:
        sv.utility_optimized(sv.krr, DOMAIN)
    assert "<function krr" in str(caught.value)


def test_bad_answers_change_nothing() -> None:
    """A batch with one wrong answer reads no word and makes no report."""
    source = sv.ReplaySource(range(100))
    for mechanism in (sv.krr(DOMAIN, 1.0), sv.oue(DOMAIN, 1.0)):
        with pytest.raises(sv.DomainError):
            mechanism.perturb(["a", "b", "nobody"], source)
        with pytest.raises(sv.DomainError):
            mechanism.perturb(np.array([0, 5]), source)
    assert source.remaining == 100


@pytest.mark.parametrize("name", LARGE)
def test_many_items(name: str) -> None:
    """A hundred thousand; tests/long has a million."""
    assert takes_at_most(LARGE[name][1] / 10 * 1.1e6 + 2e6, name, 100_000)


def test_many_items_with_a_prior() -> None:
    weights = 1 / np.arange(1, 100_001)
    mechanism = sv.rr_lip(sv.Domain(100_000), 1.0, weights / weights.sum())
    assert mechanism.certify().level <= 1.0


def test_exact_fractions_are_accepted_as_priors_and_matrices() -> None:
    third = Fraction(1, 3)
    assert sv.Prior.of([third] * 3).weights == (1, 1, 1)
    mechanism = sv.from_matrix(sv.Domain("ab"), [[third, 2 * third], [2 * third, third]])
    assert mechanism.certify().level == pytest.approx(math.log(2), abs=1e-15)
