"""sottovoce reproduce: what it says beforehand, what it writes, what it refuses. Its workers are among the system tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import toy_paper
from experiments import page, papers, running
from experiments.papers import NAMES
from invoking import as_json, complaint, run
from messages import wording
from sottovoce.cli import reproduce


def test_the_list_says_how_long_everything_takes(tmp_path: Path) -> None:
    papers = as_json(tmp_path, "reproduce")["papers"]
    assert [each["paper"] for each in papers] == list(NAMES)
    assert all(each["fast"] > 0 and each["full"] > each["fast"] and each["figures"] for each in papers)
    text = run(tmp_path, "reproduce").stdout.decode()
    assert "All of them" in text
    assert "minutes" in text


def test_a_paper_is_measured_kept_and_drawn_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "experiments.toy", toy_paper)
    for module in (papers, page):
        monkeypatch.setattr(module, "NAMES", (*NAMES, "toy"))
    monkeypatch.setattr(running, "_abreast", lambda experiment, request: 1)  # in this process
    done = run(tmp_path, "reproduce", "toy", "--figure", "Figure 1", "--runs", "3")
    assert "toy, fast mode: 3 settings" in done.stderr.decode()
    assert "The loss is small" in done.stdout.decode()
    folder = tmp_path / "reproduction"
    assert "3 runs each, fast mode" in (folder / "toy.md").read_text()
    assert (folder / "toy" / "figure-1.svg").exists()
    assert "toy.md" in (folder / "README.md").read_text()
    run(tmp_path, "reproduce", "toy", "--redraw", "--no-charts")
    assert "![" not in (folder / "toy.md").read_text()
    assert "`make figures`" in (folder / "toy.md").read_text()
    assert "3 of them" in run(tmp_path, "reproduce", "toy", "--figure", "1", "--runs", "3").stderr.decode()
    found = as_json(tmp_path, "reproduce", "toy", "--redraw")["papers"][0]
    assert (found["modes"], found["page"].rpartition("/")[2]) == (["fast"], "toy.md")
    assert {"claim", "where", "found", "verdict", "because"} == set(found["claims"][0])


@pytest.mark.parametrize(
    ("arguments", "values"),
    [
        (["nothing"], ["'nothing'", ", ".join(NAMES)]),
        (["uldp", "--figure", "99"], ["uldp", "'99'", "4.3, 5, 10"]),
        (["all", "--figure", "nine"], ["'nine'", "4.3, 5, 10"]),
        (["--figure", "5"], ["uldp"]),
        (["uldp", "--data", "missing"], ["missing", "--data"]),
        (["uldp", "--data", "empty"], ["empty", "foursquare_nyc_manhattan.csv"]),
        (["uldp", "--data", "broken"], ["broken", "'count'"]),
        (["uldp", "--folder", "file"], ["file", "--folder"]),
        (["ipldp", "--redraw"], ["reproduction", "--redraw"]),
    ],
)
def test_what_is_not_there(arguments: list[str], values: list[str], tmp_path: Path) -> None:
    for name in ("empty", "broken"):
        (tmp_path / name).mkdir()
    (tmp_path / "broken" / "foursquare_nyc_manhattan.csv").write_text("cell\n1\n")
    (tmp_path / "file").touch()
    said = complaint(tmp_path, "reproduce", *arguments, kind="parameter")
    assert [value for value in values if value not in said] == []
    assert not (tmp_path / "reproduction").exists()


def test_an_interrupted_measurement_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(running, "run", interrupted)
    said = run(tmp_path, "reproduce", "ipldp", "--figure", "3", code=130).stderr.decode()
    wording(said.splitlines()[-1])
    assert as_json(tmp_path, "reproduce", "ipldp", "--figure", "3", code=130)["code"] == 130


def test_a_package_without_the_repository_is_told_where_experiments_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reproduce, "__file__", str(tmp_path / "site" / "sottovoce" / "cli" / "reproduce.py"))
    complaint(tmp_path, "reproduce", "uldp", kind="unsupported")
