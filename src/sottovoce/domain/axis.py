"""Axes: one attribute of an item, its labels in order and their codes."""

from __future__ import annotations

import difflib
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.domain.bins import bins_of, centres_of, numbers_of
from sottovoce.domain.columns import is_missing
from sottovoce.errors import DomainError

Item = Hashable
Codes = NDArray[np.int64]


#: The most letters of a value in a message.
_LONGEST = 80


def listed(items: Iterable[Any], most: int = 3) -> str:
    """Some items, as a message shows them."""
    shown = [repr(item) for item in items]
    return ", ".join(shown[:most]) + (f" and {len(shown) - most} more" if len(shown) > most else "")


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


@dataclass(frozen=True)
class Axis:
    """One attribute of an item, with its labels. A grid's have `bounds`, the interval that they cut into equal cells.

    Numbers have the `edges` of their bins, and are `whole` or not. The labels of a `scale` have an order and no edges.
    """

    labels: Sequence[Item]
    name: str | None = None
    bounds: tuple[float, float] | None = None
    edges: tuple[float, ...] | None = None
    scale: bool = False
    whole: bool = False

    def __post_init__(self) -> None:
        where = f"Axis {self.name!r}" if self.name else "The domain"
        if len(self.labels) == 0:
            raise DomainError(f"{where} has no items. Give at least two.")
        if isinstance(self.labels, range):
            return
        if empty := [
            position
            for position, label in enumerate(self.labels)
            if label is None or label == "" or (isinstance(label, float) and math.isnan(label))
        ]:
            raise DomainError(f"{where} has no label at position {empty[0]}. Give it one.")
        try:
            distinct = len(set(self.labels))
        except TypeError:
            raise DomainError(f"{where} has an item that can't be a label. Use strings, numbers or tuples of them.") from None
        if distinct < len(self.labels):
            repeated = [label for label, times in Counter(self.labels).items() if times > 1]
            raise DomainError(f"{where} lists {listed(repeated)} more than once. List each item once.")

    @cached_property
    def index(self) -> Mapping[Item, int]:
        return {label: code for code, label in enumerate(self.labels)}

    @cached_property
    def integers(self) -> bool:
        """Whether an integer is read as a label or as a number, and not as a code."""
        if self.edges is not None or isinstance(self.labels, range):
            return True
        return any(isinstance(label, (int, np.integer)) for label in self.labels)

    @cached_property
    def _digits(self) -> Mapping[int, int]:
        """The codes of labels that are whole numbers written as texts."""
        return {int(label): code for code, label in enumerate(self.labels) if isinstance(label, str) and label.isdecimal()}

    def mistakes(self, codes: Sequence[int]) -> bool:
        """Whether integers that would be read as codes are meant as labels that are texts, and another code would be read."""
        if isinstance(self.labels, range) or not self._digits:
            return False
        given = set(codes)
        return given <= self._digits.keys() and any(self._digits[each] != each for each in given)

    @property
    def ordered(self) -> bool:
        """Whether the labels have an order that means something."""
        return self.scale or self.edges is not None or self.bounds is not None

    @cached_property
    def centres(self) -> NDArray[np.float64]:
        """A number for each label: the middle of a bin or a cell, the value of a whole number on a scale, or its place from 1 on."""
        if self.edges is not None:
            return centres_of(self.edges, whole=self.whole)
        if self.bounds is not None:
            return centres_of(np.linspace(*self.bounds, len(self.labels) + 1).tolist())
        numbered = all(isinstance(label, (int, np.integer)) for label in self.labels)
        return np.array(self.labels if numbered else range(1, len(self.labels) + 1), dtype=np.float64)

    def code(self, label: Item) -> int:
        if self.edges is not None and (numbers := numbers_of([label], self.name)) is not None:
            return int(bins_of(numbers, self.edges)[0])
        try:
            return self.labels.index(label) if isinstance(self.labels, range) else self.index[label]  # type: ignore[arg-type]  # a range refuses
        except (KeyError, ValueError, TypeError):
            raise self._unknown([label]) from None

    def codes(self, values: Iterable[Any]) -> Codes:
        given: Any = values.to_pylist() if hasattr(values, "to_pylist") else values
        labels: Any = given if isinstance(given, (np.ndarray, Sequence)) else list(given)
        if self.edges is not None and (numbers := numbers_of(labels, self.name)) is not None:
            return bins_of(numbers, self.edges)
        if isinstance(self.labels, range):
            return self._range_codes(labels)
        if isinstance(labels, np.ndarray):
            labels = labels.tolist()
        try:
            return np.fromiter(map(self.index.__getitem__, labels), dtype=np.int64, count=len(labels))
        except (KeyError, TypeError):
            if self.edges is None:
                raise self._unknown(labels) from None
            return np.array([self._number(value, place) for place, value in enumerate(labels, start=1)], dtype=np.int64)

    def _number(self, value: Any, place: int) -> int:
        """The code of one of many values that aren't all numbers: some are labels, or something is wrong with one."""
        try:
            return self.code(value)
        except DomainError:
            where = f" on axis {self.name!r}" if self.name else ""
            raise DomainError(
                f"Value {place}{where} is {value!r}, which isn't a number. Give numbers, and leave out missing ones."
            ) from None

    def _range_codes(self, labels: Iterable[Any]) -> Codes:
        span = self.labels
        assert isinstance(span, range)
        values = np.asarray(labels)
        if values.size == 0:
            return np.zeros(0, dtype=np.int64)
        if values.ndim != 1:
            raise DomainError(f"Values have the shape {values.shape}. Give one value per person.")
        if values.dtype.kind == "f" and bool((np.abs(values) < 1 << 53).all()) and bool((values == np.floor(values)).all()):
            values = values.astype(np.int64)  # as data frames have whole numbers of which some were missing
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

        given = [label.item() if isinstance(label, np.generic) else label for label in labels]
        where = f" of axis {self.name!r}" if self.name else ""
        if (missing := sum(is_missing(label) and not known(label) for label in given)) and len(given) > 1:
            said = f"{missing:,} of {len(given):,} answers{where} {'is' if missing == 1 else 'are'} missing"
            return DomainError(f"{said}. Leave them out (dropna() in pandas, drop_nulls() in polars) or give them an item.")
        unknown = list(dict.fromkeys(_cut(repr(label)) for label in given if not known(label)))
        if not unknown:
            kinds = ", ".join(sorted({type(label).__name__ for label in given}))
            return DomainError(f"The values are of the type {kinds}. Give items of the domain, for example {self.labels[0]!r}.")
        if self.edges is not None:
            return DomainError(f"{unknown[0]} isn't a number. Give a number, or a label such as {self.labels[0]!r}.")
        if not isinstance(self.labels, range):
            texts = {str(label): label for label in self.labels[:10_000]}
            near = difflib.get_close_matches(unknown[0].strip("'\""), texts, n=1)
            hint = f"Did you mean {texts[near[0]]!r}?" if near else f"The items are {listed(self.labels, 5)}."
        else:
            hint = f"The items are the integers {self.labels[0]} to {self.labels[-1]}."
        shown = ", ".join(unknown[:3]) + (f" and {len(unknown) - 3} more" if len(unknown) > 3 else "")
        where = f" of axis {self.name!r}" if self.name else ""
        problem = "isn't an item" if len(unknown) == 1 else "aren't items"
        return DomainError(f"{shown} {problem}{where}. {hint}")
