"""The maps of a page: that of the estimate with its key beside it, then what is compared with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from markupsafe import Markup

from sottovoce.findings.charts.map_legend import keys_of, sensitive, shade, top_of
from sottovoce.findings.charts.maps import maps_of, numbers_of
from sottovoce.findings.charts.style import styled
from sottovoce.findings.pages.parts import svg_of
from sottovoce.findings.place_names import without_letters
from sottovoce.findings.results import Findings
from sottovoce.findings.share_table import Html, Scale
from sottovoce.names import escaped

#: The widths of the map of the estimate with the size of its text, for screens and for telephones, and those of each other map.
_OWN, _OTHER = ((557, 14), (325, 16)), ((349, 14), (325, 16))
#: The room at the left that coordinates take.
_COORDINATES = 64
#: The width of the bar of shares, how many slices it has, and how many steps between its ticks.
_BAR, _SLICES, _TICKS = 120, 24, 4
#: A tick may stand so far beyond the darkest share.
_BEYOND = 1.02
#: What a key draws, in a square of 16 units.
_MARKS = {
    "share": '<rect class="fill-estimate" width="16" height="16" fill-opacity="{shade:.2f}"/>',
    "small": '<rect class="cell" x=".5" y=".5" width="15" height="15"/>'
    '<rect class="fill-estimate" x="4" y="4" width="8" height="8" fill-opacity="{shade:.2f}"/>',
    "blank": '<rect class="fill-land" width="16" height="16"/>',
    "frame": '<rect class="cell strong" x="1" y="1" width="14" height="14"/>',
    "number": '<rect class="fill-estimate" width="16" height="16"/><text class="fill-paper" x="8" y="12.5">{number}</text>',
}


@dataclass(frozen=True)
class MapSection:
    """The maps of a question: each is a picture for screens and one for telephones."""

    own: Sequence[Markup]
    others: Sequence[Sequence[Markup]]
    key: Html
    credit: str
    #: How many of the largest shares have their numbers on the map.
    numbered: int


def map_section(findings: Findings) -> MapSection:
    """The maps of some findings about places."""
    bare = findings.study.domain.basemap is None  # only the coordinates of the wide map say where it is
    (wide, text), narrow = _OWN
    own = ((wide - _COORDINATES * bare, text), narrow)
    numbered = numbers_of(findings, own)
    drawn: list[list[Markup]] = [[] for _ in range(1 + len(findings.beside))]
    for k, ((size, text), (other, _)) in enumerate(zip(own, _OTHER, strict=True)):
        sizes = [size, *[other] * len(findings.beside)]
        maps = maps_of(findings, sizes, text, coordinates=bare and k == 0, most=numbered)
        for pictures, chart in zip(drawn, maps.values(), strict=True):
            pictures.append(svg_of(styled(chart, size=text), _OWN[k][0] if pictures is drawn[0] else other))
    basemap = findings.study.domain.basemap
    credit = f"Map: {escaped(basemap.credit)}." if basemap is not None and basemap.credit else ""
    return MapSection(drawn[0], drawn[1:], _key(findings, numbered), credit, numbered)


def listed_places(findings: Findings, labels: Sequence[str], order: Sequence[int], numbered: int) -> list[str]:
    """The names of places for a table: with their numbers on the map, if they have some, and with what is sensitive."""
    marked = set(sensitive(findings))
    said = [f"{label} (sensitive place)" if code in marked else label for label, code in zip(labels, order, strict=True)]
    return [f"{k}. {label}" for k, label in enumerate(said, 1)] if numbered else said


def _key(findings: Findings, numbered: int) -> Html:
    """The key as HTML, for a page that has the style sheet: a bar of the shares, the marks, and the names of the numbered places."""
    keys = [key for key in keys_of(findings, numbered) if key.kind not in {"share", "number"}]
    names = without_letters([findings.shown[k] for k in findings.listed[:numbered]])
    marks = [(key.kind, _MARKS[key.kind].format(shade=key.shade), key.text) for key in keys]
    marks += [("number", _MARKS["number"].format(number=k), escape(_place(name))) for k, name in enumerate(names, 1)]
    entries = [f'<span><svg class="{kind}" viewBox="0 0 16 16">{mark}</svg> {text}</span>' for kind, mark, text in marks]
    return Html(f'<div class="key map-key" aria-hidden="true">\n{_bar(top_of(findings))}\n{chr(10).join(entries)}\n</div>')


def _place(name: str) -> str:
    """A place without the word that says that a cell is near it."""
    return name.removeprefix("near ")


def _bar(top: float) -> str:
    """A bar from the palest share to the darkest, with ticks."""
    shares = [(k + 0.5) / _SLICES * top for k in range(_SLICES)]
    width = _BAR / _SLICES
    shades = shade(np.array(shares), top).tolist()
    drawn = "".join(
        f'<rect class="fill-estimate" x="{k * width:g}" width="{width + 0.3:g}" height="12" fill-opacity="{each:.2f}"/>'
        for k, each in enumerate(shades)
    )
    scale = Scale.up_to(top, steps=_TICKS)
    said = [(tick / top, text) for tick, (_, text) in zip(scale.ticks, scale.marks, strict=True) if tick <= top * _BEYOND]
    texts = "".join(f'<text class="tick" x="{_BAR * part:.1f}" y="28">{text}</text>' for part, text in said)
    ground = f'<rect class="fill-land" width="{_BAR}" height="12"/>'
    return f'<div class="bar"><p>share of the people</p><svg viewBox="-10 0 {_BAR + 22} 32">{ground}{drawn}{texts}</svg></div>'
