"""Objects and mappings that stay as they were made."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import FrozenInstanceError
from typing import Any, ClassVar, TypeVar

Value = TypeVar("Value")


class Frozen:
    """A dataclass whose constructor sets each field once, by plain assignment. After that, nothing can change it.

    >>> from dataclasses import dataclass
    >>> @dataclass(unsafe_hash=True)
    ... class Point(Frozen):
    ...     x: float
    ...     def __init__(self, x: float) -> None:
    ...         self.x = float(x)
    >>> Point(1).x = 2
    Traceback (most recent call last):
        ...
    dataclasses.FrozenInstanceError: cannot assign to field 'x'
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __setattr__(self, name: str, value: object) -> None:
        if name in self.__dict__ or name not in self.__dataclass_fields__:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")


class FrozenMap(Mapping[Any, Value]):
    """A read-only copy of a mapping, equal to any mapping with the same entries.

    >>> FrozenMap({"hiv": 0.1}) == {"hiv": 0.1}
    True
    """

    __slots__ = ("_entries",)

    def __init__(self, entries: Mapping[Any, Value]) -> None:
        self._entries = dict(entries)

    def __getitem__(self, key: Hashable) -> Value:
        return self._entries[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __hash__(self) -> int:
        return hash(frozenset(self._entries.items()))

    def __repr__(self) -> str:
        return repr(self._entries)
