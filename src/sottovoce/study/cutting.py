"""Cutting a base map out of outlines: clipped to a box, with the details that can be seen, in whole numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.domain.maps import MOST_PLACES, UNITS, Basemap, Place, Shape, stepped, walked
from sottovoce.errors import DomainError
from sottovoce.study.geojson import Outlines, Point

#: Points of all shapes and lines that a map keeps. If there are more, smaller details are left out.
POINTS = 4000
#: Units by which an outline may move, at first, and the smallest area that is kept. Both double until the points fit.
_TOLERANCE, _SMALLEST = 2.0, 64.0

Units = tuple[int, int]


@dataclass(frozen=True)
class Box:
    """A part of the world in degrees."""

    west: float
    south: float
    east: float
    north: float

    def units(self, point: Point) -> Point:
        """A point in units from the west and the north, not yet rounded."""
        x, y = point
        return UNITS * (x - self.west) / (self.east - self.west), UNITS * (self.north - y) / (self.north - self.south)

    def degrees(self, point: Point) -> Point:
        """The way back."""
        x, y = point
        return self.west + (self.east - self.west) * x / UNITS, self.north - (self.north - self.south) * y / UNITS

    def meets(self, points: Sequence[Point]) -> bool:
        """Whether some points may lie inside, or around the box."""
        xs, ys = zip(*points, strict=True)
        return bool(min(xs) < self.east and max(xs) > self.west and min(ys) < self.north and max(ys) > self.south)


def cut(outlines: Outlines, box: Box, points: int = POINTS) -> Basemap:
    """The base map of a box. The same outlines give the same map on every machine: it's computed with + - * / alone."""
    areas = [(land, clipped) for land, ring in outlines.areas if ring and box.meets(ring) if (clipped := clipped_area(ring, box))]
    lines = [part for line in outlines.lines if line and box.meets(line) for part in _clipped_line(line, box)]
    tolerance, smallest = _TOLERANCE, _SMALLEST
    while True:
        areas = [(land, simple) for land, ring in areas if len(simple := simplified_ring(ring, tolerance)) > 2]
        lines = [simplified(line, tolerance) for line in lines if _extent(line) > 2 * tolerance]
        rounded = [(land, _rounded(ring)) for land, ring in areas]
        shapes = [(_area(ring), land, ring) for land, ring in rounded if len(ring) > 2 and _area(ring) >= smallest]
        thin = [each for line in lines if len(each := _rounded(line)) > 1]
        if sum(len(ring) for _, _, ring in shapes) + sum(map(len, thin)) <= points:
            break
        tolerance, smallest = 1.5 * tolerance, 2 * smallest
    shapes.sort(key=lambda each: -each[0])  # an island is painted on the lake around it
    made = Basemap(
        tuple(Shape(land, stepped(ring)) for _, land, ring in shapes),
        tuple(stepped(line) for line in thin),
        tuple(_places(outlines.places, box)),
        outlines.credit,
    )
    made.check()
    return made


def outlines_from(basemap: Basemap, box: Box) -> Outlines:
    """A base map in degrees again."""
    return Outlines(
        tuple((each.land, tuple(map(box.degrees, each.points))) for each in basemap.shapes),
        tuple(tuple(map(box.degrees, walked(each))) for each in basemap.lines),
        tuple((each.name, box.degrees((each.x, each.y))) for each in basemap.places),
        basemap.credit,
    )


def _places(places: Iterable[tuple[str, Point]], box: Box) -> list[Place]:
    """The places inside. Of two with one name the first one stays."""
    found: dict[str, Place] = {}
    for name, point in places:
        x, y = box.units(point)
        if 0 <= x <= UNITS and 0 <= y <= UNITS and name.strip():
            found.setdefault(name.strip(), Place(name.strip(), round(x), round(y)))
    if len(found) > MOST_PLACES:
        raise DomainError(f"The map has {len(found):,} places inside the grid, more than {MOST_PLACES:,}. Name fewer.")
    return list(found.values())


#: The sides of the box: which coordinate, the limit, and whether larger values are inside.
_SIDES = ((0, 0.0, True), (0, float(UNITS), False), (1, 0.0, True), (1, float(UNITS), False))


