"""The map of the packages is current and complete, and its walks lead through files that exist and are used."""

from __future__ import annotations

import importlib.util
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import pytest

import sottovoce as sv
from invoking import run
from paths import ROOT

SOURCE = ROOT / "src" / "sottovoce"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
#: The most files that each walk may take.
LIMITS = {"An answer's way to the estimate": 20, "A study file's way to the browser": 16, "A Parquet file's way to a tally": 12}
STUDY = """
name = "flu"
question = "Do you have the flu?"
items = ["yes", "no"]
[privacy]
notion = "ldp"
epsilon = 1.0
[mechanism]
name = "krr"
"""


def walk(title: str) -> list[Path]:
    """The files of a walk, in order."""
    section = PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]
    return [(ROOT / "docs" / target).resolve() for target in re.findall(r"(?m)^\d+\. \[[^]]+\]\(([^)]+)\): ", section)]


@contextmanager
def called(found: set[Path]) -> Iterator[None]:
    """Collect the files of the functions that are called."""
    files = set[str]()

    def note(frame: FrameType, _event: str, _argument: Any) -> None:
        if frame.f_code.co_name != "<module>":
            files.add(frame.f_code.co_filename)

    sys.setprofile(note)
    threading.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    found |= {Path(file).resolve() for file in files}


@pytest.fixture(scope="module")
def drawing() -> ModuleType:
    """The script that draws the picture."""
    spec = importlib.util.spec_from_file_location("make_architecture", ROOT / "docs" / "make_architecture.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_the_picture_is_current(drawing: ModuleType) -> None:
    """Drawn again with make reference."""
    assert drawing.page(PAGE) == PAGE


def test_every_package_is_named_with_a_line(drawing: ModuleType) -> None:
    rows = drawing.table(CONTRIBUTING)
    named = [name for row in rows for name in row.names if row.text]
    found = {path.stem for path in SOURCE.iterdir() if path.suffix in {"", ".py"} and not path.name.startswith("_")}
    assert sorted(named) == sorted(found)


def test_every_folder_is_named_with_a_line() -> None:
    ignored = [line.strip("/") for line in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()]
    visible = [path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(".")]
    top = [name for name in visible if not any(fnmatch(name, each) for each in ignored)]
    inner = [path.parent.relative_to(SOURCE).as_posix() for path in SOURCE.glob("*/*/__init__.py")]
    assert [name for name in top + inner if not re.search(rf"(?m)^\|[^|]*`{re.escape(name)}`[^|]*\| \S", CONTRIBUTING)] == []


@pytest.mark.parametrize(("title", "most"), LIMITS.items())
def test_walks_are_short_and_their_files_exist(title: str, most: int) -> None:
    files = walk(title)
    assert 0 < len(files) <= most
    assert len(set(files)) == len(files)
    assert [path for path in files if not path.is_file()] == []
    section = PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]
    assert [int(number) for number in re.findall(r"(?m)^(\d+)\. ", section)] == list(range(1, len(files) + 1))


def _estimate(_folder: Path) -> None:
    mechanism = sv.krr(sv.Domain("abc"), 1.0)
    sv.estimate(sv.Tally(mechanism).add(mechanism.perturb("abca"))).interval()


def _tally(folder: Path) -> None:
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    (folder / "answers.csv").write_text("answer\nyes\nno\nno\n", encoding="utf-8")
    run(folder, "perturb", "study.toml", "answers.csv", "-o", "reports.parquet")
    run(folder, "tally", "study.toml", "reports.parquet", "-o", "tally.arrow")


@pytest.mark.parametrize(("title", "act"), [("An answer's way to the estimate", _estimate), ("A Parquet file's way to a tally", _tally)])
def test_what_the_walks_follow_is_called(title: str, act: Callable[[Path], None], tmp_path: Path) -> None:
    """But for compiled loops, which no profiler sees."""
    found = set[Path]()
    with called(found):
        act(tmp_path)
    assert [path.name for path in walk(title) if path not in found and not path.stem.endswith("kernels")] == []
