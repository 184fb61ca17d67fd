"""What certificates say to people."""

from __future__ import annotations

import pytest

import sottovoce as sv
from zoo import DOMAIN, PRIOR, PRIORS, ZOO


@pytest.mark.parametrize("name", ZOO)
def test_every_claim_explains_itself(name: str) -> None:
    text = ZOO[name](1.0).certify().explain()
    assert "Verdict:" in text
    assert "holds" in text
    assert "odds of each answer" in text
    assert "inf" not in text.replace("information", "")


def test_survey_of_the_readme() -> None:
    mechanism = sv.iprr(sv.Domain(["hiv", "cancer", "hepatitis", "flu", "none"]), {"hiv": 0.1, "cancer": 0.5, "hepatitis": 1.0})
    text = mechanism.certify().explain()
    assert "'hiv': raised up to 1.11 times, lowered up to 2.72 times" in text
    assert "'flu': some reports show it as it is" in text
    assert "rules out every other answer" in text
    assert "The budget belongs to the item that is reported" in text


def test_limits_are_named() -> None:
    krr = sv.krr(DOMAIN, 1.0)
    assert "ε-LIP is only 2ε-LDP" in sv.LIP(1.0, PRIOR).check(krr).explain()
    assert "set of priors" in sv.BoundedPriorLIP(1.0, PRIORS).check(krr).explain()
    assert "invertible" in sv.ULDP(1.0, "ab").check(krr).explain()
    assert "average" in sv.MaximalLeakage(1.0).check(krr).explain()
    assert "average" in sv.MutualInformation(1.0, PRIOR).check(krr).explain()
    assert "You" in sv.pum(DOMAIN, 1.0, ["home"]).certify().explain()


def test_a_broken_promise_is_called_broken() -> None:
    certificate = sv.LDP(0.5).check(sv.krr(DOMAIN, 1.0))
    assert not certificate
    assert "DOES NOT HOLD, at level 1" in certificate.explain()
    assert "no finite level" in sv.LDP(0.5).check(sv.identity(DOMAIN)).explain()
    assert "or less" in sv.LIP(1.0, PRIOR).check(sv.olh(DOMAIN, 1.0)).explain()


def test_long_domains_are_cut() -> None:
    text = sv.krr(sv.Domain(1000), 1.0).certify().explain()
    assert "and 988 more items" in text
    assert text.count("\n") < 25
