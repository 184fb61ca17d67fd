"""Displayed objects as HTML for notebooks. Styles are inlined and apply only inside their own block.

A block paints its own background. It follows the theme of JupyterLab or VS Code, and elsewhere that of the browser.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from html import escape
from importlib.resources import files

from sottovoce.findings.display.parts import Caution, FiguresTable, GridMap, Line, Part, Rows, SharesTable, Title
from sottovoce.findings.share_table import Scale, share_table
from sottovoce.findings.shares import Shares
from sottovoce.names import escaped

#: The class of a block, twice: themes of notebooks have rules for tables, and these must come first.
_SCOPE = ".sottovoce.sottovoce"
_LIGHT = '[data-jp-theme-light="true"], .vscode-light'
_DARK = '[data-jp-theme-light="false"], .vscode-dark'


def as_html(parts: Iterable[Part]) -> str:
    """The parts as a block of HTML."""
    listed = [part for part in parts if not (isinstance(part, Line) and part.where == "text")]
    tables = [shares for part in listed if isinstance(part, SharesTable) for shares in part.parts]
    folded = [part for part in listed if isinstance(part, Line) and part.folded]
    body = "".join(_markup(part, Scale.of(tables)) for part in listed if part not in folded)
    more = "".join(f"<p>{_safe(part.text)}</p>" for part in folded)
    details = f"<details><summary>For those who check</summary>{more}</details>" if more else ""
    return f'<div class="sottovoce"><style>{_style()}</style>{body}{details}</div>'


def _markup(part: Part, scale: Scale) -> str:
    match part:
        case Title(name=""):
            return ""
        case Title():
            name = f'<p class="title{" section" * part.section}"><strong>{_safe(part.name)}</strong>'
            return name + (f" {_safe(part.text)}" if part.text else "") + "</p>"
        case Line():
            return f'<p class="{part.kind}">{_safe(part.text)}</p>'
        case SharesTable():
            return "".join(share_table(each, scale, head=each.name if part.axes else _head(each)) for each in part.parts)
        case FiguresTable():
            rows = [[each.name, *_value(each.cells)] for each in part.figures]
            return _table(["", "value", "interval"], rows, ["left", "right", "right"])
        case Rows():
            return _table(list(part.columns), part.rows, list(part.columns.values()))
        case GridMap():
            return _grid(part)
        case Caution():
            return f'<p class="caution">{_safe(part.text)}</p>'


def _head(shares: Shares) -> str:
    return "Answer" if shares.name == "item" else shares.name.capitalize()


def _safe(text: object) -> str:
    """Text as HTML, with invisible characters escaped."""
    return escape(escaped(str(text), lines=True))


def _value(cells: tuple[str, str, str]) -> tuple[str, str]:
    value, low, high = cells
    return value or "not known", f"{low} to {high}" if low and high else ""


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]], sides: Sequence[str]) -> str:
    def cells(tag: str, row: Sequence[object]) -> str:
        return "".join(f'<{tag} class="{side}">{_safe(cell)}</{tag}>' for cell, side in zip(row, sides, strict=True))

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f'<div class="scroll"><table class="plain"><thead><tr>{cells("th", heads)}</tr></thead><tbody>{body}</tbody></table></div>'


def _grid(part: GridMap) -> str:
    """A square for each cell, north at the top. The larger the share, the stronger its colour."""
    findings = part.findings
    rows, columns = findings.study.domain.shape
    shares = findings.p.reshape(rows, columns)
    top = float(shares.max()) or 1.0
    cells = "".join(
        f'<rect x="{x}" y="{rows - 1 - y}" width="1" height="1" fill-opacity="{max(0.0, share / top) ** 0.5:.2f}"/>'
        for y, row in enumerate(shares.tolist())
        for x, share in enumerate(row)
    )
    label = "The shares of the cells of the grid, north at the top. The table has the largest."
    return f'<svg class="grid" role="img" aria-label="{label}" viewBox="0 0 {columns} {rows}">{cells}</svg>'


@cache
def _style() -> str:
    """The style sheet of pages, for tables of shares and their colours, limited to a block."""
    sheet = re.sub(r"/\*.*?\*/", "", files("sottovoce.findings").joinpath("look.css").read_text(encoding="utf-8"), flags=re.DOTALL)
    light, dark = (_colours(found) for found in re.findall(r":root, :host \{(.*?)\}", sheet, flags=re.DOTALL)[:2])
    tables = sheet[sheet.index(".shares {") :]
    rules = [
        f"{_SCOPE} {{ {light} }}",
        f"@media (prefers-color-scheme: dark) {{ {_SCOPE} {{ {dark} }} }}",
        *(f"{_within(place)} {{ {colours} }}" for place, colours in ((_LIGHT, light), (_DARK, dark))),
        *_scoped(tables),
        *_scoped(files("sottovoce.findings").joinpath("display/html.css").read_text(encoding="utf-8")),
    ]
    return re.sub(r"\s*([{};])\s*", r"\1", re.sub(r"\s+", " ", "".join(rules)))


def _colours(rules: str) -> str:
    """Only the colours, under names that styles of the notebook don't use."""
    lines = [line.strip() for line in rules.split("\n") if line.strip().startswith("--")]
    return " ".join(re.sub(r"var\(--sottovoce-[a-z0-9-]+, (.+?)\);", r"\1;", line) for line in lines)


def _within(places: str) -> str:
    return ", ".join(f"{place} {_SCOPE}" for place in places.split(", "))


def _scoped(sheet: str) -> Iterator[str]:
    """The rules of a style sheet, each limited to the block."""
    for selectors, block in re.findall(r"([^{}]+)\{((?:[^{}]|\{[^{}]*\})*)\}", sheet):
        if selectors.strip().startswith("@"):
            yield f"{selectors.strip()} {{ {''.join(_scoped(block))} }}"
        else:
            inside = (_SCOPE if each.strip() == "&" else f"{_SCOPE} {each.strip()}" for each in selectors.split(","))
            yield f"{', '.join(inside)} {{ {block} }}"
