"""Under ULDP a question that depends on a sensitive answer reveals nothing about it."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

import sottovoce as sv
from messages import refused
from sottovoce.errors import StudyError
from sottovoce.study.compiled import fingerprint_of
from sottovoce.study.questionnaire import Questionnaire

HEAD = 'name = "clinic"\ntitle = "Your health"\n[privacy]\nnotion = "uldp"\nepsilon = 2.0\n'
SMOKES = '[[questions]]\nname = "smokes"\ntext = "Do you smoke?"\nitems = ["yes", "no", "sometimes"]\nsensitive = ["yes"]\n'
PACKS = '[[questions]]\nname = "packs"\ntext = "How many packs?"\nitems = ["one", "more"]\n'
TOWN = '[[questions]]\nname = "town"\ntext = "Where?"\nitems = ["here", "there"]\n'


def read(*parts: str) -> Questionnaire:
    found = sv.Study.from_toml("".join((HEAD, *parts)))
    assert isinstance(found, Questionnaire)
    return found


def sensitive(study: Questionnaire, name: str) -> tuple[Any, ...]:
    return next(each.sensitive for each in study.questions if each.name == name)


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ('"yes"', ("one", "more", "does not apply")),
        ('["yes", "no"]', ("one", "more", "does not apply")),
        ('"no"', ("does not apply",)),
        ('["no", "sometimes"]', ("does not apply",)),
    ],
)
def test_what_a_sensitive_answer_decides_is_sensitive(after: str, expected: tuple[str, ...]) -> None:
    study = read(SMOKES, PACKS, f"after = {{smokes = {after}}}\n")
    assert sensitive(study, "packs") == expected


def test_it_goes_on_along_a_chain() -> None:
    study = read(SMOKES, PACKS, 'after = {smokes = "yes"}\n', TOWN, 'after = {packs = "one"}\n')
    assert sensitive(study, "town") == ("here", "there", "does not apply")


def test_a_refusal_is_sensitive_and_the_rest_needs_not_be() -> None:
    study = read(SMOKES, TOWN, "prefer_not_to_say = true\n")
    assert sensitive(study, "town") == ("prefer not to say",)
    assert sensitive(read(SMOKES, TOWN), "town") == ()


def test_no_submission_of_a_smoker_excludes_everyone_else() -> None:
    """All parts by enumeration: what a sensitive answer can lead to, a record without one can lead to as well."""
    study = read(SMOKES, PACKS, 'after = {smokes = "yes"}\n', TOWN)
    records = [("yes", "one"), ("yes", "more"), ("no", "does not apply"), ("sometimes", "does not apply")]
    for form in study.mechanism.groups.values():
        possible: dict[tuple[str, str], set[Any]] = {}
        for record in records:
            found: list[set[int]] = []
            for part in form.parts:
                if part.questions == ("town",):
                    continue
                fields = {name: domain for question in study.questions for name, domain in question.fields.items()}
                code = part.domain.code(
                    dict(zip(("smokes", "packs"), record, strict=True))[part.questions[0]]
                    if len(part.questions) == 1
                    else tuple(dict(zip(("smokes", "packs"), record, strict=True))[name] for name in part.questions)
                )
                assert set(part.questions) <= set(fields)
                found.append({y for y, chance in enumerate(part.channel.row(code)) if chance > 0})
            possible[record] = set(itertools.product(*found))
        for record in records[:2]:
            for other in records[2:]:
                assert possible[record] <= possible[other] or not possible[record]


def test_answers_that_must_be_sensitive_are_named() -> None:
    with refused(StudyError, "one"):
        read(SMOKES, PACKS, 'after = {smokes = "yes"}\nsensitive = ["more"]\n')
    form = read(SMOKES, PACKS, 'after = {smokes = "yes"}\n').compile()
    form["questions"][1].pop("sensitive")
    form["fingerprint"] = fingerprint_of({key: value for key, value in form.items() if key not in {"promise", "fingerprint"}})
    with refused(StudyError, "packs"):
        sv.Study.from_json(json.dumps(form))
