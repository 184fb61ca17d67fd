"""The commands of a collector, in this process, on SQLite."""

from __future__ import annotations

import socket
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

import invoking
from collectors import Hosting, hosted
from invoking import complaint, run
from studies import STUDIES
from suites.collector_commands import *  # noqa: F403


@pytest.fixture
def program() -> ModuleType:
    return invoking


@pytest.fixture
def hosting(url: str) -> Hosting:
    return partial(hosted, url)


def test_serve_tells_why_it_cannot(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDIES["ldp"])
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        place = taken.getsockname()[1]
        told = run(tmp_path, "serve", "study.toml", "--port", str(place), code=3).stderr.decode()
    assert f"127.0.0.1:{place}" in told
    (tmp_path / "study.toml").write_text(STUDIES["uldp"])
    assert "clinic-2026" in complaint(tmp_path, "serve", "study.toml")
    assert "nope.toml" in complaint(tmp_path, "serve", "nope.toml", code=3)
