"""Who may do what: the application in this process, on SQLite."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from collectors import Running, hosted
from suites.access import *  # noqa: F403 - all tests of the suite
from suites.access import mine_and_other


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    url = str(tmp_path_factory.mktemp("access") / "collector.sqlite")
    mine_and_other(url)
    with hosted(url, body_bytes=1 << 20) as running:
        yield running
