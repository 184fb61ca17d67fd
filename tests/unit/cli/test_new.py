"""sottovoce new: study files from templates."""

from __future__ import annotations

from pathlib import Path

import pytest

import sottovoce as sv
from invoking import as_json, complaint, run
from processes import SHARES


@pytest.mark.parametrize("kind", ["survey", "questionnaire", "numbers", "grid", "telemetry", "personal"])
def test_new_writes_a_study_that_passes_check(kind: str, tmp_path: Path) -> None:
    told = as_json(tmp_path, "new", kind)
    assert told["output"] == "study.toml"
    assert as_json(tmp_path, "check")["fingerprint"] == told["fingerprint"]
    before = (tmp_path / "study.toml").read_text()
    assert "study.toml" in complaint(tmp_path, "new", "survey", kind="parameter")
    assert (tmp_path / "study.toml").read_text() == before
    run(tmp_path, "new", "survey", "--force")
    said = complaint(tmp_path, "new", "quiz", "--force", kind="parameter")
    assert all(each in said for each in ("quiz", "survey", "questionnaire", "grid", "telemetry", "personal"))


def test_new_takes_the_items_of_a_file(place: Path) -> None:
    options = ("--items-from", "answers.csv", "--sensitive", "hiv", "--name", "own", "--question", "Well?")
    run(place, "new", "survey", "-o", "own.toml", *options)
    study = sv.Study.load(place / "own.toml")
    assert (set(study.domain), study.name, study.question) == (set(SHARES), "own", "Well?")
    said = complaint(place, "new", "-o", "x.toml", "--items-from", "answers.csv", "--sensitive", "aids", kind="parameter")
    assert "aids" in said
    assert not (place / "x.toml").exists()
    assert run(place, "new", "survey", "-o", "-").stdout.decode().startswith("# A survey")


def test_the_budget_of_a_new_study_is_the_one_asked_for(tmp_path: Path) -> None:
    for kind in ("survey", "questionnaire", "numbers", "grid", "telemetry", "personal"):
        assert b"\nepsilon = 0.2" in run(tmp_path, "new", kind, "-o", "-", "--epsilon", "0.2").stdout
    assert "-1" in complaint(tmp_path, "new", "survey", "--epsilon", "-1", kind="study")
    assert as_json(tmp_path, "new", "survey", "-o", "-")["text"].startswith("# A survey")


def test_a_sensitive_answer_of_another_case_is_suggested(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("answer\nDivorced\nWidowed\n")
    said = complaint(tmp_path, "new", "survey", "--items-from", "a.csv", "--sensitive", "divorced", kind="parameter")
    assert "Did you mean 'Divorced'?" in said
