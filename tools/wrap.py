"""Wrap the paragraphs and list items of Markdown pages that have a line over 110 characters.

Only those change, so that a page keeps the line breaks that its writer chose elsewhere. Code, tables, headings, comments and
paragraphs with hard line breaks stay as they are.

    python tools/wrap.py docs/estimates.md docs/how-to/telemetry.md
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

LONGEST, WIDTH = 110, 100
MARKER = re.compile(r"(\s*)([-*+]|\d+[.)]) +")
#: What begins a line that isn't prose: a table, a heading, a quotation, a picture, HTML, math, a definition, a rule.
FIXED = re.compile(r"\s*(\||#|>|!\[|<|\$\$|:|\[[^]]+\]: |---|===|\*\*\*)")
#: What must not begin a line, because it would mean something else there.
AWKWARD = re.compile(r"([-*+>|#=:]|\d+[.)])($|\s)|[|#>:]|---")
WORD = re.compile(r"(?:`[^`]*`|\S)+")


def wrap(text: str) -> str:
    r"""The page with its long paragraphs wrapped.

    >>> print(wrap("- " + "one `two three` " * 8 + "four\n"), end="")
    - one `two three` one `two three` one `two three` one `two three` one `two three` one `two three`
      one `two three` one `two three` four
    """
    return "\n".join(line for block, prose in blocks(text.split("\n")) for line in (wrapped(block) if prose else block))


def blocks(lines: list[str]) -> Iterator[tuple[list[str], bool]]:
    """The paragraphs and list items of a page, and every other line by itself; and whether it is prose."""
    block: list[str] = []
    fence = ""
    for line in lines:
        opening = re.match(r"\s*(`{3,}|~{3,}|<!--)", line)
        prose = not (fence or opening or FIXED.match(line)) and bool(line.strip())
        if block and (not prose or MARKER.match(line)):
            yield block, True
            block = []
        if prose:
            block.append(line)
            continue
        if fence:
            fence = "" if line.strip().startswith(fence) or (fence == "-->" and fence in line) else fence
        elif opening:
            fence = ("" if "-->" in line else "-->") if opening[1] == "<!--" else opening[1]
        yield [line], False
    if block:
        yield block, True


def wrapped(block: list[str]) -> list[str]:
    """A block, wrapped if it has a long line."""
    if all(len(line) <= LONGEST for line in block) or any(line.endswith(("  ", "\\")) for line in block):
        return block
    marker = MARKER.match(block[0])
    first = marker[0] if marker else block[0][: len(block[0]) - len(block[0].lstrip())]
    rest = " " * len(first)
    lines, line = list[str](), first
    for word in WORD.findall(" ".join(each.strip() for each in block)[len(first.lstrip()) :]):
        fits = len(line) + len(word) < WIDTH or line.strip() == first.strip()
        if fits or AWKWARD.match(word):
            line += word if line in {first, rest} else f" {word}"
        else:
            lines.append(line)
            line = rest + word
    return [*lines, line]


if __name__ == "__main__":
    for name in sys.argv[1:]:
        page = Path(name)
        page.write_text(wrap(page.read_text(encoding="utf-8")), encoding="utf-8")
