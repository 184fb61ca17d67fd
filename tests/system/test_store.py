"""The store on PostgreSQL."""

from __future__ import annotations

from pathlib import Path

from fixtures import postgres_url as url  # noqa: F401 - the suite runs on PostgreSQL here

from messages import refused
from sottovoce.errors import StoreError
from sottovoce.store import Store
from suites.store import *  # noqa: F403 - all tests of the suite


def test_a_server_that_is_not_there_is_told(tmp_path: Path) -> None:
    with refused(StoreError):
        Store(f"postgresql://nobody@/nothing?host={tmp_path}").ready()
