"""Every option that a message, a help text or a page names exists in the command that it is about."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from invoking import as_json, complaint, run
from options import commands, named, unknown_options, wrong_commands
from paths import ROOT

#: What pages name of other programs: curl, cmp, pip, uv, PostgreSQL and style sheets.
OTHERS = {
    "--data-binary",
    "--extra",
    "--require-hashes",
    "--no-deps",
    "--requirement",
    "--no-build-isolation",
    "--quiet",
    "--pwprompt",
    "--owner",
}
STYLES = "--sottovoce-"
PAGES = sorted([*(ROOT / "docs").glob("*.md"), *(ROOT / "docs/how-to").glob("*.md"), ROOT / "README.md", ROOT / "deploy/README.md"])
SOURCES = sorted((ROOT / "src/sottovoce").rglob("*.py"))


def texts(path: Path) -> list[str]:
    """The texts of a module: its strings, those with values in them put together, and its docstrings."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            found.append("".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append(node.value)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_on_pages_have_their_options(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert wrong_commands(text) == []
    known = OTHERS.union(*commands().values())
    assert [option for option in named(text) if option not in known and not option.startswith(STYLES)] == []


@pytest.mark.parametrize("command", [name for name in commands() if name])
def test_help_names_options_of_the_command(command: str, tmp_path: Path) -> None:
    text = run(tmp_path, *command.split(), "--help").stdout.decode()
    assert unknown_options(command.split(), text) == []


def test_messages_name_options_of_some_command() -> None:
    known = frozenset[str]().union(*commands().values())
    assert {option: path for path in SOURCES for text in texts(path) for option in named(text) if option not in known} == {}
    assert {line: path for path in SOURCES for text in texts(path) for line in wrong_commands(text)} == {}


def test_this_test_can_fail() -> None:
    assert unknown_options(["estimate"], "name it with --colunm, or see: sottovoce tally --parts x") == ["--colunm"]
    assert unknown_options(["estimate"], "see: sottovoce tally --html x") == ["sottovoce tally --html x"]
    assert wrong_commands("Run `sottovoce plan --target 0.1 --html p.html`.") == ["sottovoce plan --target 0.1 --html p.html"]


def test_the_column_of_a_truth_is_chosen(place: Path) -> None:
    """The message names --column, which the command has."""
    (place / "truth.csv").write_text("reply\n" + "flu\n" * 30 + "none\n" * 70)
    run(place, "perturb", "answers.csv", "-o", "r.parquet")
    for arguments in (["estimate", "r.parquet"], ["simulate", "-n", "100", "--runs", "2"], ["compare", "-m", "ubd"], ["plan", "-n", "100"]):
        assert "--column" in complaint(place, *arguments, "--truth", "truth.csv", kind="parameter")
        as_json(place, *arguments, "--truth", "truth.csv", "--column", "reply")
        assert "--truth" in complaint(place, *arguments, "--column", "reply", kind="parameter")
    found = as_json(place, "estimate", "r.parquet", "--truth", "truth.csv", "--column", "reply")
    assert [row["truth"] for row in found["items"]] == [0, 0, 0, 0.3, 0.7]
