"""The store on PostgreSQL."""

from __future__ import annotations

from pathlib import Path

import pytest

from messages import refused
from postgres import Server
from sottovoce.errors import StoreError
from sottovoce.store import Store
from suites.store import *  # noqa: F403 - all tests of the suite


@pytest.fixture
def url(postgres: Server) -> str:
    return postgres.database()


def test_a_server_that_is_not_there_is_told(tmp_path: Path) -> None:
    with refused(StoreError):
        Store(f"postgresql://nobody@/nothing?host={tmp_path}").ready()
