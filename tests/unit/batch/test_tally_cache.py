"""The tallies of single files are kept: what was counted is not read again, and nothing that was changed is believed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from collectors import named, some_reports
from files import aged, parquet
from messages import refused
from sottovoce.batch import counting, parquet_reports
from sottovoce.batch.collecting import collect
from sottovoce.batch.input_files import digest_of
from sottovoce.batch.skipped_rows import BadRowsError
from sottovoce.batch.tally_files import tally_bytes
from sottovoce.tallies import Tally
from thirty import reports, study, total, whole


def watching(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are read from now on."""
    read: list[str] = []
    batches, digest = parquet_reports.Unit.batches, digest_of

    def watched(unit: parquet_reports.Unit) -> Iterator[pa.RecordBatch]:
        read.append(unit.file.name)
        return batches(unit)

    def watched_digest(path: str) -> Any:
        read.append(f"digest of {path}")
        return digest(path)

    monkeypatch.setattr(parquet_reports.Unit, "batches", watched)
    monkeypatch.setattr(counting, "digest_of", watched_digest)
    return read


def test_a_file_that_was_counted_is_not_read_again(files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = total(files[:3], tmp_path / "parts")
    assert (first.again, len(list((tmp_path / "parts").iterdir()))) == (0, 3)
    read = watching(monkeypatch)
    second = total(files, tmp_path / "parts")
    assert second.again == 3
    assert set(read) == {*files[3:], *(f"digest of {path}" for path in files[3:])}
    assert second.tally == whole()
    assert tally_bytes(study(), second.tally) == tally_bytes(study(), total(files).tally)
    read.clear()
    assert total(files[1:2], tmp_path / "parts").tally.n == 400, "what is not asked for is not counted"
    assert not read


def test_a_moved_or_touched_file_is_known_by_its_content(files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    total(files, tmp_path / "parts")
    moved = str(tmp_path / "elsewhere.parquet")
    os.rename(files[0], moved)
    os.utime(files[1])
    read = watching(monkeypatch)
    found = total([moved, *files[1:]], tmp_path / "parts")
    assert (found.again, found.tally) == (5, whole())
    assert sorted(read) == [f"digest of {moved}", f"digest of {files[1]}"], "two are read for their content, and no rows are counted"


def test_another_content_under_the_same_name_is_counted_anew(files: list[str], tmp_path: Path) -> None:
    total(files, tmp_path / "parts")
    other = some_reports(study(), 400, seed=9)
    parquet(Path(files[0]), study(), other, 100)
    found = total(files, tmp_path / "parts")
    assert found.again == 4
    assert found.tally == Tally(study().mechanism).add(other).add(reports()[400:])
    assert total(files, tmp_path / "parts").again == 5


def test_a_time_that_was_set_back_does_not_deceive(tmp_path: Path) -> None:
    """The same place, size, time and inode, and another content."""
    path, other = tmp_path / "r.parquet", tmp_path / "other.parquet"
    for place, those in ((path, reports()[:500]), (other, reports()[500:1000])):
        pq.write_table(pa.Table.from_batches([those.to_arrow()]), place, compression="none", use_dictionary=False, write_statistics=False)
    aged(str(path))
    before = os.stat(path)
    assert total([str(path)], tmp_path / "parts").again == 0
    assert total([str(path)], tmp_path / "parts").again == 1
    with open(path, "r+b") as file:
        file.write(other.read_bytes())
    os.utime(path, ns=(before.st_mtime_ns, before.st_mtime_ns))
    after = os.stat(path)
    assert (after.st_size, after.st_mtime_ns, after.st_ino) == (before.st_size, before.st_mtime_ns, before.st_ino)
    assert total([str(path)], tmp_path / "parts").tally == Tally(study().mechanism).add(reports()[500:1000])


def test_a_file_that_was_just_written_is_not_trusted_by_its_time(tmp_path: Path) -> None:
    """Within a tick of the clock it may be written to again, without a trace in its time."""
    path = tmp_path / "r.parquet"
    parquet(path, study(), reports()[:500])
    aged(str(path), -3600)  # a clock that is ahead is no reason to trust either
    assert total([str(path)], tmp_path / "parts").again == 0
    about = os.stat(path)
    data = bytearray(path.read_bytes())
    parquet(tmp_path / "other.parquet", study(), reports()[500:1000])
    data = bytearray((tmp_path / "other.parquet").read_bytes())
    with open(path, "r+b") as file:  # the same inode, and below the same time
        file.truncate(0)
        file.write(data)
    os.utime(path, ns=(about.st_mtime_ns, about.st_mtime_ns))
    assert total([str(path)], tmp_path / "parts").tally == Tally(study().mechanism).add(reports()[500:1000])


def test_a_broken_part_is_made_anew(files: list[str], tmp_path: Path) -> None:
    total(files, tmp_path / "parts")
    one, two, three, *_ = sorted((tmp_path / "parts").iterdir())
    one.write_bytes(b"nonsense")
    two.write_bytes(two.read_bytes()[: -len(two.read_bytes()) // 2])
    three.write_bytes(three.read_bytes().replace(b'"version": 2', b'"version": 0'))
    found = total(files, tmp_path / "parts")
    assert (found.again, found.tally) == (2, whole())
    assert total(files, tmp_path / "parts").again == 5


def test_a_part_with_a_wrong_bit_is_not_believed(files: list[str], tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    total(files[:1], parts)
    (part,) = parts.iterdir()
    data = part.read_bytes()
    generator = np.random.default_rng(1)
    expected, unused = Tally(study().mechanism).add(reports()[:400]), 0
    for bit in generator.integers(0, 8 * len(data), 300).tolist():
        broken = bytearray(data)
        broken[bit // 8] ^= 1 << bit % 8
        part.write_bytes(broken)
        found = total(files[:1], parts)
        assert found.tally == expected
        unused += not found.again
    assert unused > 100, "the others are in what fills the file up"


def test_parts_are_of_one_study_and_one_kind(files: list[str], tmp_path: Path) -> None:
    total(files, tmp_path / "parts")
    kept = collect(study(), files, keep=True, parts=tmp_path / "parts")
    assert (kept.again, kept.tally) == (0, Tally(study().mechanism, keep_reports=True).add(reports()))
    assert collect(study(), files, keep=True, parts=tmp_path / "parts").again == 5
    with refused(sv.ReportError, "0.parquet"):
        collect(named("integers", "elsewhere"), files, keep=False, parts=tmp_path / "parts")


def test_bad_rows_are_told_again_from_a_part(tmp_path: Path) -> None:
    study = named("ldp")
    codes = [None if k % 50 == 7 else 200 if k % 90 == 3 else 1 for k in range(500)]
    table = pa.table({"report": pa.array(codes, type=pa.uint8())})
    pq.write_table(table, tmp_path / "r.parquet", row_group_size=64)
    aged(str(tmp_path / "r.parquet"))
    first = collect(study, [str(tmp_path / "r.parquet")], parts=tmp_path / "parts")
    again = collect(study, [str(tmp_path / "r.parquet")], parts=tmp_path / "parts")
    assert again.again == 1
    assert again.skipped == first.skipped
    assert first.skipped.count + first.tally.n == 500
    assert again.cautions == first.cautions
    assert len(first.cautions) == 1
    os.rename(tmp_path / "r.parquet", tmp_path / "s.parquet")
    moved = collect(study, [str(tmp_path / "s.parquet")], parts=tmp_path / "parts")
    assert all(str(tmp_path / "s.parquet") in each for those in moved.skipped.examples.values() for each in those)
    for _ in range(2):  # from the part, and from the file
        with refused(BadRowsError, "s.parquet", "row "):
            collect(study, [str(tmp_path / "s.parquet")], parts=tmp_path / "parts", strict=True)
        shutil.rmtree(tmp_path / "parts", ignore_errors=True)
