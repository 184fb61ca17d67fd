from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from browser import chromium
from collectors import fresh_url
from messages import Recorder
from postgres import Server, serving
from processes import answers
from studies import STUDIES

if TYPE_CHECKING:
    from playwright.sync_api import Browser

settings.register_profile("sottovoce", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("sottovoce")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record-messages", action="store_true", help="write the wording of messages down (make messages)")


def pytest_configure(config: pytest.Config) -> None:
    """Workers inherit the folder that the first process made."""
    if config.getoption("--record-messages"):
        if "PYTEST_XDIST_WORKER" not in os.environ:
            os.environ["RECORDED_MESSAGES"] = tempfile.mkdtemp()
        config.pluginmanager.register(Recorder(Path(os.environ["RECORDED_MESSAGES"])))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a study and answers."""
    (tmp_path / "study.toml").write_text(STUDIES["uldp"])
    (tmp_path / "answers.csv").write_text("answer\n" + "\n".join(answers(4000)) + "\n")
    return tmp_path


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server."""
    with serving() as server:
        yield server


@pytest.fixture(scope="session")
def java() -> None:
    """Spark runs on Java; without it the tests of Spark are skipped, but not in CI."""
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        if os.environ.get("CI"):
            pytest.fail("Java is not installed; .ci/setup installs it")
        pytest.skip("Java is not installed: the tests of Spark are skipped (on Debian: apt-get install default-jre-headless)")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser, for the tests of one file: while it lives, an event loop runs in this thread, and no other can."""
    with chromium() as found:
        yield found


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty store, of either kind."""
    return fresh_url(request, tmp_path)
