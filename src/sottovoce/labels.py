"""Items as text: how files and tables name them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from sottovoce.domain import Axis, Domain, Item
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
            raise DomainError(f"two items are written {repeated!r}; rename one of them, so that files can tell them apart")

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
    """The items as people know them: their texts with invisible characters escaped, and for the cells of a grid also their middles.

    >>> described(Domain.grid((2, 2), latitude=(40.0, 41.0), longitude=(-74.0, -73.0)))[0]
    '0 / 0 (40.25, -73.75)'
    """
    texts = [escaped(text) for text in labels_of(domain).texts]
    if not all(axis.bounds for axis in domain.axes):
        return texts
    return [f"{text} ({middle})" for text, middle in zip(texts, middles_of(domain), strict=True)]


def middles_of(grid: Domain) -> Sequence[str]:
    """The middles of the cells of a grid.

    >>> middles_of(Domain.grid((2, 2), latitude=(40.0, 41.0), longitude=(-74.0, -73.0)))[0]
    '40.25, -73.75'
    """
    middles = [_middles(axis) for axis in grid.axes]
    places = (
        [middle[k] for k in place.tolist()] for middle, place in zip(middles, np.indices(grid.shape).reshape(len(middles), -1), strict=True)
    )
    return [", ".join(point) for point in zip(*places, strict=True)]


def _middles(axis: Axis) -> list[str]:
    """The middle of each cell, with the digits that tell cells apart."""
    assert axis.bounds is not None
    (low, high), count = axis.bounds, len(axis.labels)
    digits = max(0, 1 - math.floor(math.log10((high - low) / count)))
    return [f"{low + (high - low) * (k + 0.5) / count:.{digits}f}" for k in range(count)]
