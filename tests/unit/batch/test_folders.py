"""Files, folders and patterns of reports: each file is counted once, by whatever names."""

from __future__ import annotations

import gzip
import os
import shutil
from pathlib import Path

import sottovoce as sv
from files import parquet, write
from messages import refused, wording
from sottovoce.batch.input_files import copies, expanded
from sottovoce.batch.tally_files import tally_bytes
from thirty import reports, study, total, whole


def test_a_copy_of_a_file_is_not_counted(files: list[str], tmp_path: Path) -> None:
    shutil.copy(files[0], tmp_path / "copy.parquet")
    for parts in (None, tmp_path / "parts"):
        with refused(sv.ParameterError, "copy.parquet", files[0]):
            total([*files, str(tmp_path / "copy.parquet")], parts)
    few = [parquet(tmp_path / f"few{k}.parquet", study(), reports()[:3]) for k in range(2)]
    (caution,) = total(few).cautions
    wording(caution)
    assert few[0] in caution
    assert few[1] in caution
    assert copies([*files, *few]) == [(few[0], few[1])]


def test_folders_are_read_whole_but_for_what_is_not_finished(files: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    parquet(folder / "day=2026-11-16" / "part-0.parquet", study(), reports())
    for name in ("_temporary/0/part-1.parquet", ".hidden/part-2.parquet", "_SUCCESS", ".part.parquet", "tally.arrow.parts/x.part"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"not to be read")
    assert expanded([str(folder)]) == [*files, str(folder / "day=2026-11-16" / "part-0.parquet")]
    assert expanded([str(folder / "**" / "part-0.parquet")]) == [str(folder / "day=2026-11-16" / "part-0.parquet")]
    write(folder / "week.arrow", tally_bytes(study(), whole()))
    for path in (str(folder), str(folder / "*"), str(folder / "**")):
        with refused(sv.ParameterError, path, "week.arrow"):
            expanded([path])


def test_patterns_mean_what_folders_mean(files: list[str], tmp_path: Path) -> None:
    """Nothing that is hidden, unfinished or a part, unless the pattern says so."""
    total(files, tmp_path / "reports" / "tally.arrow.parts")
    parquet(tmp_path / "reports" / "_temporary" / "0" / "x.parquet", study(), reports()[:10])
    parquet(tmp_path / "reports" / ".hidden.parquet", study(), reports()[:10])
    for pattern in ("*", "**", "**/*", "**/*.parquet", "[0-9]*", "?.parquet"):
        assert expanded([str(tmp_path / "reports" / pattern)]) == files
    assert expanded([str(tmp_path / "reports")]) == files
    assert expanded([str(tmp_path / "reports" / "_temporary" / "**" / "*.parquet")]) != files
    parts = sorted(map(str, (tmp_path / "reports" / "tally.arrow.parts").iterdir()))
    with refused(sv.ReportError, ".part"):
        total(parts)


def test_folders_that_are_linked_closed_or_called_parts(files: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    (tmp_path / "elsewhere").mkdir()
    linked = parquet(tmp_path / "elsewhere" / "x.parquet", study(), reports()[:200])
    (folder / "linked").symlink_to(tmp_path / "elsewhere")
    (folder / "round").symlink_to(folder)
    (tmp_path / "elsewhere" / "back").symlink_to(folder)
    named_parts = parquet(folder / "spare.parts" / "y.parquet", study(), reports()[:100])
    found = expanded([str(folder)])
    assert found == [*files, str(folder / "linked" / "x.parquet"), named_parts]
    assert os.path.samefile(found[-2], linked)


def test_a_file_counts_once_by_whatever_names(files: list[str], tmp_path: Path) -> None:
    os.link(files[0], tmp_path / "hard.parquet")
    (tmp_path / "soft.parquet").symlink_to(files[0])
    for other in (files[0], str(tmp_path / "hard.parquet"), str(tmp_path / "soft.parquet")):
        with refused(sv.ParameterError, files[0]):
            total([files[0], other])
    packed = write(tmp_path / "reports" / "0.parquet.gz", gzip.compress(Path(files[0]).read_bytes()))
    with refused(sv.ParameterError, "0.parquet.gz", files[0]):
        total([*files, str(packed)])
