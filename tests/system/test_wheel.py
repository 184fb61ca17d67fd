"""The built wheel, installed without the repository and with nothing but what it asks for, runs the commands of the README."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import sottovoce as sv
from installed import Installed
from paths import ROOT


@pytest.fixture(scope="module")
def installed(with_extras: Callable[[str], Installed]) -> Installed:
    return with_extras("plot")


def test_the_package_is_the_wheel_and_alone(installed: Installed, tmp_path: Path) -> None:
    assert str(installed.folder) in installed.run("python -c 'import sottovoce; print(sottovoce.__file__)'", tmp_path)
    assert installed.run("sottovoce --version", tmp_path).strip() == f"sottovoce {sv.__version__}"
    for missing in ("uvicorn", "sqlalchemy", "pytest", "experiments"):
        assert "ModuleNotFoundError" in installed.run(f"python -c 'import {missing}'", tmp_path, code=1)


def test_the_wheel_contains_every_file_of_the_package(wheel: Path) -> None:
    listed = subprocess.run(["git", "ls-files", "src/sottovoce"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    expected = {name.removeprefix("src/") for name in listed if not name.endswith(".md") and (ROOT / name).exists()}
    assert expected
    assert expected - set(zipfile.ZipFile(wheel).namelist()) == set()


def test_the_commands_of_the_readme(installed: Installed, tmp_path: Path) -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    section = page.split("## From your own file to a report")[1].split("\n## ")[0]
    commands = re.findall(r"^(?:<!-- run: (.*) -->|\$ (.*))$", section, re.MULTILINE)
    assert '$ pip install ".[plot]"' in page
    others = [shown for _, shown in commands if shown]
    assert len(others) >= 3
    for command in [hidden for hidden, _ in commands if hidden] + others:
        installed.run(command, tmp_path)
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert all(item in report for item in ("flu", "none", "hiv"))
    assert (tmp_path / "reports.parquet").stat().st_size > 0


def test_the_demo(installed: Installed, tmp_path: Path) -> None:
    installed.run("sottovoce demo", tmp_path)
    assert {path.name for path in tmp_path.glob("sottovoce-demo/*.html")} == {"health.html", "city.html"}


def test_links_lead_to_pages_that_exist(installed: Installed, tmp_path: Path) -> None:
    installed.run("sottovoce new survey", tmp_path)
    printed = installed.run("COLUMNS=300 sottovoce mechanisms; sottovoce notions; COLUMNS=300 sottovoce estimate --help", tmp_path)
    links = re.findall(r"https://sottovoce\.github\.io/sottovoce/stable/([\w/-]+)\.html", printed + (tmp_path / "study.toml").read_text())
    assert sorted(links) == ["estimates", "mechanisms", "notions", "study-files"]
    assert all((ROOT / "docs" / f"{link}.md").is_file() for link in links)


def test_what_needs_the_repository_or_an_extra_says_so(installed: Installed, tmp_path: Path) -> None:
    told = installed.run("sottovoce reproduce", tmp_path, code=1)
    assert "python -m experiments" in told
    assert len(told.splitlines()) == 1
    installed.run("sottovoce new survey", tmp_path)
    for command in (
        "serve study.toml",
        "token create my-survey",
        "ticket count my-survey",
        "export my-survey -o reports.parquet",
        "store studies",
    ):
        told = installed.run(f"sottovoce {command}", tmp_path, code=1)
        assert "pip install 'httptools" in told, command
        assert len(told.splitlines()) == 1, command


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed (on Debian: apt-get install make)")
def test_a_lock_with_a_changed_hash_is_refused(tmp_path: Path) -> None:
    """pip compares what it fetches with the lock: here both hashes of Altair have one digit changed."""
    for name in ("Makefile", "pyproject.toml", "requirements.lock", "tools/locked.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    lock = tmp_path / "requirements.lock"
    entries = re.split(r"(?m)^(?=\w)", lock.read_text(encoding="utf-8"))
    (altair,) = [place for place, entry in enumerate(entries) if entry.startswith("altair==")]
    entries[altair], count = re.subn(r"(?<=sha256:)\w", lambda digit: "1" if digit[0] == "0" else "0", entries[altair])
    assert count == 2
    lock.write_text("".join(entries), encoding="utf-8")
    done = subprocess.run(
        ["make", ".venv/.demo", f"PYTHON={sys.executable}"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode != 0
    if "No matching distribution" in done.stderr and not os.environ.get("CI"):
        pytest.skip("pip reaches no package index: connect to a network, or name an index in PIP_INDEX_URL")
    assert "DO NOT MATCH THE HASHES" in done.stderr
    assert "altair" in done.stderr
    assert not (tmp_path / ".venv" / ".demo").exists()
    assert not list(tmp_path.glob(".venv/lib/python*/site-packages/altair*"))
