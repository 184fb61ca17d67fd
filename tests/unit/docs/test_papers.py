"""The pages that follow the papers are true to the code: every test, public name and module that they cite exists.

They cannot say that a test shows what its row claims; that is for readers. What they can do is fail when something is renamed.
"""

from __future__ import annotations

import ast
import importlib
import re
from functools import cache
from pathlib import Path

import pytest

import sottovoce as sv
from paths import ROOT

PAPERS = ROOT / "docs" / "papers"
PAGES = sorted(PAPERS.glob("*.md"))
HEADER = ["statement", "in plain words", "where in the library", "test"]
SECTIONS = ("What is corrected", "What is not here (yet)")

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


@cache
def functions(path: Path) -> frozenset[str]:
    """The names of the test functions in a file."""
    if not path.is_file():
        return frozenset()
    return frozenset(node.name for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef))


def missing_tests(text: str) -> list[str]:
    """Tests that are named and do not exist in the file that the link leads to, or that have no link at all."""
    linked = re.findall(r"\[`(\w+)`\]\(([^)]*?(?:tests|src)/[^)]*)\)", text)
    wrong = [f"{target}::{name}" for name, target in linked if name not in functions((PAPERS / target).resolve())]
    bare = set(re.findall(r"\b(test_\w+)\b(?!\.py)", text)) - {name for name, _ in linked}
    return wrong + sorted(bare)


def resolves(path: str) -> bool:
    """Whether a dotted path leads from a module to something that exists."""
    parts = path.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


def missing_names(text: str) -> list[str]:
    """Names in backticks, `sv.…` or `sottovoce.…`, that lead nowhere; and methods that `sv.estimate` does not know."""
    code = " ".join(re.findall(r"`([^`]+)`", text))
    paths = re.findall(r"\b(?:sv|sottovoce)(?:\.[A-Za-z_]\w*)+", code)
    methods = re.findall(r"sv\.estimate\(tally, \"(\w+)\"\)", code)
    return [path for path in paths if not resolves(re.sub(r"^sv\b", "sottovoce", path))] + [m for m in methods if m not in sv.METHODS]


def rows(text: str) -> list[list[str]]:
    """The cells of the table, without its header; an escaped bar is no border."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    table = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    assert table[0] == HEADER
    return table[2:]


def incomplete(row: list[str]) -> bool:
    """A row has four cells, none empty; it names a test, or says that there is none."""
    return len(row) != len(HEADER) or not all(row) or not ("[`test_" in row[3] or row[3].startswith("no test"))


def test_every_paper_has_its_page() -> None:
    assert {page.stem for page in PAGES} == {"uldp", "lip", "ipldp", "small-samples"}


@each_page
def test_named_tests_exist(page: Path) -> None:
    assert missing_tests(page.read_text(encoding="utf-8")) == []


@each_page
def test_named_places_exist(page: Path) -> None:
    assert missing_names(page.read_text(encoding="utf-8")) == []


@each_page
def test_the_table_is_complete(page: Path) -> None:
    found = rows(page.read_text(encoding="utf-8"))
    assert len(found) >= 8
    assert [row for row in found if incomplete(row)] == []
    statements = [row[0] for row in found]
    assert len(set(statements)) == len(statements)


@each_page
def test_the_sections_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == list(SECTIONS)
    assert f"(../reproduction/{page.stem.replace('-', '_')}.md)" in text


def test_wrong_pages_are_found_out() -> None:
    """A renamed test, a moved one, one without a link, a name that is gone, an unknown method, a row without a test."""
    here = "[`test_wrong_pages_are_found_out`](../../tests/unit/docs/test_papers.py)"
    assert missing_tests(here) == []
    assert missing_tests(here.replace("found_out`", "found`")) == ["../../tests/unit/docs/test_papers.py::test_wrong_pages_are_found"]
    assert missing_tests(here.replace("test_papers.py", "test_docs.py")) == [
        "../../tests/unit/docs/test_docs.py::test_wrong_pages_are_found_out"
    ]
    assert missing_tests(here.replace("test_papers.py", "test_nothing.py")) != []
    assert missing_tests("`test_without_a_link`") == ["test_without_a_link"]
    assert missing_names('`sv.krr`, `sv.Tally.simulate(m)` and `sottovoce.estimators.correction.bias`; `sv.estimate(tally, "em")`') == []
    assert missing_names("`sv.krrr` and `sv.Tally.simulated`") == ["sv.krrr", "sv.Tally.simulated"]
    assert missing_names("`sottovoce.estimators.nothing.bias`") == ["sottovoce.estimators.nothing.bias"]
    assert missing_names('`sv.estimate(tally, "magic")`') == ["magic"]
    table = f"| {' | '.join(HEADER)} |\n|---|---|---|---|\n| (1) | Q(y\\|x) | `sv.krr` | {here} |\n| (2) | as (1) | `sv.krr` | surely |\n"
    assert [incomplete(row) for row in rows(table)] == [False, True]
    assert incomplete(["(3)", "", "`sv.krr`", "no test"])
