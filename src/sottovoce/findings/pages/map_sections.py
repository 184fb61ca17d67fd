"""The maps of a page: that of the estimate with its key beside it, then what is compared with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from sottovoce.findings.charts.map_legend import Key, keys_of
from sottovoce.findings.charts.maps import maps_of, numbers_of
from sottovoce.findings.charts.style import styled
from sottovoce.findings.pages.parts import svg_of
from sottovoce.findings.results import Findings
from sottovoce.findings.share_table import Html
from sottovoce.names import escaped

#: The widths of the map of the estimate with the size of its text, for screens and for telephones, and those of each other map.
_OWN, _OTHER = ((557, 14), (325, 16)), ((349, 14), (325, 16))
#: The room at the left that coordinates take.
_COORDINATES = 64
#: What a key draws, in a square of 16 units.
_MARKS = {
    "share": '<rect class="fill-estimate" width="16" height="16" fill-opacity="{shade:.2f}"/>',
    "small": '<rect class="cell" x=".5" y=".5" width="15" height="15"/>'
    '<rect class="fill-estimate" x="4" y="4" width="8" height="8" fill-opacity="{shade:.2f}"/>',
    "blank": '<rect class="cell" x=".5" y=".5" width="15" height="15"/>',
    "frame": '<rect class="cell strong" x=".5" y=".5" width="15" height="15"/>',
    "number": '<rect class="fill-estimate" width="16" height="16"/><text class="fill-paper" x="8" y="12.5">1</text>',
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
    return MapSection(drawn[0], drawn[1:], _key(keys_of(findings, numbered)), credit, numbered)


def _key(keys: Sequence[Key]) -> Html:
    """The key as HTML, for a page that has the style sheet."""
    entries = [
        f'<span><svg class="{key.kind}" viewBox="0 0 16 16">{_MARKS[key.kind].format(shade=key.shade)}</svg> {key.text}</span>'
        for key in keys
    ]
    return Html(f'<p class="key map-key" aria-hidden="true">\n{chr(10).join(entries)}\n</p>')
