"""Collectors run in the process of the tests, on SQLite."""

from __future__ import annotations

from functools import partial

import pytest

from collectors import Hosting, hosted


@pytest.fixture
def hosting(url: str) -> Hosting:
    """Starts a collector over an empty store."""
    return partial(hosted, url)
