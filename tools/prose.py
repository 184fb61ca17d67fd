"""Count how pages for users and docstrings are written: long lines, semicolons, how often they address the reader, words to avoid.

The rules and the words stand in CONTRIBUTING.md, under "How we write". Code, the targets of links, comments and what scripts record
between two comments don't count, and of tables only the words to avoid. The pages about papers, decisions and reproduction are
written for other readers. Of the library's code, the docstrings of public names are counted together, for semicolons and words.

    python tools/prose.py               # a table of the pages and the docstrings
    python tools/prose.py --where       # and every word and line to change
    python tools/prose.py --check       # fails if the pages miss a target
"""

from __future__ import annotations

import argparse
import ast
import html
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: The code whose docstrings are counted.
CODE = ROOT / "src" / "sottovoce"
FOLDERS = ("docs", "docs/how-to", "docs/tutorials", "docs/explanation")
#: Per 1,000 words of all pages together.
MOST_SEMICOLONS, LEAST_YOU = 1.0, 12.0
LONGEST_LINE = 110
#: What to avoid, and what to write instead.
AVOID = {
    r"somebody|nobody|anybody|everybody|whoever|who holds": "someone, no one, anyone who, or the role",
    r"says|tells|told|speaks": "shows, prints, reports, returns",
    r"(?<!guarantee )(?<!claim )(?<!bound )holds": "contains, stores, keeps, covers",
    r"anew|mends?|sees? to it": "again, fix, check",
    r"(is|are) there already": "already exists",
    r"(is|are) not known": "unknown",
    r"(?<!there )(is|are) no(?= (?!longer|more|better|worse|different)\w)": "isn't a",
    r"crowds?|house": "respondents, process",
    r"(?<!IP )(?<!e-mail )(?<!web )(?<!network )address(es)?(?! (the|your|a)\b)": "URL, endpoint",
}
WORDS = {re.compile(rf"\b({pattern})\b", re.IGNORECASE): instead for pattern, instead in AVOID.items()}
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
#: The tables and conditions of measurements.
RECORDED = re.compile(r"<!-- ([\w -]+): (?:start|begin) -->.*?<!-- \1: end -->", re.DOTALL)
YOU = re.compile(r"\b(you|your|yours|yourself)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Count:
    """What was counted on a page, or on several."""

    words: int = 0
    semicolons: int = 0
    you: int = 0
    avoid: list[str] = field(default_factory=list)
    long: list[str] = field(default_factory=list)

    def __add__(self, other: Count) -> Count:
        both = self.words + other.words, self.semicolons + other.semicolons, self.you + other.you
        return Count(*both, self.avoid + other.avoid, self.long + other.long)

    def per_thousand(self, number: int) -> float:
        return 1000 * number / max(self.words, 1)

    def row(self, name: str) -> str:
        shares = f"{self.per_thousand(self.semicolons):6.1f} {self.per_thousand(self.you):6.1f}"
        return f"{name:<38} {self.words:7,} {shares} {len(self.avoid):6} {len(self.long):6}"


def pages(root: Path = ROOT) -> list[Path]:
    """The pages for users. The reference is written from docstrings, which have rules of their own."""
    found = [root / "README.md", *(page for folder in FOLDERS for page in sorted((root / folder).glob("*.md")))]
    return [*(page for page in found if page.name != "reference.md"), *sorted((root / "clients").glob("*/README.md"))]


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    r"""The docstrings of public names, without examples, with their lines.

    >>> list(docstrings("'A; b.'\ndef _f(): 'C.'\nclass D:\n    def e(): 'F.\\n\\n>>> 1\\n1'"))
    [(1, 'A; b.'), (4, 'F.')]
    """
    todo: list[ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef] = [ast.parse(source)]
    while todo:
        node = todo.pop(0)
        parts = (ast.get_docstring(node) or "").split("\n\n")
        if text := "\n\n".join(part for part in parts if part and not part.startswith(">>>")):
            yield node.body[0].lineno, text
        named = (each for each in node.body if isinstance(each, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)))
        todo += [each for each in named if not each.name.startswith("_")]


