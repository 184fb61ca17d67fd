"""What a collector tells analysts of questionnaires: counts by form, an estimate and an outlook for each question."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pytest

import sottovoce as sv
from collectors import NDJSON, Running, added, hosted, matches, named, some_reports
from messages import wording
from sottovoce.estimators.intervals import deviate
from sottovoce.findings import QuestionnaireFindings
from sottovoce.findings.questionnaire_precision import QuestionnairePrecision
from sottovoce.store import Role
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.tallies import Tally
from sottovoce.wire import lines
from studies import QUESTIONNAIRES

COUNT = 600


@pytest.fixture(scope="module")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    url = str(tmp_path_factory.mktemp("questionnaires") / "collector.sqlite")
    added(url, *(named(kind) for kind in QUESTIONNAIRES), named("block", "empty"))
    with hosted(url) as running, running.client() as client:
        for kind in QUESTIONNAIRES:
            study = named(kind)
            body = lines(study.fingerprint, some_reports(study, COUNT))
            assert client.post(f"/studies/{study.name}/reports", content=body, headers={"content-type": NDJSON}).status_code == 200
        yield running


def questionnaire(kind: str, name: str | None = None) -> Questionnaire:
    found = named(kind, name)
    assert isinstance(found, Questionnaire)
    return found


def precision(study: Questionnaire, tally: Tally, level: float = 0.95) -> QuestionnairePrecision:
    return QuestionnairePrecision.of(study, tally, QuestionnaireFindings.of(study, tally, level=level))


@pytest.mark.parametrize("kind", QUESTIONNAIRES)
def test_the_estimate_is_the_librarys(collector: Running, kind: str) -> None:
    study = questionnaire(kind)
    reports = some_reports(study, COUNT)
    analyst = collector.token(Role.ANALYST, study.name)
    with collector.client() as client:
        tally = Tally(study.mechanism, keep_reports=True).add(reports)
        for method in (None, "mle"):
            query = {"level": "0.9"} | ({"method": method} if method else {})
            answer = client.get(f"/studies/{study.name}/estimate", params=query, headers=analyst)
            assert answer.status_code == 200, answer.text
            matches(answer.json(), "QuestionnaireEstimate")
            told = QuestionnaireFindings.of(study, tally, method=method, level=0.9).to_dict()
            got = answer.json()
            assert got == json.loads(json.dumps(told))


@pytest.mark.parametrize("kind", QUESTIONNAIRES)
def test_the_tally_lists_the_forms(collector: Running, kind: str) -> None:
    study = questionnaire(kind)
    tally = Tally(study.mechanism).add(some_reports(study, COUNT))
    with collector.client() as client:
        told = client.get(f"/studies/{study.name}/tally", headers=collector.token(Role.ANALYST, study.name)).json()
    matches(told, "Tally")
    assert [form["n"] for form in told["forms"]] == [block.n for block in tally.blocks]
    for form, block in zip(told["forms"], tally.blocks, strict=True):
        assert [part["questions"] for part in form["parts"]] == [
            list(part.questions) for part in study.mechanism.groups[form["form"]].parts
        ]
        assert [count for part in form["parts"] for count in part["counts"]] == block.counts.tolist()


def test_the_methods_that_are_offered_are_those_that_work(collector: Running) -> None:
    study = questionnaire("block")
    analyst = collector.token(Role.ANALYST, study.name)
    with collector.client() as client:
        told = client.get(f"/studies/{study.name}/tally", headers=analyst).json()
        offered = {each["method"] for each in told["methods"]}
        assert {"mle", "projected", "inversion"} <= offered
        for method in sv.estimators.METHODS:
            answer = client.get(f"/studies/{study.name}/estimate", params={"method": method}, headers=analyst)
            assert (answer.status_code == 200) == (method in offered), (method, answer.text)


def test_simultaneous_intervals_are_refused(collector: Running) -> None:
    with collector.client() as client:
        analyst = collector.token(Role.ANALYST, "block")
        answer = client.get("/studies/block/estimate", params={"simultaneous": "true"}, headers=analyst)
    assert (answer.status_code, answer.json()["type"]) == (422, "/problems/unsupported")
    wording(answer.json()["detail"])


@pytest.mark.parametrize(("kind", "name"), [*((kind, kind) for kind in QUESTIONNAIRES), ("block", "empty")])
def test_the_outlook_has_every_question(collector: Running, kind: str, name: str) -> None:
    study = questionnaire(kind, name)
    tally = Tally(study.mechanism, keep_reports=True)
    with collector.client() as client:
        query = {"level": 0.9, "target": 0.02}
        answer = client.get(f"/studies/{name}/outlook", params=query, headers=collector.token(Role.ANALYST, name))
    assert answer.status_code == 200, answer.text
    matches(answer.json(), "QuestionnaireOutlook")
    told = precision(study, tally if name == "empty" else tally.add(some_reports(study, COUNT)), 0.9).to_dict(0.02)
    assert answer.json() == json.loads(json.dumps(told))
    for question in told["questions"].values():
        assert (question["margin"] is None) == (name == "empty")
        assert question["needed"] > 0


def test_the_outlook_of_questions_asked_together() -> None:
    """Their margins are those that a page shows, and unknown before anyone has answered."""
    text = QUESTIONNAIRES["split"].replace('items = ["yes", "no"]', 'items = ["yes", "no"]\ntogether = "home"')
    study = sv.Study.from_toml(text.replace("items = 40", 'items = 4\ntogether = "home"'))
    assert isinstance(study, Questionnaire)
    empty = precision(study, Tally(study.mechanism)).to_dict()["questions"]
    assert [(empty[name]["margin"], empty[name]["needed"]) for name in ("smokes", "town")] == [(None, None), (None, None)]
    tally = Tally(study.mechanism).add(some_reports(study, 2000))
    told = precision(study, tally).to_dict(0.01)["questions"]
    findings = QuestionnaireFindings.of(study, tally)
    for name in ("smokes", "town"):
        interval = findings[name].main.interval
        assert interval is not None
        margin = float((interval.high - interval.low).max()) / 2
        assert told[name]["margin"] == pytest.approx(margin)
        assert told[name]["needed"] == pytest.approx(2000 * (margin / 0.01) ** 2, rel=1e-3)


OFFICE = """name = "office"
title = "The office"
[privacy]
notion = "ldp"
epsilon = 3.0
[[questions]]
name = "smokes"
text = "Do you smoke?"
items = ["never", "formerly", "daily"]
[[questions]]
name = "quit"
text = "Would you like to stop?"
items = ["yes", "no"]
after = {smokes = "daily"}
[[questions]]
name = "age"
text = "How old are you?"
numbers = {from = 18, to = 98, bins = 8}
"""


def test_a_question_for_some_takes_the_people_that_its_own_shares_need() -> None:
    """The outlook is about the intervals that the report shows, and follows its own rule: four times as many people halve them."""
    study = sv.Study.from_toml(OFFICE)
    assert isinstance(study, Questionnaire)
    random, people = np.random.default_rng(3), 40_000
    smokes = random.choice(["never", "formerly", "daily"], people, p=[0.5, 0.3, 0.2])
    quit_ = [str(random.choice(["yes", "no"])) if each == "daily" else None for each in smokes]
    answers = {"smokes": list(smokes), "quit": quit_, "age": list(random.integers(18, 98, people))}
    tally = sv.Tally(study.mechanism).add(study.perturb(answers, sv.SeededSource(1)))
    told = precision(study, tally).to_dict(0.03)["questions"]
    findings = QuestionnaireFindings.of(study, tally)
    shown = findings["quit"].main.interval
    assert shown is not None
    assert told["quit"]["margin"] == pytest.approx(float((shown.high - shown.low).max()) / 2)
    assert told["quit"]["margin"] > 2.5 * told["smokes"]["margin"]
    for each in told.values():
        assert each["needed"] == pytest.approx(people * (each["margin"] / 0.03) ** 2, rel=1e-3)
    assert [each["answered"] for each in told.values()] == [False, True, False]
    (mean,) = (each for each in findings["age"].figures if each.name == "mean")
    assert mean.low is not None
    assert mean.high is not None
    assert told["age"]["mean"] == pytest.approx((mean.high - mean.low) / 2)
    assert told["smokes"]["mean"] is None


def test_no_one_answered_a_question_for_some() -> None:
    study = sv.Study.from_toml(OFFICE)
    assert isinstance(study, Questionnaire)
    answers = {"smokes": ["never"] * 500, "quit": [None] * 500, "age": [40] * 500}
    told = precision(study, sv.Tally(study.mechanism).add(study.perturb(answers, sv.SeededSource(1)))).to_dict()
    assert (told["questions"]["quit"]["margin"], told["questions"]["quit"]["needed"]) == (None, None)


def test_as_many_people_as_it_takes_give_such_intervals() -> None:
    """The outlook of 600 people, and the intervals of as many people as it asks for."""
    study = questionnaire("sample")
    answers = {name: np.arange(3000) % len(domain) for each in study.questions for name, domain in each.fields.items()}
    found = precision(study, Tally(study.mechanism).add(study.mechanism.perturb(answers, source=sv.SeededSource(1))))
    for question in ("smokes", "symptoms"):
        (needed,) = {found.to_dict(0.03)["questions"][question]["needed"]}
        reached = {name: np.arange(needed) % len(domain) for each in study.questions for name, domain in each.fields.items()}
        made = study.estimates(Tally(study.mechanism).add(study.mechanism.perturb(reached, source=sv.SeededSource(2))))
        fields = next(each for each in study.questions if each.name == question).fields
        assert deviate(0.95) * max(float(made[name].stderr.max()) for name in fields) == pytest.approx(0.03, rel=0.12)
