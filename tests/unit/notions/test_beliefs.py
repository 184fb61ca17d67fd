"""What a report can do to a belief: the bound of a notion holds for what devices send, and is never understated."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.arithmetic import log_above
from sottovoce.notions.beliefs import ONE_IN_HUNDRED, of_hundred, posterior
from sottovoce.notions.odds import raised

FIVE = sv.Domain(["hiv", "cancer", "hepatitis", "flu", "none"])
MARKED = ["hiv", "cancer"]
BUDGETS = {"hiv": 0.3, "cancer": 1.0}
PRIOR = [0.05, 0.1, 0.15, 0.3, 0.4]
MECHANISMS: dict[str, Callable[[], sv.Mechanism]] = {
    "ldp": lambda: sv.krr(FIVE, 1.0),
    "bits": lambda: sv.oue(FIVE, 1.0),
    "uldp": lambda: sv.urr(FIVE, 1.0, sensitive=MARKED),
    "mixed": lambda: sv.ubd(FIVE, 1.0, sensitive=MARKED),
    "ipldp": lambda: sv.iprr(FIVE, BUDGETS),
    "lip": lambda: sv.rr_lip(FIVE, 0.5, prior=PRIOR),
    "minid": lambda: sv.plan(FIVE, n=1000, budgets=dict.fromkeys(FIVE, 2.0) | BUDGETS, notion="minid").best,
    "item_uldp": lambda: sv.plan(FIVE, n=1000, budgets=BUDGETS, notion="item_uldp").best,
}


def rows(mechanism: sv.Mechanism) -> np.ndarray:
    """Q(y|x) of all reports, a row for each answer."""
    return np.asarray(mechanism.channel.matrix(), dtype=np.float64)


@pytest.mark.parametrize("name", MECHANISMS)
def test_no_report_raises_a_belief_above_the_bound(name: str) -> None:
    """For every report and every protected answer, whatever else is believed: beliefs about the others are drawn at random."""
    mechanism, random = MECHANISMS[name](), np.random.default_rng(1)
    table = rows(mechanism)
    codes = np.array([code for code, item in enumerate(FIVE) if math.isfinite(mechanism.claim.raises(item))])
    assert {FIVE.item(int(code)) for code in codes} >= set(MARKED)
    found = raised(mechanism, codes)
    assert sorted(np.concatenate([some for _, some in found])) == codes.tolist()
    for ratio, some in found:
        bound = float(posterior(ONE_IN_HUNDRED, ratio))
        for code in some.tolist():
            assert log_above(ratio) <= mechanism.claim.raises(FIVE.item(code)), "never more than the notion allows"
            others = [k for k in range(5) if k != code]
            reached = 0.0
            for belief in [*np.eye(4), *random.dirichlet(np.full(4, 0.3), 200)]:
                mine, rest = 0.01 * table[code], 0.99 * (belief @ table[others])
                known = mine > 0
                after = float((mine[known] / (mine + rest)[known]).max())
                assert after <= bound * (1 + 1e-9)
                reached = max(reached, after / bound)
            assert reached == pytest.approx(1.0, abs=1e-6), "and some report reaches it"


def test_answers_that_are_not_protected_have_no_bound() -> None:
    assert math.isinf(sv.ULDP(1.0, MARKED).raises("flu"))
    assert math.isinf(sv.OSLDP(1.0, MARKED).raises("flu"))
    assert math.isinf(sv.IPLDP(BUDGETS).raises("flu"))
    assert math.isinf(sv.ItemULDP(BUDGETS).raises("flu"))
    assert math.isinf(sv.MaximalLeakage(1.0).raises("flu"))
    assert sv.IPLDP(BUDGETS).raises("hiv") == 1.0, "a report may name another sensitive answer"
    assert sv.ItemULDP(BUDGETS).raises("hiv") == 0.3


@pytest.mark.parametrize("epsilon", [1e-9, 0.01, 0.7, 1.0, 4.0, 30.0, 700.0])
def test_the_bound_is_never_understated(epsilon: float) -> None:
    ratio = Fraction(math.exp(epsilon))
    after = posterior(ONE_IN_HUNDRED, ratio)
    assert after / (1 - after) == ratio / 99
    shown = Fraction(str(of_hundred(ratio))) / 100
    assert after <= shown <= after + Fraction(1, 1000 if shown < Fraction(2, 100) else 100)
    assert posterior(ONE_IN_HUNDRED, Fraction(1)) == ONE_IN_HUNDRED
    assert posterior(ONE_IN_HUNDRED, math.inf) == 1


def test_whole_numbers_are_not_rounded_up() -> None:
    """A factor of 99 makes 1 in 100 exactly 50 in 100, and anything above it 51."""
    assert (of_hundred(Fraction(99)), of_hundred(Fraction(99) + Fraction(1, 1 << 64))) == (50, 51)
    assert (of_hundred(Fraction(1)), of_hundred(1 + Fraction(1, 1 << 64))) == (1, 1.1)


@pytest.mark.parametrize("reports", [1, 3])
def test_reports_multiply(reports: int) -> None:
    ((ratio, codes),) = raised(sv.krr(FIVE, 1.0), np.arange(5), reports)
    ((once, _),) = raised(sv.krr(FIVE, 1.0), np.arange(5))
    assert codes.tolist() == [0, 1, 2, 3, 4]
    assert isinstance(once, Fraction)
    assert ratio == once**reports


def test_very_many_kinds_get_the_largest_factor() -> None:
    """By brute force over the table, as long as answers are looked at one by one; and never less than that for more of them."""
    many = sv.Domain(300)
    prior = np.arange(1, 301) / np.arange(1, 301).sum()
    mechanism = sv.rr_lip(many, 0.5, prior=prior)
    found = raised(mechanism, np.arange(300))
    assert len(found) == 1
    few = raised(mechanism, np.arange(200))
    assert len(few) > 1
    assert found[0][0] >= few[-1][0]
    table = mechanism.channel.matrix()
    for ratio, some in few:
        for code in some.tolist():
            assert (table[code] / table).max() == pytest.approx(float(ratio))
