"""What the tests of files share: a study, its answers, and how they are written and read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import sottovoce as sv
from sottovoce.batch.answers import read_answers
from sottovoce.batch.inputs import opened
from sottovoce.batch.rows import Skipped
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