def clipped_area(ring: Sequence[Point], box: Box) -> list[Point]:
    """The part of an area inside the box (Sutherland and Hodgman 1974)."""
    points = [box.units(each) for each in ring]
    for axis, limit, above in _SIDES:
        kept: list[Point] = []
        for before, here in zip([points[-1], *points[:-1]], points, strict=True):
            inside = [(each[axis] >= limit) == above or each[axis] == limit for each in (before, here)]
            if inside[0] != inside[1]:
                kept.append(_crossing(before, here, axis, limit))
            if inside[1]:
                kept.append(here)
        points = kept
        if not points:
            return []
    return points


def _clipped_line(line: Sequence[Point], box: Box) -> list[list[Point]]:
    """The parts of a line inside the box."""
    parts = [[box.units(each) for each in line]]
    for axis, limit, above in _SIDES:
        found: list[list[Point]] = []
        for part in parts:
            now: list[Point] = []
            for before, here in zip([part[0], *part[:-1]], part, strict=True):
                inside = [(each[axis] >= limit) == above or each[axis] == limit for each in (before, here)]
                if inside[0] != inside[1]:
                    now.append(_crossing(before, here, axis, limit))
                if inside[1]:
                    now.append(here)
                elif now:
                    found.append(now)
                    now = []
            found += [now] if now else []
        parts = found
    return parts


def _crossing(before: Point, here: Point, axis: int, limit: float) -> Point:
    """Where a line meets a side of the box."""
    part = (limit - before[axis]) / (here[axis] - before[axis])
    other = before[1 - axis] + part * (here[1 - axis] - before[1 - axis])
    return (limit, other) if axis == 0 else (other, limit)


def simplified_ring(ring: Sequence[Point], tolerance: float) -> list[Point]:
    """An outline without details, in two halves: up to the point that is farthest from the first one, and back."""
    first = ring[0]
    far = max(range(len(ring)), key=lambda k: (ring[k][0] - first[0]) ** 2 + (ring[k][1] - first[1]) ** 2)
    if far == 0:
        return []
    return simplified(ring[: far + 1], tolerance)[:-1] + simplified([*ring[far:], first], tolerance)[:-1]


def simplified(points: Sequence[Point], tolerance: float) -> list[Point]:
    """The points that a line needs to stay within the tolerance (Douglas and Peucker 1973)."""
    x, y = np.array(points, dtype=np.float64).T
    kept, waiting = {0, len(points) - 1}, [(0, len(points) - 1)]
    while waiting:
        first, last = waiting.pop()
        if last - first < 2:
            continue
        away = _away(x[first : last + 1], y[first : last + 1])
        at = int(np.argmax(away))
        if away[at] > tolerance * tolerance:
            kept.add(first + at)
            waiting += [(first, first + at), (first + at, last)]
    return [points[k] for k in sorted(kept)]


def _away(x: Floats, y: Floats) -> Floats:
    """The squared distances of points from the segment between the first and the last."""
    x, y = x - x[0], y - y[0]
    dx, dy = x[-1], y[-1]
    length = dx * dx + dy * dy
    along = np.clip((x * dx + y * dy) / length, 0.0, 1.0) if length else np.zeros(len(x))
    x, y = x - along * dx, y - along * dy
    return np.asarray(x * x + y * y)


def _rounded(points: Iterable[Point]) -> list[Units]:
    """Whole numbers, without points that fall together."""
    found: list[Units] = []
    for x, y in points:
        here = (min(UNITS, max(0, round(x))), min(UNITS, max(0, round(y))))
        if not found or found[-1] != here:
            found.append(here)
    return found


def _extent(line: Sequence[Point]) -> float:
    """How wide or high a line is."""
    return max(max(ends) - min(ends) for ends in zip(*line, strict=True))


def _area(ring: Sequence[Units]) -> float:
    """The area inside an outline, in square units."""
    pairs = zip(ring, [*ring[1:], ring[0]], strict=True)
    return abs(sum(x * next_y - next_x * y for (x, y), (next_x, next_y) in pairs)) / 2
