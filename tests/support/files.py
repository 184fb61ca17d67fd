"""What the tests of files share: a study, its answers, and how they are written and read."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from messages import wording
from sottovoce.batch.answers import read_answers
from sottovoce.batch.collecting import collect
from sottovoce.batch.input_files import opened
from sottovoce.batch.reading import USUAL, Reading
from sottovoce.batch.skipped_rows import SkippedRows
from sottovoce.batch.writers import writing_reports
from sottovoce.reports import Reports
from sottovoce.tallies import Tally
from studies import STUDIES

SOURCE = sv.SeededSource(3)
ANSWERS = ["hiv", "cancer", "hepatitis", "flu", "none"]


@cache
def ldp() -> sv.Study:
    """The simplest study."""
    return sv.Study.from_toml(STUDIES["ldp"])


@contextmanager
def unreadable(kind: type[Exception], *values: object) -> Iterator[None]:
    """Expect an error about a file that ends with the words of a library, which aren't ours to check."""
    with pytest.raises(kind) as found:
        yield
    said = str(found.value)
    assert [value for value in values if str(value) not in said] == []
    wording(re.split(r"broken: |\(|report: ", said)[0])


def codes_of(study: sv.Study, path: Path, reading: Reading = USUAL, **options: Any) -> tuple[list[int], SkippedRows[str]]:
    skipped = SkippedRows[str]()
    with opened(str(path), reading.form, reading.encoding) as source:
        parts = [answers.inputs(study) for answers in read_answers(study, source, skipped, reading, **options)]
    return (np.concatenate(parts).tolist() if parts else []), skipped


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def parquet(path: Path, study: sv.Study, reports: Reports, group: int | None = None) -> str:
    """A file of reports as perturb writes it, or with row groups of another size."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with writing_reports(str(path), "parquet", study) as out:
        for begin in range(0, len(reports), group or max(1, len(reports))):
            out.write(reports[begin : begin + group] if group else reports)
    return str(path)


def cut(folder: Path, study: sv.Study, reports: Reports, pieces: int) -> list[str]:
    """The reports in so many files, of unequal sizes."""
    edges = sorted({0, len(reports), *(len(reports) * k * k // pieces**2 for k in range(1, pieces))})
    return [parquet(folder / f"{a}.parquet", study, reports[a:b], 97) for a, b in pairwise(edges)]


def aged(path: str, seconds: int = 60) -> None:
    """Make a file look as if it was written some time ago."""
    then = time.time_ns() - seconds * 10**9
    os.utime(path, ns=(then, then))


def study_of(path: Path, size: int, mechanism: str) -> sv.Study:
    """A study over many items, written to a file."""
    items = json.dumps([f"item {k}" for k in range(size)])
    head = f'name = "many"\nquestion = "Which?"\nitems = {items}\n'
    return sv.Study.load(write(path, f'{head}[privacy]\nnotion = "ldp"\nepsilon = 1.0\n[mechanism]\nname = "{mechanism}"\n'))


def counted(study: sv.Study, folder: Path) -> Tally:
    """The tally of the files in a folder, with their parts beside it."""
    return collect(study, sorted(map(str, folder.glob("*.parquet"))), keep=False, strict=True, parts=folder.parent / "parts").tally
