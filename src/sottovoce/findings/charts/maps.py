"""Maps of findings: the land below, the shares above it in classes of blue, and how sure they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from sottovoce.arrays import Floats
from sottovoce.domain import Axis
from sottovoce.domain.maps import UNITS, is_geographic, proportion
from sottovoce.findings.charts.map_ground import degrees, ground, ruler
from sottovoce.findings.charts.map_labels import Box, Label, fits, placed
from sottovoce.findings.charts.map_legend import (
    DARK,
    LAND,
    PAPER,
    SHARES,
    classes_of,
    clear_shares,
    legend_of,
    sensitive,
    small_print,
    top_of,
)
from sottovoce.findings.charts.style import INK
from sottovoce.findings.formatting import percent
from sottovoce.findings.results import Findings
from sottovoce.names import escaped

#: Room at the left for the numbers of the scale.
_LEFT = 72
#: Sizes of text, and the width up to which a map is for a phone: its text is as large as that of the page, and its axes have no numbers.
_TEXT, _PHONE_TEXT, _PHONE = 13, 16, 420
#: A map is at most so wide. Maps side by side have so much room between them, and are at least so wide.
_WIDEST, _BETWEEN, _LEAST = 690, 30, 240
#: Room for the numbers at the left in any font of a page: the legend begins where they may begin.
_NUMBERS = 68
#: How much of its cell the ring of a sensitive place takes, how much the one around a number, and how many sizes of its text at least.
_RING, _AROUND, _DIGIT = 0.45, 0.95, 1.15


def map_chart(findings: Findings, width: int) -> Any:
    """A map of the shares with its legend. What is compared with them is drawn below it, on the same scale."""
    columns = max(1, min(len(findings.beside), 2)) if (width - _BETWEEN) / 2 >= _LEAST + _LEFT else 1
    phone = width <= _PHONE
    whole, part = (width - 20 if phone else min(_WIDEST, round((width - _BETWEEN * (k - 1)) / k) - _LEFT) for k in (1, columns))
    text = _PHONE_TEXT if phone else _TEXT
    own, *maps = maps_of(findings, [whole, *[part] * len(findings.beside)], text, coordinates=not phone).values()
    room = whole if phone else whole - 20
    legend = legend_of(findings, numbers_of(findings, [(whole, text)]), width - 20 if phone else width, text, 0 if phone else _NUMBERS)
    rows = [own] + [alt.hconcat(*maps[k : k + columns], spacing=_BETWEEN) if columns > 1 else maps[k] for k in range(0, len(maps), columns)]
    credit = findings.study.domain.basemap.credit if findings.study.domain.basemap else ""
    said = [small_print(f"Map: {credit}.", room, text)] if credit else []
    return alt.vconcat(legend, *rows, *said, spacing=12)


def maps_of(findings: Findings, sizes: Sequence[int], text: int, *, coordinates: bool, most: int = 9) -> dict[str, Any]:
    """A map of the estimate, and of what is compared with it, by name, each so wide. All are on the same scale.

    At most so many of the largest shares have their numbers on the map of the estimate.
    """
    drawn = {"Estimate": findings.p} | {capital(name): shares for name, shares in findings.beside.items()}
    top = top_of(findings)
    return {
        name: _Map(findings, name, each, size, top, text, coordinates, most).chart(own=name == "Estimate")
        for (name, each), size in zip(drawn.items(), sizes, strict=True)
    }


def numbers_of(findings: Findings, sizes: Sequence[tuple[int, int]]) -> int:
    """How many of the largest shares have their numbers on a map: none if the cells have no room for them in one of these sizes.

    A size is the width of a map and that of its text.
    """
    down, across = findings.study.domain.axes
    room = [(size / len(across.labels), size * proportion((down, across)) / len(down.labels), text) for size, text in sizes]
    return len(findings.listed) if all(fits(*each) for each in room) else 0


def capital(name: str) -> str:
    """A name at the beginning of a line."""
    return name[:1].upper() + name[1:]


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
    #: Whether the axes have numbers.
    coordinates: bool
    #: How many shares have numbers at most.
    most: int

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
            if not self.coordinates:
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
        """The map; that of the estimate (its `own`) shows what is sure, what is sensitive, and where it is."""
        x, y = self.scales
        count = min(self.most, numbers_of(self.findings, [(self.size, self.text)])) if own else 0
        cells, numbered = self._cells(own=own), self.findings.listed[:count]
        tooltip = ["cell:N", "share:N", *(["interval:N"] if "interval" in cells else [])]
        at = {"x": x, "x2": "x2:Q", "y": y, "y2": "y2:Q"}
        drawn = alt.Chart(cells).mark_rect(aria=False, stroke=None, opacity=1)
        layers = [
            *ground(self.findings.study.domain, x, y),
            drawn.encode(**at, fill=alt.Fill("color:N", scale=None), tooltip=tooltip),
        ]
        if own:
            layers += self._marks(_middles(cells), numbered) + self._names(cells)
        if own and is_geographic(self.axes):
            layers += ruler(self.axes, x, y, self.text)
        title = alt.TitleParams(self.name, anchor="start", fontSize=max(13, self.text))
        named = {"title": title} if self.findings.beside else {}
        return alt.layer(*layers).properties(width=self.size, height=self.height, **named)

    def _marks(self, cells: pd.DataFrame, numbered: Sequence[int]) -> list[Any]:
        """Rings on sensitive places, and numbers on the largest shares, in a colour that stands out from the share."""
        x, y = self.scales
        around = [code in numbered for code in sensitive(self.findings)]
        rings = cells.iloc[sensitive(self.findings)].assign(around=around)
        numbers = cells.iloc[list(numbered)].assign(number=[str(k + 1) for k in range(len(numbered))])
        rows, columns = self.findings.study.domain.shape
        wide = min(self.height / rows, self.size / columns)
        layers = []
        for dark, color in ((True, PAPER), (False, INK)):
            some = rings[(rings["shade"] >= DARK) == dark]
            around = some["around"].astype(bool)
            for across, which in ((_RING * wide, ~around), (max(_AROUND * wide, _DIGIT * self.text), around)):
                ring = alt.Chart(some[which]).encode(x=x, y=y)
                size = round(across**2)
                layers.append(ring.mark_point(aria=False, filled=False, opacity=1, size=size, stroke=color, strokeWidth=1.4))
            text = alt.Chart(numbers[(numbers["shade"] >= DARK) == dark]).encode(x=x, y=y, text="number:N")
            layers.append(text.mark_text(fontSize=self.text, fontWeight="bold", color=color))
        return layers

    def _box(self, code: int) -> Box:
        """Where a cell is, in pixels."""
        rows, columns = self.findings.study.domain.shape
        row, column = divmod(code, columns)
        high, wide = self.height / rows, self.size / columns
        return column * wide, (rows - row - 1) * high, (column + 1) * wide, (rows - row) * high

    def _cells(self, *, own: bool) -> pd.DataFrame:
        """A row for each cell, with its colour."""
        (down, across), domain = self.axes, self.findings.study.domain
        rows, columns = np.unravel_index(np.arange(len(domain)), domain.shape)
        edges = [np.linspace(*(axis.bounds or (0.0, 1.0)), len(axis.labels) + 1) for axis in (down, across)]
        shades = classes_of(clear_shares(self.findings) if own else np.maximum(self.shares, 0.0), self.top)
        frame = pd.DataFrame(
            {
                "y": edges[0][rows],
                "y2": edges[0][rows + 1],
                "x": edges[1][columns],
                "x2": edges[1][columns + 1],
                "shade": shades,
                "color": np.array(["transparent", *SHARES])[shades],
                "cell": list(self.findings.shown),
                "share": [percent(each) for each in self.shares.tolist()],
            }
        )
        if own and self.findings.interval is not None:
            low, high = self.findings.interval
            frame["interval"] = [f"{percent(a)} to {percent(b)}" for a, b in zip(low.tolist(), high.tolist(), strict=True)]
        return frame

    def _names(self, cells: pd.DataFrame) -> list[Any]:
        """The names of places, as many as fit where no larger share is hidden: on a phone, none of the darkest. The text has a halo."""
        basemap = self.findings.study.domain.basemap
        if basemap is None or not basemap.places:
            return []
        shown = np.flatnonzero(cells["shade"] >= (DARK if self.size <= _PHONE else 2)).tolist()
        taken = [self._box(code) for code in {*shown, *self.findings.listed[: self.most], *sensitive(self.findings)}]
        names = [Label(escaped(each.name), each.x / UNITS, each.y / UNITS) for each in basemap.places]
        labels = placed(names, self.size, self.height, self.text, taken)
        points = degrees(self.axes, [(each.x * UNITS, each.y * UNITS) for each in labels])
        rows = [(*point, each.text, each.below) for point, each in zip(points, labels, strict=True)]
        frame = pd.DataFrame(rows, columns=["x", "y", "name", "below"])
        x, y = self.scales
        layers = [alt.Chart(frame).mark_point(aria=False, filled=True, size=9, color=INK, opacity=0.8).encode(x=x, y=y)]
        for below in (False, True):
            text = alt.Chart(frame[frame["below"] == below]).encode(x=x, y=y, text="name:N")
            look: dict[str, Any] = {"fontSize": self.text, "dy": (3 + 0.4 * self.text) * (1 if below else -1)}
            halo = text.mark_text(**look, stroke=LAND, strokeWidth=3, strokeOpacity=0.85, strokeJoin="round", color="transparent")
            layers += [halo, text.mark_text(**look, color=INK, opacity=0.8)]
        return layers
