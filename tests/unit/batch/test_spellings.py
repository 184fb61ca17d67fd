"""Answers that are spelled almost as the study spells them: what would read them, and that it does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sottovoce as sv
from files import codes_of, ldp, write
from invoking import as_json, complaint, run
from messages import refused, wording
from sottovoce.batch.answers import distinct_answers, read_shares
from sottovoce.batch.perturbing import perturb_file
from sottovoce.batch.reading import Reading
from sottovoce.batch.skipped_rows import BadRowsError
from sottovoce.batch.spellings import Names
from sottovoce.errors import ParameterError, ReportError

CAFE = 'name = "s"\nquestion = "Where?"\nitems = ["café", "bar", "other"]\n[privacy]\nnotion = "ldp"\nepsilon = 1.0\n'
ASKED = """
name = "week"
title = "Your week"
[privacy]
notion = "ldp"
epsilon = 4.0
[[questions]]
name = "ill"
text = "Were you ill?"
items = ["yes", "no"]
[[questions]]
name = "why"
text = "What did you have?"
choices = ["flu", "cold", "other things"]
"""


def test_names_of_any_case() -> None:
    names = Names({"flu": 0, "Cold": 1, "A": 2, "a": 3})
    assert [names.code(each) for each in ("flu", "Flu", " cold", "a", "A")] == [0, None, None, 3, 2]
    loose = Names(names.codes, ignore_case=True)
    assert [loose.code(each) for each in ("flu", "FLU", " cold", "a", "A", "none")] == [0, 0, 1, 3, 2, None]
    assert names.almost("FLU") == ("--ignore-case", "flu")
    assert Names({"a": 0, "A": 1}).almost("á") is None
    assert Names({"ab": 0, "AB": 1}, ignore_case=True).code("Ab") is None, "either could be meant"


def test_rows_of_another_case_are_counted_with_a_hint(place: Path) -> None:
    write(place / "a.csv", "answer\n" + "Flu\n" * 312 + "none\nnothing\n")
    said = run(place, "perturb", "a.csv", "-o", "r.parquet").stderr.decode()
    wording(said)
    assert "312 rows contain 'Flu', but the study has 'flu'. Use --ignore-case to count them." in said
    found = as_json(place, "perturb", "a.csv", "-o", "r.parquet", "--force")
    assert (found["answers"], len(found["skipped"]["hints"])) == (1, 1)
    found = as_json(place, "perturb", "a.csv", "-o", "r.parquet", "--ignore-case", "--force")
    assert (found["answers"], "hints" in found["skipped"]) == (313, False)
    codes, skipped = codes_of(ldp(), write(place / "b.csv", "answer\nFLU\nNone\nnone\nHIV\nFLU\n"))
    assert codes == [4]
    wording(" ".join(skipped.hints))
    assert codes_of(ldp(), place / "b.csv", reading=Reading(ignore_case=True))[0] == [3, 4, 4, 0, 3]


def test_a_file_without_a_header_may_begin_in_another_case(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "Flu\nnone\n")
    assert codes_of(ldp(), path)[0] == [4]
    assert codes_of(ldp(), path, reading=Reading(ignore_case=True))[0] == [3, 4]


def test_errors_have_the_hint_too(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", "answer\n" + "Flu\n" * 1000)
    with refused(ReportError, "'Flu'", "--ignore-case"):
        codes_of(ldp(), tmp_path / "a.csv")
    with refused(BadRowsError, "'Flu'", "--ignore-case"):
        perturb_file(ldp(), str(tmp_path / "a.csv"), str(tmp_path / "r.parquet"), strict=True, source=sv.SeededSource(1))
    with refused(BadRowsError, "'Flu'", "--ignore-case"):
        read_shares(ldp(), str(tmp_path / "a.csv"))
    assert read_shares(ldp(), str(tmp_path / "a.csv"), Reading(ignore_case=True))[3] == 1


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "mac_roman"])
def test_files_in_other_encodings(encoding: str, tmp_path: Path) -> None:
    study = sv.Study.from_toml(CAFE)
    text = "person;answer\n" + "1;café\n2;bar\n" * 20_000
    path = write(tmp_path / "a.csv", text.encode(encoding))
    read = Reading(encoding=encoding)
    assert codes_of(study, path, reading=read)[0] == [0, 1] * 20_000
    assert distinct_answers(str(path), read) == ["bar", "café"]
    write(
        tmp_path / "a.ndjson", "".join(json.dumps({"answer": each}, ensure_ascii=False) + "\n" for each in ("café", "bar")).encode(encoding)
    )
    assert codes_of(study, tmp_path / "a.ndjson", reading=read)[0] == [0, 1]
    assert read_shares(study, str(path), read).tolist() == [0.5, 0.5, 0]


def test_other_encodings_get_a_hint(tmp_path: Path) -> None:
    study = sv.Study.from_toml(CAFE)
    codes, skipped = codes_of(study, write(tmp_path / "a.csv", "answer\ncafé\nbar\nCAFÉ\n".encode("latin-1")))
    assert codes == [1]
    assert ["--encoding latin-1" in each for each in skipped.hints] == [True]
    wording(" ".join(skipped.hints))
    _, skipped = codes_of(study, write(tmp_path / "b.csv", "answer\ncafé\nbar\n".encode("mac_roman")))
    wording(" ".join(skipped.hints))
    with refused(ParameterError, "latin-1"):
        distinct_answers(str(tmp_path / "a.csv"))
    with refused(ParameterError, "utf-16"):
        codes_of(study, write(tmp_path / "c.csv", "answer\ncafé\n".encode("utf-16")))
    with refused(ParameterError, "'base64'"):
        codes_of(study, tmp_path / "a.csv", reading=Reading(encoding="base64"))
    with refused(ParameterError, "ascii"):
        codes_of(study, tmp_path / "a.csv", reading=Reading(encoding="ascii"))


def test_questionnaires_have_the_same_options(tmp_path: Path) -> None:
    study = sv.Study.from_toml(ASKED)
    path = write(tmp_path / "a.csv", "ill,why\nYes,flu\nyes,Flu; cold\nno,\nno,flu; rash\n")
    said = perturb_file(study, str(path), str(tmp_path / "r.ndjson"), source=sv.SeededSource(1))
    assert (said.used, said.count) == (1, 3)
    wording(" ".join(said.hints))
    said = perturb_file(study, str(path), str(tmp_path / "r.ndjson"), reading=Reading(ignore_case=True), source=sv.SeededSource(1))
    assert (said.used, said.count, said.hints) == (3, 1, [])


def test_axes_and_levels_have_the_same_options(tmp_path: Path) -> None:
    study = sv.Study.from_toml(
        'name = "s"\nquestion = "?"\naxes = {sex = ["f", "m"], age = ["young", "old"]}\n[privacy]\nnotion = "ldp"\nepsilon = 1.0\n'
    )
    path = write(tmp_path / "a.csv", "sex,age\nf,Old\nF,old\nm,old\n")
    codes, skipped = codes_of(study, path)
    assert codes == [3]
    wording(" ".join(skipped.hints))
    assert codes_of(study, path, reading=Reading(ignore_case=True))[0] == [1, 1, 3]


def test_new_studies_take_other_spellings_for_one_answer(tmp_path: Path) -> None:
    write(tmp_path / "answers.csv", "answer\nflu\nFlu\nnone\nFLU\n")
    said = run(tmp_path, "new", "survey", "--items-from", "answers.csv").stderr.decode()
    assert "--ignore-case" in said
    as_json(tmp_path, "new", "survey", "--items-from", "answers.csv", "--ignore-case", "--force")
    assert sv.Study.load(tmp_path / "study.toml").domain.axes[0].labels == ("flu", "none")
    assert "--items-from" in complaint(tmp_path, "new", "survey", "--ignore-case", "--force", kind="parameter")
