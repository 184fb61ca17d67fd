"""Answers of every kind become codes: skip logic, clipping, places, marks; and what is wrong with one is said before anything is drawn."""

from __future__ import annotations

from typing import Any

import pytest

import sottovoce as sv
from devices import named
from messages import refused
from sottovoce.devices.answers import codes_of, input_of, missing
from sottovoce.errors import DomainError
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.taking_part import needed

KINDS = """
name = "kinds"
title = "All kinds of questions"
[privacy]
notion = "ldp"
epsilon = 4.0
[strategy]
kind = "sample"
questions = 1
[[questions]]
name = "smokes"
text = "Do you smoke?"
items = ["yes", "no"]
prefer_not_to_say = true
[[questions]]
name = "packs"
text = "How many packs a week?"
items = ["one", "more"]
after = { smokes = "yes" }
[[questions]]
name = "brand"
text = "Which brand?"
items = ["a", "b"]
other = true
after = { packs = ["one", "more"] }
[[questions]]
name = "age"
text = "How old are you?"
numbers = { from = 18, to = 98, bins = 20 }
prefer_not_to_say = true
[[questions]]
name = "mood"
text = "How do you feel?"
scale = [1, 5]
[[questions]]
name = "symptoms"
text = "Which of these did you have?"
choices = ["cough", "fever", "rash"]
prefer_not_to_say = true
at_most = 2
[[questions]]
name = "home"
text = "Where do you live?"
grid = { latitude = [40.0, 41.0], longitude = [-74.0, -73.0], shape = [2, 2] }
[[questions]]
name = "who"
text = "Who are you?"
axes = { sex = ["f", "m"], year = [2024, 2025] }
"""


@pytest.fixture(scope="module")
def study() -> Questionnaire:
    found = sv.Study.from_toml(KINDS)
    assert isinstance(found, Questionnaire)
    return found


def codes(study: Questionnaire, **given: Any) -> dict[str, int]:
    return {name: int(code[0]) for name, code in codes_of(study.questions, given).items()}


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"smokes": "prefer not to say"}, {"smokes": 2, "packs": 2, "brand": 3}),
        ({"smokes": "no", "packs": "more"}, {"smokes": 1, "packs": 2, "brand": 3}),  # what doesn't apply isn't used
        ({"smokes": "yes", "packs": " one "}, {"smokes": 0, "packs": 0}),
        ({"smokes": "yes", "packs": "one", "brand": "other"}, {"smokes": 0, "packs": 0, "brand": 2}),
        ({"packs": "one"}, {}),  # whether it applies isn't known
        ({"age": 7}, {"age": 0}),
        ({"age": 50.5}, {"age": 8}),
        ({"age": 1000}, {"age": 19}),
        ({"age": "prefer not to say"}, {"age": 20}),
        ({"mood": 5}, {"mood": 4}),
        ({"symptoms": []}, {"symptoms: cough": 1, "symptoms: fever": 1, "symptoms: rash": 1}),
        ({"symptoms": ("rash", "cough")}, {"symptoms: cough": 0, "symptoms: fever": 1, "symptoms: rash": 0}),
        ({"symptoms": {"rash"}}, {"symptoms: cough": 1, "symptoms: fever": 1, "symptoms: rash": 0}),
        ({"symptoms": "fever"}, {"symptoms: cough": 1, "symptoms: fever": 0, "symptoms: rash": 1}),
        ({"symptoms": ["prefer not to say"]}, {"symptoms: cough": 2, "symptoms: fever": 2, "symptoms: rash": 2}),
        ({"home": {"latitude": 40.7, "longitude": -73.9}}, {"home": 2}),
        ({"home": (1, 1)}, {"home": 3}),
        ({"home": "1 / 0"}, {"home": 2}),
        ({"who": ["m", 2024]}, {"who": 2}),
        ({"who": {"year": 2025, "sex": "f"}}, {"who": 1}),
        ({"smokes": None, "age": None}, {}),
    ],
    ids=repr,
)
def test_answers_of_every_kind(study: Questionnaire, given: dict[str, Any], found: dict[str, int]) -> None:
    assert codes(study, **given) == found


@pytest.mark.parametrize(
    ("given", "values"),
    [
        ({"smoke": "yes"}, ["'smoke'", "smokes"]),
        ({"smokes": "maybe"}, ["'maybe'"]),
        ({"smokes": "no", "packs": "ten"}, ["'ten'"]),  # although it doesn't apply: errors don't depend on other answers
        ({"age": "old"}, ["'old'"]),
        ({"age": float("nan")}, ["nan"]),
        ({"mood": 6}, ["6"]),
        ({"symptoms": ["cough", "fever", "rash"]}, ["3", "2"]),
        ({"symptoms": ["cold"]}, ["'cold'"]),
        ({"symptoms": ["cough", "prefer not to say"]}, ["prefer not to say"]),
        ({"symptoms": 3}, ["3"]),
        ({"home": {"latitude": 45.0, "longitude": -73.9}}, ["45.0"]),
        ({"home": {"latitude": 40.5}}, ["longitude"]),
        ({"who": {"sex": "f", "year": 1999}}, ["1999"]),
    ],
    ids=repr,
)
def test_what_is_wrong_with_an_answer(study: Questionnaire, given: dict[str, Any], values: list[str]) -> None:
    with refused(DomainError, *values):
        codes(study, **given)


def test_only_the_questions_of_the_form_and_those_they_depend_on_are_needed(study: Questionnaire) -> None:
    form = next(form for form in study.mechanism.groups.values() if form.questions == ("brand",))
    assert [question.name for question in needed(study, form)] == ["smokes", "packs", "brand"]

    def absent(**given: Any) -> list[str]:
        return missing(study, form, codes_of(study.questions, given))

    assert absent() == ["smokes"]
    assert absent(brand="a", packs="one", mood=3) == ["smokes"]
    assert absent(smokes="yes", brand="a") == ["packs"]
    assert absent(smokes="yes", packs="one") == ["brand"]
    assert absent(smokes="no") == []


def test_items_of_one_question() -> None:
    assert input_of(named("ldp"), " flu ") == 3
    assert input_of(named("years"), "2025") == input_of(named("years"), 2025) == 1
    assert input_of(named("integers"), 29) == 29
    assert input_of(named("axes"), "m /old") == input_of(named("axes"), ("m", "old")) == 5
    assert input_of(named("grid"), {"latitude": 40.75, "longitude": -74.0}) == input_of(named("grid"), [2, 1])
    assert input_of(named("ages"), 17) == 0


def test_marked_items_enter_under_their_tag() -> None:
    study = named("tags")
    assert [input_of(study, cell, {"home": [(0, 1)], "work": [[1, 0]]}) for cell in [(0, 0), (0, 1), (1, 0)]] == [0, 20, 21]
    with refused(DomainError, "gym", "home"):
        input_of(study, (0, 0), {"gym": []})
    with refused(DomainError, "(0, 0)"):
        input_of(study, (0, 0), {"home": [(0, 0)], "work": [(0, 0)]})
