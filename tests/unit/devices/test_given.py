"""What programs give to a device: answers by name, and what is refused before anything is drawn."""

from __future__ import annotations

from typing import Any

import pytest

import sottovoce as sv
from devices import URL, Memory, ScriptedCollector, device, named, problem
from messages import refused
from sottovoce.errors import DomainError, ParameterError
from sottovoce.study.questionnaire import Questionnaire


def test_one_question_by_name_and_by_axes() -> None:
    assert device().record(named("ldp"), answer="flu", url=URL).state == "waiting"
    assert device().record(named("axes"), sex="f", age="old", url=URL).state == "waiting"
    assert device().record(named("axes"), {"sex": "f", "age": "old"}, url=URL).state == "waiting"
    assert device().record(named("split"), {"smokes": "no"}, age=30, town=3, url=URL).state == "waiting"


@pytest.mark.parametrize(
    ("kind", "answer", "more", "error", "values"),
    [
        ("ldp", None, {}, DomainError, ["ldp"]),
        ("ldp", None, {"illness": "flu"}, DomainError, ["illness"]),
        ("ldp", "flu", {"illness": "flu"}, ParameterError, ["illness", "flu"]),
        ("ldp", "flue", {}, DomainError, ["flue", "flu"]),
        ("ldp", "flu", {"level": "usual"}, DomainError, ["usual"]),
        ("levels", "flu", {}, DomainError, ["careful"]),
        ("block", None, {"marks": {"home": []}}, DomainError, []),
        ("block", "yes", {}, DomainError, ["answer", "smokes"]),
        ("ldp", "flu", {"ticket": "two words"}, ParameterError, []),
        ("ldp", "flu", {"url": "http://collector.example/studies/x"}, ParameterError, ["http://collector.example"]),
        ("ldp", "flu", {"url": "ftp://collector.example"}, ParameterError, ["ftp"]),
        ("ldp", "flu", {"url": None}, ParameterError, ["ldp"]),
    ],
)
def test_what_cannot_be_recorded(kind: str, answer: Any, more: dict[str, Any], error: type[Exception], values: list[str]) -> None:
    storage = Memory()
    with refused(error, *values):
        device(storage).record(named(kind), answer, **({"url": URL} | more))
    assert storage.data is None


@pytest.mark.parametrize(
    "options",
    [
        *({"cap": value} for value in (0, "8", float("inf"), float("nan"), 1e10)),
        *({"max_waiting": value} for value in (0, 1_000_001)),
        *({"max_bytes": value} for value in (1.5, 1 << 31)),
        *({"max_days": value} for value in (True, 10**10)),
        {"send": "later"},
        {"storage": 7},
    ],
    ids=repr,
)
def test_settings_that_make_no_sense(options: dict[str, Any]) -> None:
    with refused(ParameterError, repr(next(iter(options.values())))):
        sv.Device(**({"storage": Memory()} | options))


#: Its questions are called like parameters of `record`.
LIKE_PARAMETERS = """
name = "prizes"
title = "Prizes"
[privacy]
notion = "ldp"
epsilon = 2.0
[[questions]]
name = "ticket"
text = "Which ticket did you draw?"
items = ["first", "second"]
[[questions]]
name = "marks"
text = "Which marks do you have?"
items = ["good", "bad"]
[[questions]]
name = "url"
text = "How did you find us?"
items = ["link", "poster"]
"""


@pytest.mark.parametrize("more", [{"ticket": "first"}, {"marks": "good"}, {"url": "link"}])
@pytest.mark.parametrize("by_url", [False, True])
def test_answers_are_not_taken_for_parameters(
    more: dict[str, Any], by_url: bool, collector: ScriptedCollector, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = sv.Study.from_toml(LIKE_PARAMETERS)
    monkeypatch.setattr("sottovoce.devices.device.loaded", lambda *_: study)
    storage = Memory()
    given = device(storage)
    name = next(iter(more))
    options = ({} if by_url or name == "url" else {"url": URL}) | more
    with refused(ParameterError, name, "prizes"):
        given.record(URL if by_url else study, {each: None for each in ("marks", "ticket", "url") if each != name}, **options)
    assert storage.data is None
    assert collector.sent == []


def test_answers_of_such_names_are_given_as_a_mapping(collector: ScriptedCollector) -> None:
    study = sv.Study.from_toml(LIKE_PARAMETERS)
    given = device()
    given.record(study, {"ticket": "first", "marks": "good", "url": "link"}, ticket="t-1", url=URL)
    assert given.flush() == 1
    assert [ticket for _, _, ticket in collector.sent] == ["t-1"]


def test_an_axis_is_not_taken_for_a_parameter() -> None:
    study = sv.Study.from_toml(
        'name = "x"\nquestion = "Which?"\n[axes]\nticket = ["a", "b"]\nage = ["c", "d"]\n[privacy]\nnotion = "ldp"\nepsilon = 1.0\n'
    )
    with refused(ParameterError, "ticket", "x"):
        device().record(study, age="c", ticket="a", url=URL)
    assert device().record(study, {"age": "c", "ticket": "a"}, url=URL).state == "waiting"


@pytest.mark.parametrize("state", ["sent", "refused"])
def test_an_answered_study_takes_no_answer_for_a_ticket(state: str, collector: ScriptedCollector, monkeypatch: pytest.MonkeyPatch) -> None:
    study = sv.Study.from_toml(LIKE_PARAMETERS)
    monkeypatch.setattr("sottovoce.devices.device.loaded", lambda *_: study)
    given = device()
    given.record(study, {"ticket": "first", "marks": "good", "url": "link"}, url=URL)
    if state == "refused":
        collector.script.append(problem(401, "a ticket is needed"))
    given.flush()
    assert given.status(URL).state == state
    if state == "refused":
        with refused(ParameterError, "url", "prizes"):
            given.record(URL, ticket="first", url="link")
    else:
        assert given.record(URL, ticket="first", url="link").state == "sent"
    given.flush()
    assert [ticket for _, _, ticket in collector.sent] == [""]


def test_skip_logic_alone_answers_that_a_question_does_not_apply() -> None:
    study = sv.Study.from_toml(
        LIKE_PARAMETERS + '[[questions]]\nname = "age"\ntext = "Age?"\nitems = ["young", "old"]\nafter = {ticket = "first"}\n'
    )
    assert isinstance(study, Questionnaire)
    given = {"marks": "good", "url": "link", "age": "does not apply"}
    for ticket in ("first", "second"):
        with refused(DomainError, "age", "does not apply"):
            device().record(study, given | {"ticket": ticket}, url=URL)
        assert device().record(study, given | {"ticket": "second", "age": None}, url=URL).state == "waiting"
    with refused(DomainError, "age", "does not apply"):
        study.perturb({name: [value] for name, value in (given | {"ticket": "first"}).items()})
    assert len(study.perturb({name: [value] for name, value in (given | {"ticket": "second"}).items()})) == 1


@pytest.mark.parametrize("name", ["cap", "max_days"])
def test_numbers_that_python_does_not_write(name: str) -> None:
    with refused(ParameterError, "too large"):
        sv.Device(Memory(), **dict[str, Any]({name: 10**5000}))
