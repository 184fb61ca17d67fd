"""What pages of findings are made of: tables, charts as SVG that fit the page's colours, and texts in paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import vl_convert
from markupsafe import Markup

from sottovoce.findings.charts import INK, LINES, PALETTE
from sottovoce.findings.map_legend import LAND, PAPER, SHARE, SHORE, WATER
from sottovoce.findings.share_charts import NARROW
from sottovoce.findings.shares import Shares

#: The widths of a chart, for screens and for telephones.
WIDTHS = (720, NARROW - 60)


@dataclass(frozen=True)
class Table:
    """A table of the page: the names of its columns, and rows of a label and its numbers."""

    heads: Sequence[str]
    rows: Sequence[tuple[str, Sequence[str]]]


def svg_of(chart: Any, width: int) -> Markup:
    """A chart as SVG whose colours the page can change. Vega has escaped what it shows."""
    svg = vl_convert.vegalite_to_svg(chart.to_dict(), show_warnings=False)
    names = {INK: "ink", LINES: "lines", PALETTE[0]: "estimate", "#D55E00": "truth"}
    names |= {SHARE: "estimate", WATER: "water", LAND: "land", SHORE: "shore", PAPER: "ground"}
    for color, name in names.items():
        svg = re.sub(rf'(fill|stroke)="{color}"', rf'\1="{color}" class="\1-{name}"', svg, flags=re.IGNORECASE)
    svg = re.sub(r'<rect width="[\d.]+" height="[\d.]+" fill="white"\s*/>', "", svg, count=1)
    size = re.search(r'<svg[^>]*?width="([\d.]+)"', svg)
    wide = float(size.group(1)) if size else width
    style = f"width:100%;max-width:{wide:.0f}px;height:auto"
    return Markup(re.sub(r'(<svg[^>]*?) width="[\d.]+" height="[\d.]+"', rf'\1 style="{style}"', svg, count=1))  # noqa: S704 - not text of people


def table_of(shares: Shares) -> Table:
    """A row for each label, with a remark at its end if any label has one."""
    remarks = shares.remarks
    rows = [(label, shares.cells(k) + ([remarks[k]] if any(remarks) else [])) for k, label in enumerate(shares.labels)]
    return Table([shares.name, "share", "from", "to", *shares.beside, *([""] if any(remarks) else [])], rows)


def paragraphs(text: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """The blocks of a plain text: its first line, the entries of its list, the lines behind it."""
    for block in text.split("\n\n"):
        lines = block.split("\n")
        plain = [line for line in lines if not line.startswith("  ")]
        entries = [line.strip().removeprefix("- ") for line in lines if line.startswith("  ")]
        yield plain[0] if plain else "", entries, plain[1:]
