"""The counts of prose see what they should, and wrapping changes nothing but line breaks."""

from __future__ import annotations

from pathlib import Path

import pytest

from paths import ROOT
from tools import prose, wrap

PAGE = """# A house; a title

You read this; `a; b` is code, ["your; link"](a;b.md) a link &lt; and “somebody says” a quotation
that goes on.

```sh
echo whoever; echo you
```

<!-- nobody; sees
this -->
| a | b; c tells |
|---|---|

<!-- speed: start -->
Measured somewhere; by somebody.
<!-- speed: end -->
"""


def test_what_is_counted() -> None:
    found = prose.count(PAGE, "page")
    assert (found.semicolons, found.you, found.long) == (3, 2, [])
    assert [each.partition(":")[0] for each in found.avoid] == ["page", "page"]
    assert ["tells" in found.avoid[0], "house" in found.avoid[1]] == [True, True]
    assert found.words == 21


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Somebody and nobody, whoever it is.", 3),
        ("The guarantee holds, and the file holds no answers.", 1),
        ("The unknown person is no longer there.", 0),
        ("There is no release. This is no release.", 1),
        ("The IP address of a device, and the address of a page. Address the reader.", 1),
        ("It is there already. The key is not known.", 2),
        ("Respondents, an analyst, someone, no one.", 0),
    ],
)
def test_words_to_avoid(text: str, number: int) -> None:
    assert len(prose.count(text).avoid) == number


def test_targets() -> None:
    assert prose.missed(prose.count("You can do it.\n" * 10)) == []
    assert len(prose.missed(prose.count("It can be done; somebody does it. " * 10))) == 4
    long = prose.count("word " * 40 + "\n\n| " + "cell " * 40 + "|\n\n![" + "picture " * 20 + "](a.png)")
    assert len(long.long) == 1


def test_the_check_fails_where_pages_miss_a_target(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.write_text("Whoever reads this; it is about no one.\n")
    assert prose.main([str(page)]) == 0
    assert prose.main(["--check", "--where", str(page)]) == 1
    shown = capsys.readouterr().out
    assert "“Whoever reads this" in shown
    assert "Address the reader." in shown


def test_docstrings_of_public_names_are_counted(tmp_path: Path) -> None:
    code = tmp_path / "code.py"
    code.write_text(
        '"""One; two."""\n\n\ndef _private():\n    """Nobody; sees."""\n\n\nclass Public:\n    """It tells.\n\n    >>> 1; 2\n    """\n'
    )
    found = prose.count_code(tmp_path)
    assert (found.semicolons, found.words, [each.partition(": ")[0] for each in found.avoid]) == (1, 4, [f"{code}:9"])
    assert len(prose.missed(found, code=True)) == 2
    assert prose.missed(prose.count_code(), code=True) == []


def test_the_words_are_those_of_the_guide() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## How we write")[2].partition("\n## ")[0]
    found = prose.count(guide.replace("“", "").replace("”", "")).avoid
    assert {each.rpartition(": ")[2] for each in found} == set(prose.AVOID.values())


def test_every_kind_of_page_is_counted() -> None:
    names = {page.relative_to(ROOT).as_posix() for page in prose.pages()}
    assert {"README.md", "docs/install.md", "docs/how-to/telemetry.md", "clients/js/README.md"} <= names
    assert not {name for name in names if name.startswith(("docs/papers", "docs/decisions", "docs/reproduction"))}


@pytest.mark.parametrize("page", prose.pages(), ids=lambda page: page.stem)
def test_wrapping_changes_only_line_breaks(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    done = wrap.wrap(text)
    assert done.split() == text.split()
    assert wrap.wrap(done) == done
    assert [line for line in done.splitlines() if line.startswith(("|", "#", "```", "<!--"))] == [
        line for line in text.splitlines() if line.startswith(("|", "#", "```", "<!--"))
    ]
    assert prose.count(done).long == []


def test_what_would_mean_something_else_begins_no_line() -> None:
    words = "x" * 98
    assert wrap.wrap(f"{words} - {words} 1. {words}") == f"{words} -\n{words} 1.\n{words}"
    table = "| " + "cell " * 40 + "|"
    code = "```\n" + "word " * 40 + "\n```"
    for fixed in (table, code, "# " + "title " * 40, "<!-- " + "note " * 40 + "\n" + "note " * 40 + "-->"):
        assert wrap.wrap(fixed) == fixed
