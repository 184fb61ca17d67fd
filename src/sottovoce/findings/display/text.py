"""Displayed objects on a terminal, and as plain text."""

from __future__ import annotations

import io
from collections.abc import Iterable

from rich.console import Console

from sottovoce.findings.display.parts import Caution, FiguresTable, GridMap, Line, Part, Rows, SharesTable, Title
from sottovoce.findings.display.terminal import bars_table, figures_table, grid_map, table, wrapped
from sottovoce.names import escaped

#: Characters in a line of text, and of a table at most.
_TEXT, _TABLE = 100, 120


def as_text(parts: Iterable[Part]) -> str:
    """The parts as plain text, with an empty line before each section and nowhere else."""
    listed = [("\n" * (isinstance(part, Title) and part.section), _lines(part)) for part in parts]
    return "\n".join(before + text for before, text in listed if before or text)


def _lines(part: Part) -> str:
    sink = io.StringIO()
    _print(part, Console(file=sink, width=_TABLE, highlight=False, color_system=None, force_jupyter=False))
    return "\n".join(line.rstrip() for line in sink.getvalue().split("\n") if line.strip())


def print_parts(parts: Iterable[Part], out: Console) -> None:
    """Print the parts on a terminal, or to whatever a console writes to."""
    for part in parts:
        _print(part, out)


def _print(part: Part, out: Console) -> None:
    width = min(_TEXT, out.width)
    match part:
        case Title():
            if part.section:
                out.print()
            if part.name:
                out.print(escaped(part.name), style="bold", markup=False, end=": " if part.text else "\n")
            if part.text:
                out.print(escaped(part.text, lines=True), markup=False, soft_wrap=True)
        case Line(where="html"):
            pass
        case Line(kind="facts"):
            out.print(escaped(part.text, lines=True), markup=False)
        case Line():
            out.print(wrapped(part.text, width), markup=False, style="bold" if part.kind == "headline" else None, soft_wrap=True)
        case SharesTable():
            out.print(bars_table(part.parts, out.width, axes=part.axes))
        case FiguresTable():
            out.print(figures_table(part.figures))
        case Rows():
            out.print(table(part.columns, part.rows))
        case GridMap():
            out.print(grid_map(part.findings) or "", markup=False)
        case Caution():
            out.print(wrapped(f"! {part.text}", width), markup=False, style="yellow", soft_wrap=True)
