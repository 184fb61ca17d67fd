"""A study of thirty items, two thousand reports, and their tally; built once, when a test asks for them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

import sottovoce as sv
from collectors import named, some_reports
from files import aged, parquet
from sottovoce.batch import parquet_reports
from sottovoce.batch.collected import Collected
from sottovoce.batch.collecting import collect
from sottovoce.reports import Reports
from sottovoce.tallies import Tally


def study() -> sv.Study:
    return named("integers")


@cache
def reports() -> Reports:
    return some_reports(study(), 2000)


@cache
def whole() -> Tally:
    return Tally(study().mechanism).add(reports())


def total(paths: list[str], parts: Path | None = None, **options: Any) -> Collected:
    return collect(study(), paths, keep=False, parts=parts, **options)


def five(folder: Path) -> list[str]:
    """The reports in five files, written some time ago."""
    found = [parquet(folder / f"{k}.parquet", study(), reports()[400 * k : 400 * k + 400], 100) for k in range(5)]
    for path in found:
        aged(path)
    return found


def take_small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take files apart and put them together again, as large ones are."""
    monkeypatch.setattr(parquet_reports, "_UNIT_ROWS", 150)
    monkeypatch.setattr(parquet_reports, "_BATCH_ROWS", 64)
    monkeypatch.setattr(parquet_reports, "_LONG", 100)
    monkeypatch.setattr(parquet_reports, "_LONG_ROWS", 70)
