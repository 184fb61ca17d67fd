"""The commands of a collector, as processes, on PostgreSQL; and serve itself."""

from __future__ import annotations

import json
import subprocess
import time
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

import processes
from collectors import Hosting, serving
from fixtures import postgres_url as url  # noqa: F401 - overrides the fixture of this tier
from processes import PROGRAM
from sottovoce.store import Role, Store
from studies import STUDIES
from suites.collector_commands import *  # noqa: F403


@pytest.fixture
def program() -> ModuleType:
    return processes


@pytest.fixture
def hosting(url: str, tmp_path: Path) -> Hosting:  # noqa: F811 - the fixture from above
    return partial(serving, url, tmp_path)


def test_serve_takes_studies_and_asks_for_tickets(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDIES["ldp"])
    with open(tmp_path / "log", "wb") as log:
        process = subprocess.Popen([*PROGRAM, "serve", "study.toml", "--tickets", "--port", "0"], cwd=tmp_path, stderr=log)
    try:
        for _ in range(400):
            if b"listening" in (tmp_path / "log").read_bytes():
                break
            time.sleep(0.05)
        store = Store(str(tmp_path / "collector.sqlite"))
        assert store.entry("clinic-2026").respondents == "tickets"
        assert store.access.new_token(Role.MONITOR, [])[1].role is Role.MONITOR
        store.close()
    finally:
        process.terminate()
        assert process.wait(30) == 0
    events = [json.loads(line)["event"] for line in (tmp_path / "log").read_text().splitlines()]
    assert events == ["listening", "study", "stopped"]
