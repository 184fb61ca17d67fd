"""Where the pages of the repository are on the site, and their links rewritten to fit.

Pages of `docs` keep their paths. Some pages from elsewhere join them. A link to any other file leads to the repository.
"""

from __future__ import annotations

import posixpath
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Pages that aren't in `docs`, and their paths on the site.
ELSEWHERE = {
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/vulnerabilities.md",
    "RELEASING.md": "project/releasing.md",
    "CODE_OF_CONDUCT.md": "project/code-of-conduct.md",
    "clients/js/README.md": "javascript.md",
    "deploy/README.md": "deploy.md",
    "experiments/README.md": "reproduction/experiments.md",
    "spec/sampling.md": "spec/sampling.md",
    "spec/study.md": "spec/study.md",
}
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
#: The folder of files that the site offers for download.
FILES = "deploy/"
PICTURES = (".png", ".svg", ".jpg", ".gif")


def repository() -> str:
    """The URL of the repository, as pip users find it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["urls"]["Repository"])


def pages() -> dict[str, str]:
    """The pages of the site: their path in the repository, and their path on the site."""
    own = (path.relative_to(ROOT / "docs").as_posix() for path in sorted((ROOT / "docs").rglob("*.md")))
    return {f"docs/{path}": re.sub(r"(^|/)README\.md$", r"\1index.md", path) for path in own} | ELSEWHERE


def target(link: str, page: str, known: dict[str, str]) -> str:
    """Where a link of a page of the repository leads on the site.

    >>> known = {"docs/install.md": "install.md", "SECURITY.md": "project/vulnerabilities.md"}
    >>> target("docs/install.md#extras", "SECURITY.md", known)
    '../install.md#extras'
    >>> target("../src/sottovoce/py.typed", "docs/install.md", known).partition("/blob/")[2]
    'main/src/sottovoce/py.typed'
    """
    path, hash_, anchor = link.partition("#")
    if not path or re.match(r"[a-z]+:", path):
        return link
    found = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
    here = posixpath.dirname(known[page])
    if posixpath.join(found, "README.md") in known:
        found = posixpath.join(found, "README.md")
    if found in known:
        return posixpath.relpath(known[found], here or ".") + hash_ + anchor
    if found.startswith("docs/") and found.endswith(PICTURES):
        return posixpath.relpath(found.removeprefix("docs/"), here or ".")
    if found.startswith(FILES):
        return posixpath.relpath(found, here or ".")
    kind = "raw" if found.endswith(PICTURES) else "tree" if (ROOT / found).is_dir() else "blob"
    return f"{repository()}/{kind}/main/{found}{hash_}{anchor}"


def parts(text: str) -> Iterator[tuple[str, bool]]:
    r"""The lines of a page, and whether each is code.

    >>> list(parts("a\n```sh\nls\n```"))
    [('a', False), ('```sh', True), ('ls', True), ('```', True)]
    """
    fence = ""
    for line in text.split("\n"):
        opening = re.match(r"\s*(`{3,}|~{3,})", line)
        yield line, bool(fence or opening)
        if fence:
            fence = "" if line.strip() == fence else fence
        elif opening:
            fence = opening[1]


def linked(text: str, page: str, known: dict[str, str]) -> str:
    """A page of the repository with the links that it has on the site."""

    def rewritten(line: str) -> str:
        return LINK.sub(lambda found: found[1] + target(found[2], page, known) + found[3], line)

    return "\n".join(line if code else rewritten(line) for line, code in parts(text))
