"""Domains: the items that an answer can be, and their integer codes."""

from __future__ import annotations

import difflib
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sottovoce.errors import DomainError

__all__ = ["Domain"]

Item = Hashable
Codes = NDArray[np.int64]


def _listed(items: Iterable[Any], most: int = 3) -> str:
    shown = [repr(item) for item in items]
    return ", ".join(shown[:most]) + (f" and {len(shown) - most} more" if len(shown) > most else "")


@dataclass(frozen=True)
class Axis:
    """One attribute of an item: its labels in order, and for a grid the interval that they cut into equal cells."""

    labels: Sequence[Item]
    name: str | None = None
    bounds: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        where = f"axis {self.name!r}" if self.name else "the domain"
        if len(self.labels) == 0:
            raise DomainError(f"{where} has no items; give at least two")
        if isinstance(self.labels, range):
            return
        if empty := [position for position, label in enumerate(self.labels) if label is None or label == "" or label != label]:  # noqa: PLR0124 - NaN
            raise DomainError(f"{where} has an empty item at position {empty[0]}; every item needs a label")
        try:
            distinct = len(set(self.labels))
        except TypeError:
            raise DomainError(f"{where} has an item that cannot be a label; use strings, numbers or tuples of them") from None
        if distinct < len(self.labels):
            repeated = [label for label, times in Counter(self.labels).items() if times > 1]
            raise DomainError(f"{where} lists {_listed(repeated)} more than once; every item must appear once")

    @cached_property
    def index(self) -> Mapping[Item, int]:
        return {label: code for code, label in enumerate(self.labels)}

    @cached_property
    def integers(self) -> bool:
        """Whether the labels are themselves integers, in which case an integer is read as a label."""
        return isinstance(self.labels, range) or any(isinstance(label, (int, np.integer)) for label in self.labels)

    def code(self, label: Item) -> int:
        try:
            return self.labels.index(label) if isinstance(self.labels, range) else self.index[label]  # type: ignore[arg-type]  # a range refuses
        except (KeyError, ValueError, TypeError):
            raise self._unknown([label]) from None

    def codes(self, labels: Iterable[Any]) -> Codes:
        if isinstance(self.labels, range):
            return self._range_codes(labels)
        if isinstance(labels, np.ndarray):
            labels = labels.tolist()
        labels = labels if isinstance(labels, Sequence) else list(labels)
        try:
            return np.fromiter(map(self.index.__getitem__, labels), dtype=np.int64, count=len(labels))
        except (KeyError, TypeError):
            raise self._unknown(labels) from None

    def _range_codes(self, labels: Iterable[Any]) -> Codes:
        span = self.labels
        assert isinstance(span, range)
        values = np.asarray(labels if isinstance(labels, (np.ndarray, Sequence)) else list(labels))
        if values.size == 0:
            return np.zeros(0, dtype=np.int64)
        if values.ndim != 1:
            raise DomainError(f"values have the shape {values.shape}; give one value per person")
        if values.dtype.kind not in "iu" or (values.dtype.kind == "u" and int(values.max()) >= 1 << 62):
            raise self._unknown(values.tolist())
        codes, rest = np.divmod(values.astype(np.int64) - span.start, span.step)
        if bool(rest.any()) or int(codes.min()) < 0 or int(codes.max()) >= len(span):
            raise self._unknown(values.tolist())
        return codes

    def _unknown(self, labels: Iterable[Any]) -> DomainError:
        def known(label: Any) -> bool:
            try:
                return label in (self.labels if isinstance(self.labels, range) else self.index)
            except TypeError:
                return False

        listed = list(labels)
        unknown = list(dict.fromkeys(repr(label) for label in listed if not known(label)))
        if not unknown:
            kinds = ", ".join(sorted({type(label).__name__ for label in listed}))
            return DomainError(f"the values are of the type {kinds}; give items of the domain, for example {self.labels[0]!r}")
        hint = ""
        if unknown and not isinstance(self.labels, range):
            texts = {str(label): label for label in self.labels[:10_000]}
            near = difflib.get_close_matches(unknown[0].strip("'\""), texts, n=1)
            hint = f"; did you mean {texts[near[0]]!r}?" if near else f"; the items are {_listed(self.labels, 5)}"
        elif isinstance(self.labels, range):
            hint = f"; the items are the integers {self.labels[0]} to {self.labels[-1]}"
        shown = ", ".join(unknown[:3]) + (f" and {len(unknown) - 3} more" if len(unknown) > 3 else "")
        where = f" of axis {self.name!r}" if self.name else ""
        return DomainError(f"{shown} {'is not an item' if len(unknown) == 1 else 'are not items'}{where}{hint}")


