"""System tests use real processes and real parts. A store is on SQLite or on PostgreSQL.

A suite that the unit tests run on SQLite overrides `url` in its file: `from fixtures import postgres_url as url`.
"""

from __future__ import annotations

import pytest

from fixtures import browser, java, place, postgres
from fixtures import either_url as url

__all__ = ["browser", "java", "place", "postgres", "url"]

#: The files that take longest. They run first, so that no worker is left alone with one in the end.
LONGEST = ("test_spark.py", "test_collector_crashes.py", "test_collector_fuzz.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))
