"""A database that hangs: reports are refused in time, and the collector ends in time."""

from __future__ import annotations

from pathlib import Path

from suites.hanging import hanging_is_bounded


def test_a_postgresql_that_hangs_keeps_nobody_waiting(tmp_path: Path) -> None:
    hanging_is_bounded(tmp_path, 2, write=2, shutdown=6)
