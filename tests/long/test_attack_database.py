"""A PostgreSQL that hangs, twenty times, under a stream of reports, with the default limits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sottovoce.collector.settings import Settings
from suites.hanging import hanging_is_bounded


def test_a_postgresql_that_hangs_keeps_nobody_waiting(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    limits = Settings()
    for name, seconds in hanging_is_bounded(
        tmp_path, 20, limits.write_seconds, limits.shutdown_seconds
    ).items():  # docs/security.md has them
        record_property(name, seconds)
