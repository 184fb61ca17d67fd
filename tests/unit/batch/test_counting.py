"""Parquet at scale: the same tally however the reports are cut, on all cores, and nothing counted twice, whatever happens meanwhile."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from collectors import named, some_reports
from files import cut, parquet, write
from processes import PROGRAM, as_json, listening, run
from sottovoce.batch import collecting, counting
from sottovoce.batch.collecting import collect
from sottovoce.batch.counting import ChangedError, ReportsFile
from sottovoce.batch.inputs import copies, digest_of, expanded
from sottovoce.batch.outputs import writing_reports
from sottovoce.batch.rows import BadRowsError
from sottovoce.batch.tallies import tally_bytes
from sottovoce.store import Store
from sottovoce.tallies import Tally
from sottovoce.tallies.statistics import counts_reports
from stores import arrival
from studies import STUDIES


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are taken apart and put together again, as large ones are."""
    monkeypatch.setattr(counting, "_UNIT_ROWS", 150)
    monkeypatch.setattr(counting, "_BATCH_ROWS", 64)
    monkeypatch.setattr(counting, "_LONG", 100)
    monkeypatch.setattr(counting, "_LONG_ROWS", 70)


@pytest.mark.parametrize("kind", STUDIES)
@pytest.mark.usefixtures("small_steps")
def test_one_tally_from_a_list_databases_and_files(kind: str, url: str, tmp_path: Path) -> None:
    """Bit for bit."""
    study = named(kind)
    reports = some_reports(study, 1500)
    kept = not all(counts_reports(each.channel) for each in study.blocks.values())  # where counts say it all, no report is kept
    for keep in (False, kept):
        expected = Tally(study.mechanism, keep_reports=keep).add(reports).to_bytes()
        for pieces in (1, 2, 7):
            files = cut(tmp_path / str(pieces), study, reports, pieces)
            assert len(files) == pieces
            found = collect(study, files, keep=keep, strict=True)
            assert found.tally.to_bytes() == expected
            assert not found.cautions
    store = Store(url)
    store.ready()
    entry = store.add(study, json.dumps(study.compile()))
    store.write([arrival(entry, reports[:700]), arrival(entry, reports[700:])])
    assert store.tally(entry, keep_reports=kept).to_bytes() == expected
    assert store.tally(entry).to_bytes() == Tally(study.mechanism).add(reports).to_bytes()
    store.close()


STUDY = named("integers")
MECHANISM = STUDY.mechanism
REPORTS = some_reports(STUDY, 2000)
WHOLE = Tally(MECHANISM).add(REPORTS)


def total(paths: list[str], parts: Path | None = None, **options: Any) -> collecting.Collected:
    return collect(STUDY, paths, keep=False, parts=parts, **options)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Five files, written some time ago."""
    found = [parquet(tmp_path / "reports" / f"{k}.parquet", STUDY, REPORTS[400 * k : 400 * k + 400], 100) for k in range(5)]
    for path in found:
        aged(path)
    return found


def aged(path: str, seconds: int = 60) -> None:
    then = time.time_ns() - seconds * 10**9
    os.utime(path, ns=(then, then))


def watching(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are read from now on."""
    read: list[str] = []
    batches, digest = counting.Unit.batches, digest_of

    def watched(unit: counting.Unit) -> Iterator[pa.RecordBatch]:
        read.append(unit.file.name)
        return batches(unit)

    def watched_digest(path: str) -> Any:
        read.append(f"digest of {path}")
        return digest(path)

    monkeypatch.setattr(counting.Unit, "batches", watched)
    monkeypatch.setattr(collecting, "digest_of", watched_digest)
    return read


