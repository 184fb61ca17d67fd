"""Three hundred people of Adult answer a questionnaire on the survey page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from suites.survey_questionnaires import people_answer

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_every_submission_counts_once_and_the_estimate_is_the_librarys(url: str, tmp_path: Path, browser: Browser) -> None:
    people_answer(300, url, tmp_path, browser)
