"""sottovoce reproduce as a process: what it says beforehand, what it writes, how it is interrupted and goes on."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from experiments.papers import NAMES
from paths import ROOT
from processes import PROGRAM, as_json, children, listening, run

linux = pytest.mark.skipif(sys.platform != "linux", reason="workers are found in /proc")


def test_the_list_says_how_long_everything_takes(tmp_path: Path) -> None:
    papers = as_json(tmp_path, "reproduce")["papers"]
    assert [each["paper"] for each in papers] == list(NAMES)
    assert all(each["fast"] > 0 and each["full"] > each["fast"] and each["figures"] for each in papers)
    text = run(tmp_path, "reproduce").stdout.decode()
    assert "All of them on" in text
    assert "minutes" in text


def test_one_figure(tmp_path: Path) -> None:
    done = run(tmp_path, "reproduce", "ipldp", "--figure", "Figure 3", "--runs", "2")
    assert "ipldp, fast mode: 9 settings; " in done.stderr.decode()
    assert "IPRR is better than uRR" in done.stdout.decode()
    page = (tmp_path / "reproduction" / "ipldp.md").read_text()
    for part in ("2 runs each, fast mode", "Not run yet", "`sottovoce reproduce ipldp --runs 2`", "docs/papers/ipldp.md"):
        assert part in page
    assert (tmp_path / "reproduction" / "ipldp" / "figure-3-mse.svg").exists()
    assert "ipldp.md" in (tmp_path / "reproduction" / "README.md").read_text()
    again = run(tmp_path, "reproduce", "ipldp", "--figure", "3", "--runs", "2")
    assert "9 of them kept from before" in again.stderr.decode()
    found = as_json(tmp_path, "reproduce", "ipldp", "--redraw")["papers"][0]
    assert (found["modes"], found["page"].rpartition("/")[2]) == (["fast"], "ipldp.md")
    assert {"claim", "where", "found", "verdict", "because"} == set(found["claims"][0])


@linux
def test_interrupted_and_resumed(tmp_path: Path) -> None:
    command = [*PROGRAM, "reproduce", "uldp", "--figure", "5", "--runs", "6"]
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
    assert "the same command goes on from there" in told.decode()
    assert "Traceback" not in told.decode()
    kept = len(list(cells.rglob("*.json")))
    assert 0 < kept < 10
    for worker in workers:
        assert not Path(f"/proc/{worker}").exists() or "Z" in Path(f"/proc/{worker}/stat").read_text().split()[2]
    done = run(tmp_path, "reproduce", "uldp", "--figure", "5", "--runs", "6")
    assert f"{kept} of them kept from before" in done.stderr.decode()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "there is no paper 'nothing'; choose one of uldp, lip, ipldp, small_samples, beyond, or all"),
        (["uldp", "--figure", "99"], "uldp has no figure '99'; there are 4.3, 5, 10"),
        (["all", "--figure", "nine"], "no paper has figure 'nine'; there are 4.3, 5, 10"),
        (["--figure", "5"], "no paper was named; choose one of uldp"),
        (["uldp", "--data", "missing"], "there is no folder missing; --data names a folder of count files"),
        (["uldp", "--data", "empty"], "empty has none of the count files that are used: foursquare_nyc_manhattan.csv"),
        (["uldp", "--data", "broken"], "lacks the column 'count'"),
        (["uldp", "--folder", "file"], "file is a file; --folder names a folder"),
        (["ipldp", "--redraw"], "nothing was measured in reproduction; leave --redraw out"),
    ],
)
def test_what_is_not_there(arguments: list[str], message: str, tmp_path: Path) -> None:
    for name in ("empty", "broken"):
        (tmp_path / name).mkdir()
    (tmp_path / "broken" / "foursquare_nyc_manhattan.csv").write_text("cell\n1\n")
    (tmp_path / "file").touch()
    assert message in run(tmp_path, "reproduce", *arguments, code=1).stderr.decode()
    assert not (tmp_path / "reproduction").exists()


@linux
def test_a_worker_that_is_killed_costs_only_its_cell(tmp_path: Path) -> None:
    command = [*PROGRAM, "reproduce", "uldp", "--figure", "5", "--runs", "6", "--json"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        cells = tmp_path / "reproduction" / "uldp" / ".cells"
        while not list(cells.rglob("*.json")):
            assert process.poll() is None
            time.sleep(0.05)
        workers = [pid for pid, line in children(process.pid).items() if "spawn_main" in line]
        os.kill(workers[0], signal.SIGKILL)
        told, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "what was measured is kept" in json.loads(told)["error"]


def test_own_data_are_named_on_the_page(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    name = "kosarak_first100k_top100.csv"
    text = (ROOT / "experiments" / "data" / name).read_text().replace("part of Kosarak", "my own part of Kosarak")
    (own / name).write_text(text)
    run(tmp_path, "reproduce", "ipldp", "--figure", "3", "--runs", "2", "--data", "own")
    assert "my own part of Kosarak" in (tmp_path / "reproduction" / "ipldp.md").read_text()


def test_a_package_without_the_repository_says_so(tmp_path: Path) -> None:
    """Installed elsewhere, the package has no experiments."""
    shutil.copytree(ROOT / "src" / "sottovoce", tmp_path / "site" / "sottovoce", ignore=shutil.ignore_patterns("__pycache__", "static"))
    done = subprocess.run(
        [*PROGRAM, "reproduce", "uldp", "--json"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "site")},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    assert "clone it, and run this command inside of it" in json.loads(done.stdout)["error"]
