"""What a collector answers: the application in this process, on SQLite."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from collectors import Running, added, hosted, named
from studies import QUESTIONNAIRES, STUDIES
from suites.collector import *  # noqa: F403 - all tests of the suite


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A collector with a study of every kind."""
    url = str(tmp_path_factory.mktemp("collector") / "collector.sqlite")
    added(url, *(named(kind) for kind in [*STUDIES, *QUESTIONNAIRES]))
    with hosted(url, body_bytes=1 << 20) as running:
        yield running