def count_code(folder: Path = CODE) -> Count:
    """What there is to count in the docstrings of a folder. Lines are as long as those of code."""
    total = Count()
    for path in sorted(folder.rglob("*.py")):
        for line, text in docstrings(path.read_text(encoding="utf-8")):
            total += replace(count(text, f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}:{line}"), long=[])
    return total


def prose(text: str) -> Iterator[tuple[int, str]]:
    r"""The lines that aren't code or comments, with their numbers.

    >>> list(prose("# A\n```sh\nls; pwd\n```\n<!-- b; c -->\nd"))
    [(1, '# A'), (5, ''), (6, 'd')]
    """
    fence = ""
    for unseen in (RECORDED, COMMENT):
        text = unseen.sub(lambda found: re.sub(r"[^\n]", "", found[0]), text)
    for number, line in enumerate(text.splitlines(), 1):
        opening = re.match(r"\s*(`{3,}|~{3,})", line)
        if fence:
            fence = "" if opening and opening[1].startswith(fence) else fence
        elif opening:
            fence = opening[1]
        else:
            yield number, line


def plain(line: str) -> str:
    r"""What a reader sees of a line, without code.

    >>> plain("[a; b](c;d.md) and `e; f` &lt; ![g](h)")
    'a; b and  < g'
    """
    return html.unescape(re.sub(r"`[^`]*`", "", re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", line)))


def unquoted(text: str) -> str:
    """The text without what it quotes."""
    return re.sub(r"“[^”]*”|\"[^\"]*\"", "", text)


def is_row(line: str) -> bool:
    """Whether a line is the row of a table."""
    return line.lstrip().startswith("|")


def count(text: str, name: str = "") -> Count:
    """What there is to count on a page."""
    lines = list(prose(text))
    # a link or a quotation may go on in the next line
    whole = plain(" ".join(line.strip() for _, line in lines))
    sentences = plain(" ".join(line.strip() for _, line in lines if not is_row(line)))
    avoid = [f"{name}: “{_around(found)}”: {instead}" for word, instead in WORDS.items() for found in word.finditer(unquoted(whole))]
    long = [f"{name}:{number}: {len(line)} characters" for number, line in lines if too_long(line)]
    words = len(re.findall(r"[\w’'-]*[^\W\d_][\w’'-]*", sentences))
    return Count(words, sentences.count(";"), len(YOU.findall(sentences)), avoid, long)


def _around(found: re.Match[str]) -> str:
    return found.string[max(found.start() - 30, 0) : found.end() + 20].strip()


def too_long(line: str) -> bool:
    """Whether a line is too long. Rows of tables and pictures can't be wrapped."""
    return len(line) > LONGEST_LINE and not is_row(line) and not line.lstrip().startswith(("![", "<img "))


def missed(total: Count, *, code: bool = False) -> list[str]:
    """The targets that pages miss, or the docstrings of code, which need not address the reader."""
    semicolons, you = total.per_thousand(total.semicolons), total.per_thousand(total.you)
    found = []
    if semicolons > MOST_SEMICOLONS:
        found.append(f"{semicolons:.1f} semicolons per 1,000 words; at most {MOST_SEMICOLONS:g}. Write two sentences.")
    if you < LEAST_YOU and not code:
        found.append(f"“you” {you:.1f} times per 1,000 words; at least {LEAST_YOU:g}. Address the reader.")
    if total.avoid:
        found.append(f"{len(total.avoid)} words to avoid. List them with: python tools/prose.py --where")
    if total.long:
        found.append(f"{len(total.long)} lines over {LONGEST_LINE} characters. Wrap them at about 100.")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, and what to change."""
    parser = argparse.ArgumentParser(description="Count how the pages for users are written.")
    parser.add_argument("--check", action="store_true", help="fail if the pages miss a target")
    parser.add_argument("--where", action="store_true", help="list the words and lines to change")
    parser.add_argument("pages", nargs="*", type=Path, help="only these pages")
    chosen = parser.parse_args(arguments)
    total = Count()
    sys.stdout.write(f"{'page':<38} {'words':>7} {';/1000':>6} {'you':>6} {'avoid':>6} {'long':>6}\n")
    for page in [path.resolve() for path in chosen.pages] or pages():
        name = str(page.relative_to(ROOT) if page.is_relative_to(ROOT) else page)
        counted = count(page.read_text(encoding="utf-8"), name)
        total += counted
        sys.stdout.write(counted.row(name) + "\n")
        if chosen.where:
            sys.stdout.writelines(f"    {each}\n" for each in counted.avoid + counted.long)
    sys.stdout.write(total.row("all") + "\n")
    found = missed(total)
    if not chosen.pages:
        code = count_code()
        sys.stdout.write(code.row("docstrings") + "\n")
        if chosen.where:
            sys.stdout.writelines(f"    {each}\n" for each in code.avoid)
        found += [f"docstrings: {each}" for each in missed(code, code=True)]
    sys.stdout.writelines(f"{each}\n" for each in found)
    return int(chosen.check and bool(found))


if __name__ == "__main__":
    sys.exit(main())
