"""Files: found, cut into rows and written, whatever they look like."""

from __future__ import annotations

import gzip
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sottovoce as sv
from files import SOURCE, codes_of, ldp, unreadable, write
from messages import refused, wording
from sottovoce.batch import readers, skipped_rows
from sottovoce.batch.collecting import collect
from sottovoce.batch.input_files import Opened, expanded, left_aside
from sottovoce.batch.perturbing import perturb_file
from sottovoce.batch.skipped_rows import BadRowsError, SkippedRows, salvage
from sottovoce.batch.writers import replacing
from sottovoce.errors import FileError
from studies import STUDIES


def test_files_folders_and_patterns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reports").mkdir()
    for name in ("b.parquet", "a.parquet", "notes.md"):
        write(tmp_path / "reports" / name, b"x")
    assert expanded(["reports/*.parquet"]) == ["reports/a.parquet", "reports/b.parquet"]
    assert expanded(["reports", "-"]) == ["reports/a.parquet", "reports/b.parquet", "-"]
    with pytest.raises(FileNotFoundError):
        expanded(["reports/*.csv"])
    with pytest.raises(FileNotFoundError):
        expanded(["none.csv"])
    for again in (["reports", "reports/a.parquet"], ["reports/a.parquet", "./reports/../reports/a.parquet"]):
        with refused(sv.ParameterError, "a.parquet"):
            expanded(again)
    (tmp_path / "reports" / "again.parquet").symlink_to(tmp_path / "reports" / "a.parquet")
    with refused(sv.ParameterError, "a.parquet", "again.parquet"):
        expanded(["reports"])
    (tmp_path / "reports" / "again.parquet").unlink()
    for name in ("c.ndjson.gz", "D.NDJSON"):
        write(tmp_path / "reports" / name, b"x")
    assert len(expanded(["reports"])) == 4
    assert left_aside(["reports"]) == ["reports/notes.md"]
    write(tmp_path / "reports" / "._a.parquet", b"x")
    assert len(expanded(["reports"])) == 4


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "old")

    def interrupted() -> None:
        with replacing(path) as file:
            file.write(b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert os.listdir(tmp_path) == ["a.txt"]
    assert path.read_text() == "old"
    with replacing(path) as file:
        file.write(b"new")
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["a.txt"]
    with pytest.raises(FileError, match="folder"), replacing(tmp_path):
        pass


@given(st.lists(st.booleans(), max_size=70))
def test_salvage_finds_exactly_the_bad_ones(flags: list[bool]) -> None:
    bad: list[int] = []

    def make(part: Any) -> list[int]:
        if any(flags[k] for k in part):
            raise sv.ReportError("bad")
        return list(part)

    made = salvage(range(len(flags)), make, lambda row, reason: bad.append(row))
    assert bad == [k for k, flag in enumerate(flags) if flag]
    assert [k for part in made for k in part] == [k for k, flag in enumerate(flags) if not flag]


def test_reasons_are_counted_even_when_they_are_many() -> None:
    skipped = SkippedRows[str]()
    for k in range(200):
        skipped.add(f"line {k}", f"reason {k}")
    assert sum(skipped.reasons.values()) == 200
    assert len(skipped.reasons) <= skipped_rows.REASONS + 1
    assert skipped.to_dict()["count"] == 200


def test_quotes_and_line_breaks(tmp_path: Path) -> None:
    for text, line in [('answer\nflu\n"none\nhiv\nflu\n', 3), ('answer,c\nflu,1\nflu,"oops\nhiv,2\nnone,4\n', 3)]:
        with refused(sv.ParameterError, f"line {line}"):
            codes_of(ldp(), write(tmp_path / "a.csv", text))
    swallowed = write(tmp_path / "a.csv", 'answer,c\nflu,"oops\nhiv,2\nnone,"\nfluu,x\n')
    codes, skipped = codes_of(ldp(), swallowed)
    assert codes == [3]
    wording(next(iter(skipped.remarks.values())))
    assert skipped.examples == {"it isn't an item": [f"{swallowed}, line 5: 'fluu'"]}
    with refused(BadRowsError, "a.csv"):
        perturb_file(ldp(), str(swallowed), str(tmp_path / "r.ndjson"), strict=True, source=SOURCE)
    many = "id,answer\n" + "".join(f'{k},"{"two" if k % 1000 == 0 else "flu"}"\n' for k in range(600_000))
    codes, skipped = codes_of(ldp(), write(tmp_path / "b.csv", many))
    assert (len(codes), skipped.count, skipped.remarks) == (599_400, 600, {})
    assert skipped.examples["it isn't an item"][:2] == [f"{tmp_path / 'b.csv'}, line 2: 'two'", f"{tmp_path / 'b.csv'}, line 1002: 'two'"]
    inches = 'answer,c\nflu,5" pipe\n' + "none,x\n" * 2_000_000
    codes, skipped = codes_of(ldp(), write(tmp_path / "c.csv", inches))
    assert (len(codes), skipped.count) == (2_000_001, 0)


@given(
    st.lists(st.lists(st.text(alphabet='ab,"\n é', max_size=4), min_size=2, max_size=2), min_size=1, max_size=12),
    st.integers(1, 40),
)
def test_blocks_of_any_size_give_the_rows_that_python_reads(rows_: list[list[str]], block: int) -> None:
    """The same rows, and the line of each, however the file is cut into blocks."""
    import csv
    import io

    sink = io.StringIO()
    csv.writer(sink, lineterminator="\n").writerows([["answer", "c"], *rows_])
    data = sink.getvalue().encode()
    source = Opened("x", "csv", io.BufferedReader(io.BytesIO(data)), data, len(data), io.BytesIO(data))
    found: list[bytes | None] = []
    old, readers.BLOCK = readers.BLOCK, block
    try:
        for batch in readers.read_columns(source, lambda names: ["answer"], SkippedRows(), lambda line: False):
            texts = batch.columns["answer"].to_pylist()
            for row, text in enumerate(texts):
                line = int(batch.where(row).split("line ")[1])
                expected = 2 + sum(field.count("\n") for each in rows_[: len(found)] for field in each) + len(found)
                assert line == expected
                found.append(text)
    finally:
        readers.BLOCK = old
    assert [text or b"" for text in found] == [each[0].encode() for each in rows_]


def test_a_short_first_read_and_a_long_header(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def slowly() -> None:
        with open(pipe, "wb", buffering=0) as file:
            for part in (b"ans", b"wer\nfl", b"u\nnone\n"):
                file.write(part)
                time.sleep(0.05)

    with ThreadPoolExecutor() as pool:
        pool.submit(slowly)
        assert codes_of(ldp(), pipe)[0] == [3, 4]
    wide = ",".join([*(f"column{k}" for k in range(3000)), "answer"])
    assert codes_of(ldp(), write(tmp_path / "w.csv", wide + "\n" + "x," * 3000 + "flu\n"))[0] == [3]


def test_odd_files(tmp_path: Path) -> None:
    assert codes_of(ldp(), write(tmp_path / "a.ndjson", b'\xef\xbb\xbf{"answer": "flu"}\n\n'))[1].count == 0
    assert codes_of(ldp(), write(tmp_path / "a.csv", "answer\nflu\n\n\n"))[1].count == 0
    codes, skipped = codes_of(ldp(), write(tmp_path / "b.csv", b"answer,c\nflu,1\nhiv,caf\xe9,extra\nnone,2\n"))
    assert (codes, skipped.count) == ([3, 4], 1)
    for name, kind, data in [
        ("cr.csv", sv.ParameterError, b"answer\rflu\r"),
        ("q.csv", sv.ParameterError, b'"answer\nflu\n'),
        ("cut.csv.gz", FileError, gzip.compress(b"answer\n" + b"flu\n" * 1000)[:40]),
    ]:
        with unreadable(kind, name):
            codes_of(ldp(), write(tmp_path / name, data))
    twice = pa.Table.from_arrays([pa.array(["flu"]), pa.array(["none"])], names=["answer", "answer"])
    pq.write_table(twice, tmp_path / "twice.parquet")
    with refused(sv.ParameterError, "twice.parquet"):
        codes_of(ldp(), tmp_path / "twice.parquet")
    levels = sv.Study.from_toml(STUDIES["levels"])
    pq.write_table(pa.table({"level": [["usual"]], "report": [b"x"]}), tmp_path / "lists.parquet")
    with refused(sv.ReportError, "'level'", "list<element: string>", "string"):
        collect(levels, [str(tmp_path / "lists.parquet")])


def test_outputs_follow_links_and_keep_what_is_special(tmp_path: Path) -> None:
    target = write(tmp_path / "target.txt", "old")
    target.chmod(0o600)
    (tmp_path / "link.txt").symlink_to(target)
    with replacing(tmp_path / "link.txt") as file:
        file.write(b"new")
    assert (tmp_path / "link.txt").is_symlink()
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o777 == 0o600
    with replacing("/dev/null") as file:
        file.write(b"gone")
    assert not Path("/dev/null").is_file()


def test_carriage_returns_inside_lines_are_no_line_ends(tmp_path: Path) -> None:
    for text, line in [(b"answer\nflu\rnone\nflu\n", 2), (b"answer\nflu\n\rnone\n", 3)]:
        with refused(sv.ParameterError, f"line {line}"):
            codes_of(ldp(), write(tmp_path / "a.csv", text))
    assert codes_of(ldp(), write(tmp_path / "a.csv", b'answer,c\r\nflu,"x\ry"\r\nnone,z\r\n'))[0] == [3, 4]


def test_many_bad_rows_are_counted_at_once(tmp_path: Path) -> None:
    """Their number is exact, and only the first of each kind are looked at more closely."""
    text = "answer\nflu\n" + "x\n\n" * 100_000 + "flu\n"
    codes, skipped = codes_of(ldp(), write(tmp_path / "a.csv", text))
    assert (len(codes), skipped.reasons) == (2, {"it isn't an item": 100_000, "it is empty": 100_000})
    assert [where.split("line ")[1] for where in skipped.examples["it is empty"]] == ["4: nothing", "6: nothing", "8: nothing"]


def test_blank_lines_at_the_end_mean_nothing_wherever_blocks_end(tmp_path: Path) -> None:
    body = b"answer\n" + b"flu\n" * ((1 << 20) - 2)
    for blanks in (1, 2, 5, 9):
        codes, skipped = codes_of(ldp(), write(tmp_path / "a.csv", body + b"\n" * blanks))
        assert (len(codes), skipped.count) == ((1 << 20) - 2, 0)
    assert codes_of(ldp(), write(tmp_path / "b.csv", b'answer;"note, with, commas"\nflu;x\n'))[0] == [3]
    with refused(sv.ParameterError, "line 1"):
        codes_of(ldp(), write(tmp_path / "c.csv", b"\n\nanswer\nflu\n"))


def test_numbers_are_decimal(tmp_path: Path) -> None:
    grid = sv.Study.from_toml(STUDIES["grid"])
    codes, skipped = codes_of(grid, write(tmp_path / "g.csv", "latitude,longitude\n4_0.75,-74\n40.75,-74.0\nnan,-74\n4.075e1,-74\n"))
    assert (len(codes), skipped.count) == (2, 2)
