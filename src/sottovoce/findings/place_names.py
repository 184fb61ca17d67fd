"""Readable names for the cells of a map: the nearest place, how far the cell is from it, and on which side."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from string import ascii_lowercase

import numpy as np

from sottovoce.domain import Domain
from sottovoce.domain.maps import UNITS, Basemap, Place, is_geographic, kilometres, nearest_places, proportion
from sottovoce.labels import described
from sottovoce.names import escaped

_SIDES = ("east", "north-east", "north", "north-west", "west", "south-west", "south", "south-east")
#: The points of the compass, for cells that are as far from a place on one side of it.
_POINTS = tuple(
    side for k, main in enumerate(_SIDES) for side in (main, f"{(main, _SIDES[(k + 1) % 8])[k % 2]}-{(_SIDES[(k + 1) % 8], main)[k % 2]}")
)


def named(domain: Domain) -> Sequence[str]:
    """Name the items for people: a cell is near a place, or at a distance from its nearest one.

    >>> from sottovoce.domain.maps import Basemap
    >>> city = Domain.grid((2, 2), latitude=(40.0, 41.0), longitude=(-74.0, -73.0))
    >>> named(city.on(Basemap(places=(Place("Harbour", 1024, 3072),))))
    ('near Harbour', '42 km east of Harbour', '56 km north of Harbour', '70 km north-east of Harbour')
    """
    return _named(domain, domain.basemap)


@lru_cache(maxsize=16)
def _named(domain: Domain, basemap: Basemap | None) -> Sequence[str]:
    """The names with this map: domains are equal whatever their maps are."""
    known = described(domain)
    if basemap is None or not basemap.places or not is_geographic(domain.axes):
        return tuple(known)
    cells: dict[Place, list[int]] = {}
    for code, place in enumerate(nearest_places(domain.axes, basemap.places, math.inf)):
        if place is not None:
            cells.setdefault(place, []).append(code)
    found = {code: text for place, codes in cells.items() for code, text in _around(domain, place, codes)}
    texts = [found[code] for code in range(len(known))]
    return tuple(texts) if len(set(texts)) == len(texts) else tuple(known)  # two places may have one name


def without_distances(names: Sequence[str]) -> Sequence[str]:
    """Some names for a sentence: without the distances that it doesn't need to tell them apart.

    >>> without_distances(["1.2 km north of Harbour", "near Market", "1 km east of Park", "2 km east of Park"])
    ['north of Harbour', 'near Market', '1 km east of Park', '2 km east of Park']
    """
    shorter = [re.sub(r"^[\d.,]+ k?m (?=[a-z-]+ of )", "", name) for name in names]
    times = Counter(shorter)
    return [short if times[short] == 1 else name for short, name in zip(shorter, names, strict=True)]


def in_text(text: str, names: Mapping[str, str]) -> str:
    """A text with the quoted codes of cells replaced by their names."""
    for code, name in names.items():
        text = text.replace(f"'{code}'", f"“{name}”")
    return text


def _around(domain: Domain, place: Place, codes: Sequence[int]) -> Iterator[tuple[int, str]]:
    """The names of the cells that are named after a place. The nearest one has the place's own name."""
    name, ways = escaped(place.name), {code: _way(domain, place, code) for code in codes}
    nearest, *others = sorted(codes, key=lambda code: math.hypot(*ways[code]))
    yield nearest, f"near {name}"
    texts = {code: _at(name, *ways[code], _SIDES) for code in others}
    times = Counter(texts.values())
    texts |= {code: _at(name, *ways[code], _POINTS) for code, text in texts.items() if times[text] > 1}
    times, before = Counter(texts.values()), Counter[str]()
    for code, text in texts.items():
        yield code, text + (_letter(before[text]) if times[text] > 1 else "")
        before[text] += 1


def _at(name: str, right: float, up: float, sides: Sequence[str]) -> str:
    """How far it is from a place, and to which of the sides, which go around from the east."""
    side = sides[round(math.atan2(up, right) / (2 * math.pi) * len(sides)) % len(sides)]
    return f"{_distance(math.hypot(right, up))} {side} of {name}"


def _distance(far: float) -> str:
    """A distance in kilometres, with two digits.

    >>> _distance(0.4321), _distance(0.997), _distance(1.26), _distance(18.4), _distance(1264)
    ('430 m', '1 km', '1.3 km', '18 km', '1,300 km')
    """
    rounded = float(f"{far:.1e}")
    return f"{1000 * rounded:.0f} m" if rounded < 1 else f"{rounded:,.{int(rounded < 10 and rounded % 1 > 0)}f} km"


def _letter(k: int) -> str:
    return f" ({ascii_lowercase[k]})" if k < len(ascii_lowercase) else f" ({k + 1})"


def _way(domain: Domain, place: Place, code: int) -> tuple[float, float]:
    """How far the middle of a cell is to the right of a place and above it, in kilometres of the middle of the map."""
    rows, columns = domain.shape
    row, column = (int(each) for each in np.unravel_index(code, domain.shape))
    right, up = UNITS * (column + 0.5) / columns - place.x, place.y - UNITS * (rows - row - 0.5) / rows
    unit = kilometres(domain.axes) / UNITS
    return unit * right, unit * proportion(domain.axes) * up
