"""A mapping that stays as it was made."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any, TypeVar

Value = TypeVar("Value")


class FrozenMap(Mapping[Hashable, Value]):
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
