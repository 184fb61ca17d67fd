"""The maps of a page: that of the estimate with its key beside it, then what is compared with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from markupsafe import Markup

from sottovoce.findings.charts.map_legend import TITLE, keys_of, sensitive
from sottovoce.findings.charts.maps import maps_of, numbers_of
from sottovoce.findings.charts.style import styled
from sottovoce.findings.pages.parts import svg_of
from sottovoce.findings.results import Findings
from sottovoce.findings.share_table import Html
from sottovoce.names import escaped

#: The widths of the map of the estimate with the size of its text, for screens and for telephones, and those of each other map.
_OWN, _OTHER = ((552, 14), (325, 16)), ((349, 14), (325, 16))
#: The room at the left that coordinates take.
_COORDINATES = 64
#: What a key draws, in a square of 16 units.
_MARKS = {
    "share": '<rect class="fill-share-{shade}" width="16" height="16"/>',
    "blank": '<rect class="blank" x=".5" y=".5" width="15" height="15"/>',
    "sensitive": '<circle class="ring" cx="8" cy="8" r="4.5"/>',
    "number": '<rect class="fill-share-5" width="16" height="16"/><text x="8" y="12.5">{number}</text>',
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
    """The key as HTML, for a page that has the style sheet: the classes of shares, the marks, and the names of the numbered places."""
    keys = [(key.kind, _MARKS[key.kind].format(shade=key.shade), key.text) for key in keys_of(findings, numbered) if key.kind != "number"]
    shades = "\n".join(_entry(kind, mark, text, said=kind != "share") for kind, mark, text in keys)
    names = [escape(_place(findings.shown[code])) for code in findings.listed[:numbered]]
    places = "\n".join(_entry("number", _MARKS["number"].format(number=k), name) for k, name in enumerate(names, 1))
    listed = f'\n<p>Largest shares</p>\n<ul class="places">\n{places}\n</ul>' if numbered else ""
    return Html(f'<div class="map-key" aria-hidden="true">\n<p>{TITLE}</p>\n<ul class="shades">\n{shades}\n</ul>{listed}\n</div>')


def _entry(kind: str, mark: str, text: str, *, said: bool = False) -> str:
    """A mark with what it means. Those that are `said` in words have a line for themselves."""
    start = '<li class="said">' if said else "<li>"
    return f'{start}<svg class="{kind}" viewBox="0 0 16 16">{mark}</svg>{text}</li>'


def _place(name: str) -> str:
    """A place without the word that says that a cell is near it."""
    return name.removeprefix("near ")
