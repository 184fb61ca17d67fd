"""Tables and bars for the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from sottovoce.findings.formatting import percent
from sottovoce.findings.results import Findings

#: Items of a table (below a map: of a shorter one), and characters of its bars.
_MOST, _BESIDE_MAP, _BAR = 40, 12, 28
_SHADES = " ░▒▓█"


def wrapped(text: str, width: int = 100) -> str:
    """The text with long lines broken, list entries indented."""
    lines = []
    for line in text.split("\n"):
        indent = " " * (len(line) - len(line.lstrip()))
        lines += textwrap.wrap(line, width, subsequent_indent=indent + "  " * bool(indent), break_on_hyphens=False) or [""]
    return "\n".join(lines)


def table(columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> Table:
    """A plain table; columns are name and alignment."""
    made = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name, side in columns.items():
        made.add_column(name, justify=side, no_wrap=side == "right")  # type: ignore[arg-type]  # left, right
    for row in rows:
        made.add_row(*(cell if isinstance(cell, Text) else Text(str(cell)) for cell in row))
    return made


def findings_table(findings: Findings, width: int = 120) -> Table:
    """A row for each item, with a bar: solid up to the low end of the interval, shaded up to the share, light up to its high end.

    The bar takes what `width` leaves to it.
    """
    order = findings.order(_BESIDE_MAP if grid_map(findings) else _MOST)
    top = (
        max([float((findings.p if findings.high is None else findings.high)[order].max()), *_largest(findings, order)], default=0.0) or 1.0
    )
    columns = {"item": "left", "share": "right"} | {"from": "right", "to": "right"} | dict.fromkeys(findings.beside, "right")
    longest = max(len(findings.shown[k]) for k in order)
    bar = max(8, min(_BAR, width - min(longest, width // 3) - 11 * (3 + len(findings.beside)) - 4))
    rows = []
    for k in order:
        low, high = (None, None) if findings.low is None or findings.high is None else (float(findings.low[k]), float(findings.high[k]))
        others = [percent(float(shares[k])) for shares in findings.beside.values()]
        rows.append([findings.shown[k], percent(float(findings.p[k])), percent(low), percent(high), *others, _bar(findings, k, top, bar)])
    return table(columns | {"": "left"}, rows)


def _largest(findings: Findings, order: Sequence[int]) -> list[float]:
    return [float(shares[order].max()) for name, shares in findings.beside.items() if name == "truth"]


def _bar(findings: Findings, k: int, top: float, width: int) -> Text:
    p = float(findings.p[k])
    low = p if findings.low is None else float(findings.low[k])
    high = p if findings.high is None else float(findings.high[k])
    solid, shaded, light = (round(min(1.0, max(0.0, value) / top) * width) for value in (low, p, high))
    solid, light = min(solid, shaded), max(shaded, light)
    cells = list("█" * solid + "▒" * (shaded - solid) + "░" * (light - shaded) + " " * (width - light))
    if "truth" in findings.beside:
        cells[min(width - 1, int(float(findings.beside["truth"][k]) / top * width))] = "│"
    return Text("".join(cells), style="blue")


def grid_map(findings: Findings) -> str | None:
    """A map of a two-dimensional grid in shades, north at the top; None where the domain is none, or too large for a terminal."""
    domain = findings.study.domain
    if len(domain.axes) != 2 or not all(axis.bounds for axis in domain.axes) or domain.shape[0] > 60 or domain.shape[1] > 60:
        return None
    shares = np.sqrt(np.maximum(findings.p.reshape(domain.shape), 0.0))
    top = float(shares.max()) or 1.0
    places = np.ceil(shares / top * (len(_SHADES) - 1) - 0.15).astype(int).clip(0, len(_SHADES) - 1)
    rows = ["".join(_SHADES[place] * 2 for place in row) for row in places[::-1].tolist()]
    edge = "─" * (2 * domain.shape[1])
    return "\n".join([f"┌{edge}┐", *(f"│{row}│" for row in rows), f"└{edge}┘"])
