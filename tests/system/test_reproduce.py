"""sottovoce reproduce as a process, with workers on all cores, and the fast mode of every paper."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from experiments.page import Results
from experiments.papers import NAMES, paper_of
from experiments.running import Request
from experiments.running import run as measure
from paths import ROOT
from processes import PROGRAM, as_json, run
from toy_paper import drawn


def test_one_figure(tmp_path: Path) -> None:
    done = run(tmp_path, "reproduce", "ipldp", "--figure", "Figure 3", "--runs", "2")
    assert "9 settings" in done.stderr.decode()
    assert "uRR" in done.stdout.decode()
    page = (tmp_path / "reproduction" / "ipldp.md").read_text()
    for part in ("2 runs each, fast mode", "Not run yet", "`sottovoce reproduce ipldp --runs 2`", "docs/papers/ipldp.md"):
        assert part in page
    assert (tmp_path / "reproduction" / "ipldp" / "figure-3-mse.svg").exists()
    assert "ipldp.md" in (tmp_path / "reproduction" / "README.md").read_text()
    again = run(tmp_path, "reproduce", "ipldp", "--figure", "3", "--runs", "2")
    assert "9 of them" in again.stderr.decode()
    found = as_json(tmp_path, "reproduce", "ipldp", "--redraw")["papers"][0]
    assert (found["modes"], found["page"].rpartition("/")[2]) == (["fast"], "ipldp.md")
    assert {"claim", "where", "found", "verdict", "because"} == set(found["claims"][0])


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
    told = json.loads(done.stdout)
    assert (told["code"], told["kind"]) == (1, "unsupported")


@pytest.mark.parametrize("name", NAMES)
def test_the_fast_mode_of_every_paper(name: str, tmp_path: Path) -> None:
    """Every experiment runs in its fast mode, with as few runs as have an error, and settles its claims."""
    paper = paper_of(name)
    measure(paper, paper.experiments, Request(tmp_path, runs=2, workers=1), lambda *_: None)
    results = Results(paper, tmp_path)
    assert set(results.found) == {each.name for each in paper.experiments}
    page = results.page()
    for experiment, frame, _ in results.found.values():
        assert frame["mean"].notna()[frame["metric"] != "r"].all()  # two runs have no correlation
        assert drawn(page, name)
        for file in experiment.data:
            assert file in page


def test_processes_find_what_one_process_finds(tmp_path: Path) -> None:
    uldp = paper_of("uldp")
    chosen = [each for each in uldp.experiments if "5" in each.figures]
    for name, workers in (("one", 1), ("two", 2)):
        measure(uldp, chosen, Request(tmp_path / name, runs=1, workers=workers), lambda *_: None)
    one, two = ((tmp_path / name / "uldp" / f"{chosen[0].name}.csv").read_text() for name in ("one", "two"))
    assert one == two
