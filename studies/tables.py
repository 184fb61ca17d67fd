"""Tables that a study writes into a page, between a pair of comments."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import numpy as np

import sottovoce as sv

PAGE = Path(__file__).parent.parent / "docs" / "accuracy.md"


def written(name: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Replace the table called `name` in docs/accuracy.md."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    lines = [header, ["---"] * len(header), *rows]
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    table += f"\nWritten {date.today()} with sottovoce {sv.__version__}, numpy {np.__version__}; seeds are those of the script.\n"
    before, rest = PAGE.read_text(encoding="utf-8").split(begin)
    PAGE.write_text(f"{before}{begin}{table}{rest[rest.index(end) :]}", encoding="utf-8")
