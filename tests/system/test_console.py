"""The commands in the documentation run as written, from the wheel, page by page, in a folder of their own.

The wheel has the extras that the page asks for. The study files on pages are studies.
"""

from __future__ import annotations

import re
import subprocess
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.request import urlopen

import pytest

import sottovoce as sv
from installed import Installed
from paths import ROOT
from sottovoce.collector.settings import Settings

FOLDERS = ("docs", "docs/how-to", "docs/tutorials", "docs/explanation")
PAGES = [ROOT / "README.md", *(page for folder in FOLDERS for page in sorted((ROOT / folder).glob("*.md")))]
#: Commands that change the machine or take a network: the fresh-clone check of a release runs those.
NOT_HERE = ("pip install", "make ", "git clone")
#: The extras that readers have if their page asks for none: those that the page about installing names for all tutorials.
USUAL = "plot,server"


class Block(NamedTuple):
    """A fenced block, and the file or the command that the comment before it names."""

    language: str
    file: str | None
    output: str | None
    text: str


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page; a comment `run:` is a command that readers need not see."""
    text = re.sub(r"^<!-- run: (.*) -->$", r"```console\n$ \1\n```", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    comment = r"(?:<!-- file: (\S+) -->\n|<!-- output: ([^\n]*) -->\n)?"
    found = re.findall(rf"^{comment}```(\w+)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return [Block(language, file or None, output or None, text) for file, output, language, text in found]


def commands(text: str) -> list[tuple[str, str]]:
    """Each command of a block, and the output that is shown below it. A backslash continues a command on the next line."""
    parts = re.split(r"^\$ ", re.sub(r" \\\n *", " ", text), flags=re.MULTILINE)[1:]
    return [(part.split("\n", 1)[0], part.split("\n", 1)[1]) for part in parts]


def tidy(text: str) -> str:
    """Without blanks at the ends of lines and blank lines, as a page shows it."""
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


def extras(page: Path) -> str:
    """What the page asks its readers to install."""
    found = re.search(r'pip install "\.\[([a-z,]+)\]"', page.read_text(encoding="utf-8"))
    return USUAL if found is None else found[1]


@contextmanager
def running(command: str, place: Path, installed: Installed) -> Iterator[None]:
    """A collector that a page starts in a terminal of its own, on the port that the page names."""
    with (place / "collector.log").open("wb") as log:
        server = subprocess.Popen(
            ["bash", "-c", f"exec {command}"], cwd=place, env=installed.environment, stdout=log, stderr=subprocess.STDOUT
        )
    try:
        until = time.monotonic() + 60
        while b'"listening"' not in (place / "collector.log").read_bytes():
            assert server.poll() is None, (place / "collector.log").read_text()
            assert time.monotonic() < until, "the collector did not start"
            time.sleep(0.1)
        with urlopen("http://127.0.0.1:8000/ready", timeout=60) as answer:  # a new environment compiles loops first
            assert answer.status == 200
        yield
    finally:
        server.terminate()
        server.wait(30)


def shape(text: str) -> str:
    """A text without what differs from run to run: numbers (but those of lines), random names, bars and the width of columns."""
    text = re.sub(r'"report":"[^"]*"', '"report":"…"', text)
    text = re.sub(r"\b[0-9a-f]{32}\b", "…", text)
    text = re.sub(r"[█▒░]+(?=\s*$)", "█", text, flags=re.MULTILINE)
    text = re.sub(r"(?<!line )(?<![0-9a-f])\d[\d,.]*\d|(?<!line )\b\d\b", "0", text)
    return re.sub(r"─+", "─", re.sub(r" +", " ", tidy(text)))


WITH_COMMANDS = [page for page in PAGES if "```console" in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.stem)
def test_commands_run_as_written(page: Path, tmp_path: Path, with_extras: Callable[[str], Installed]) -> None:
    installed, ran = with_extras(extras(page)), 0

    def done(command: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, env=installed.environment, capture_output=True, check=False, timeout=120
        )

    with ExitStack() as servers:
        for block in blocks(page):
            if block.file is not None:
                (tmp_path / block.file).write_text(block.text, encoding="utf-8")
            if block.output is not None:
                found = done(block.output)
                assert shape(found.stdout.decode() + found.stderr.decode()) == shape(block.text), block.output
            if block.language != "console":
                continue
            for command, shown in commands(block.text):
                if command.startswith(NOT_HERE):
                    continue
                ran += 1
                if command.startswith("sottovoce serve"):
                    servers.enter_context(running(command, tmp_path, installed))
                    continue
                found = done(f"set -o pipefail; {command}" if "| head" not in command else command)
                assert found.returncode == 0, (command, found.stderr.decode())
                if tidy(shown):
                    assert tidy(found.stdout.decode()) == tidy(shown), command
    assert ran or page.name == "README.md"


@pytest.mark.parametrize("asked", sorted({extras(page) for page in WITH_COMMANDS}))
def test_pages_run_from_the_wheel_and_not_from_the_repository(asked: str, tmp_path: Path, with_extras: Callable[[str], Installed]) -> None:
    """The package lies in the environment, and so does all that Python and the shell look through."""
    installed = with_extras(asked)
    where = installed.run(
        "python -c 'import sottovoce, sys; print(sottovoce.__file__, *sys.path, sep=chr(10))'; command -v sottovoce", tmp_path
    )
    package, *others, command = where.splitlines()
    assert package.startswith(str(installed.folder / "lib"))
    assert command == str(installed.folder / "bin" / "sottovoce")
    assert not any(place.startswith(str(ROOT)) for place in others)
    for missing in ("experiments", "tests", "pytest", "installed"):
        assert "ModuleNotFoundError" in installed.run(f"python -c 'import {missing}'", tmp_path, code=1)


@pytest.mark.parametrize("page", [page for page in PAGES if "```toml" in page.read_text(encoding="utf-8")], ids=lambda page: page.stem)
def test_toml_on_pages_is_as_it_should_be(page: Path, tmp_path: Path) -> None:
    """Study files are studies, and settings of collectors are settings. Other blocks show a part of pyproject.toml."""
    for block in blocks(page):
        if block.language != "toml" or block.text.startswith("[project"):
            continue
        if "name" in tomllib.loads(block.text):
            study = sv.Study.from_toml(block.text, page.name)
            assert all(mechanism.certify().holds for mechanism in study.blocks.values())
        else:
            file = tmp_path / "settings.toml"
            file.write_text(block.text, encoding="utf-8")
            assert Settings.of(str(file), {}, {}) != Settings()


def test_no_answers_are_perturbed_more_often_than_their_study_says() -> None:
    """The study of the tutorial has one report per person."""
    perturbed = [line for block in blocks(ROOT / "docs/tutorial.md") if block.language == "console" for line, _ in commands(block.text)]
    files = [line.split()[2] for line in perturbed if line.startswith("sottovoce perturb")]
    assert files
    assert len(set(files)) == len(files)


def test_shapes_can_differ() -> None:
    shown = 'study.toml, line 13: {"report":"AQ=="} 19.9%'
    assert shape(shown) == shape('study.toml, line 13: {"report":"BA=="} 21.44%')
    assert shape(shown) != shape(shown.replace("13", "14"))
    assert shape(shown) != shape(shown.replace('"AQ=="', "1"))
