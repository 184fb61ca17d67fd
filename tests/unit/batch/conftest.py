"""Fixtures of the tests of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from thirty import five, take_small_steps


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Five files of reports, written some time ago."""
    return five(tmp_path / "reports")


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are taken apart and put together again, as large ones are."""
    take_small_steps(monkeypatch)
