"""System tests use real processes and real parts. A store is on SQLite or on PostgreSQL.

A suite that the unit tests run on SQLite overrides `url` in its file: `from fixtures import postgres_url as url`.
"""

from __future__ import annotations

import os

import pytest

from fixtures import browser, java, place, postgres
from fixtures import either_url as url
from installed import wheel, with_extras

__all__ = ["browser", "java", "place", "postgres", "url", "wheel", "with_extras"]

#: The files that take longest, the longest first. They run first, so that no worker is left alone with one in the end.
LONGEST = (
    "test_spark.py",
    "test_reproduce.py",
    "test_collector_fuzz.py",
    "test_survey.py",
    "test_survey_questionnaires.py",
    "test_survey_questionnaire_screens.py",
    "test_survey_looks.py",
    "test_dashboard.py",
    "test_interruptions.py",
    "test_collector_commands.py",
    "test_collector_crashes.py",
    "test_console.py",
    "test_python_device.py",
    "test_collector_connections.py",
    "test_commands.py",
    "test_collector.py",
)


def pytest_xdist_auto_num_workers() -> int:
    """Three workers for two cores: a test waits for half of its time, for browsers, timeouts and rounds of polling."""
    cores = os.cpu_count() or 1
    return cores + cores // 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))
