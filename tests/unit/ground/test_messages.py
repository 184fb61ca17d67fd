"""Errors are written as sentences, and the commands and pages that messages name exist: checked over the whole source.

That their options exist is checked in `tests/unit/cli/test_options.py`.
"""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from options import commands
from paths import ROOT
from sottovoce import errors
from sottovoce.errors import PROBLEMS, FileError, MissingFileError, SottovoceError, capital, ended, problem_of

SOURCE = ROOT / "src" / "sottovoce"
#: Errors of Python that repeat its own words.
PYTHONS = {"AttributeError", "FrozenInstanceError"}
#: Commands behind a colon, as in "List all tokens with: sottovoce token list", and pages.
COMMAND, PAGE = re.compile(r": sottovoce ([a-z]+)(?: ([a-z]+))?"), re.compile(r"[\w/]+\.md\b")
#: Habits that make errors hard to read.
HABITS = {
    r"; ": "joined by a semicolon",
    r"\S {2,}\S": "two spaces",
    r"(?<!\.)[.?!]\.(?![.\])])": "two full stops",
    r"\b(?:cannot|is not|are not|does not|do not)\b": "not contracted",
    r"\b(?:nobody|somebody|whoever|anew|mend|amiss)\b": "odd",
    r"^(?:the|a|an|this|there|these|no) ": "begins small",
}


@cache
def raised() -> tuple[tuple[str, str], ...]:
    """The place and the text of every error that the package raises, with {} for what is put in."""
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and ast.unparse(node.exc.func) not in PYTHONS:
                texts = map(text_of, node.exc.args)
                found += [(f"{path.relative_to(SOURCE)}:{node.lineno}", text) for text in texts if " " in text]
    return tuple(found)


def text_of(node: ast.expr) -> str:
    """The text of a literal, "" if it is none."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node] if isinstance(node, ast.Constant) else []
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)


def faults(text: str) -> list[str]:
    return [name for pattern, name in HABITS.items() if re.search(pattern, text)]


def test_errors_are_sentences() -> None:
    assert len(raised()) > 500
    assert [(place, text, faults(text)) for place, text in raised() if faults(text)] == []


@pytest.mark.parametrize("text", ["Odd; give two", "Odd.  Give two", "It ended..", "It cannot be", "Then nobody comes", "the file is odd"])
def test_each_habit_is_found(text: str) -> None:
    assert len(faults(text)) == 1
    assert faults("The level is 3. Use Domain.product(age=[...]). It isn't one…") == []


def test_commands_and_pages_in_errors_exist() -> None:
    named = [(place, found[1], found[2] or "") for place, text in raised() for found in COMMAND.finditer(text)]
    assert len(named) > 5
    assert [each for each in named if each[1] not in commands()] == []
    groups = {name.partition(" ")[0] for name in commands() if " " in name}
    assert [each for each in named if each[1] in groups and f"{each[1]} {each[2]}" not in commands()] == []
    pages = [page for _, text in raised() for page in PAGE.findall(text)]
    assert [page for page in pages if not (ROOT / page).exists()] == []


def test_every_error_has_a_problem() -> None:
    kinds = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, SottovoceError)]
    assert [each for each in kinds if each.kind not in PROBLEMS] == []
    assert [title for title in (each.title for each in PROBLEMS.values()) if faults(title) or not title.endswith(".")] == []


def test_errors_about_files_are_also_those_of_python() -> None:
    error = MissingFileError("none.csv: File not found. Check its name.")
    assert isinstance(error, FileNotFoundError)
    assert isinstance(error, FileError)
    assert str(error) == "none.csv: File not found. Check its name."
    assert problem_of(error).status == 422


def test_texts_become_sentences() -> None:
    assert [ended(text) for text in ("It broke", "It broke.", "Was it?", "It broke …")] == [
        "It broke.",
        "It broke.",
        "Was it?",
        "It broke …",
    ]
    assert (capital("the item"), capital("")) == ("The item", "")
