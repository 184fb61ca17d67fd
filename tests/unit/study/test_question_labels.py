"""What answers are called in other languages: read strictly, kept in compiled studies, and without any bearing on what is reported."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from kitchen import kitchen
from messages import refused
from paths import ROOT
from sottovoce.errors import StudyError
from sottovoce.study import Study
from sottovoce.study.compiled import fingerprint_of
from sottovoce.study.question_labels import USUAL
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
        ('well = "gut"', 'well = "badly", badly = "well"', "badly"),
        ('well = "gut"', 'well = "badly", badly = "schlecht"', "badly"),
        ('well = "gut"', 'well = "gut", badly = "gut "', "gut "),
        ('well = "gut"', 'well = "gut", badly = "GUT"', "GUT"),
        ('well = "gut"', 'well = "gut", badly = "g\\u200but\\u00ad"', "gut"),
        ('well = "gut"', 'well = "sehr gut", badly = "sehr\\u00a0 gut"', "sehr gut"),
        ('well = "gut"', 'well = "sch\\u00f6n", badly = "scho\\u0308n"', "de"),
        ('well = "gut"', 'well = "\\u200b"', "well"),
        ('well = "gut"', 'well = "Rather not"', "Rather not"),
        ('well = "gut"', 'well = "lieber  nicht"', "lieber nicht"),
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
    [
        {"fr": {"well": "bien"}},
        {"de": {"good": "gut"}},
        {"de": {"well": "badly"}},
        {"de": {"well": "badly", "badly": "well"}},
        {"de": {"well": "x", "badly": "X\u200b"}},
        {"de": {}},
        {"de": {"well": "\u202e"}},
        {"de": 1},
    ],
)
def test_forged_labels_are_refused(labels: Any) -> None:
    form = copy.deepcopy(read().compile())
    form["questions"][0]["labels"] = labels
    form["fingerprint"] = fingerprint_of({key: value for key, value in form.items() if key not in {"promise", "fingerprint"}})
    with refused(StudyError):
        Study.from_json(json.dumps(form))


EXTRAS = """
name = "sleep"
title = "Sleep"
languages = ["en", "de-AT"]
[privacy]
notion = "ldp"
epsilon = 2.0
[[questions]]
name = "asleep"
text = "Did you sleep?"
items = ["yes", "no"]
[[questions]]
name = "sleep"
text = "How did you sleep?"
items = ["well", "badly"]
prefer_not_to_say = true
other = true
after = {asleep = "yes"}
labels.de-AT = {well = "gut"}
"""


@pytest.mark.parametrize("label", ["möchte ich nicht  sagen", "Etwas anderes", "Prefer not to say", "other", "Does not apply"])
def test_labels_that_read_like_items_for_no_answer_are_refused(label: str) -> None:
    assert read(EXTRAS).questions[1].labels
    with refused(StudyError, label, "well"):
        read(EXTRAS.replace('"gut"', f'"{label}"'))


def test_the_usual_words_are_those_of_the_survey_page() -> None:
    texts = {path.stem: json.loads(path.read_text()) for path in (ROOT / "clients/js/pages/survey/texts").glob("*.json")}
    texts = {language: each.get("texts", each) for language, each in texts.items()}
    assert {language: {word: each[word.replace(" ", "_")] for word in USUAL["en"]} for language, each in texts.items()} == USUAL


LEVELS = FILE.replace("epsilon = 2.0", 'levels = {careful = 1.0, usual = 2.0}\nlabels.de = {careful = "vorsichtig"}')


def test_levels_can_have_labels() -> None:
    study = read(LEVELS)
    assert study.written.labels == {"de": {"careful": "vorsichtig"}}
    assert study.levels == ("careful", "usual")
    again = Study.from_json(json.dumps(study.compile()))
    assert isinstance(again, Questionnaire)
    assert again.fingerprint == study.fingerprint
    assert again.written.labels == study.written.labels
    bare = read(LEVELS.replace('labels.de = {careful = "vorsichtig"}\n', ""))
    assert "labels" not in bare.compile()["privacy"]
    for key in ("parts", "forms"):
        assert bare.compile()[key] == study.compile()[key]
    assert ("the label of 'careful'", "vorsichtig") in list(study.texts())


@pytest.mark.parametrize(
    ("new", "value"),
    [
        ('labels.de = {open = "offen"}', "open"),
        ('labels.fr = {careful = "prudent"}', "fr"),
        ('labels.de = {careful = "usual"}', "usual"),
        ('labels.de = {careful = "usual", usual = "careful"}', "usual"),
        ('labels.de = {careful = "gut", usual = " GUT"}', "GUT"),
        ('labels.de = {careful = "\\u200b"}', "careful"),
        ('labels.de = {careful = "gut\\u202e"}', "label"),
        ('labels.de = {careful = ""}', "labels.de"),
        ("labels = 1", "1"),
        ("labels.de = 1", "1"),
    ],
)
def test_labels_of_levels_that_fit_nothing_are_refused(new: str, value: str) -> None:
    with refused(StudyError, value, "privacy"):
        read(LEVELS.replace('labels.de = {careful = "vorsichtig"}', new))


def test_labels_of_levels_need_levels() -> None:
    with refused(StudyError, "labels"):
        read(LEVELS.replace("levels = {careful = 1.0, usual = 2.0}", "epsilon = 2.0"))


def test_an_axis_is_not_called_like_the_usual_name_of_another() -> None:
    grid = FILE.partition('[[questions]]\nname = "who"')[0] + (
        '[[questions]]\nname = "home"\ntext = "Where?"\n'
        "grid = {latitude = [40.7, 40.8], longitude = [-74.04, -73.92], shape = [2, 2]}\n"
        'labels.de = {longitude = "Länge"}\n'
    )
    assert read(grid).questions[1].labels == {"de": {"longitude": "Länge"}}
    with refused(StudyError, "breitengrad", "latitude"):
        read(grid.replace("Länge", "breitengrad"))
    both = '{longitude = "Breitengrad", latitude = "Höhe"}'
    assert read(grid.replace('{longitude = "Länge"}', both)).questions[1].labels["de"]["latitude"] == "Höhe"
