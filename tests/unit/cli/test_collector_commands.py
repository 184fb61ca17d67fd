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


@pytest.mark.parametrize(
    "arguments",
    [
        ("token", "create", "--role", "admin"),
        ("token", "create", "clinic-2026", "-o", "token.txt"),
        ("token", "list"),
        ("token", "revoke", "abc"),
        ("ticket", "create", "clinic-2026", "-n", "3"),
        ("ticket", "count", "clinic-2026"),
        ("export", "clinic-2026"),
        ("store", "studies"),
        ("store", "change", "clinic-2026", "--state", "closed"),
        ("store", "delete", "clinic-2026", "--yes"),
        ("store", "recount"),
        ("store", "backup", "copy.sqlite"),
        ("store", "audit"),
        ("store", "prune", "--before", "1d", "--yes"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("place", ["other.sqlite", "sqlite:///other.sqlite"])
def test_commands_without_a_store_leave_none_behind(place: str, arguments: tuple[str, ...], tmp_path: Path) -> None:
    said = complaint(tmp_path, *arguments, "--db", place, kind="store")
    assert f"sottovoce store add study.toml --db {place}" in said
    assert list(tmp_path.iterdir()) == []


def test_a_command_that_fails_leaves_no_store_behind(tmp_path: Path) -> None:
    complaint(tmp_path, "store", "add", "nope.toml", code=3)
    complaint(tmp_path, "store", "restore", "nope.sqlite", kind="parameter")
    complaint(tmp_path, "serve", "nope.toml", code=3)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "collector.sqlite").touch()
    assert "store add study.toml" in complaint(tmp_path, "token", "list", kind="store")
