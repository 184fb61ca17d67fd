"""Items as text: how files and tables name them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np

from sottovoce.domain import Axis, Domain, Item
from sottovoce.domain.maps import is_geographic, nearest_places
from sottovoce.errors import DomainError
from sottovoce.names import escaped

_SLASH = re.compile(r"\s*/\s*")


def text_of(item: Item) -> str:
    """An item as text: its label, or the labels of its axes with slashes between them.

    >>> text_of("flu"), text_of(("f", "old")), text_of((3, 14))
    ('flu', 'f / old', '3 / 14')
    """
    return " / ".join(str(label) for label in item) if isinstance(item, tuple) else str(item)


@dataclass(frozen=True)
class Labels:
    """The texts of a domain's items, in the order of their codes, and the way back.

    >>> labels = Labels(Domain.product(sex=["f", "m"], age=["young", "old"]))
    >>> labels.texts[1], labels.code("m/ old"), labels.code("m / odd")
    ('f / old', 3, None)
    """

    domain: Domain

    def __post_init__(self) -> None:
        if len(self.index) < len(self.domain):
            repeated = next(text for text, times in Counter(map(self.tidy, self.texts)).items() if times > 1)
            raise DomainError(f"Two items are written as {repeated!r} in files. Rename one of them.")

    @cached_property
    def texts(self) -> tuple[str, ...]:
        return tuple(text_of(item) for item in self.domain)

    @cached_property
    def index(self) -> Mapping[str, int]:
        return {self.tidy(text): code for code, text in enumerate(self.texts)}

    def tidy(self, text: str) -> str:
        """The text without blanks at its ends, and where there are axes with one blank on each side of a slash."""
        return _SLASH.sub(" / ", text.strip()) if len(self.domain.axes) > 1 else text.strip()

    def code(self, text: str) -> int | None:
        """The code of the item that is written like this, if there is one."""
        return self.index.get(self.tidy(text))


@lru_cache(maxsize=16)
def labels_of(domain: Domain) -> Labels:
    """The labels of a domain, made once."""
    return Labels(domain)


def described(domain: Domain) -> Sequence[str]:
    """The items as people know them: their texts with invisible characters escaped, and the cells of a grid by where they are.

    >>> from sottovoce.domain.maps import Basemap, Place
    >>> city = Domain.grid((2, 2), latitude=(40.0, 41.0), longitude=(-74.0, -73.0))
    >>> described(city)[0]
    'cell 40.00–40.50 N, 73.50–74.00 W'
    >>> described(city.on(Basemap(places=(Place("Harbour", 1024, 3072),))))[0]
    'near Harbour (40.25, −73.75)'
    """
    if not all(axis.bounds for axis in domain.axes):
        return [escaped(text) for text in labels_of(domain).texts]
    cells = list(np.ndindex(*domain.shape))
    if is_geographic(domain.axes):
        spans = [_spans(axis, *sides) for axis, sides in zip(domain.axes, (("N", "S"), ("E", "W")), strict=True)]
    else:
        spans = [[f"{escaped(str(axis.name))} {span}" for span in _spans(axis)] for axis in domain.axes]
    before = "cell " * is_geographic(domain.axes)
    ranges = [before + ", ".join(span[k] for span, k in zip(spans, cell, strict=True)) for cell in cells]
    if domain.basemap is None or not domain.basemap.places:
        return ranges
    middles = [_middles(axis) for axis in domain.axes]
    points = [", ".join(middle[k] for middle, k in zip(middles, cell, strict=True)) for cell in cells]
    named = nearest_places(domain.axes, domain.basemap.places)
    return [
        span if place is None else f"near {escaped(place.name)} ({point})" for span, point, place in zip(ranges, points, named, strict=True)
    ]


def _digits(axis: Axis, extra: int = 0) -> int:
    """The digits behind the point that tell the cells of an axis apart."""
    assert axis.bounds is not None
    (low, high), count = axis.bounds, len(axis.labels)
    return max(0, extra - math.floor(math.log10((high - low) / count) + 1e-9))  # a step of 0.01 can be a bit less


def _middles(axis: Axis) -> list[str]:
    """The middle of each cell."""
    return [_signed(middle, _digits(axis, 1)) for middle in axis.centres.tolist()]


def _spans(axis: Axis, above: str = "", below: str = "") -> list[str]:
    """Each cell from end to end. Degrees have a letter for the side of the equator, or of Greenwich."""
    assert axis.bounds is not None
    edges, digits = np.linspace(*axis.bounds, len(axis.labels) + 1).tolist(), _digits(axis, 1)
    if not above:
        return [f"{_signed(low, digits)} to {_signed(high, digits)}" for low, high in pairwise(edges)]
    if axis.bounds[0] < 0 < axis.bounds[1]:
        return [f"{_sided(low, digits, above, below)} to {_sided(high, digits, above, below)}" for low, high in pairwise(edges)]
    side = above if axis.bounds[0] >= 0 else below
    ends = [sorted((abs(low), abs(high))) for low, high in pairwise(edges)]
    return [f"{low:.{digits}f}–{high:.{digits}f} {side}" for low, high in ends]


def _signed(number: float, digits: int) -> str:
    return f"{number:.{digits}f}".replace("-", "−")


def _sided(number: float, digits: int, above: str, below: str) -> str:
    return f"{abs(number):.{digits}f} {above if number >= 0 else below}"
