"""Put a build of the documentation site into the folder of all versions, which a branch keeps and a web server serves.

    python tools/publish_docs.py build/docs site 0.3.0     # a release; the newest one is also site/stable
    python tools/publish_docs.py build/docs site latest    # the main branch

`versions.html` lists all versions, and `index.html` leads to the newest release. Before the first one that is the main branch.
"""

from __future__ import annotations

import argparse
import html
import re
import shutil
from pathlib import Path

LATEST, STABLE = "latest", "stable"


def order(version: str) -> tuple[int, ...]:
    """What releases are sorted by.

    >>> sorted(["0.10.0", "0.9.1"], key=order)
    ['0.9.1', '0.10.0']
    """
    return tuple(int(part) for part in version.split("."))


def releases(site: Path) -> list[str]:
    """The releases in the folder, newest first."""
    found = [path.name for path in site.iterdir() if path.is_dir() and re.fullmatch(r"\d+\.\d+\.\d+", path.name)]
    return sorted(found, key=order, reverse=True)


def page(title: str, body: str, head: str = "") -> str:
    """A small page."""
    start = f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{html.escape(title)}</title>\n'
    return f"{start}{head}<h1>{html.escape(title)}</h1>\n{body}\n"


def publish(build: Path, site: Path, version: str) -> None:
    """Copy the build and write the lists again."""
    if version != LATEST and not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise SystemExit(f"{version!r} is not a version. Give a release such as 0.3.0, or {LATEST!r}.")
    site.mkdir(parents=True, exist_ok=True)
    replace(build, site / version)
    found = releases(site)
    if version == [*found, LATEST][0]:
        replace(build, site / STABLE)
    names = [*found, *([LATEST] if (site / LATEST).is_dir() else [])]
    items = "".join(f'<li><a href="{name}/">{name}</a></li>\n' for name in names)
    (site / "versions.html").write_text(page("Versions of the documentation", f"<ul>\n{items}</ul>"), encoding="utf-8")
    refresh = f'<meta http-equiv="refresh" content="0; url={STABLE}/">\n'
    (site / "index.html").write_text(page("sottovoce", f'<p><a href="{STABLE}/">Documentation</a></p>', refresh), encoding="utf-8")
    (site / ".nojekyll").touch()  # or the host leaves out folders that begin with "_"


def replace(build: Path, folder: Path) -> None:
    """Make a folder a copy of the build."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(build, folder)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Put a build of the documentation site into the folder of all versions.")
    parser.add_argument("build", type=Path, help="the built site")
    parser.add_argument("site", type=Path, help="the folder of all versions")
    parser.add_argument("version", help=f"a release such as 0.3.0, or {LATEST}")
    chosen = parser.parse_args()
    publish(chosen.build, chosen.site, chosen.version)
