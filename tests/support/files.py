"""What the tests of files share: a study, its answers, and how they are written and read."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import sottovoce as sv
from sottovoce.batch.answers import read_answers
from sottovoce.batch.inputs import opened
from sottovoce.batch.outputs import writing_reports
from sottovoce.batch.rows import Skipped
from sottovoce.reports import Reports
from studies import STUDIES

SOURCE = sv.SeededSource(3)
LDP = sv.Study.from_toml(STUDIES["ldp"])
ANSWERS = ["hiv", "cancer", "hepatitis", "flu", "none"]


def codes_of(study: sv.Study, path: Path, **options: Any) -> tuple[list[int], Skipped]:
    skipped = Skipped()
    with opened(str(path)) as source:
        parts = [answers.inputs(study) for answers in read_answers(study, source, skipped, **options)]
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