@dataclass(frozen=True, init=False)
class Domain:
    """An ordered set of K items. Item k has the code k; a product domain counts its last axis fastest.

    >>> domain = Domain(["flu", "cold", "none"])
    >>> domain.encode(["none", "flu"]).tolist(), domain.decode([1])
    ([2, 0], ['cold'])
    >>> Domain.product(sex=["f", "m"], age=["young", "old"]).decode([3])
    [('m', 'old')]
    """

    axes: tuple[Axis, ...]
    size: int = field(compare=False)

    def __init__(self, items: Iterable[Item] | int) -> None:
        if isinstance(items, (int, np.integer)) and not isinstance(items, bool):
            items = range(int(items))
        if isinstance(items, Mapping) or not isinstance(items, Iterable):
            raise DomainError(f"a domain is made from a list of items or their number, not from {items!r}")
        self._set((Axis(items if isinstance(items, range) else tuple(items)),))
        if self.size == 1:
            raise DomainError(f"the domain has the single item {self.axes[0].labels[0]!r}; give at least two: one is no question")

    def _set(self, axes: tuple[Axis, ...]) -> None:
        object.__setattr__(self, "axes", axes)
        object.__setattr__(self, "size", math.prod(len(axis.labels) for axis in axes))

    @classmethod
    def _of(cls, *axes: Axis) -> Domain:
        domain = cls.__new__(cls)
        domain._set(axes)
        return domain

    @classmethod
    def product(cls, **axes: Iterable[Item]) -> Domain:
        """All combinations of the axes' items; an item is the tuple of its axes' labels, in the order given."""
        if not axes or not all(isinstance(labels, Iterable) for labels in axes.values()):
            raise DomainError("a product domain needs at least one axis, for example Domain.product(sex=['f', 'm'], age=[...])")
        domain = cls._of(*(Axis(labels if isinstance(labels, range) else tuple(labels), name) for name, labels in axes.items()))
        if domain.size == 1:
            raise DomainError("the product domain has a single item; give at least one axis two labels")
        return domain

    @classmethod
    def grid(cls, shape: Sequence[int], **bounds: tuple[float, float]) -> Domain:
        """Equal cells over intervals, one axis each; an item is the tuple of its cell numbers.

        >>> city = Domain.grid((25, 25), latitude=(40.70, 40.80), longitude=(-74.04, -73.92))
        >>> city.decode(city.locate(latitude=[40.75], longitude=[-74.04]))
        [(12, 0)]
        """
        if not isinstance(shape, Sequence) or len(shape) != len(bounds) or not bounds:
            raise DomainError(f"the grid has the shape {shape!r} and {len(bounds)} intervals; give one interval per dimension")
        axes = []
        for cells, (name, (low, high)) in zip(shape, bounds.items(), strict=True):
            if not (isinstance(cells, (int, np.integer)) and cells > 0):
                raise DomainError(f"axis {name!r} has {cells!r} cells; the number of cells is a positive integer")
            if not (math.isfinite(low) and math.isfinite(high) and low < high):
                raise DomainError(f"axis {name!r} runs from {low!r} to {high!r}; the interval must be finite and increasing")
            axes.append(Axis(range(int(cells)), name, (float(low), float(high))))
        domain = cls._of(*axes)
        if domain.size == 1:
            raise DomainError("the grid has a single cell; give it at least two")
        return domain

    def subset(self, items: Iterable[Item]) -> Domain:
        """The part of this domain made of `items` (one suffices), in this domain's order."""
        return Domain._of(Axis(tuple(self.decode(np.flatnonzero(self.indicator(items))))))

    def margin(self, names: Sequence[str]) -> tuple[Domain, Codes]:
        """The product of some of the axes, in this domain's order, and for each item of this domain the code of the item it's part of."""
        known = [axis.name for axis in self.axes]
        if None in known:
            raise DomainError("this domain isn't a product, so it has no margins; make one with Domain.product(age=[...], sex=[...])")
        if wrong := [name for name in names if name not in known]:
            raise DomainError(f"{wrong[0]!r} isn't an axis; the axes are {_listed(known, 9)}")
        if not names or len(set(names)) < len(names):
            raise DomainError(f"a margin is over one axis or several, each named once; the axes are {_listed(known, 9)}")
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

    def item(self, code: int) -> Item:
        """The item of a code."""
        if not 0 <= code < self.size:
            raise DomainError(f"{code!r} is not a code of this domain; codes run from 0 to {self.size - 1}")
        if len(self.axes) == 1:
            return self.axes[0].labels[code]
        positions = np.unravel_index(code, self.shape)
        return tuple(axis.labels[int(position)] for axis, position in zip(self.axes, positions, strict=True))

    def code(self, item: Any) -> int:
        """The code of one item."""
        if len(self.axes) == 1:
            return self.axes[0].code(item)
        if not (isinstance(item, tuple) and len(item) == len(self.axes)):
            raise DomainError(f"{item!r} is not an item; items of this domain are tuples ({', '.join(str(a.name) for a in self.axes)})")
        return int(np.ravel_multi_index([axis.code(label) for axis, label in zip(self.axes, item, strict=True)], self.shape))

    def encode(self, values: ArrayLike | Iterable[Any] | Mapping[str, Iterable[Any]]) -> NDArray[Any]:
        """Codes of many items: labels, or codes already (integers, where the items are not integers themselves).

        A product domain also takes a mapping from axis name to a column of labels.
        """
        if isinstance(values, Mapping):
            return self._encode_columns(values)
        if (isinstance(values, str) and values in self) or not isinstance(values, Iterable):
            raise DomainError(f"{values!r} is not a list of items; give a list, or use perturb_one for a single answer")
        listed: Any = values.to_pylist() if hasattr(values, "to_pylist") else values
        if not isinstance(listed, (np.ndarray, list, tuple, str)):
            listed = list(listed)
        if self._are_codes(listed):
            return self._checked(np.asarray(listed))
        if len(self.axes) == 1:
            return self.axes[0].codes(listed)
        for row in listed:
            if not isinstance(row, (tuple, list)) or len(row) != len(self.axes):
                self.code(row)  # says what is wrong
        columns = zip(*listed, strict=True) if listed else [()] * len(self.axes)
        per_axis = [axis.codes(column) for axis, column in zip(self.axes, columns, strict=True)]
        return np.ravel_multi_index(per_axis, self.shape).astype(np.int64)

    def _are_codes(self, values: Any) -> bool:
        """Whether values are codes: integers, unless integers are labels that differ from their codes."""
        if len(self.axes) == 1 and self.axes[0].integers and self.axes[0].labels != range(self.size):
            return False
        if isinstance(values, np.ndarray):
            return values.dtype.kind in "iu"
        return len(values) > 0 and all(isinstance(value, (int, np.integer)) and not isinstance(value, bool) for value in values)

    def _encode_columns(self, columns: Mapping[str, Iterable[Any]]) -> Codes:
        names = [axis.name for axis in self.axes]
        if set(columns) != set(names):
            raise DomainError(f"the columns are {_listed(columns, 9)}; this domain has the axes {_listed(names, 9)}")
        per_axis = [axis.codes(columns[str(axis.name)]) for axis in self.axes]
        if len({len(codes) for codes in per_axis}) > 1:
            raise DomainError("the columns differ in length; give each person a label on every axis")
        return np.ravel_multi_index(per_axis, self.shape).astype(np.int64)

    def locate(self, **coordinates: ArrayLike) -> Codes:
        """Codes of the cells of a grid that contain the given points (the upper bound belongs to the last cell)."""
        names = [axis.name for axis in self.axes]
        if any(axis.bounds is None for axis in self.axes) or set(coordinates) != set(names):
            raise DomainError(f"locate needs a grid and a coordinate for each of its axes ({_listed(names, 9)})")
        cells: list[Codes] = []
        for axis in self.axes:
            assert axis.bounds is not None
            assert axis.name is not None
            (low, high), count = axis.bounds, len(axis.labels)
            try:
                values = np.asarray(coordinates[axis.name], dtype=np.float64)
            except (TypeError, ValueError):
                raise DomainError(f"the coordinates on axis {axis.name!r} are not numbers") from None
            if values.ndim != 1 or (cells and len(values) != len(cells[0])):
                raise DomainError("every point needs a coordinate on every axis; give columns of one length")
            outside = ~((values >= low) & (values <= high))
            if outside.any():
                span = f"which runs from {low!r} to {high!r}"
                raise DomainError(
                    f"{axis.name} = {float(values[outside][0])!r} lies outside the grid, {span}; leave it out, or widen the grid"
                )
            cells.append(np.minimum(((values - low) / (high - low) * count).astype(np.int64), count - 1))
        return np.ravel_multi_index(cells, self.shape).astype(np.int64)

    def decode(self, codes: ArrayLike) -> list[Item]:
        """The items of many codes."""
        array = np.asarray(codes)
        checked = self._checked(array if array.size else array.astype(np.int64))
        if len(self.axes) == 1:
            return [self.axes[0].labels[code] for code in checked.tolist()]
        return [self.item(code) for code in checked.tolist()]

    def indicator(self, items: Iterable[Item]) -> NDArray[np.bool_]:
        """A mask over the codes: which items are among `items` (labels; a string that is an item counts as one item)."""
        if not isinstance(items, Iterable):
            raise DomainError(f"{items!r} is not a list of items; give a list")
        chosen = [items] if isinstance(items, str) and items in self else list(items)
        codes = [self.code(item) for item in chosen]
        if len(set(codes)) < len(codes):
            raise DomainError(f"{_listed(chosen)}: an item is named twice; name each item once")
        mask = np.zeros(self.size, dtype=np.bool_)
        mask[codes] = True
        return mask

    def _checked(self, codes: NDArray[Any]) -> NDArray[Any]:
        if codes.ndim != 1:
            raise DomainError(f"values have the shape {codes.shape}; give one value per person")
        if codes.dtype.kind not in "iu":
            raise DomainError(f"codes are {codes.dtype}; codes are integers")
        if codes.size and (codes.max() >= self.size or (codes.dtype.kind == "i" and codes.min() < 0)):
            wrong = codes[(codes < 0) | (codes >= self.size)][0]
            raise DomainError(f"{int(wrong)} is not a code of this domain; codes run from 0 to {self.size - 1}")
        return codes if codes.dtype.isnative else codes.astype(np.int64)
