"""What is below the shares of a map: water, land, lines such as borders, and how long a kilometre is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd

from sottovoce.domain import Axis, Domain
from sottovoce.domain.maps import UNITS, Basemap, kilometres, walked
from sottovoce.findings.charts.map_legend import LAND, SHORE, WATER
from sottovoce.findings.charts.style import INK

#: The part by which a kilometre may differ between the middle of a map and its edges.
_ALIKE = 0.1


def degrees(axes: Sequence[Axis], points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Points of the base map on the axes."""
    (south, north), (west, east) = (axis.bounds or (0.0, 1.0) for axis in axes)
    return [(west + (east - west) * x / UNITS, north - (north - south) * y / UNITS) for x, y in points]


def ground(domain: Domain, x: alt.X, y: alt.Y) -> list[Any]:
    """Water, land and lines. Without a base map all is land."""
    basemap = domain.basemap or Basemap()
    box = [(0, 0), (UNITS, 0), (UNITS, UNITS), (0, UNITS)]
    areas = [(WATER if basemap.shapes else LAND, box), *((LAND if each.land else WATER, each.points) for each in basemap.shapes)]
    frame = pd.DataFrame(
        [(k, n, *point, fill) for k, (fill, points) in enumerate(areas) for n, point in enumerate(degrees(domain.axes, points))],
        columns=["area", "n", "x", "y", "fill"],
    )
    along = {"x": x, "y": y, "order": "n:Q", "detail": "area:N"}
    filled = alt.Chart(frame).mark_line(interpolate="linear-closed", stroke=SHORE, strokeWidth=0.6, fillOpacity=1, clip=True)
    layers = [filled.encode(**along, fill=alt.Fill("fill:N", scale=None))]
    if basemap.lines:
        points = [(k, n, *point) for k, line in enumerate(basemap.lines) for n, point in enumerate(degrees(domain.axes, walked(line)))]
        lines = alt.Chart(pd.DataFrame(points, columns=["area", "n", "x", "y"])).mark_line(stroke=SHORE, strokeWidth=0.8, clip=True)
        layers.append(lines.encode(**along))
    return layers


def ruler(axes: Sequence[Axis], x: alt.X, y: alt.Y, size: int) -> list[Any]:
    """How long a round number of kilometres is, at the lower left. Nothing if it differs much between the north and the south."""
    (south, north), (west, east) = (axis.bounds or (0.0, 1.0) for axis in axes)
    middle, *ends = (math.cos(math.radians(each)) for each in ((south + north) / 2, south, north))
    if max(abs(each - middle) for each in ends) > _ALIKE * middle:
        return []
    third = kilometres(axes) / 3
    unit = 10.0 ** math.floor(math.log10(third))
    length = max(step for step in (1, 2, 5) if step * unit <= third) * unit
    words = f"{length:,.0f} km" if length >= 1 else f"{1000 * length:,.0f} m"
    start, level = west + 0.03 * (east - west), south + 0.035 * (north - south)
    frame = pd.DataFrame([{"x": start, "x2": start + (east - west) * length / kilometres(axes), "y": level, "name": words}])
    rule = alt.Chart(frame).mark_rule(color=INK, strokeWidth=2).encode(x=x, x2="x2:Q", y=y)
    named = alt.Chart(frame).mark_text(align="left", dy=-4 - 0.4 * size, fontSize=size, color=INK)
    return [rule, named.encode(x=x, y=y, text="name:N")]
