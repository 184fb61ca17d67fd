"""`serve` greets a person on a terminal with links that work, and logs JSON everywhere else."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest

from processes import PROGRAM
from sottovoce.store import Store

pytest.importorskip("pty", reason="terminals are those of POSIX")
STUDY = 'name = "clinic"\nquestion = "Which?"\nitems = ["flu", "none"]\n[privacy]\nnotion = "ldp"\nepsilon = 1.0\n'


class Terminal:
    """What a person sees of a collector that runs on her terminal."""

    def __init__(self, end: int, process: subprocess.Popen[bytes]) -> None:
        self.process, self._end, self.text = process, end, ""

    def until(self, words: str, seconds: float = 60) -> str:
        """Everything up to some words."""
        last = time.monotonic() + seconds
        while words not in self.text:
            assert time.monotonic() < last, self.text
            if select.select([self._end], [], [], 0.2)[0]:
                self.text += os.read(self._end, 65536).decode().replace("\r\n", "\n")
        return self.text


@contextmanager
def on_a_terminal(folder: Path, *options: str) -> Iterator[Terminal]:
    import pty

    (folder / "study.toml").write_text(STUDY)
    end, inner = pty.openpty()
    command = [*PROGRAM, "serve", "study.toml", "--port", "0", *options]
    process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=inner, stderr=inner)
    os.close(inner)
    try:
        yield Terminal(end, process)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(30)
        os.close(end)


def answers(address: str) -> None:
    """Wait until the collector answers, which it does soon after it listens."""
    for _ in range(300):
        try:
            assert httpx.get(address).status_code == 200
            return
        except httpx.TransportError:
            time.sleep(0.1)
    raise AssertionError(f"{address} doesn't answer")


def test_a_person_gets_links_that_work(tmp_path: Path) -> None:
    with on_a_terminal(tmp_path) as terminal:
        text = terminal.until("Keep them to yourself.")
        assert "Press Ctrl+C to stop it." in text
        assert "{" not in text
        survey, dashboard = (re.search(rf"{kind} +(http\S+)", text)[1] for kind in ("survey", "dashboard"))  # type: ignore[index]
        page, _, token = dashboard.partition("#token=")
        answers(survey)
        assert httpx.get(page).status_code == 200
        tally = page.replace("/d/", "/studies/") + "/tally"
        assert httpx.get(tally).status_code == 401
        assert httpx.get(tally, headers={"authorization": f"Bearer {token}"}).json()["type"] == "/problems/few-reports"
        terminal.process.send_signal(signal.SIGINT)
        assert "Stopped." in terminal.until("Stopped.")
        assert terminal.process.wait(30) == 0
    with closing(Store(str(tmp_path / "collector.sqlite"))) as store:
        assert store.access.token(token) is None, "a record of the terminal is of no use later"


def test_a_person_can_do_without_a_token(tmp_path: Path) -> None:
    with on_a_terminal(tmp_path, "--no-token") as terminal:
        text = terminal.until("sottovoce token create clinic")
        assert re.search(r"dashboard +http\S+/d/clinic\n", text)
        assert "sv_" not in text
        answers(re.search(r"survey +(http\S+)", text)[1])  # type: ignore[index]
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.process.wait(30) == 0
    with closing(Store(str(tmp_path / "collector.sqlite"))) as store:
        assert store.access.tokens() == []


def test_programs_read_json_even_on_a_terminal_if_they_ask_for_it(tmp_path: Path) -> None:
    with on_a_terminal(tmp_path, "--json-logs") as terminal:
        lines = terminal.until('"event": "study"').splitlines()
        listening = json.loads(lines[0])
        assert listening["event"] == "listening"
        assert "token" not in terminal.text
        answers(f"{listening['address']}/health")
        terminal.process.send_signal(signal.SIGTERM)
        terminal.until('"event": "stopped"')
        assert terminal.process.wait(30) == 0
