"""What certificates say to people."""

from __future__ import annotations

import pytest

import sottovoce as sv
from messages import refused
from zoo import DOMAIN, PRIOR, PRIORS, ZOO, built


@pytest.mark.parametrize("name", ZOO)
def test_every_claim_explains_itself(name: str) -> None:
    text = built(name).certify().explain()
    assert "Verdict:" in text
    assert "The guarantee (" in text
    assert "It is kept" in text
    assert "odds of each answer" in text
    assert "inf" not in text.replace("information", "")


def test_survey_of_the_readme() -> None:
    mechanism = sv.iprr(sv.Domain(["hiv", "cancer", "hepatitis", "flu", "none"]), {"hiv": 0.1, "cancer": 0.5, "hepatitis": 1.0})
    text = mechanism.certify().explain()
    assert "'hiv': raised up to 1.11 times, lowered up to 2.72 times" in text
    shown = 100 * mechanism.channel.row(3)[3]
    assert f"'flu': {shown:.2g}% of its reports reveal it." in text
    assert "rules out every other answer" in text
    assert "The budget that counts is that of the item in the report" in text


def test_limits_are_named() -> None:
    krr = sv.krr(DOMAIN, 1.0)
    assert "ε-LIP is only 2ε-LDP" in sv.LIP(1.0, PRIOR).check(krr).explain()
    assert "set of priors" in sv.BoundedPriorLIP(1.0, PRIORS).check(krr).explain()
    assert "may reveal one" in sv.ULDP(1.0, "ab").check(krr).explain()
    assert "average" in sv.MaximalLeakage(1.0).check(krr).explain()
    assert "average" in sv.MutualInformation(1.0, PRIOR).check(krr).explain()
    assert "You" in sv.pum(DOMAIN, 1.0, ["home"]).certify().explain()


def test_a_broken_promise_is_called_broken() -> None:
    certificate = sv.LDP(0.5).check(sv.krr(DOMAIN, 1.0))
    assert not certificate
    assert "THE GUARANTEE IS BROKEN, at ε = 1" in certificate.explain()
    assert "no finite level" in sv.LDP(0.5).check(sv.identity(DOMAIN)).explain()
    assert "or less" in sv.LIP(1.0, PRIOR).check(sv.olh(DOMAIN, 1.0)).explain()


def test_a_level_is_never_rounded_to_what_was_promised() -> None:
    rows = [[0.7311, 0.2689], [0.2689, 0.7311]]
    with refused(sv.ClaimError, "from_matrix", 1.001):
        sv.from_matrix(sv.Domain("ab"), rows, sv.LDP(1.0))
    assert "at most 1.01 times" in sv.MaximalLeakage(0.004).promise()
    assert "infinity" in sv.MaximalLeakage(1000).promise()


def test_secrets_and_answers_are_not_confused() -> None:
    secrets = [[0.26, 0.24, 0.25, 0.25], [0.24, 0.26, 0.25, 0.25]]
    text = sv.LIP(0.1, [0.25] * 4, secrets).check(sv.krr(sv.Domain(4), 5.0)).explain()
    assert "no value of the secret" in text
    assert "2ε" not in text
    assert "stated pair" in sv.Pufferfish(1.0, secrets, pairs=[(0, 1)]).promise()


def test_of_many_items_the_protected_ones_are_shown_first() -> None:
    text = sv.urr(sv.Domain(500), 1.0, sensitive=[300, 400]).certify().explain()
    assert "  300: raised up to 2.72 times" in text
    assert "  400: raised up to 2.72 times" in text
    assert "  0: 46% of its reports reveal it" in text
    assert "and 488 more items" in text


def test_an_answer_that_is_always_sent_is_named() -> None:
    """With one sensitive answer, chance has no other to name. With two, it has."""
    for mechanism in (sv.urr(DOMAIN, 1.0, sensitive="b"), sv.ubd(DOMAIN, 1.0, sensitive="b"), sv.iprr(DOMAIN, {"b": 1.0})):
        row = mechanism.channel.row(DOMAIN.code("b"))
        assert sorted(row)[-1] == 1
        assert "A device with 'b' always sends the same report." in mechanism.certify().explain()
    for mechanism in (
        sv.urr(DOMAIN, 1.0, sensitive="ab"),
        sv.ubd(DOMAIN, 1.0, sensitive="ab"),
        sv.utility_optimized(sv.oue(sv.Domain("ab"), 1.0), DOMAIN),
        sv.krr(DOMAIN, 1.0),
        sv.identity(DOMAIN),
    ):
        assert "always sends the same report" not in mechanism.certify().explain()
    assert "A device with ⊥home always sends the same report." in sv.pum(DOMAIN, 1.0, ["home"]).certify().explain()


def test_how_often_an_answer_is_revealed_is_that_of_the_matrix() -> None:
    """The closed forms agree with counting the reports that only one item has."""
    for mechanism in (
        sv.urr(DOMAIN, 1.0, sensitive="ab"),
        sv.ubd(sv.Domain(8), 1.0, sensitive=[0, 1, 2]),
        sv.utility_optimized(sv.oue(sv.Domain("ab"), 1.0), DOMAIN),
        sv.iprr(sv.Domain("abcd"), {"a": 0.5, "b": 1.0}),
        sv.krr(DOMAIN, 1.0),
    ):
        table = mechanism.channel.matrix()
        alone = (table > 0).sum(axis=0) == 1
        assert mechanism.channel.revealed_chances() == pytest.approx(table[:, alone].sum(axis=1))


def test_long_domains_are_cut() -> None:
    text = sv.krr(sv.Domain(1000), 1.0).certify().explain()
    assert "and 988 more items" in text
    assert text.count("\n") < 25
