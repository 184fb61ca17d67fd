"""Print the part of requirements.lock that some extras and groups of pyproject.toml need, hashes included.

One lock pins everything, and most targets of the Makefile need only a part of it: the demo needs no linter. The part is closed:
it contains every package that a package in it needs, so `pip install --no-deps --require-hashes` installs it whole and fetches
nothing else. Only the standard library is used, because this runs before anything is installed.

    python tools/locked.py --extra plot --group setup > part.txt
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Pin:
    """One entry of the lock: its lines, and the packages that asked for it."""

    name: str
    text: str
    via: frozenset[str]


def canonical(requirement: str) -> str:
    """The name of the package in a requirement, as PyPI compares names.

    >>> canonical("psycopg[binary]>=3.2"), canonical("Import_Linter")
    ('psycopg', 'import-linter')
    """
    found = re.match(r"[A-Za-z0-9][A-Za-z0-9._-]*", requirement.strip())
    if found is None:
        sys.exit(f"{requirement!r} is not a requirement.")
    return re.sub(r"[-_.]+", "-", found[0]).lower()


def pins(lock: str) -> Iterator[Pin]:
    r"""The entries of a lock, as `uv pip compile` writes them.

    >>> lock = "a==1 \\\n    --hash=sha256:0\n    # via\n    #   b\n    #   c\nb==2\n    # via me (pyproject.toml)\n"
    >>> [(pin.name, sorted(pin.via)) for pin in pins(lock)]
    [('a', ['b', 'c']), ('b', ['me'])]
    """
    for entry in re.split(r"^(?=[A-Za-z0-9])", lock, flags=re.MULTILINE):
        lines = [line for line in entry.splitlines() if line and not line.startswith("#")]
        if not lines:
            continue
        notes = [line.strip().lstrip("#").strip().removeprefix("via").strip() for line in lines if line.strip().startswith("#")]
        kept = "\n".join(line for line in lines if not line.strip().startswith("#"))
        yield Pin(canonical(lines[0]), kept, frozenset(canonical(note) for note in notes if note))


def wanted(project: dict[str, Any], extras: Iterable[str], groups: Iterable[str]) -> list[str]:
    """What the library, these extras and these groups ask for by name."""
    library, own = project["project"], project["dependency-groups"]
    offered, needed = library["optional-dependencies"], list[str](library["dependencies"])
    for kind, names, table in (("extra", extras, offered), ("group", groups, own)):
        for name in names:
            if name not in table:
                sys.exit(f"pyproject.toml has no {kind} {name!r}. Choose from {', '.join(table)}.")
            needed += table[name]
    return [canonical(each) for each in needed]


def part(entries: list[Pin], names: Iterable[str]) -> list[Pin]:
    """The entries for `names` and for everything that they need."""
    inside = set(names)
    missing = inside - {pin.name for pin in entries}
    if missing:
        sys.exit(f"requirements.lock doesn't pin {', '.join(sorted(missing))}. Update it with: make lock")
    while True:
        more = {pin.name for pin in entries if pin.via & inside} - inside
        if not more:
            return [pin for pin in entries if pin.name in inside]
        inside |= more


def main() -> None:
    parser = argparse.ArgumentParser(description="Print the part of requirements.lock that some extras and groups need.")
    parser.add_argument("--extra", action="append", default=[], help="an extra of the package; may be repeated")
    parser.add_argument("--group", action="append", default=[], help="a dependency group of pyproject.toml; may be repeated")
    chosen = parser.parse_args()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    found = part(list(pins(lock)), wanted(project, chosen.extra, chosen.group))
    sys.stdout.write("".join(f"{pin.text}\n" for pin in found))


if __name__ == "__main__":
    main()
