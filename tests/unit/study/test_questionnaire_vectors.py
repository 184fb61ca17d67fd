"""The vectors of questionnaires: the same words draw the same forms and reports, and what others forged is refused."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import numpy as np
import pytest

import reference
import sottovoce as sv
from paths import ROOT
from sottovoce.arithmetic import ONE
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.questions import encoded
from sottovoce.wire import Body
from sottovoce.wire.reports import Records

VECTORS = ROOT / "spec" / "vectors"
QUESTIONNAIRES = sorted((VECTORS / "questionnaires").glob("*.json"))


def read(path: Path) -> tuple[dict[str, Any], Questionnaire]:
    vector = json.loads(path.read_text(encoding="utf-8"))
    study = sv.Study.from_json(json.dumps(vector["study"]))
    assert isinstance(study, Questionnaire)
    return vector, study


def table(study: Questionnaire, person: dict[str, Any]) -> dict[str, Any]:
    """The answers of a person as columns of one row. Places are tuples."""
    crossed = {each.name for each in study.questions if len(each.answers.axes) > 1}
    return {name: [tuple(answer) if name in crossed else answer] for name, answer in person["answers"].items()}


@pytest.mark.parametrize("path", QUESTIONNAIRES, ids=lambda path: path.stem)
def test_the_same_words_make_the_same_submission(path: Path) -> None:
    vector, study = read(path)
    jsonschema.validate(vector["study"], json.loads((ROOT / "spec" / "study.schema.json").read_text(encoding="utf-8")))
    for person in vector["people"]:
        level = {"level": [person["level"]]} if person["level"] else {}
        source = sv.ReplaySource([int(word, 16) for word in person["words"]])
        line = json.loads(sv.wire.lines(study.fingerprint, study.perturb(table(study, person) | level, source)))
        assert {key: line[key] for key in ("level", "report")} == person["submission"]
        assert source.remaining == 0


@pytest.mark.parametrize("path", QUESTIONNAIRES, ids=lambda path: path.stem)
def test_the_plain_implementation_agrees(path: Path) -> None:
    """The form is drawn, and its reports are read part by part, as spec/study.md has it."""
    vector, study = read(path)
    form = vector["study"]
    for person in vector["people"]:
        words = iter([int(word, 16) for word in person["words"]])
        mine = [each for each in form["forms"] if each.get("level", "") == person["level"]]
        assert sum(int(each["weight"]) for each in mine) == ONE
        word, running = next(words), np.cumsum([int(each["weight"]) for each in mine], dtype=object)
        drawn = next(each for each, below in zip(mine, running, strict=True) if word < below)
        assert person["asked"]["form"] == drawn["form"] == person["submission"]["level"]
        codes = encoded(study.questions, table(study, person))
        body = Body(study.fingerprint, "0" * 32, person["submission"]["report"], drawn["form"])
        found = study.mechanism.groups[drawn["form"]].channel.reports_from_bytes(Records(study.mechanism).one(body)).tolist()[0]
        for place, value in zip(drawn["parts"], found, strict=True):
            part = study.mechanism.parts[place]
            (code,) = part.codes(codes).tolist()
            assert reference.report(form["parts"][place]["channel"], code, words) == value
        assert list(words) == []


@pytest.fixture(scope="module")
def made() -> ModuleType:
    """The script that writes the vectors."""
    spec = importlib.util.spec_from_file_location("make_vectors", ROOT / "spec" / "make_vectors.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_vectors_are_those_that_are_made_today(made: ModuleType) -> None:
    kept = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in QUESTIONNAIRES}
    assert kept == {kind: made.questionnaire_case(number, study) for number, (kind, study) in enumerate(made.questionnaires().items())}


def test_every_strategy_and_every_kind_of_channel_is_there() -> None:
    vectors = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in QUESTIONNAIRES}
    parts = [part for vector in vectors.values() for part in vector["study"]["parts"]]
    kinds = {"direct", "unary", "subset", "hadamard", "hashed", "matrix", "window", "lifted", "mixed", "capped"}
    assert {part["channel"]["kind"] for part in parts} == kinds
    assert any(len(part["fields"]) > 1 and "at_most" not in part for part in parts)
    assert any(part["epsilon"] == "inf" for part in parts)
    people = [person for vector in vectors.values() for person in vector["people"]]
    assert len(people) > 150
    assert any(person["asked"]["needed"] != person["asked"]["reported"] for person in people)
