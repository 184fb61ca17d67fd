"""A Python device that is killed fifty times while it records: nothing is lost, nothing counts twice, nothing is drawn twice."""

from __future__ import annotations

from pathlib import Path

from collectors import serving
from suites.device_kills import kills_lose_no_report


def test_fifty_kills_lose_no_report(tmp_path: Path) -> None:
    with serving(str(tmp_path / "collector.sqlite"), tmp_path) as served:
        kills_lose_no_report(served, tmp_path, 50)
