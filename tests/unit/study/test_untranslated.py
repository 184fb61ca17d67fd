"""Texts and labels that aren't translated are named by check, and no error."""

from __future__ import annotations

import re
from pathlib import Path

import sottovoce as sv
from invoking import as_json
from kitchen import kitchen
from messages import refused
from sottovoce.errors import StudyError
from sottovoce.findings.explained_respondents import for_respondents
from sottovoce.findings.explanations import for_board
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.untranslated import untranslated

FILE = """
name = "translated"
title = "Health"
organisation = "Office of Health"
languages = ["en", "de"]
[privacy]
notion = "ldp"
levels = {careful = 1.0, usual = 2.0}
[[questions]]
name = "smokes"
text = {en = "Do you smoke?", de = "Rauchen Sie?"}
help = "Pipes count."
items = ["yes", "no"]
prefer_not_to_say = true
[[questions]]
name = "packs"
text = {en = "Packs?", de = "Packungen?"}
items = ["1", "2 or more"]
after = {smokes = "yes"}
labels.de = {"2 or more" = "2 oder mehr"}
"""
MISSING = [
    "The title is in one language.",
    "The help of 'smokes' is in one language.",
    "Of the answers to 'smokes', 'yes' and 1 more have no label in 'de'.",
    "Of the levels, 'careful' and 1 more have no label in 'de'.",
]


def questionnaire(text: str) -> Questionnaire:
    found = sv.Study.from_toml(text)
    assert isinstance(found, Questionnaire)
    return found


def test_what_is_missing_is_named() -> None:
    assert untranslated(questionnaire(FILE)) == MISSING
    assert untranslated(questionnaire(FILE.replace('items = ["yes", "no"]', 'items = ["yes", "no"]\nlabels.de = {yes = "ja"}')))[2] == (
        "Of the answers to 'smokes', 'no' has no label in 'de'."
    )
    one = re.sub(r'\{en = ("[^"]*"), de = "[^"]*"\}|labels\.de = .*|languages = .*', r"\1", FILE)
    assert untranslated(questionnaire(one)) == []


def test_what_is_translated_is_not_named() -> None:
    study = kitchen("skip")
    assert isinstance(study, Questionnaire)
    assert not [each for each in untranslated(study) if "'smokes'" in each or "title" in each]


def test_check_says_it(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(FILE)
    assert as_json(tmp_path, "check", "study.toml")["untranslated"] == MISSING


def test_pages_name_who_asks_and_whom() -> None:
    study = questionnaire(FILE)
    assert "Office of Health" in for_respondents(study)
    board = for_board(study)
    assert "“Packs?”, of those who answered “yes” to “Do you smoke?”" in board
    assert "## How precise the results will be" in board


def test_unknown_notions_are_called_so() -> None:
    with refused(StudyError, "foo"):
        sv.Study.from_toml(FILE.replace('"ldp"', '"foo"'))
    with refused(StudyError):
        sv.Study.from_toml(FILE.replace('"ldp"', '"ipldp"'))
