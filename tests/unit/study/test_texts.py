"""Names, labels and questions without invisible characters: refused in new studies, escaped where people see those of earlier ones."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sottovoce as sv
from collectors import Hosted, added, hosted, put_as_before
from invoking import as_json, run
from messages import refused
from sottovoce.errors import StudyError
from sottovoce.findings import findings_page
from sottovoce.findings.results import Findings
from sottovoce.policy import Promise
from sottovoce.store import Role, Store

#: One of each kind: controls (C0, DEL, C1), marks, overrides and isolates of direction, separators, and the line break.
HIDDEN = ["\x00", "\x07", "\t", "\n", "\x1b", "\x7f", "\x80", "\x9b", "\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202e"]
HIDDEN += ["\u2066", "\u2069"]
#: What people may write: other scripts, and the joiners that some of them and emoji need.
SHOWN = ["Käse", "日本", "می\u200cخواهم", "👩\u200d👧", "שלום", "a\u00adb"]
RAW = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

#: A study file with a text at each place that people read, and the line of that place.
PLACES = {
    "question": ('name = "s"\nquestion = TEXT\nitems = ["a", "b"]\n[privacy]\nnotion = "ldp"\nepsilon = 1.0\n', 2),
    "item": ('name = "s"\nquestion = "q"\nitems = [\n  "a",\n  TEXT,\n]\n[privacy]\nnotion = "ldp"\nepsilon = 1.0\n', 5),
    "axis": ('name = "s"\nquestion = "q"\n[axes]\nsex = ["f", "m"]\nTEXT = ["y", "o"]\n[privacy]\nnotion = "ldp"\nepsilon = 1.0\n', 5),
    "label": ('name = "s"\nquestion = "q"\n[axes]\nsex = ["f", TEXT]\nage = ["y", "o"]\n[privacy]\nnotion = "ldp"\nepsilon = 1.0\n', 4),
    "grid": ('name = "s"\nquestion = "q"\n[grid]\nTEXT = [0, 1]\nshape = [4]\n[privacy]\nnotion = "ldp"\nepsilon = 1.0\n', 4),
    "level": ('name = "s"\nquestion = "q"\nitems = ["a", "b"]\n[privacy]\nnotion = "ldp"\nlevels = {x = 1.0, TEXT = 2.0}\n', 6),
    "tag": ('name = "s"\nquestion = "q"\nitems = ["a", "b"]\n[privacy]\nnotion = "uldp"\nepsilon = 1.0\ntags = ["h", TEXT]\n', 7),
}


def _file(place: str, text: str) -> str:
    return PLACES[place][0].replace("TEXT", json.dumps(text).replace("\x7f", "\\u007f"))


@pytest.mark.parametrize("place", PLACES)
def test_a_study_file_with_an_invisible_character_is_refused_with_its_line(place: str) -> None:
    with refused(StudyError, f"line {PLACES[place][1]}", "U+202E"):
        sv.Study.from_toml(_file(place, "x\u202ey"))
    for character in HIDDEN:
        with pytest.raises(StudyError, match=re.escape(f"U+{ord(character):04X}")) as found:
            sv.Study.from_toml(_file(place, f"x{character}y"))
        assert f"line {PLACES[place][1]}, " in str(found.value)
        assert not RAW.search(str(found.value)), "the message itself has none"
    for text in SHOWN:
        sv.Study.from_toml(PLACES[place][0].replace("TEXT", f'"{text}"'))


def _earlier() -> sv.Study:
    """A study as an earlier version compiled it."""
    domain = sv.Domain(["flu\x1b]0;owned\x07", "hiv\u202e", "a\x9b31m", "none\nnone"])
    promise = Promise.of(domain, 1.0, None, None, None, None, "ldp")
    return sv.Study("earlier", "Which\x1b[31m of\u202e these?", domain, {"": promise}, sv.krr(domain, 1.0))


def test_a_study_that_was_compiled_earlier_loads_and_is_shown_escaped(tmp_path: Path) -> None:
    study = _earlier()
    (tmp_path / "study.json").write_text(json.dumps(study.compile()))
    assert sv.Study.load(tmp_path / "study.json").fingerprint == study.fingerprint
    reports = study.blocks[""].perturb(list(study.domain) * 50, source=sv.SeededSource(1))
    findings = Findings.of(study, sv.estimate(sv.Tally(study.mechanism).add(reports)))
    page = findings_page(findings)
    assert not RAW.search(page)
    assert "Which\\u001b[31m of\\u202e these?" in page
    assert "hiv\\u202e" in page
    assert findings.to_frame()["item"].tolist() == list(study.domain), "what programs read stays as it is"

    answers = "answer\n" + "\n".join(["hiv\u202e", "a\x9b31m", "flu\x1b]0;owned\x07"] * 30) + "\n"
    (tmp_path / "answers.csv").write_text(answers)
    run(tmp_path, "perturb", "study.json", "answers.csv", "-o", "r.parquet")
    commands = (["check", "study.json"], ["estimate", "study.json", "r.parquet"], ["plan", "study.json", "--item", "hiv\u202e"])
    for command in (*commands, ["tally", "study.json", "r.parquet"], ["perturb", "study.json", "r.parquet"]):
        done = run(tmp_path, *command, code=1 if command[0] == "perturb" else 0)
        assert not RAW.search(done.stdout.decode() + done.stderr.decode()), command
        assert "\\u001b" in done.stdout.decode() or command[0] not in {"check", "estimate"}
    told = as_json(tmp_path, "estimate", "study.json", "r.parquet")
    assert [each["item"] for each in told["items"]] == list(study.domain)
    assert not RAW.search(run(tmp_path, "check", "study.json", "--json").stdout.decode())


def test_a_label_with_half_of_a_surrogate_pair_is_escaped(tmp_path: Path) -> None:
    domain = sv.Domain(["a\ud800", "b"])
    study = sv.Study("half", "Which?", domain, {"": Promise.of(domain, 1.0, None, None, None, None, "ldp")}, sv.krr(domain, 1.0))
    (tmp_path / "study.json").write_text(json.dumps(study.compile()))
    reports = study.blocks[""].perturb([0, 1] * 50, source=sv.SeededSource(1))
    assert "a\\ud800" in findings_page(Findings.of(study, sv.estimate(sv.Tally(study.mechanism).add(reports))))
    assert b"half" in run(tmp_path, "check", "study.json").stdout


def test_a_store_takes_no_new_study_with_invisible_characters(tmp_path: Path) -> None:
    url, study = str(tmp_path / "c.sqlite"), _earlier()
    with refused(StudyError, "U+001B", "earlier"):
        added(url, study)
    assert Store(url).studies() == []


@pytest.fixture
def recorded(tmp_path: Path) -> Iterator[Hosted]:
    """A collector over a store into which an earlier version put such a study."""
    url = str(tmp_path / "c.sqlite")
    put_as_before(url, _earlier())
    with hosted(url) as running:
        yield running


def test_a_collector_serves_a_study_that_was_recorded_earlier_and_escapes_it_on_its_pages(recorded: Hosted) -> None:
    study = _earlier()
    with recorded.client() as client:
        listing: dict[str, Any] = {
            "content": json.dumps({"listed": True}),
            "headers": recorded.token(Role.ADMIN) | {"content-type": "application/json"},
        }
        assert client.patch("/studies/earlier", **listing).status_code == 200
        for path in ("/", "/s/earlier", "/d/earlier"):
            answer = client.get(path)
            assert answer.status_code == 200
            assert not RAW.search(answer.text), path
            assert "Which\\u001b[31m of\\u202e these?" in answer.text
        assert client.get("/studies/earlier").json()["question"] == study.question
        token, body = recorded.token(Role.ADMIN), json.dumps(study.compile())
        headers = token | {"content-type": "application/json"}
        assert client.post("/studies", content=body, headers=headers).status_code == 201, "it is here already"
        renamed = sv.Study("later", study.question, study.domain, study.promises, study.mechanism)
        answer = client.post("/studies", content=json.dumps(renamed.compile()), headers=headers)
        assert (answer.status_code, answer.json()["type"]) == (422, "/problems/study")
        assert "U+001B" in answer.json()["detail"]
