"""Devices in Python and JavaScript ask the same questions and make the same submissions of the same words, at the same cost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import sottovoce as sv
from devices import URL, Memory, device
from paths import ROOT
from sottovoce.devices import Asked

VECTORS = ROOT / "spec" / "vectors"
QUESTIONNAIRES = sorted((VECTORS / "questionnaires").glob("*.json"))
#: Without the study of three reports: its vectors have single ones.
STUDIES = sorted(path for path in (VECTORS / "studies").glob("*.json") if path.stem != "three-reports")


def read(path: Path) -> tuple[sv.Study, dict[str, Any]]:
    found = json.loads(path.read_text(encoding="utf-8"))
    return sv.Study.from_json(json.dumps(found["study"]), path.name), found


def replayed(words: list[str]) -> sv.ReplaySource:
    return sv.ReplaySource([int(word, 16) for word in words])


@pytest.mark.parametrize("path", QUESTIONNAIRES, ids=lambda path: path.stem)
def test_questionnaires(path: Path) -> None:
    study, vector = read(path)
    for level, cost in vector["price"].items():
        assert sv.price(study, level or None) == sv.Spent(**cost)
    for person in vector["people"]:
        source, storage, level = replayed(person["words"]), Memory(), person["level"] or None
        asked = person["asked"] | {key: tuple(person["asked"][key]) for key in ("reported", "needed")}
        given = device(storage, source=source, cap=1000)
        assert given.asked(study, level) == Asked(**asked)
        only = {name: person["answers"][name] for name in asked["needed"] if name in person["answers"]}
        for answers in (only, person["answers"]):
            again = device(Memory(storage.data), source=replayed(person["words"][1:]), cap=1000)
            (report,) = again.record(study, answers, level=level, url=URL).reports
            assert {"level": report.level, "report": report.report} == person["submission"]
        (report,) = given.record(study, person["answers"], level=level, url=URL).reports
        assert {"level": report.level, "report": report.report} == person["submission"]
        assert source.remaining == 0


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_studies_of_one_question(path: Path) -> None:
    study, vector = read(path)
    source = replayed(vector["words"])
    for answer in vector["answers"]:
        tag, item = answer["input"] - len(study.domain), study.domain.item(min(answer["input"], len(study.domain) - 1))
        marks = {study.tags[tag]: [item]} if tag >= 0 else None
        status = device(source=source, cap=1000).record(study, item, level=answer["level"] or None, marks=marks, url=URL)
        assert [(each.report, each.level) for each in status.reports] == [(answer["report"], answer["level"])]
    assert source.remaining == 0
