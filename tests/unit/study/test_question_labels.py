"""What answers are called in other languages: read strictly, kept in compiled studies, and without any bearing on what is reported."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from kitchen import kitchen
from messages import refused
from sottovoce.errors import StudyError
from sottovoce.study import Study
from sottovoce.study.compiled import fingerprint_of
from sottovoce.study.questionnaire import Questionnaire

FILE = """
name = "sleep"
title = {en = "Sleep", de = "Schlaf"}
languages = ["en", "de"]
[privacy]
notion = "ldp"
epsilon = 2.0
[[questions]]
name = "sleep"
text = {en = "How did you sleep?", de = "Wie haben Sie geschlafen?"}
items = ["well", "badly"]
prefer_not_to_say = "rather not"
labels.de = {well = "gut", "rather not" = "lieber nicht"}
[[questions]]
name = "who"
text = "Who are you?"
[questions.axes]
sex = ["f", "m"]
age = [1, 2]
[questions.labels.de]
sex = "Geschlecht"
f = "weiblich"
1 = "jung"
"""


def read(text: str = FILE) -> Questionnaire:
    found = Study.from_toml(text)
    assert isinstance(found, Questionnaire)
    return found


def test_labels_are_kept_and_change_nothing_that_is_reported() -> None:
    study = read()
    assert study.questions[0].labels == {"de": {"well": "gut", "rather not": "lieber nicht"}}
    again = Study.from_json(json.dumps(study.compile()))
    assert again.fingerprint == study.fingerprint
    assert [each.labels for each in again.questions] == [each.labels for each in study.questions]
    bare = read(FILE.replace('labels.de = {well = "gut", "rather not" = "lieber nicht"}\n', "").partition("[questions.labels")[0])
    assert all("labels" not in each for each in bare.compile()["questions"])
    assert bare.fingerprint != study.fingerprint
    for key in ("parts", "forms"):
        assert bare.compile()[key] == study.compile()[key]
    assert ("the label of 'well'", "gut") in list(study.texts())


def test_every_kind_of_question_can_have_them() -> None:
    study = kitchen("all")
    assert Study.from_json(json.dumps(study.compile())).fingerprint == study.fingerprint


@pytest.mark.parametrize(
    ("old", "new", "value"),
    [
        ('well = "gut"', 'good = "gut"', "good"),
        ('well = "gut"', 'well = "badly"', "badly"),
        ('well = "gut"', "well = 1", "1"),
        ('well = "gut"', 'well = ""', "labels.de"),
        ('well = "gut"', 'well = "gut\\u202e"', "label"),
        ("labels.de = {", "labels.fr = {", "fr"),
        ('sex = "Geschlecht"', 'sex = "age"', "age"),
        ('1 = "jung"', '3 = "jung"', "3"),
        ('languages = ["en", "de"]\n', "", "languages"),
    ],
)
def test_labels_that_fit_nothing_are_refused(old: str, new: str, value: str) -> None:
    text = FILE.replace(old, new)
    if "languages" in old:
        text = text.replace('{en = "Sleep", de = "Schlaf"}', '"Sleep"').replace(
            '{en = "How did you sleep?", de = "Wie haben Sie geschlafen?"}', '"Sleep?"'
        )
    with refused(StudyError, value):
        read(text)


@pytest.mark.parametrize(
    "labels",
    [{"fr": {"well": "bien"}}, {"de": {"good": "gut"}}, {"de": {"well": "badly"}}, {"de": {}}, {"de": {"well": "\u202e"}}, {"de": 1}],
)
def test_forged_labels_are_refused(labels: Any) -> None:
    form = copy.deepcopy(read().compile())
    form["questions"][0]["labels"] = labels
    form["fingerprint"] = fingerprint_of({key: value for key, value in form.items() if key not in {"promise", "fingerprint"}})
    with refused(StudyError):
        Study.from_json(json.dumps(form))
