"""Base maps: land, water, lines and named places below the cells of a grid, as small whole numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sottovoce.domain.axis import Axis
from sottovoce.errors import DomainError

#: The box of a grid is so many units wide and high. x counts from the west and y from the north, as on a screen.
UNITS = 4096
#: The most points, places and letters of a place or of the credit, which keep a study small enough for a phone.
MOST_POINTS, MOST_PLACES, LONGEST = 20_000, 2000, 200
#: How many diagonals of a cell a place may lie away from the middle of a cell that is named after it.
_NEAR = 1.5
#: Kilometres of a degree of latitude.
_KILOMETRES = 111.2
#: A map is drawn at most so many times as high as wide, or as wide as high.
_NARROWEST = 0.3, 2.0


@dataclass(frozen=True)
class Place:
    """A named place in the box."""

    name: str
    x: int
    y: int


@dataclass(frozen=True)
class Shape:
    """An area of land or water. The outline has two numbers for each point: the first point, then the step to each further one."""

    land: bool
    outline: tuple[int, ...]

    @property
    def points(self) -> list[tuple[int, int]]:
        """The points of the outline."""
        return walked(self.outline)


def walked(steps: Sequence[int]) -> list[tuple[int, int]]:
    """The points of an outline or a line.

    >>> walked((10, 20, 5, 0, 0, -5))
    [(10, 20), (15, 20), (15, 15)]
    """
    found, x, y = [], 0, 0
    for dx, dy in zip(steps[::2], steps[1::2], strict=True):
        x, y = x + dx, y + dy
        found.append((x, y))
    return found


def stepped(points: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """What `walked` reads."""
    found: list[int] = []
    last = (0, 0)
    for x, y in points:
        found += (x - last[0], y - last[1])
        last = (x, y)
    return tuple(found)


@dataclass(frozen=True)
class Basemap:
    """What is drawn below the cells of a grid. Shapes are in the order in which they are painted, and places in that of their importance.

    >>> island = Basemap((Shape(True, (1000, 1000, 2000, 0, 0, 2000, -2000, 0)),), places=(Place("Harbour", 1100, 1100),))
    >>> Basemap.read(island.form) == island
    True
    """

    shapes: tuple[Shape, ...] = ()
    lines: tuple[tuple[int, ...], ...] = ()
    places: tuple[Place, ...] = ()
    credit: str = ""

    @property
    def form(self) -> dict[str, Any]:
        """The map as JSON has it: whole numbers and texts."""
        form: dict[str, Any] = {}
        if self.shapes:
            form["shapes"] = [[int(each.land), *each.outline] for each in self.shapes]
        if self.lines:
            form["lines"] = [list(each) for each in self.lines]
        if self.places:
            form["places"] = [[each.name, each.x, each.y] for each in self.places]
        return form | ({"credit": self.credit} if self.credit else {})

    @classmethod
    def read(cls, form: Mapping[str, Any]) -> Basemap:
        """What `form` wrote, or a `DomainError`."""
        if unknown := set(form) - {"shapes", "lines", "places", "credit"}:
            raise DomainError(f"The map has the unknown key {min(unknown)!r}. Remove it.")
        shapes = tuple(Shape(_flag(each[0]), _steps(each[1:], 3)) for each in form.get("shapes", ()))
        lines = tuple(_steps(each, 2) for each in form.get("lines", ()))
        places = tuple(Place(_text(name), *_inside(x, y)) for name, x, y in form.get("places", ()))
        credit = form.get("credit", "")
        made = cls(shapes, lines, places, _text(credit) if "credit" in form else "")
        made.check()
        return made

    def check(self) -> None:
        """Refuse a map that is too large for a study, or whose places have one name."""
        if not (self.shapes or self.lines or self.places):
            raise DomainError("The map is empty inside the grid. Use another map, or leave it out.")
        points = sum(len(each.outline) for each in self.shapes) + sum(map(len, self.lines))
        if points > 2 * MOST_POINTS or len(self.places) > MOST_PLACES:
            raise DomainError(
                f"The map has {points // 2:,} points and {len(self.places):,} places. Use at most {MOST_POINTS:,} and {MOST_PLACES:,}."
            )
        if len({each.name for each in self.places}) < len(self.places):
            raise DomainError("Two places on the map have the same name. Rename one of them.")


def _flag(value: Any) -> bool:
    if type(value) is not int or value not in (0, 1):
        raise DomainError(f"A shape of the map begins with {value!r}. Write 1 for land or 0 for water.")
    return value == 1


def _steps(values: Any, least: int) -> tuple[int, ...]:
    """The numbers of an outline or a line, whose points all lie in the box."""
    if len(values) % 2 or len(values) < 2 * least or any(type(each) is not int for each in values):
        raise DomainError("An outline of the map is broken. Give two whole numbers for each point.")
    for x, y in walked(values):
        _inside(x, y)
    return tuple(values)


def _inside(x: Any, y: Any) -> tuple[int, int]:
    if any(type(each) is not int or not 0 <= each <= UNITS for each in (x, y)):
        raise DomainError(f"A point of the map, {x!r} and {y!r}, is outside the map. Give coordinates from 0 to {UNITS}.")
    return x, y


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > LONGEST:
        raise DomainError(f"{value!r} can't be the name of a place or a credit. Give a text of at most {LONGEST} characters.")
    return value


def is_geographic(axes: Sequence[Axis]) -> bool:
    """Whether a grid has a latitude and a longitude, in this order: it can be drawn as a map."""
    names = [str(axis.name).casefold() for axis in axes]
    ends = [axis.bounds for axis in axes]
    if len(axes) != 2 or None in ends or not (names[0].startswith("lat") and names[1].startswith(("lon", "lng"))):
        return False
    return all(bounds is not None and -most <= bounds[0] and bounds[1] <= most for bounds, most in zip(ends, (90, 180), strict=True))


def proportion(axes: Sequence[Axis]) -> float:
    """How many times as high as wide a grid is drawn: on the ground, if it has a latitude and a longitude, or with square cells."""
    down, across = axes
    found = len(down.labels) / len(across.labels)
    if is_geographic(axes):
        (south, north), (west, east) = (axis.bounds or (0.0, 1.0) for axis in axes)
        found = (north - south) / ((east - west) * math.cos(math.radians((south + north) / 2)))
    return min(_NARROWEST[1], max(_NARROWEST[0], found))


def kilometres(axes: Sequence[Axis]) -> float:
    """How many kilometres the middle of a map is wide."""
    (south, north), (west, east) = (axis.bounds or (0.0, 1.0) for axis in axes)
    return (east - west) * _KILOMETRES * math.cos(math.radians((south + north) / 2))


def nearest_places(axes: Sequence[Axis], places: Sequence[Place], most: float = _NEAR) -> list[Place | None]:
    """For each cell, in the order of codes, the nearest place, if it's at most so many diagonals of a cell away."""
    rows, columns = (len(axis.labels) for axis in axes)
    high = proportion(axes)  # y counts so many times as much as x
    far = most**2 * ((UNITS / columns) ** 2 + (high * UNITS / rows) ** 2)
    found: list[Place | None] = []
    for row in range(rows):
        for column in range(columns):
            x, y = UNITS * (column + 0.5) / columns, UNITS * (rows - row - 0.5) / rows
            away = [((each.x - x) ** 2 + (high * (each.y - y)) ** 2, k) for k, each in enumerate(places)]
            least, k = min(away, default=(math.inf, 0))
            found.append(places[k] if least <= far else None)
    return found


def is_land(basemap: Basemap, x: float, y: float) -> bool:
    """Whether a point lies on land, by the last shape around it. Without shapes everything is land.

    >>> lake = Basemap((Shape(True, (0, 0, 100, 0, 0, 100, -100, 0)), Shape(False, (40, 40, 20, 0, 0, 20, -20, 0))))
    >>> is_land(lake, 10, 10), is_land(lake, 50, 50), is_land(lake, 200, 50)
    (True, False, False)
    """
    return next((each.land for each in reversed(basemap.shapes) if _contains(each.points, x, y)), not basemap.shapes)


def _contains(points: Sequence[tuple[int, int]], x: float, y: float) -> bool:
    """Whether an outline goes around a point: a ray from it crosses the outline an odd number of times."""
    inside = False
    for (x1, y1), (x2, y2) in zip([points[-1], *points[:-1]], points, strict=True):
        if (y1 > y) != (y2 > y) and x < x1 + (x2 - x1) * (y - y1) / (y2 - y1):
            inside = not inside
    return inside
