"""Files are looked at before any report is read."""

from __future__ import annotations

import gzip
from pathlib import Path

import sottovoce as sv
from collectors import named, some_reports
from files import parquet
from messages import refused
from sottovoce.batch.inspecting import InputFile, inspect
from sottovoce.wire import lines


def test_what_is_told_of_files(tmp_path: Path) -> None:
    study, told = named("integers"), list[str]()
    reports = some_reports(study, 300)
    one = parquet(tmp_path / "a.parquet", study, reports[:200])
    packed = tmp_path / "b.parquet.gz"
    packed.write_bytes(gzip.compress(Path(parquet(tmp_path / "b.parquet", study, reports[200:])).read_bytes()))
    text = tmp_path / "c.ndjson"
    text.write_bytes(lines(study.fingerprint, reports))
    found = inspect(study, [str(text), one, str(packed), "-"], None, told.append)
    assert [(file.format, file.packed, file.rows) for file in found.files] == [
        ("ndjson", False, 0),
        ("parquet", False, 200),
        ("parquet", True, 0),
        (None, False, 0),
    ]
    width = reports.records().shape[1]
    assert (found.report_bytes, found.indexed, found.cautions) == (200 * width, False, ())
    assert found.size == sum(Path(path).stat().st_size for path in (one, packed, text))
    assert len(told) == 1
    assert inspect(study, [one], None, told.append).indexed
    with refused(sv.ReportError, "a.parquet"):
        inspect(named("integers", "another-one"), [one], None, told.append)


def test_a_stream_is_not_touched_beforehand() -> None:
    assert InputFile.of("-", None) == InputFile("-")
