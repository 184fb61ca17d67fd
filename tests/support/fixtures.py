"""Fixtures that several tiers share. The conftest.py of each tier imports the ones it offers."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from browser import chromium
from parts import missing, needs
from postgres import Server, serving
from processes import answers
from studies import STUDIES

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a study and answers."""
    (tmp_path / "study.toml").write_text(STUDIES["uldp"])
    (tmp_path / "answers.csv").write_text("answer\n" + "\n".join(answers(4000)) + "\n")
    return tmp_path


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """The URL of an empty store on SQLite."""
    return str(tmp_path / "collector.sqlite")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server."""
    with serving() as server:
        yield server


@pytest.fixture
def postgres_url(request: pytest.FixtureRequest) -> str:
    """The URL of an empty store on PostgreSQL."""
    server: Server = request.getfixturevalue("postgres")
    return server.database()


@pytest.fixture(params=["sqlite", "postgresql"])
def either_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty store of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "collector.sqlite")
    server: Server = request.getfixturevalue("postgres")
    return server.database()


@pytest.fixture(scope="session")
def java() -> None:
    """Java, which Spark needs."""
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        missing("Java", "apt-get install default-jre-headless")
    needs("pyspark", "PySpark")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium for the tests of one file. Playwright keeps an event loop running in this thread until it ends."""
    with chromium() as found:
        yield found
