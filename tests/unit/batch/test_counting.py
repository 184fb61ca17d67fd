"""Parquet at scale: every row is counted or refused, whatever happens to its file meanwhile."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from collectors import named, some_reports
from files import parquet, unreadable, write
from messages import refused, wording
from sottovoce.batch import parquet_reports
from sottovoce.batch.collecting import collect
from sottovoce.batch.file_checks import ChangedError
from sottovoce.batch.parquet_reports import ReportsFile
from thirty import reports, study, total, whole


@pytest.mark.usefixtures("small_steps")
def test_bad_rows_have_the_same_places_on_any_number_of_cores(tmp_path: Path) -> None:
    study = named("ldp")
    table = pa.table({"report": pa.array([None if k % 211 == 200 else k % 3 for k in range(5000)], type=pa.uint8())})
    pq.write_table(table, tmp_path / "r.parquet", row_group_size=64)
    found = collect(study, [str(tmp_path / "r.parquet")])
    (reason,) = found.skipped.reasons
    assert found.skipped.reasons[reason] == 23
    assert found.skipped.examples[reason] == [f"{tmp_path / 'r.parquet'}, row {k}" for k in (201, 412, 623)]


def test_a_file_of_something_else_is_given_up_at_once(tmp_path: Path) -> None:
    pq.write_table(pa.table({"report": pa.nulls(10_000, pa.uint8())}), tmp_path / "r.parquet")
    parquet(tmp_path / "good.parquet", named("ldp"), some_reports(named("ldp"), 500))
    with refused(sv.ReportError, "r.parquet", "1,000"):
        collect(named("ldp"), [str(tmp_path / "good.parquet"), str(tmp_path / "r.parquet")])


def meddling(monkeypatch: pytest.MonkeyPatch, path: str, meddle: Callable[[str], None]) -> None:
    """Do something to a file when the first of its rows have been read."""
    batches = parquet_reports.Unit.batches

    def disturbed(unit: parquet_reports.Unit) -> Iterator[pa.RecordBatch]:
        for number, batch in enumerate(batches(unit)):
            if number == unit.first == 0 and unit.file.name == path:
                meddle(path)
            yield batch

    monkeypatch.setattr(parquet_reports.Unit, "batches", disturbed)


def appended(path: str) -> None:
    with open(path, "ab") as file:
        file.write(b"more")


def cut_short(path: str) -> None:
    os.truncate(path, os.path.getsize(path) // 2)


def replaced(path: str) -> None:
    parquet(Path(path + ".new"), study(), some_reports(study(), 400, seed=5), 100)
    os.replace(path + ".new", path)


def overwritten(path: str) -> None:
    """With bytes of the same number, in place."""
    data = Path(path).read_bytes()
    with open(path, "r+b") as file:
        file.write(data[:4] + bytes(200) + data[204:])


@pytest.mark.parametrize("meddle", [appended, cut_short, replaced, overwritten, os.unlink])
@pytest.mark.usefixtures("small_steps")
def test_a_file_that_changes_while_it_is_read_is_refused(
    meddle: Callable[[str], None], files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meddling(monkeypatch, files[3], meddle)
    with refused(ChangedError, "3.parquet"):
        total(files, tmp_path / "parts")
    about = [json.loads(pa.ipc.open_stream(part).schema.metadata[b"sottovoce.part"]) for part in (tmp_path / "parts").iterdir()]
    assert not [each for each in about if each["name"] == files[3]], "of a file that changed nothing is kept"
    monkeypatch.undo()
    parquet(Path(files[3]), study(), reports()[1200:1600], 100)
    found = total(files, tmp_path / "parts")
    assert (found.again, found.tally) == (len(about), whole())


def test_broken_files_are_told_by_name(files: list[str], tmp_path: Path) -> None:
    data = Path(files[2]).read_bytes()
    for name, broken in [
        ("cut", data[: len(data) // 2]),
        ("empty", b""),
        ("headless", b"XXXX" + data[4:-4] + b"XXXX"),
        ("holed", data[:40] + bytes(400) + data[440:]),
    ]:
        path = str(write(tmp_path / f"{name}.parquet", broken))
        with unreadable(sv.ParameterError, f"{name}.parquet"):
            total([*files, path], tmp_path / "parts")
    for name, column in {"text": pa.array(["a", "b"] * 700), "floats": pa.array([1.0]), "codes": pa.array([1])}.items():
        pq.write_table(pa.table({"report": column}), tmp_path / f"{name}.parquet")
        with refused(sv.ReportError, f"{name}.parquet", "'report'", column.type):
            total([*files, str(tmp_path / f"{name}.parquet")], tmp_path / "parts")
    pq.write_table(pa.table({"report": pa.array([b"12345"] * 1400)}), tmp_path / "wide.parquet")
    with refused(sv.ReportError, "wide.parquet", "1,000"):
        total([*files, str(tmp_path / "wide.parquet")], tmp_path / "parts")
    pq.write_table(pa.table({"answer": [1, 2]}), tmp_path / "answers.parquet")
    with refused(sv.ReportError, "answers.parquet", "'report'"):
        total([*files, str(tmp_path / "answers.parquet")], tmp_path / "parts")
    assert total(files, tmp_path / "parts").tally == whole()


def test_an_index_that_tells_of_other_rows_than_there_are(tmp_path: Path) -> None:
    path = parquet(tmp_path / "r.parquet", study(), reports(), 500)
    file = ReportsFile.of(path, study())
    (unit,) = file.units
    assert sum(batch.num_rows for batch in unit.batches()) == 2000
    for wrong in (1999, 2001):
        with refused(sv.ParameterError, "r.parquet", f"{wrong:,}", "2,000"):
            list(replace(unit, rows=wrong).batches())


def test_many_files_that_do_not_name_their_study_are_told_together(tmp_path: Path) -> None:
    paths = [str(tmp_path / f"{k}.parquet") for k in range(5)]
    for k, path in enumerate(paths):
        pq.write_table(pa.Table.from_batches([reports()[10 * k : 10 * k + 10].to_arrow()]), path)
    each, together = total(paths[:2]).cautions, total(paths).cautions
    assert [path in caution for path, caution in zip(paths, each, strict=False)] == [True, True]
    assert len(together) == 1
    assert "5 files" in together[0]
    assert paths[0] in together[0]
    for caution in (*each, *together):
        wording(caution)


def test_files_without_rows(tmp_path: Path) -> None:
    empty = parquet(tmp_path / "empty.parquet", study(), reports()[:0])
    found = total([empty, parquet(tmp_path / "r.parquet", study(), reports())], tmp_path / "parts")
    assert found.tally == whole()
    assert total([empty]).tally.n == 0
    schema = pq.read_schema(empty)
    with pq.ParquetWriter(tmp_path / "gaps.parquet", schema) as writer:  # row groups without rows, between others
        table = pq.read_table(tmp_path / "r.parquet").cast(schema)
        for piece in (table[:0], table[:500], table[:0], table[500:], table[:0]):
            writer.write_table(piece)
    assert total([str(tmp_path / "gaps.parquet")]).tally == whole()
