"""Domains: the items that an answer can be, and their integer codes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sottovoce.domain.axis import Axis, Codes, Item, listed
from sottovoce.domain.bins import beyond, bin_labels, checked_edges, edges_between, numbers_of
from sottovoce.domain.encoding import checked_codes, code_of, encoded, located
from sottovoce.domain.maps import Basemap
from sottovoce.errors import DomainError

#: The most items of a domain, whose codes are 64-bit integers.
_MOST = (1 << 62) - 1


@dataclass(frozen=True, init=False)
class Domain:
    """An ordered set of K items. Item k has the code k. A product domain counts its last axis fastest.

    >>> domain = Domain(["flu", "cold", "none"])
    >>> domain.encode(["none", "flu"]).tolist(), domain.decode([1])
    ([2, 0], ['cold'])
    >>> Domain.product(sex=["f", "m"], age=["young", "old"]).decode([3])
    [('m', 'old')]
    """

    axes: tuple[Axis, ...]
    size: int = field(compare=False)
    #: What is drawn below the cells of a grid.
    basemap: Basemap | None = field(default=None, compare=False)

    def __init__(self, items: Iterable[Item] | int) -> None:
        if isinstance(items, (int, np.integer)) and not isinstance(items, bool):
            if items > _MOST:
                raise DomainError(f"A domain of {items:,} items is too large. Use at most {_MOST:,}.")
            items = range(int(items))
        if isinstance(items, Mapping) or not isinstance(items, Iterable):
            raise DomainError(f"A domain can't be made from {items!r}. Give a list of items, or their number.")
        self._set((Axis(items if isinstance(items, range) else tuple(items)),))
        if self.size == 1:
            raise DomainError(f"The domain has a single item, {self.axes[0].labels[0]!r}. Give at least two.")

    def _set(self, axes: tuple[Axis, ...]) -> None:
        object.__setattr__(self, "axes", axes)
        object.__setattr__(self, "size", math.prod(len(axis.labels) for axis in axes))

    @classmethod
    def _of(cls, *axes: Axis) -> Domain:
        domain = cls.__new__(cls)
        domain._set(axes)
        return domain

    @classmethod
    def numbers(
        cls,
        low: float | None = None,
        high: float | None = None,
        bins: int | None = None,
        *,
        edges: Iterable[float] | None = None,
        log: bool = False,
        whole: bool = False,
    ) -> Domain:
        """Numbers from `low` to `high` in bins of equal width, or of equal ratio with `log=True`, or bins between `edges`.

        Numbers beyond the ends are clipped, which means that they count as the end. The first and the last of the `edges` may be
        infinite. Such a bin is open and contains all numbers below or above. Use `whole=True` if all answers are whole numbers, such as
        years. The middle of a bin is then the mean of its whole numbers.

        >>> age = Domain.numbers(18, 100, bins=41)
        >>> age.encode([18, 33.5, 120]).tolist(), age.item(7), age.beyond([17, 18, 120])
        ([0, 7, 40], '32 to under 34', (1, 1))
        >>> list(Domain.numbers(edges=[0, 20_000, 50_000, math.inf]))
        ['0 to under 20000', '20000 to under 50000', '50000 or more']
        >>> years = Domain.numbers(18, 100, bins=41, whole=True)
        >>> years.item(7), float(years.centres[7])
        ('32 to 33', 32.5)
        """
        if edges is None:
            if low is None or high is None or bins is None:
                raise DomainError(
                    "The bins aren't defined. Give two ends and a number of bins, such as Domain.numbers(18, 100, bins=41), or edges."
                )
            found = edges_between(low, high, bins, log=log)
        elif low is not None or high is not None or bins is not None or log:
            raise DomainError("Got both edges and ends. Give either edges, or two ends and a number of bins.")
        else:
            found = checked_edges(edges)
        return cls._of(Axis(bin_labels(found, whole=whole), edges=found, whole=bool(whole)))

    @classmethod
    def scale(cls, first: int | Iterable[Item], last: int | None = None) -> Domain:
        """Labels in an order, or the whole numbers from `first` to `last`.

        >>> Domain.scale(1, 5).centres.tolist(), Domain.scale(["never", "sometimes", "always"]).code("always")
        ([1.0, 2.0, 3.0, 4.0, 5.0], 2)
        """
        labels = _scale_labels(first, last)
        if len(labels) < 2:
            raise DomainError(f"The scale has {len(labels)} label{'' if len(labels) == 1 else 's'}. Give at least two.")
        return cls._of(Axis(labels, scale=True))

    @classmethod
    def product(cls, **axes: Iterable[Item]) -> Domain:
        """All combinations of the axes' items. An item is the tuple of its axes' labels, in the order given.

        An axis may also be a domain of its own: `Domain.product(age=Domain.numbers(18, 100, bins=41), sex=["f", "m"])`.
        """
        if wrong := [name for name, labels in axes.items() if not isinstance(labels, Iterable)]:
            raise DomainError(f"The items of axis {wrong[0]!r} are {axes[wrong[0]]!r}. Give a list of labels.")
        if not axes:
            raise DomainError("The product domain has no axes. Give at least one, for example Domain.product(sex=['f', 'm'], age=[...]).")
        domain = cls._of(*(_axis(labels, name) for name, labels in axes.items()))
        if domain.size == 1:
            raise DomainError("The product domain has a single item. Give at least one axis two labels.")
        return domain

    @classmethod
    def grid(cls, shape: Sequence[int], **bounds: tuple[float, float]) -> Domain:
        """Equal cells over intervals, one axis each. An item is the tuple of its cell numbers.

        >>> city = Domain.grid((25, 25), latitude=(40.70, 40.80), longitude=(-74.04, -73.92))
        >>> city.decode(city.locate(latitude=[40.75], longitude=[-74.04]))
        [(12, 0)]
        """
        if not isinstance(shape, Sequence) or len(shape) != len(bounds) or not bounds:
            raise DomainError(
                f"The grid has the shape {shape!r} and {len(bounds)} named intervals. "
                "Give one, such as latitude = (40, 41), for each number of the shape."
            )
        axes = []
        for cells, (name, (low, high)) in zip(shape, bounds.items(), strict=True):
            if not (isinstance(cells, (int, np.integer)) and cells > 0):
                raise DomainError(f"Axis {name!r} has {cells!r} cells. Give a positive whole number.")
            if not (math.isfinite(low) and math.isfinite(high) and low < high):
                raise DomainError(f"Axis {name!r} runs from {low!r} to {high!r}. Give two finite numbers, the smaller one first.")
            axes.append(Axis(range(int(cells)), name, (float(low), float(high))))
        domain = cls._of(*axes)
        if domain.size == 1:
            raise DomainError("The grid has a single cell. Give it at least two.")
        return domain

    def on(self, basemap: Basemap | None) -> Domain:
        """The same grid on a map."""
        domain = Domain._of(*self.axes)
        object.__setattr__(domain, "basemap", basemap)
        return domain

    @classmethod
    def joined(cls, domains: Mapping[str, Domain]) -> Domain:
        """All combinations of the items of several domains, each under a name. The axes of a product are called after both.

        >>> Domain.joined({"smokes": Domain(["yes", "no"]), "age": Domain.scale(1, 3)}).decode([5])
        [('no', 3)]
        """
        if len(domains) == 1:
            return next(iter(domains.values()))
        axes = [
            replace(axis, name=name if len(domain.axes) == 1 else f"{name}.{axis.name}")
            for name, domain in domains.items()
            for axis in domain.axes
        ]
        return cls._of(*axes)

    def subset(self, items: Iterable[Item]) -> Domain:
        """The part of this domain made of `items` (one suffices), in this domain's order."""
        return Domain._of(Axis(tuple(self.decode(np.flatnonzero(self.indicator(items)))), scale=self.ordered))

    def margin(self, names: Sequence[str]) -> tuple[Domain, Codes]:
        """The product of some of the axes, in this domain's order, and for each item of this domain the code of the item it's part of."""
        known = [axis.name for axis in self.axes]
        if None in known:
            raise DomainError("This domain isn't a product, so it has no margins. Make one with Domain.product(age=[...], sex=[...]).")
        if wrong := [name for name in names if name not in known]:
            raise DomainError(f"{wrong[0]!r} isn't an axis. Choose from {listed(known, 9)}.")
        if not names or len(set(names)) < len(names):
            raise DomainError(f"No axis is named, or one is named twice. Name each once: {listed(known, 9)}.")
        kept = [place for place, axis in enumerate(self.axes) if axis.name in names]
        places = np.unravel_index(np.arange(self.size), self.shape)
        codes = np.ravel_multi_index([places[k] for k in kept], [self.shape[k] for k in kept])
        return Domain._of(*(self.axes[k] for k in kept)), codes.astype(np.int64)

    def extended(self, items: Iterable[Item]) -> Domain:
        """This domain with further items behind its own."""
        return Domain._of(Axis((*self, *items)))

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Item]:
        return iter(self.axes[0].labels) if len(self.axes) == 1 else (self.item(code) for code in range(self.size))

    def __contains__(self, item: object) -> bool:
        try:
            self.code(item)
        except DomainError:
            return False
        return True

    def __repr__(self) -> str:
        if len(self.axes) == 1:
            shown = ", ".join(repr(label) for label in self.axes[0].labels[:3])
            return f"Domain({shown}{', …' if self.size > 3 else ''}; K = {self.size})"
        return "Domain(" + " × ".join(f"{axis.name}: {len(axis.labels)}" for axis in self.axes) + f"; K = {self.size})"

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(axis.labels) for axis in self.axes)

    @property
    def ordered(self) -> bool:
        """Whether the items are numbers, or labels on a scale: then they have a mean and quantiles."""
        return len(self.axes) == 1 and self.axes[0].ordered

    @property
    def smoothable(self) -> bool:
        """Whether items have neighbours that may look alike: numbers, a scale, or a grid of two axes."""
        return len(self.axes) <= 2 and all(axis.ordered for axis in self.axes) and max(self.shape) > 2

    @property
    def edges(self) -> NDArray[np.float64] | None:
        """The K + 1 edges of the bins of numbers, from the lowest to the highest. None if the items aren't numbers."""
        edges = self.axes[0].edges if len(self.axes) == 1 else None
        return None if edges is None else np.array(edges)

    @property
    def centres(self) -> NDArray[np.float64]:
        """A number for each item: the middle of its bin (an open bin stands at its finite edge), or its place on a scale."""
        if not self.ordered:
            raise DomainError(
                "These items have no order. Make an ordered domain with Domain.numbers(18, 100, bins=41) or Domain.scale(1, 5)."
            )
        return self.axes[0].centres

    @property
    def closed(self) -> tuple[bool, bool]:
        """Whether the lowest bin of numbers has a lower end, and the highest an upper end."""
        edges = self.edges
        return (True, True) if edges is None else (math.isfinite(edges[0]), math.isfinite(edges[-1]))

    def beyond(self, values: ArrayLike) -> tuple[int, int]:
        """How many numbers are clipped: those below the lower end, and those above the upper one."""
        axis = self.axes[0]
        numbers = numbers_of(values) if len(self.axes) == 1 and axis.edges is not None else None
        return (0, 0) if numbers is None or axis.edges is None else beyond(numbers, axis.edges)

    def between(self, low: float, high: float) -> list[Item]:
        """The items that have numbers from `low` to `high`, for example to name a sensitive range.

        >>> Domain.numbers(0, 100, bins=10).between(15, 30)
        ['10 to under 20', '20 to under 30', '30 to under 40']
        """
        if not self.ordered:
            raise DomainError("These items have no order, so nothing lies between two of them. List the items.")
        if not low <= high:
            raise DomainError(f"The range runs from {low!r} to {high!r}. Give the smaller end first.")
        edges, centres = self.edges, self.centres
        starts, ends = (centres, centres) if edges is None else (edges[:-1], edges[1:])
        last = np.arange(self.size) == self.size - 1
        inside = (starts <= high) & ((ends > low) | ((edges is None or last) & (ends >= low)))
        if not inside.any():
            raise DomainError(f"The range from {low!r} to {high!r} contains no items. They run from {starts[0]:g} to {ends[-1]:g}.")
        return self.decode(np.flatnonzero(inside))

    def item(self, code: int) -> Item:
        """The item of a code."""
        if not 0 <= code < self.size:
            raise DomainError(f"{code!r} isn't a code of this domain. Give codes from 0 to {self.size - 1}.")
        if len(self.axes) == 1:
            return self.axes[0].labels[code]
        positions = np.unravel_index(code, self.shape)
        return tuple(axis.labels[int(position)] for axis, position in zip(self.axes, positions, strict=True))

    def code(self, item: Any) -> int:
        """The code of one item."""
        return code_of(self.axes, item)

    def encode(self, values: ArrayLike | Iterable[Any] | Mapping[str, Iterable[Any]]) -> NDArray[Any]:
        """Codes of many items: labels, or codes (integers, if the items aren't integers themselves).

        A product domain also takes a mapping from axis name to a column of labels, or a data frame with these columns.
        """
        return encoded(self.axes, values)

    def locate(self, **coordinates: ArrayLike) -> Codes:
        """Codes of the cells of a grid that contain the given points (the upper bound belongs to the last cell)."""
        return located(self.axes, coordinates)

    def decode(self, codes: ArrayLike) -> list[Item]:
        """The items of many codes."""
        array = np.asarray(codes)
        checked = checked_codes(array if array.size else array.astype(np.int64), self.size)
        if len(self.axes) == 1:
            return [self.axes[0].labels[code] for code in checked.tolist()]
        return [self.item(code) for code in checked.tolist()]

    def indicator(self, items: Iterable[Item]) -> NDArray[np.bool_]:
        """A mask over the codes: which items are among `items`, given as labels. A string that is an item counts as one item."""
        if not isinstance(items, Iterable):
            raise DomainError(f"{items!r} isn't a list of items. Give a list.")
        chosen = [items] if isinstance(items, str) and items in self else list(items)
        codes = [self.code(item) for item in chosen]
        if len(set(codes)) < len(codes):
            raise DomainError(f"An item is named twice in {listed(chosen)}. Name each item once.")
        mask = np.zeros(self.size, dtype=np.bool_)
        mask[codes] = True
        return mask


def _axis(labels: Iterable[Item], name: str) -> Axis:
    """An axis of a product."""
    if isinstance(labels, Domain):
        if len(labels.axes) > 1:
            raise DomainError(f"Axis {name!r} is itself a product. Give its axes one by one.")
        return replace(labels.axes[0], name=name)
    return Axis(labels if isinstance(labels, range) else tuple(labels), name)


def _scale_labels(first: Any, last: Any) -> Sequence[Item]:
    if last is None and isinstance(first, Iterable) and not isinstance(first, (str, Mapping)):
        return tuple(first)
    if any(isinstance(end, bool) or not isinstance(end, (int, np.integer)) for end in (first, last)):
        raise DomainError(f"The scale runs from {first!r} to {last!r}. Give two whole numbers, or a list of labels in their order.")
    return tuple(range(int(first), int(last) + 1))
