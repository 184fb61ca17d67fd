"""Rows of files of answers in batches: columns of bytes, whatever the file's format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sottovoce.later import pa

#: Rows that are worked on at a time.
ROWS = 1 << 18
#: What stands for a key that a row of JSON does not have.
MISSING = b"\x00"


@dataclass(frozen=True)
class Batch:
    """Some rows: binary columns by name, and where each row is in the file."""

    columns: Mapping[str, pa.Array]
    where: Callable[[int], str]


def row_place(where: str, numbers: Sequence[int], row: int) -> str:
    """The place of a row, such as "answers.json, element 3", from the numbers of all rows of a batch."""
    return f"{where} {numbers[row]}"


#: From the columns that there are to those that are wanted.
Choice = Callable[[Sequence[str]], Sequence[str]]


def as_bytes(value: Any) -> bytes | None:
    """Write a JSON value as a text file would have it. A list has the labels of an item's axes."""
    if isinstance(value, list):
        return " / ".join(map(str, value)).encode("utf-8", "backslashreplace")
    if isinstance(value, bool):
        return b"true" if value else b"false"
    return value if value is None or isinstance(value, bytes) else str(value).encode("utf-8", "backslashreplace")