def test_a_file_that_was_counted_is_not_read_again(files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = total(files[:3], tmp_path / "parts")
    assert (first.again, len(list((tmp_path / "parts").iterdir()))) == (0, 3)
    read = watching(monkeypatch)
    second = total(files, tmp_path / "parts")
    assert second.again == 3
    assert set(read) == {*files[3:], *(f"digest of {path}" for path in files[3:])}
    assert second.tally == WHOLE
    assert tally_bytes(STUDY, second.tally) == tally_bytes(STUDY, total(files).tally)
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
    assert (found.again, found.tally) == (5, WHOLE)
    assert sorted(read) == [f"digest of {moved}", f"digest of {files[1]}"], "two are read for their content, and no rows are counted"


def test_another_content_under_the_same_name_is_counted_anew(files: list[str], tmp_path: Path) -> None:
    total(files, tmp_path / "parts")
    other = some_reports(STUDY, 400, seed=9)
    parquet(Path(files[0]), STUDY, other, 100)
    found = total(files, tmp_path / "parts")
    assert found.again == 4
    assert found.tally == Tally(MECHANISM).add(other).add(REPORTS[400:])
    assert total(files, tmp_path / "parts").again == 5


def test_a_time_that_was_set_back_does_not_deceive(tmp_path: Path) -> None:
    """The same place, size, time and inode, and another content."""
    path, other = tmp_path / "r.parquet", tmp_path / "other.parquet"
    for place, reports in ((path, REPORTS[:500]), (other, REPORTS[500:1000])):
        pq.write_table(pa.Table.from_batches([reports.to_arrow()]), place, compression="none", use_dictionary=False, write_statistics=False)
    aged(str(path))
    before = os.stat(path)
    assert total([str(path)], tmp_path / "parts").again == 0
    assert total([str(path)], tmp_path / "parts").again == 1
    with open(path, "r+b") as file:
        file.write(other.read_bytes())
    os.utime(path, ns=(before.st_mtime_ns, before.st_mtime_ns))
    after = os.stat(path)
    assert (after.st_size, after.st_mtime_ns, after.st_ino) == (before.st_size, before.st_mtime_ns, before.st_ino)
    assert total([str(path)], tmp_path / "parts").tally == Tally(MECHANISM).add(REPORTS[500:1000])


def test_a_file_that_was_just_written_is_not_trusted_by_its_time(tmp_path: Path) -> None:
    """Within a tick of the clock it may be written to again, without a trace in its time."""
    path = tmp_path / "r.parquet"
    parquet(path, STUDY, REPORTS[:500])
    aged(str(path), -3600)  # a clock that is ahead is no reason to trust either
    assert total([str(path)], tmp_path / "parts").again == 0
    about = os.stat(path)
    data = bytearray(path.read_bytes())
    parquet(tmp_path / "other.parquet", STUDY, REPORTS[500:1000])
    data = bytearray((tmp_path / "other.parquet").read_bytes())
    with open(path, "r+b") as file:  # the same inode, and below the same time
        file.truncate(0)
        file.write(data)
    os.utime(path, ns=(about.st_mtime_ns, about.st_mtime_ns))
    assert total([str(path)], tmp_path / "parts").tally == Tally(MECHANISM).add(REPORTS[500:1000])


def test_a_broken_part_is_made_anew(files: list[str], tmp_path: Path) -> None:
    total(files, tmp_path / "parts")
    one, two, three, *_ = sorted((tmp_path / "parts").iterdir())
    one.write_bytes(b"nonsense")
    two.write_bytes(two.read_bytes()[: -len(two.read_bytes()) // 2])
    three.write_bytes(three.read_bytes().replace(b'"version": 2', b'"version": 0'))
    found = total(files, tmp_path / "parts")
    assert (found.again, found.tally) == (2, WHOLE)
    assert total(files, tmp_path / "parts").again == 5


def test_a_part_with_a_wrong_bit_is_not_believed(files: list[str], tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    total(files[:1], parts)
    (part,) = parts.iterdir()
    data = part.read_bytes()
    generator = np.random.default_rng(1)
    expected, unused = Tally(MECHANISM).add(REPORTS[:400]), 0
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
    kept = collect(STUDY, files, keep=True, parts=tmp_path / "parts")
    assert (kept.again, kept.tally) == (0, Tally(MECHANISM, keep_reports=True).add(REPORTS))
    assert collect(STUDY, files, keep=True, parts=tmp_path / "parts").again == 5
    with pytest.raises(sv.ReportError, match="another study"):
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
        with pytest.raises(BadRowsError, match="row 8|row 4"):
            collect(study, [str(tmp_path / "s.parquet")], parts=tmp_path / "parts", strict=True)
        shutil.rmtree(tmp_path / "parts", ignore_errors=True)


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
    with pytest.raises(sv.ReportError, match=r"r.parquet: none of the first 1,000 rows can be used"):
        collect(named("ldp"), [str(tmp_path / "good.parquet"), str(tmp_path / "r.parquet")])


def meddling(monkeypatch: pytest.MonkeyPatch, path: str, meddle: Callable[[str], None]) -> None:
    """Do something to a file when the first of its rows have been read."""
    batches = counting.Unit.batches

    def disturbed(unit: counting.Unit) -> Iterator[pa.RecordBatch]:
        for number, batch in enumerate(batches(unit)):
            if number == unit.first == 0 and unit.file.name == path:
                meddle(path)
            yield batch

    monkeypatch.setattr(counting.Unit, "batches", disturbed)


def appended(path: str) -> None:
    with open(path, "ab") as file:
        file.write(b"more")


def cut_short(path: str) -> None:
    os.truncate(path, os.path.getsize(path) // 2)


def replaced(path: str) -> None:
    parquet(Path(path + ".new"), STUDY, some_reports(STUDY, 400, seed=5), 100)
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
    with pytest.raises(ChangedError, match=r"3.parquet changed while it was read"):
        total(files, tmp_path / "parts")
    about = [json.loads(pa.ipc.open_stream(part).schema.metadata[b"sottovoce.part"]) for part in (tmp_path / "parts").iterdir()]
    assert not [each for each in about if each["name"] == files[3]], "of a file that changed nothing is kept"
    monkeypatch.undo()
    parquet(Path(files[3]), STUDY, REPORTS[1200:1600], 100)
    found = total(files, tmp_path / "parts")
    assert (found.again, found.tally) == (len(about), WHOLE)


def test_broken_files_are_told_by_name(files: list[str], tmp_path: Path) -> None:
    data = Path(files[2]).read_bytes()
    for name, broken in [
        ("cut", data[: len(data) // 2]),
        ("empty", b""),
        ("headless", b"XXXX" + data[4:-4] + b"XXXX"),
        ("holed", data[:40] + bytes(400) + data[440:]),
    ]:
        path = str(write(tmp_path / f"{name}.parquet", broken))
        with pytest.raises(sv.ParameterError, match=rf"{name}.parquet is (not a Parquet file, or is )?broken"):
            total([*files, path], tmp_path / "parts")
    for name, column in {"text": pa.array(["a", "b"] * 700), "floats": pa.array([1.0]), "codes": pa.array([1])}.items():
        pq.write_table(pa.table({"report": column}), tmp_path / f"{name}.parquet")
        with pytest.raises(sv.ReportError, match=rf"{name}.parquet: its column 'report' holds {column.type}, and that of reports of this"):
            total([*files, str(tmp_path / f"{name}.parquet")], tmp_path / "parts")
    pq.write_table(pa.table({"report": pa.array([b"12345"] * 1400)}), tmp_path / "wide.parquet")
    with pytest.raises(sv.ReportError, match=r"wide.parquet: none of the first 1,000 rows"):
        total([*files, str(tmp_path / "wide.parquet")], tmp_path / "parts")
    pq.write_table(pa.table({"answer": [1, 2]}), tmp_path / "answers.parquet")
    with pytest.raises(sv.ReportError, match=r"answers.parquet has no column 'report'"):
        total([*files, str(tmp_path / "answers.parquet")], tmp_path / "parts")
    assert total(files, tmp_path / "parts").tally == WHOLE


def test_an_index_that_tells_of_other_rows_than_there_are(tmp_path: Path) -> None:
    path = parquet(tmp_path / "r.parquet", STUDY, REPORTS, 500)
    file = ReportsFile.of(path, STUDY)
    (unit,) = file.units
    assert sum(batch.num_rows for batch in unit.batches()) == 2000
    for wrong in (1999, 2001):
        with pytest.raises(sv.ParameterError, match=rf"r.parquet is broken: its index tells of {wrong:,} rows, and there are 2,000"):
            list(replace(unit, rows=wrong).batches())


def test_many_files_that_do_not_name_their_study_are_told_together(tmp_path: Path) -> None:
    paths = [str(tmp_path / f"{k}.parquet") for k in range(5)]
    for k, path in enumerate(paths):
        pq.write_table(pa.Table.from_batches([REPORTS[10 * k : 10 * k + 10].to_arrow()]), path)
    assert total(paths[:2]).cautions == [f"{path} does not say which study its reports were made under." for path in paths[:2]]
    assert total(paths).cautions == [f"5 files, {paths[0]} among them, do not say which study their reports were made under."]


def test_files_without_rows(tmp_path: Path) -> None:
    empty = parquet(tmp_path / "empty.parquet", STUDY, REPORTS[:0])
    found = total([empty, parquet(tmp_path / "r.parquet", STUDY, REPORTS)], tmp_path / "parts")
    assert found.tally == WHOLE
    assert total([empty]).tally.n == 0
    schema = pq.read_schema(empty)
    with pq.ParquetWriter(tmp_path / "gaps.parquet", schema) as writer:  # row groups without rows, between others
        table = pq.read_table(tmp_path / "r.parquet").cast(schema)
        for piece in (table[:0], table[:500], table[:0], table[500:], table[:0]):
            writer.write_table(piece)
    assert total([str(tmp_path / "gaps.parquet")]).tally == WHOLE


def test_a_copy_of_a_file_is_not_counted(files: list[str], tmp_path: Path) -> None:
    shutil.copy(files[0], tmp_path / "copy.parquet")
    for parts in (None, tmp_path / "parts"):
        with pytest.raises(
            sv.ParameterError, match=r"copy.parquet holds the same bytes as .*0.parquet; its reports would be counted twice"
        ):
            total([*files, str(tmp_path / "copy.parquet")], parts)
    few = [parquet(tmp_path / f"few{k}.parquet", STUDY, REPORTS[:3]) for k in range(2)]
    assert total(few).cautions == [f"{few[1]} holds the same bytes as {few[0]}; both were counted."]
    assert copies([*files, *few]) == [(few[0], few[1])]


def test_folders_are_read_whole_but_for_what_is_not_finished(files: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    parquet(folder / "day=2026-11-16" / "part-0.parquet", STUDY, REPORTS)
    for name in ("_temporary/0/part-1.parquet", ".hidden/part-2.parquet", "_SUCCESS", ".part.parquet", "tally.arrow.parts/x.part"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"not to be read")
    assert expanded([str(folder)]) == [*files, str(folder / "day=2026-11-16" / "part-0.parquet")]
    assert expanded([str(folder / "**" / "part-0.parquet")]) == [str(folder / "day=2026-11-16" / "part-0.parquet")]
    write(folder / "week.arrow", tally_bytes(STUDY, WHOLE))
    for path in (str(folder), str(folder / "*"), str(folder / "**")):
        with pytest.raises(
            sv.ParameterError, match=r"stands for a tally \(.*week.arrow\) beside files of reports, which it may have counted"
        ):
            expanded([path])


def test_patterns_mean_what_folders_mean(files: list[str], tmp_path: Path) -> None:
    """Nothing that is hidden, unfinished or a part, unless the pattern says so."""
    total(files, tmp_path / "reports" / "tally.arrow.parts")
    parquet(tmp_path / "reports" / "_temporary" / "0" / "x.parquet", STUDY, REPORTS[:10])
    parquet(tmp_path / "reports" / ".hidden.parquet", STUDY, REPORTS[:10])
    for pattern in ("*", "**", "**/*", "**/*.parquet", "[0-9]*", "?.parquet"):
        assert expanded([str(tmp_path / "reports" / pattern)]) == files
    assert expanded([str(tmp_path / "reports")]) == files
    assert expanded([str(tmp_path / "reports" / "_temporary" / "**" / "*.parquet")]) != files
    parts = sorted(map(str, (tmp_path / "reports" / "tally.arrow.parts").iterdir()))
    with pytest.raises(sv.ReportError, match=r"is a part: the tally of a single file, which the tally that it belongs to has counted"):
        total(parts)


def test_folders_that_are_linked_closed_or_called_parts(files: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    (tmp_path / "elsewhere").mkdir()
    linked = parquet(tmp_path / "elsewhere" / "x.parquet", STUDY, REPORTS[:200])
    (folder / "linked").symlink_to(tmp_path / "elsewhere")
    (folder / "round").symlink_to(folder)
    (tmp_path / "elsewhere" / "back").symlink_to(folder)
    named_parts = parquet(folder / "spare.parts" / "y.parquet", STUDY, REPORTS[:100])
    found = expanded([str(folder)])
    assert found == [*files, str(folder / "linked" / "x.parquet"), named_parts]
    assert os.path.samefile(found[-2], linked)


def test_a_file_counts_once_by_whatever_names(files: list[str], tmp_path: Path) -> None:
    os.link(files[0], tmp_path / "hard.parquet")
    (tmp_path / "soft.parquet").symlink_to(files[0])
    for other in (files[0], str(tmp_path / "hard.parquet"), str(tmp_path / "soft.parquet")):
        with pytest.raises(sv.ParameterError, match="counted twice"):
            total([files[0], other])
    packed = write(tmp_path / "reports" / "0.parquet.gz", gzip.compress(Path(files[0]).read_bytes()))
    with pytest.raises(sv.ParameterError, match="0.parquet.gz is .*0.parquet, packed; its reports would be counted twice"):
        total([*files, str(packed)])


def study_of(path: Path, size: int, mechanism: str) -> sv.Study:
    """A study over many items, written to a file."""
    items = json.dumps([f"item {k}" for k in range(size)])
    head = f'name = "many"\nquestion = "Which?"\nitems = {items}\n'
    return sv.Study.load(write(path, f'{head}[privacy]\nnotion = "ldp"\nepsilon = 1.0\n[mechanism]\nname = "{mechanism}"\n'))


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    """A folder with a study whose reports take long to count, some seconds for all, and twelve files of them."""
    study = study_of(tmp_path / "study.toml", 60_000, "olh")
    reports = study.blocks[""].perturb(np.arange(720_000) % 60_000, sv.SeededSource(1))
    for k in range(12):
        aged(parquet(tmp_path / "reports" / f"{k:02}.parquet", study, reports[60_000 * k : 60_000 * k + 60_000]))
    return tmp_path


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_run_goes_on(slow: Path, number: int) -> None:
    command = [*PROGRAM, "tally", "reports/*.parquet", "-o", "tally.arrow", "--totals"]
    process = subprocess.Popen(command, cwd=slow, stderr=subprocess.PIPE, preexec_fn=listening)  # noqa: PLW1509 - no threads
    parts = slow / "tally.arrow.parts"
    deadline = time.monotonic() + 60
    while not (parts.is_dir() and len(list(parts.glob("[!.]*.part"))) >= 2):
        assert process.poll() is None, "it ended before it could be interrupted"
        assert time.monotonic() < deadline
        time.sleep(0.005)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode != 0
    assert b"Traceback" not in said
    assert not (slow / "tally.arrow").exists()
    kept = len(list(parts.glob("[!.]*.part")))
    assert 2 <= kept < 12
    found = as_json(slow, "tally", "reports/*.parquet", "-o", "tally.arrow", "--totals")
    assert (found["n"], found["again"]) == (720_000, kept)
    run(slow, "tally", "reports/*.parquet", "-o", "whole.arrow", "--totals", "--no-parts")
    assert (slow / "whole.arrow").read_bytes() == (slow / "tally.arrow").read_bytes()
    assert not (slow / "whole.arrow.parts").exists()


def test_memory_is_bounded_also_where_files_are_packed_well(tmp_path: Path) -> None:
    """A few megabytes on disk that are more than a gigabyte of reports."""
    study = study_of(tmp_path / "study.toml", 12_800, "oue")
    few = study.blocks[""].channel.reports_from_bytes(np.random.default_rng(1).bytes(1600 * 100))
    column = few.to_arrow().column("report").dictionary_encode()
    with pq.ParquetWriter(tmp_path / "same.parquet", pa.schema([("report", pa.binary())])) as out:  # as others may write it
        for _ in range(4):
            rows = pa.DictionaryArray.from_arrays(pa.array(np.arange(200_000) % 100, type=pa.int32()), column.dictionary)
            out.write_table(pa.table({"report": rows.cast(pa.binary())}), row_group_size=200_000)
    assert os.path.getsize(tmp_path / "same.parquet") < 1 << 22
    assert peak(tmp_path, "same.parquet", 800_000) < 600_000  # kilobytes


def peak(folder: Path, name: str, reports: int) -> int:
    """The kilobytes that a process takes at most to count a file of so many reports."""
    script = (
        "import re, sys\nimport sottovoce as sv\nfrom sottovoce.batch.collecting import collect\n"
        "found = collect(sv.Study.load('study.toml'), [sys.argv[1]], keep=False)\n"
        "print(found.tally.n, re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"
    )
    done = subprocess.run([PROGRAM[0], "-c", script, name], cwd=folder, capture_output=True, check=True, timeout=120)
    n, found = map(int, done.stdout.split())
    assert n == reports
    return found


def test_memory_does_not_grow_with_the_reports(tmp_path: Path) -> None:
    """Ten times as many reports: 200 MB of them instead of 20."""
    study = study_of(tmp_path / "study.toml", 400, "oue")
    some = study.blocks[""].channel.reports_from_bytes(np.random.default_rng(1).bytes(50 * 400_000))
    with writing_reports(str(tmp_path / "few.parquet"), "parquet", study) as out:
        out.write(some)
    with writing_reports(str(tmp_path / "many.parquet"), "parquet", study) as out:
        for _ in range(10):
            out.write(some)
    few, many = peak(tmp_path, "few.parquet", 400_000), peak(tmp_path, "many.parquet", 4_000_000)
    assert many - few < 60_000, (few, many)  # kilobytes


def test_tallies_are_merged_by_the_command(place: Path) -> None:
    for day in ("mon", "tue"):
        run(place, "perturb", "answers.csv", "-o", f"{day}.parquet")
        run(place, "tally", f"{day}.parquet", "-o", f"{day}.arrow")
    assert not list(place.glob("*.parts")), "one file has no parts"
    found = as_json(place, "tally", "merge", "mon.arrow", "tue.arrow", "-o", "both.arrow")
    assert found["n"] == 8000
    run(place, "tally", "study.toml", "mon.parquet", "tue.parquet", "-o", "direct.arrow", "--parts", "kept")
    assert (place / "direct.arrow").read_bytes() == (place / "both.arrow").read_bytes()
    assert len(list((place / "kept").iterdir())) == 2
    said = run(place, "tally", "merge", "mon.parquet", "tue.arrow", code=1).stderr.decode()
    assert "mon.parquet is no tally (.arrow)" in said
    assert b"counted before" in run(place, "tally", "mon.parquet", "tue.parquet", "-o", "direct.arrow", "--parts", "kept").stderr
    assert b"contradict" in run(place, "tally", "mon.parquet", "--parts", "kept", "--no-parts", code=1).stderr
