"""Twenty kills under a stream of reports, over both stores."""

from __future__ import annotations

from pathlib import Path

from suites.crashes import kills_lose_nothing


def test_kills_lose_nothing_and_count_nothing_twice(url: str, tmp_path: Path) -> None:
    kills_lose_nothing(url, tmp_path, 20)
