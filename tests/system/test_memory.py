"""Counting takes no more memory than it needs, however many reports there are."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from files import study_of
from processes import PROGRAM
from sottovoce.batch.writers import writing_reports


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
    """The kilobytes that a process takes at most to count a file of so many reports, the compiler included."""
    script = (
        "import re, sys\nimport sottovoce as sv\nfrom sottovoce.batch.collecting import collect\n"
        "from sottovoce.loops import compile_at_once\ncompile_at_once()\n"
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
