"""What a report can do to a belief: the bound of a notion holds for what devices send, and is never understated."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.notions.beliefs import ONE_IN_HUNDRED, of_hundred, posterior

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
    reached = 0.0
    for code, item in enumerate(FIVE):
        level = mechanism.claim.raises(item)
        if math.isinf(level):
            assert item not in MARKED
            continue
        bound = float(posterior(ONE_IN_HUNDRED, level))
        others = [k for k in range(5) if k != code]
        beliefs = [*np.eye(4), *random.dirichlet(np.full(4, 0.3), 200)]
        for belief in beliefs:
            mine, rest = 0.01 * table[code], 0.99 * (belief @ table[others])
            known = mine > 0
            after = float((mine[known] / (mine + rest)[known]).max())
            assert after <= bound * (1 + 1e-9)
            reached = max(reached, after / bound)
    if name in {"ldp", "uldp", "mixed"}:
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
    after = posterior(ONE_IN_HUNDRED, epsilon)
    assert ONE_IN_HUNDRED < after < 1
    assert float(after / (1 - after)) == pytest.approx(math.exp(epsilon) / 99)
    shown = Fraction(str(of_hundred(epsilon))) / 100
    assert after <= shown <= after + Fraction(1, 1000 if shown < Fraction(2, 100) else 100)
    assert posterior(ONE_IN_HUNDRED, 0.0) == ONE_IN_HUNDRED
    assert posterior(ONE_IN_HUNDRED, math.inf) == 1
