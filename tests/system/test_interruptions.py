"""Commands that are interrupted leave no half file behind, and go on where they were."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import sottovoce as sv
from files import aged, parquet, study_of
from processes import PROGRAM, as_json, children, listening, run

linux = pytest.mark.skipif(sys.platform != "linux", reason="workers are found in /proc")


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_an_interrupted_command_leaves_nothing_behind(place: Path, sent: signal.Signals, code: int) -> None:
    (place / "r.parquet").write_text("what was there before")
    program = [*PROGRAM, "perturb", "study.toml", "-", "-o", "r.parquet", "--force"]

    pipe = subprocess.PIPE
    with subprocess.Popen(program, cwd=place, stdin=pipe, stderr=pipe, preexec_fn=listening) as process:  # noqa: PLW1509 - no threads
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b"answer\n" + b"flu\n" * 3_000_000)  # some batches go through, then it waits for more
        process.stdin.flush()
        until = time.monotonic() + 60
        while not list(place.glob(".*.part")) and time.monotonic() < until:
            time.sleep(0.02)
        assert list(place.glob(".*.part"))
        process.send_signal(sent)
        try:
            process.wait(timeout=60)
        finally:
            process.kill()
        said = process.stderr.read()
        process.stdin.close()
    assert process.returncode == code
    assert b"Traceback" not in said
    assert sent != signal.SIGINT or said.startswith(b"sottovoce: ")
    assert not list(place.glob(".*"))
    assert (place / "r.parquet").read_text() == "what was there before"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a study whose reports take long to count, some seconds for all, and twelve files of them."""
    folder = tmp_path_factory.mktemp("slow")
    study = study_of(folder / "study.toml", 60_000, "olh")
    reports = study.blocks[""].perturb(np.arange(720_000) % 60_000, sv.SeededSource(1))
    for k in range(12):
        aged(parquet(folder / "reports" / f"{k:02}.parquet", study, reports[60_000 * k : 60_000 * k + 60_000]))
    return folder


@pytest.fixture(scope="module")
def whole(made: Path) -> bytes:
    """The tally of a run that was not interrupted and kept no parts."""
    run(made, "tally", "reports/*.parquet", "-o", "whole.arrow", "--totals", "--no-parts")
    assert not (made / "whole.arrow.parts").exists()
    return (made / "whole.arrow").read_bytes()


@pytest.fixture
def slow(made: Path, tmp_path: Path) -> Path:
    """A copy of that folder."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_run_goes_on(slow: Path, whole: bytes, number: int) -> None:
    command = [*PROGRAM, "tally", "reports/*.parquet", "-o", "tally.arrow", "--totals"]
    process = subprocess.Popen(command, cwd=slow, stderr=subprocess.PIPE, preexec_fn=listening)  # noqa: PLW1509 - no threads
    parts = slow / "tally.arrow.parts"
    deadline = time.monotonic() + 60
    while not (parts.is_dir() and len(list(parts.glob("[!.]*.part"))) >= 2):
        assert process.poll() is None, "it ended before it could be interrupted"
        assert time.monotonic() < deadline
        time.sleep(0.005)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode != 0
    assert b"Traceback" not in said
    assert not (slow / "tally.arrow").exists()
    kept = len(list(parts.glob("[!.]*.part")))
    assert 2 <= kept < 12
    found = as_json(slow, "tally", "reports/*.parquet", "-o", "tally.arrow", "--totals")
    assert (found["n"], found["again"]) == (720_000, kept)
    assert (slow / "tally.arrow").read_bytes() == whole


@linux
def test_interrupted_and_resumed(tmp_path: Path) -> None:
    command = [*PROGRAM, "reproduce", "uldp", "--figure", "5", "--runs", "3"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=listening)  # noqa: PLW1509 - no threads
    cells = tmp_path / "reproduction" / "uldp" / ".cells"
    while not list(cells.rglob("*.json")):
        assert process.poll() is None, "it was done before it could be interrupted"
        time.sleep(0.05)
    workers = [pid for pid, line in children(process.pid).items() if "spawn_main" in line]
    assert workers
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in told.decode()
    assert told.decode().splitlines()[-1].startswith("sottovoce: ")
    kept = len(list(cells.rglob("*.json")))
    assert 0 < kept < 10
    for worker in workers:
        assert not Path(f"/proc/{worker}").exists() or "Z" in Path(f"/proc/{worker}/stat").read_text().split()[2]
    done = run(tmp_path, "reproduce", "uldp", "--figure", "5", "--runs", "3")
    assert f"{kept} of them" in done.stderr.decode()


@linux
def test_a_worker_that_is_killed_costs_only_its_cell(tmp_path: Path) -> None:
    command = [*PROGRAM, "reproduce", "uldp", "--figure", "5", "--runs", "3", "--json"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        cells = tmp_path / "reproduction" / "uldp" / ".cells"
        while not list(cells.rglob("*.json")):
            assert process.poll() is None
            time.sleep(0.05)
        workers = [pid for pid, line in children(process.pid).items() if "spawn_main" in line]
        os.kill(workers[0], signal.SIGKILL)
        told, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert json.loads(told)["code"] == 1
