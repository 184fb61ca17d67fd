"""Maps of findings: the land below, the shares above it from transparent to blue, and how sure they are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from sottovoce.arrays import Floats
from sottovoce.domain import Axis
from sottovoce.domain.maps import UNITS, is_geographic, proportion, walked
from sottovoce.findings.charts.map_labels import Label, placed
from sottovoce.findings.charts.map_legend import LAND, PAPER, SHARE, SHORE, WATER, legend_of, sensitive, shade, small_print, unsure
from sottovoce.findings.charts.style import INK
from sottovoce.findings.formatting import percent
from sottovoce.findings.results import Findings
from sottovoce.labels import described
from sottovoce.names import escaped

#: Pixels of a cell from which on it has room for a dot, and of the room at the left for the numbers of the scale.
_DOT, _LEFT = 8, 72
#: Sizes of text, and the width up to which a map is for a phone: its text is as large as that of the page, and its axes have no numbers.
_TEXT, _PHONE_TEXT, _PHONE = 13, 16, 420
#: A map is at most so wide. Maps side by side have so much room between them, and are at least so wide.
_WIDEST, _BETWEEN, _LEAST = 690, 30, 240
#: Room for the numbers at the left in any font of a page: the legend begins where they may begin.
_NUMBERS = 68
#: Kilometres of a degree of latitude.
_KILOMETRES = 111.2


def map_chart(findings: Findings, width: int) -> Any:
    """A map of the shares; what is compared with them is drawn beside it, on the same scale."""
    drawn = {"Estimate": findings.p} | {name[:1].upper() + name[1:]: shares for name, shares in findings.beside.items()}
    columns = max(1, min(len(drawn) - 1, 2)) if (width - _BETWEEN) / 2 >= _LEAST + _LEFT else 1
    phone = width <= _PHONE
    whole, part = (width - 20 if phone else min(_WIDEST, round((width - _BETWEEN * (k - 1)) / k) - _LEFT) for k in (1, columns))
    text = _PHONE_TEXT if phone else _TEXT
    top = max(float(each.max()) for each in drawn.values()) or 1.0
    own, *maps = (
        _Map(findings, name, each, part if k else whole, top, text).chart(own=not k) for k, (name, each) in enumerate(drawn.items())
    )
    room = whole if phone else whole - 20
    legend = legend_of(findings, top, width - 20 if phone else width, text, 0 if phone else _NUMBERS)
    rows = [own] + [alt.hconcat(*maps[k : k + columns], spacing=_BETWEEN) if columns > 1 else maps[k] for k in range(0, len(maps), columns)]
    credit = findings.study.domain.basemap.credit if findings.study.domain.basemap else ""
    said = [small_print(f"Map: {credit}.", room, text)] if credit else []
    return alt.vconcat(legend, *rows, *said, spacing=12)


def _middles(cells: pd.DataFrame) -> pd.DataFrame:
    """Cells as points."""
    return cells.assign(x=lambda each: (each["x"] + each["x2"]) / 2, y=lambda each: (each["y"] + each["y2"]) / 2)


@dataclass(frozen=True)
class _Map:
    """One map: that of the estimate, or of what is compared with it."""

    findings: Findings
    name: str
    shares: Floats
    size: int
    top: float
    text: int

    @property
    def axes(self) -> Sequence[Axis]:
        return self.findings.study.domain.axes

    @property
    def height(self) -> int:
        return round(self.size * proportion(self.axes))

    @cached_property
    def scales(self) -> tuple[alt.X, alt.Y]:
        """The axes. Degrees have a letter for their side of the equator, or of Greenwich."""
        down, across = self.axes
        geographic = is_geographic(self.axes)

        def axis(each: Axis, sides: str, count: int) -> dict[str, Any]:
            digits = max(0, -math.floor(math.log10((each.bounds[1] - each.bounds[0]) / 3 if each.bounds else 1.0)))
            form = f"format(abs(datum.value), '.{digits}f') + '° ' + (datum.value < 0 ? '{sides[1]}' : '{sides[0]}')"
            scale = alt.Scale(domain=list(each.bounds or ()), nice=False, zero=False)
            if self.text == _PHONE_TEXT:
                return {"scale": scale, "axis": None}
            return {
                "scale": scale,
                "title": None if geographic else escaped(str(each.name)),
                "axis": alt.Axis(
                    tickCount=count, grid=False, labelOverlap=True, labelFontSize=self.text, labelExpr=form if geographic else alt.Undefined
                ),
            }

        return alt.X("x:Q", **axis(across, "EW", 3)), alt.Y("y:Q", **axis(down, "NS", 4))

    def chart(self, *, own: bool) -> Any:
        """The map; that of the estimate (its `own`) shows what is sure, and what is sensitive."""
        x, y = self.scales
        cells = self._cells(own=own)
        base = alt.Chart(cells)
        at = {"x": x, "x2": "x2:Q", "y": y, "y2": "y2:Q"}
        layers = [*self._ground()]
        opacity = alt.Opacity("shade:Q", scale=None)
        tooltip = ["cell:N", "share:N", *(["interval:N"] if "interval" in cells else [])]
        layers.append(base.mark_rect(fill=SHARE, stroke=None).encode(**at, opacity=opacity, tooltip=tooltip))
        marked = sensitive(self.findings) if own else []
        if own and self._dotted and cells["unsure"].any():
            unsure = cells[cells["unsure"] & ~cells.index.isin(self._numbered)]
            dot: dict[str, Any] = {"shape": "circle", "size": 14, "opacity": 1, "color": PAPER, "stroke": INK, "strokeWidth": 0.9}
            layers.append(alt.Chart(_middles(unsure)).mark_point(aria=False, filled=True, **dot).encode(x=x, y=y))
        layers += self._names()
        if marked:
            layers.append(alt.Chart(cells.iloc[marked]).mark_rect(filled=False, fillOpacity=0, stroke=INK, strokeWidth=1.1).encode(**at))
        if own and self._numbered:
            numbered = _middles(cells.iloc[list(self._numbered)]).assign(number=[str(k) for k in self._numbered.values()])
            number = alt.Chart(numbered).encode(x=x, y=y, text="number:N")
            look: dict[str, Any] = {"fontSize": max(12, self.text), "fontWeight": "bold"}
            layers.append(number.mark_text(**look, stroke=PAPER, strokeWidth=3, strokeJoin="round", color="transparent"))
            layers.append(number.mark_text(**look, color=INK))
        if is_geographic(self.axes):
            layers += self._ruler()
        title = alt.TitleParams(self.name, anchor="start", fontSize=max(13, self.text))
        return alt.layer(*layers).properties(width=self.size, height=self.height, title=title)

    @cached_property
    def _numbered(self) -> Mapping[int, int]:
        """The cells of the table below the map with their numbers there, without those that would touch a larger one."""
        rows, columns = self.findings.study.domain.shape
        found: dict[int, int] = {}
        for number, code in enumerate(self.findings.listed, 1):
            row, column = divmod(code, columns)
            apart = (
                max(abs(row - other // columns) * self.height / rows, abs(column - other % columns) * self.size / columns)
                for other in found
            )
            if all(each > max(12, self.text) + 2 for each in apart):
                found[code] = number
        return found

    @property
    def _dotted(self) -> bool:
        return min(self.size / len(self.axes[1].labels), self.height / len(self.axes[0].labels)) >= _DOT

    def _cells(self, *, own: bool) -> pd.DataFrame:
        """A row for each cell that is coloured, or may be marked."""
        (down, across), domain = self.axes, self.findings.study.domain
        rows, columns = np.unravel_index(np.arange(len(domain)), domain.shape)
        edges = [np.linspace(*(axis.bounds or (0.0, 1.0)), len(axis.labels) + 1) for axis in (down, across)]
        shown = np.maximum(self.shares, 0.0)
        if own and self.findings.found is not None:
            shown = np.where(self.findings.found, shown, 0.0)
        frame = pd.DataFrame(
            {
                "y": edges[0][rows],
                "y2": edges[0][rows + 1],
                "x": edges[1][columns],
                "x2": edges[1][columns + 1],
                "shade": shade(shown, self.top),
                "cell": [escaped(each) for each in described(domain)],
                "share": [percent(each) for each in self.shares.tolist()],
            }
        )
        if own:
            frame["unsure"] = unsure(self.findings)
            if self.findings.interval is not None:
                low, high = self.findings.interval
                frame["interval"] = [f"{percent(a)} to {percent(b)}" for a, b in zip(low.tolist(), high.tolist(), strict=True)]
        return frame

    def _degrees(self, points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        """Points of the base map on the axes."""
        (south, north), (west, east) = (axis.bounds or (0.0, 1.0) for axis in self.axes)
        return [(west + (east - west) * x / UNITS, north - (north - south) * y / UNITS) for x, y in points]

    def _ground(self) -> list[Any]:
        """Water, land, and lines such as borders."""
        basemap = self.findings.study.domain.basemap
        if basemap is None or not (basemap.shapes or basemap.lines):
            return []
        x, y = self.scales
        box = [(0, 0), (UNITS, 0), (UNITS, UNITS), (0, UNITS)]
        areas = [(WATER if basemap.shapes else LAND, box), *((LAND if each.land else WATER, each.points) for each in basemap.shapes)]
        frame = pd.DataFrame(
            [(k, n, *point, fill) for k, (fill, points) in enumerate(areas) for n, point in enumerate(self._degrees(points))],
            columns=["area", "n", "x", "y", "fill"],
        )
        along = {"x": x, "y": y, "order": "n:Q", "detail": "area:N"}
        filled = alt.Chart(frame).mark_line(interpolate="linear-closed", stroke=SHORE, strokeWidth=0.6, fillOpacity=1, clip=True)
        layers = [filled.encode(**along, fill=alt.Fill("fill:N", scale=None))]
        if basemap.lines:
            points = [(k, n, *point) for k, line in enumerate(basemap.lines) for n, point in enumerate(self._degrees(walked(line)))]
            lines = alt.Chart(pd.DataFrame(points, columns=["area", "n", "x", "y"])).mark_line(stroke=SHORE, strokeWidth=0.8, clip=True)
            layers.append(lines.encode(**along))
        return layers

    def _names(self) -> list[Any]:
        """The names of places, as many as fit: the text has the colour of the page around it, so that it can be read on any share."""
        basemap = self.findings.study.domain.basemap
        if basemap is None or not basemap.places:
            return []
        labels = placed(
            [Label(escaped(each.name), each.x / UNITS, each.y / UNITS) for each in basemap.places], self.size, self.height, self.text
        )
        points = self._degrees([(each.x * UNITS, each.y * UNITS) for each in labels])
        frame = pd.DataFrame([(*point, each.text) for point, each in zip(points, labels, strict=True)], columns=["x", "y", "name"])
        x, y = self.scales
        text = alt.Chart(frame).encode(x=x, y=y, text="name:N")
        look: dict[str, Any] = {"fontSize": self.text, "dy": -3 - 0.4 * self.text}
        halo = text.mark_text(**look, stroke=PAPER, strokeWidth=3, strokeOpacity=0.85, strokeJoin="round", color="transparent")
        dots = alt.Chart(frame).mark_point(aria=False, filled=True, size=12, color=INK, opacity=1).encode(x=x, y=y)
        return [halo, dots, text.mark_text(**look, color=INK)]

    def _ruler(self) -> list[Any]:
        """How long a round number of kilometres is, at the lower left."""
        (south, north), (west, east) = (axis.bounds or (0.0, 1.0) for axis in self.axes)
        degree = _KILOMETRES * math.cos(math.radians((south + north) / 2))
        third = (east - west) * degree / 3
        size = 10.0 ** math.floor(math.log10(third))
        length = max(step for step in (1, 2, 5) if step * size <= third) * size
        words = f"{length:,.0f} km" if length >= 1 else f"{1000 * length:,.0f} m"
        start, level = west + 0.03 * (east - west), south + 0.035 * (north - south)
        frame = pd.DataFrame([{"x": start, "x2": start + length / degree, "y": level, "name": words}])
        x, y = self.scales
        rule = alt.Chart(frame).mark_rule(color=INK, strokeWidth=2).encode(x=x, x2="x2:Q", y=y)
        named = alt.Chart(frame).mark_text(align="left", dy=-4 - 0.4 * self.text, fontSize=self.text, color=INK)
        return [rule, named.encode(x=x, y=y, text="name:N")]
