"""Answers in JSON arrays, Excel workbooks and SPSS files, made by the libraries that make such files."""

from __future__ import annotations

import builtins
import gzip
import json
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pyreadstat
import pytest

import sottovoce as sv
from files import ANSWERS, codes_of, ldp, write
from invoking import as_json, complaint, run
from messages import refused, wording
from sottovoce.batch.answers import distinct_answers, read_shares
from sottovoce.errors import ParameterError, UnsupportedError

LABELS = (ANSWERS * 7)[:33]


def workbook(path: Path, *sheets: Sequence[Sequence[Any]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, rows in enumerate(sheets, 1):
        sheet = book.create_sheet(f"Sheet {number}")
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def spss(path: Path, columns: dict[str, Any], **options: Any) -> Path:
    pyreadstat.write_sav(pd.DataFrame(columns), str(path), **options)
    return path


def test_the_same_answers_from_every_format(tmp_path: Path) -> None:
    rows: list[list[Any]] = [["id", "answer"], *([k, each] for k, each in enumerate(LABELS))]
    expected = ldp().domain.encode(LABELS).tolist()
    paths = [
        write(tmp_path / "a.json", json.dumps(LABELS)),
        write(tmp_path / "objects.json", json.dumps([{"id": k, "answer": each} for k, each in enumerate(LABELS)], indent=1)),
        write(tmp_path / "lines.json", "".join(json.dumps({"answer": each}) + "\n" for each in LABELS)),
        write(tmp_path / "a.json.gz", gzip.compress(json.dumps(LABELS).encode())),
        workbook(tmp_path / "a.xlsx", rows),
        workbook(tmp_path / "bare.xlsx", [[each] for each in LABELS]),
        spss(tmp_path / "a.sav", {"id": range(len(LABELS)), "answer": LABELS}),
        spss(tmp_path / "packed.zsav", {"answer": LABELS}, compress=True),
        spss(
            tmp_path / "labelled.sav",
            {"answer": [float(ANSWERS.index(each)) for each in LABELS]},
            variable_value_labels={"answer": dict(enumerate(ANSWERS))},
        ),
    ]
    for path in paths:
        codes, skipped = codes_of(ldp(), path)
        assert codes == expected, path.name
        assert skipped.count == 0
    for path in paths[1:3] + paths[4:5] + paths[6:]:
        assert distinct_answers(str(path)) == sorted(ANSWERS)
        assert read_shares(ldp(), str(path))[0] == pytest.approx(7 / 33)


def test_numbers_and_days_are_what_they_show(tmp_path: Path) -> None:
    items = '["1", "2", "true", "2026-01-31", "0.5"]'
    study = sv.Study.from_toml(f'name = "s"\nquestion = "?"\nitems = {items}\n[privacy]\nnotion = "ldp"\nepsilon = 1.0\n')
    rows: list[list[Any]] = [
        ["answer", ""],
        [1, None],
        [2.0],
        [True],
        [datetime(2026, 1, 31)],
        [0.5],
        [" 1 "],
        [None, "a remark"],
        [],
        [None],
        [3],
    ]
    codes, skipped = codes_of(study, workbook(tmp_path / "a.xlsx", rows))
    assert codes == [0, 1, 2, 3, 4, 0]
    places = [place for places in skipped.examples.values() for place in places]
    assert [place.rpartition("a.xlsx, ")[2] for place in places] == ["row 8: nothing", "row 11: '3'"]
    path = spss(tmp_path / "a.sav", {"answer": [1.0, 2.0, None, 0.5, 3.0]})
    codes, skipped = codes_of(study, path)
    assert codes == [0, 1, 4]
    places = [place for places in skipped.examples.values() for place in places]
    assert [place.rpartition("a.sav, ")[2] for place in places] == ["case 3: nothing", "case 5: '3'"]


def test_other_sheets_are_mentioned(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", [["answer"], ["flu"]], [], [["answer"], ["none"]])
    codes, skipped = codes_of(ldp(), path)
    assert codes == [3]
    wording(" ".join(skipped.remarks.values()))


def test_questionnaires_are_read_from_tables(place: Path) -> None:
    run(place, "new", "questionnaire", "-o", "q.toml")
    study = sv.Study.load(place / "q.toml")
    assert "q.json" in complaint(place, "perturb", "q.toml", str(write(place / "q.json", "[]")), code=1)
    assert study.of_several_questions


def test_json_that_is_no_array_of_answers(tmp_path: Path) -> None:
    for text in ('{"answers": ["flu"],\n "n": 1}', '{\n"flu": 3}', '["flu", "none"'):
        with refused(ParameterError, "a.json", '["flu", "none"]'):
            codes_of(ldp(), write(tmp_path / "a.json", text))
    codes, skipped = codes_of(ldp(), write(tmp_path / "a.json", '[{"answer": "flu"}, "none", {"answer": null}, {}]'))
    assert codes == [3]
    assert skipped.count == 3


def test_an_array_is_not_taken_for_a_study(place: Path) -> None:
    write(place / "answers.json", json.dumps(["flu", "none"]))
    assert as_json(place, "perturb", "answers.json", "-o", "r.parquet")["answers"] == 2


@pytest.mark.parametrize(("name", "package", "extra"), [("a.xlsx", "openpyxl", "openpyxl>="), ("a.sav", "pyreadstat", "pyreadstat>=")])
def test_without_the_extra(name: str, package: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workbook(tmp_path / "a.xlsx", [["answer"], ["flu"]])
    spss(tmp_path / "a.sav", {"answer": ["flu"]})
    usual = builtins.__import__

    def lacking(wanted: str, *rest: Any, **options: Any) -> Any:
        if wanted == package:
            raise ModuleNotFoundError(f"No module named {package!r}", name=package)
        return usual(wanted, *rest, **options)

    monkeypatch.delitem(sys.modules, package)
    monkeypatch.setattr(builtins, "__import__", lacking)
    for module in ("answer_tables", "workbooks"):
        monkeypatch.setattr(f"sottovoce.batch.{module}.install", lambda asked: f"pip install '{package}>=1' # {asked}")
    with refused(UnsupportedError, name, "pip install", extra):
        codes_of(ldp(), tmp_path / name)


def test_broken_and_old_files(tmp_path: Path) -> None:
    for name, data in (("a.xlsx", b"PK\x03\x04nonsense"), ("b.xls", b"\xd0\xcf\x11\xe0\xa1\xb1"), ("c.sav", b"$FL2nonsense" * 50)):
        with pytest.raises(ParameterError) as found:
            codes_of(ldp(), write(tmp_path / name, data))
        assert name in str(found.value)
    with refused(ParameterError, "empty.xlsx"):
        codes_of(ldp(), workbook(tmp_path / "empty.xlsx", []))
    with refused(ParameterError, "'answer'"):
        codes_of(ldp(), workbook(tmp_path / "other.xlsx", [["reply", "id"], ["flu", 1]]))
    with refused(ParameterError, "'answer'"):
        codes_of(ldp(), spss(tmp_path / "other.sav", {"reply": ["flu"]}))


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.png", b"\x89PNG\r\n\x1a\n", "PNG"),
        ("a.csv", b"PK\x03\x04\x14", "office"),
        ("report.pdf", b"%PDF-1.7\n", "PDF"),
        ("a.csv", bytes(range(256)) * 8, "binary"),
        ("a", b"answer\x00flu", "binary"),
        ("a.csv", gzip.compress(b"answer\nflu\n", mtime=0), "gzip"),
    ],
    ids=["picture", "office", "pdf", "bytes", "nul", "gzip"],
)
def test_files_that_are_no_text(name: str, data: bytes, said: str, place: Path) -> None:
    write(place / name, data)
    assert said in complaint(place, "perturb", name, "-o", "r.parquet", kind="parameter")
    assert name in complaint(place, "estimate", name, code=1)
    assert not (place / "r.parquet").exists()
