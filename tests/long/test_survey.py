"""Five hundred people answer on the survey page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from suites.survey import people_answer

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_people_are_collected_and_the_estimate_covers_the_truth(tmp_path: Path, browser: Browser) -> None:
    people_answer(500, tmp_path, browser)
