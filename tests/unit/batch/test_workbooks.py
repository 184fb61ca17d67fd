"""Workbooks that unpack to more than they should, and workbooks of several sheets."""

from __future__ import annotations

import gzip
import re
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfileobj
from typing import Any

import openpyxl
import pandas as pd
import pyreadstat
import pytest

from files import ANSWERS, codes_of, ldp, unreadable, write
from invoking import as_json, complaint, run
from messages import refused, wording
from sottovoce.batch import answer_tables, input_files, workbooks
from sottovoce.batch.answers import distinct_answers, read_answers, read_shares
from sottovoce.batch.input_files import opened
from sottovoce.batch.reading import Reading
from sottovoce.batch.skipped_rows import SkippedRows
from sottovoce.errors import ParameterError

SHEET, STYLES = "xl/worksheets/sheet1.xml", "xl/styles.xml"
HEAD = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'


def book(path: Path, **sheets: list[list[Any]]) -> Path:
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    made.save(path)
    return path


def replaced(path: Path, part: str, write_to: Callable[[Any], None], **options: Any) -> Path:
    """The workbook with another content of one of its parts."""
    out = path.with_name(f"of-{path.name}")
    with zipfile.ZipFile(path) as before, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, **options) as after:
        for each in before.namelist():
            with after.open(each, "w", force_zip64=True) as file:
                if each == part:
                    write_to(file)
                else:
                    with before.open(each) as old:
                        copyfileobj(old, file)
    return out


