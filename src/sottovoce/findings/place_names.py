"""Readable names for the cells of a map: the nearest place, and on which side of it the cell is."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from string import ascii_lowercase

import numpy as np

from sottovoce.domain import Domain
from sottovoce.domain.maps import UNITS, Place, is_geographic, nearest_places, proportion
from sottovoce.labels import described
from sottovoce.names import escaped

_SIDES = ("east", "north-east", "north", "north-west", "west", "south-west", "south", "south-east")


@lru_cache(maxsize=16)
def named(domain: Domain) -> Sequence[str]:
    """Name the items for people. Cells near the same place differ by their side of it, then by a letter from near to far.

    >>> from sottovoce.domain.maps import Basemap
    >>> city = Domain.grid((2, 2), latitude=(40.0, 41.0), longitude=(-74.0, -73.0))
    >>> named(city.on(Basemap(places=(Place("Harbour", 1024, 3072),))))
    ('near Harbour', 'east of Harbour', 'north of Harbour', 'north-east of Harbour')
    """
    known = described(domain)
    if domain.basemap is None or not domain.basemap.places or not is_geographic(domain.axes):
        return tuple(known)
    cells: dict[Place, list[int]] = {}
    for code, place in enumerate(nearest_places(domain.axes, domain.basemap.places)):
        if place is not None:
            cells.setdefault(place, []).append(code)
    found = {code: text for place, codes in cells.items() for code, text in _around(domain, place, codes)}
    texts = [found.get(code, text) for code, text in enumerate(known)]
    return tuple(texts) if len(set(texts)) == len(texts) else tuple(known)  # two places may have one name


def without_letters(names: Sequence[str]) -> Sequence[str]:
    """Some names without the letters that tell cells on one side of a place apart, if they differ without them.

    >>> without_letters(["north of Harbour (b)", "near Market"]), without_letters(["east of Park (a)", "east of Park (b)"])
    (['north of Harbour', 'near Market'], ['east of Park (a)', 'east of Park (b)'])
    """
    shorter = [re.sub(r" \([a-z0-9]+\)$", "", name) for name in names]
    return shorter if len(set(shorter)) == len(shorter) else list(names)


def in_text(text: str, names: Mapping[str, str]) -> str:
    """A text with the quoted codes of cells replaced by their names."""
    for code, name in names.items():
        text = text.replace(f"'{code}'", f"“{name}”")
    return text


def _around(domain: Domain, place: Place, codes: Sequence[int]) -> Iterator[tuple[int, str]]:
    """The names of the cells that are named after a place. The nearest one has the place's own name."""
    name, sides = escaped(place.name), dict[str, list[int]]()
    ways = {code: _way(domain, place, code) for code in codes}
    nearest, *others = sorted(codes, key=lambda code: math.hypot(*ways[code]))
    yield nearest, f"near {name}"
    for code in others:
        right, up = ways[code]
        sides.setdefault(_SIDES[round(math.atan2(up, right) / (math.pi / 4)) % 8], []).append(code)
    for side, there in sides.items():
        for k, code in enumerate(there):
            yield code, f"{side} of {name}{_letter(k) if len(there) > 1 else ''}"


def _letter(k: int) -> str:
    return f" ({ascii_lowercase[k]})" if k < len(ascii_lowercase) else f" ({k + 1})"


def _way(domain: Domain, place: Place, code: int) -> tuple[float, float]:
    """How far the middle of a cell is to the right of a place and above it, in units of the map's width."""
    rows, columns = domain.shape
    row, column = (int(each) for each in np.unravel_index(code, domain.shape))
    return UNITS * (column + 0.5) / columns - place.x, proportion(domain.axes) * (place.y - UNITS * (rows - row - 0.5) / rows)
