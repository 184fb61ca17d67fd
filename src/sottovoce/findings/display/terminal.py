"""Tables and bars for the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from sottovoce.arrays import Mask
from sottovoce.domain import Domain
from sottovoce.domain.maps import UNITS, is_land
from sottovoce.findings.figures import Figure
from sottovoce.findings.formatting import digits_of
from sottovoce.findings.results import Findings
from sottovoce.findings.shares import Shares
from sottovoce.names import escaped

#: Characters of a bar at most.
_BAR = 28
_SHADES, _WATER = " ░▒▓█", "·"


def wrapped(text: str, width: int = 100) -> str:
    """Wrap long lines, indent list entries and escape invisible characters."""
    lines = []
    for line in escaped(text, lines=True).split("\n"):
        indent = " " * (len(line) - len(line.lstrip()))
        lines += textwrap.wrap(line, width, subsequent_indent=indent + "  " * bool(indent), break_on_hyphens=False) or [""]
    return "\n".join(lines)


def table(columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> Table:
    """A plain table. `columns` has the alignment of each column by its name."""
    made = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name, side in columns.items():
        made.add_column(name, justify=side, no_wrap=side == "right")  # type: ignore[arg-type]  # left, right
    for row in rows:
        made.add_row(*(cell if isinstance(cell, Text) else Text(escaped(str(cell))) for cell in row))
    return made


def figures_table(figures: Sequence[Figure]) -> Table:
    """A row for the mean and each quartile, with its interval."""
    rows = [[figure.name, *(figure.cells if figure.value is not None else ("not known", "", ""))] for figure in figures]
    return table({"": "left", "value": "right", "from": "right", "to": "right"}, rows)


def bars_table(parts: Sequence[Shares], width: int = 120, *, axes: bool = False) -> Table:
    """A row for each label. The bar is solid up to the low end of the interval, shaded up to the share, light up to its high end.

    The bar gets the rest of the `width`.
    """
    beside, labels = parts[0].beside, [label for part in parts for label in part.labels]
    remarks = any(any(part.remarks) for part in parts)
    top = max((_top(part) for part in parts), default=0.0) or 1.0
    before = max(len(part.name) for part in parts) + 2 if axes else 0
    digits = digits_of(each for part in parts for each in part.widths)
    room = width - min(max(map(len, labels), default=0), width // 3) - before - 11 * (3 + len(beside)) - 4 - 13 * remarks
    bars = _Bars(top, max(8, min(_BAR, room)))
    columns = ({"axis": "left"} if axes else {}) | {"label" if axes else "item": "left"}
    columns |= dict.fromkeys(("share", "interval", *beside), "right") | {"": "left"} | ({" ": "left"} if remarks else {})
    rows = []
    for part in parts:
        for k, label in enumerate(part.labels):
            named, remark = [part.name if k == 0 else ""] * axes, [part.remark(k)] * remarks
            rows.append([*named, label, *part.cells(k, digits), bars.of(part, k), *remark])
    return table(columns, rows)


def _top(shares: Shares) -> float:
    """The largest number of a table's bars."""
    ends = [shares.p if shares.interval is None else shares.interval.high, *([shares.beside["truth"]] if "truth" in shares.beside else [])]
    return max(float(each.max(initial=0.0)) for each in ends)


@dataclass(frozen=True)
class _Bars:
    """Bars of a table, on one scale."""

    top: float
    width: int

    def of(self, shares: Shares, k: int) -> Text:
        low, high = (shares.p, shares.p) if shares.interval is None else shares.interval
        solid, shaded, light = (round(min(1.0, max(0.0, float(each[k])) / self.top) * self.width) for each in (low, shares.p, high))
        cells = list("█" * solid + "▒" * (shaded - solid) + "░" * (light - shaded) + " " * (self.width - light))
        if "truth" in shares.beside:
            cells[min(self.width - 1, int(float(shares.beside["truth"][k]) / self.top * self.width))] = "│"
        return Text("".join(cells), style="blue")


def grid_map(findings: Findings) -> str | None:
    """A map of a two-dimensional grid in shades, north at the top. None for other domains, or if it's too large for a terminal.

    Only cells that are distinguishable from zero have a shade, if that's known. Water is dotted if the grid has a map.
    """
    domain = findings.study.domain
    if not findings.mapped or max(domain.shape) > 60:
        return None
    shares = np.sqrt(np.maximum(findings.p.reshape(domain.shape), 0.0))
    top = float(shares.max()) or 1.0
    if findings.found is not None:
        shares = np.where(findings.found.reshape(domain.shape), shares, 0.0)
    places = np.ceil(shares / top * (len(_SHADES) - 1) - 0.15).astype(int).clip(0, len(_SHADES) - 1)
    signs = np.array(list(_SHADES))[places]
    signs[(places == 0) & ~_land(domain)] = _WATER
    edge = "─" * (2 * domain.shape[1])
    lines = [f"┌{edge}┐", *(f"│{''.join(sign * 2 for sign in row)}│" for row in signs[::-1].tolist()), f"└{edge}┘"]
    if domain.basemap is None:
        return "\n".join(lines)
    return "\n".join([*lines, f"{_WATER} water", f"Map: {escaped(domain.basemap.credit)}"][: None if domain.basemap.credit else -1])


def _land(domain: Domain) -> Mask:
    """Which cells have their middle on land, row by row from the south. Without a map all have."""
    rows, columns = domain.shape
    if domain.basemap is None:
        return np.ones((rows, columns), dtype=np.bool_)
    across, down = ((np.arange(cells) + 0.5) * UNITS / cells for cells in (columns, rows))
    return np.array([[is_land(domain.basemap, x, y) for x in across] for y in down[::-1]])