def repeated(text: str, size: int, head: str = HEAD) -> Callable[[Any], None]:
    def to(file: Any) -> None:
        file.write(head.encode())
        block = text.encode() * ((1 << 20) // len(text))
        for _ in range(size >> 20):
            file.write(block)

    return to


@contextmanager
def in_little_memory(most: int) -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()


@contextmanager
def too_large() -> Iterator[None]:
    """Expect the refusal of a workbook with the sizes, which depend on how it was packed."""
    with pytest.raises(ParameterError) as found:
        yield
    packed, unpacked = (int(each.replace(",", "")) for each in re.findall(r"\b[\d,]{5,}\b", str(found.value))[-2:])
    assert packed < unpacked


@pytest.mark.parametrize(
    ("part", "text", "size"),
    [(SHEET, "<row/>", 32 << 20), (SHEET, "<row><c><v>1</v></c>", 64 << 20), (STYLES, "<fonts></fonts>", 32 << 20)],
    ids=["rows", "cells", "styles"],
)
def test_a_small_file_that_unpacks_to_very_much_is_refused(part: str, text: str, size: int, tmp_path: Path) -> None:
    path = replaced(book(tmp_path / "a.xlsx", A=[["answer"], ["flu"]]), part, repeated(text, size))
    assert path.stat().st_size < 1 << 19
    with in_little_memory(40 << 20), too_large():
        codes_of(ldp(), path)


def test_a_workbook_has_a_largest_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if nothing in it is packed tightly. The real limit takes long to reach."""
    path = book(tmp_path / "a.xlsx", A=[["answer"], ["flu"]])
    with zipfile.ZipFile(path) as archive:
        size = sum(each.file_size for each in archive.infolist())
    monkeypatch.setattr(workbooks, "_MOST", size)
    assert codes_of(ldp(), path)[0] == [3]
    monkeypatch.setattr(workbooks, "_MOST", size - 1)
    with too_large():
        codes_of(ldp(), path)


def test_other_ways_to_pack_are_refused(tmp_path: Path) -> None:
    """Their libraries unpack a part in one piece."""
    path = book(tmp_path / "a.xlsx", A=[["answer"], ["flu"]])
    with zipfile.ZipFile(path) as before, zipfile.ZipFile(tmp_path / "b.xlsx", "w", zipfile.ZIP_LZMA) as after:
        for each in before.namelist():
            after.writestr(each, before.read(each))
    with refused(ParameterError, "b.xlsx"):
        codes_of(ldp(), tmp_path / "b.xlsx")


def test_a_packed_file_is_read_up_to_a_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_files, "_WHOLE", 1 << 20)
    for name in ("a.json.gz", "a.xlsx.gz"):
        write(tmp_path / name, gzip.compress(b"[" + b" " * (64 << 20)))
        with in_little_memory(32 << 20), refused(ParameterError, name, "1,048,576"):
            codes_of(ldp(), tmp_path / name)


def test_what_the_index_claims_of_sizes_is_not_trusted(tmp_path: Path) -> None:
    path = replaced(book(tmp_path / "a.xlsx", A=[["answer"], ["flu"]]), STYLES, repeated("<fonts></fonts>", 64 << 20))
    data = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        size = archive.getinfo(STYLES).file_size
    write(path, data.replace(size.to_bytes(4, "little"), (900).to_bytes(4, "little")))
    with in_little_memory(40 << 20), too_large():
        codes_of(ldp(), path)
    small = replaced(book(tmp_path / "b.xlsx", A=[["answer"], ["flu"]]), STYLES, lambda file: file.write(b"<sst>" + b" " * 12_345))
    write(small, small.read_bytes().replace((12_350).to_bytes(4, "little"), (7).to_bytes(4, "little")))
    with unreadable(ParameterError, "of-b.xlsx"):
        codes_of(ldp(), small)


def test_rows_that_excel_cannot_have(tmp_path: Path) -> None:
    text = f'{HEAD}<row r="99999999999"><c t="inlineStr"><is><t>flu</t></is></c></row></sheetData></worksheet>'
    path = replaced(book(tmp_path / "a.xlsx", A=[["answer"]]), SHEET, lambda file: file.write(text.encode()))
    with refused(ParameterError, "of-a.xlsx", "1,048,576"):
        codes_of(ldp(), path)
    text = f"{HEAD}<row><c><v>1</v></row>"
    path = replaced(book(tmp_path / "b.xlsx", A=[["answer"]]), SHEET, lambda file: file.write(text.encode()))
    with unreadable(ParameterError, "of-b.xlsx"):
        codes_of(ldp(), path)


def test_a_sheet_that_claims_all_columns_takes_little_memory(tmp_path: Path) -> None:
    """Formats of whole rows make Excel write such sheets, whose rows are padded with empty cells."""
    rows = "".join('<row><c t="inlineStr"><is><t>flu</t></is></c></row>' for _ in range(2000))
    head = HEAD.replace("<sheetData>", '<dimension ref="A1:XFD1048576"/><sheetData>')
    path = replaced(
        book(tmp_path / "a.xlsx", A=[["answer"]]), SHEET, lambda file: file.write(f"{head}{rows}</sheetData></worksheet>".encode())
    )
    with in_little_memory(40 << 20):
        assert len(codes_of(ldp(), path)[0]) == 2000


def test_cases_of_spss_files_are_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    labels = (ANSWERS * 60_000)[:250_001]
    path = tmp_path / "a.zsav"
    pyreadstat.write_sav(pd.DataFrame({"answer": labels, "remark": ["x" * 200] * len(labels)}), str(path), compress=True)
    expected = ldp().domain.encode(labels).tolist()
    monkeypatch.setattr(answer_tables, "_PART", 1 << 19)
    with in_little_memory(30 << 20), opened(str(path)) as source:
        counts = [len(each.codes) for each in read_answers(ldp(), source, SkippedRows[str]())]
    assert sum(counts) == len(labels)
    assert len(counts) > 3
    codes, skipped = codes_of(ldp(), path)
    assert codes == expected
    labels[-1] = "fluu"
    pyreadstat.write_sav(pd.DataFrame({"answer": labels}), str(path), compress=True)
    _, skipped = codes_of(ldp(), path)
    assert [place.rpartition("a.zsav, ")[2] for places in skipped.examples.values() for place in places] == ["case 250001: 'fluu'"]


def test_a_sheet_is_chosen_by_its_name(place: Path) -> None:
    path = book(
        place / "a.xlsx",
        Codes=[["answer", "share"], ["flu", 3], ["none", 1]],
        Empty=[],
        Answers=[["answer"], *([each] for each in ANSWERS * 2)],
    )
    codes, skipped = codes_of(ldp(), path)
    assert len(codes) == 2
    (said,) = skipped.remarks.values()
    assert "'Codes'" in said
    assert "'Answers'" in said
    assert "'Empty'" not in said
    assert "--sheet" in said
    wording(said)
    codes, skipped = codes_of(ldp(), path, reading=Reading(sheet="Answers"))
    assert len(codes) == 10
    assert not skipped.remarks
    with refused(ParameterError, "'answers'", "'Codes', 'Empty', 'Answers'"):
        codes_of(ldp(), path, reading=Reading(sheet="answers"))
    with refused(ParameterError, "a.csv", "--sheet"):
        codes_of(ldp(), write(place / "a.csv", "answer\nflu\n"), reading=Reading(sheet="Answers"))
    assert read_shares(ldp(), str(path), Reading(sheet="Answers"))[0] == 0.2
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        assert read_shares(ldp(), str(path))[3] == 0.75
    assert ["'Codes'" in str(each.message) for each in warned] == [True]
    assert distinct_answers(str(path), Reading(sheet="Answers")) == sorted(ANSWERS)


@pytest.mark.filterwarnings("default")  # commands print them
def test_every_command_that_reads_answers_has_the_option(place: Path) -> None:
    book(place / "a.xlsx", First=[["answer"], ["flu"]], Second=[["answer"], *([each] for each in ANSWERS * 200)])
    chosen = ("a.xlsx", "--sheet", "Second")
    assert as_json(place, "perturb", *chosen, "-o", "r.parquet")["answers"] == 1000
    for command in (["compare", "-m", "krr"], ["simulate"], ["plan"], ["estimate", "r.parquet"]):
        as_json(place, *command, "--truth", *chosen)
        assert "'Second'" in complaint(place, *command, "--truth", "a.xlsx", "--sheet", "Third", kind="parameter")
        assert "--sheet" in complaint(place, *command, "--sheet", "Second", kind="parameter")
        assert "'First'" in run(place, *command, "--truth", "a.xlsx").stderr.decode()
    as_json(place, "new", "survey", "--items-from", *chosen, "-o", "n.toml")
