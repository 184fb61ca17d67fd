"""How the newest reports of a study are kept until they are many enough for a chunk.

Those of a level wait together. A questionnaire has many forms, of which a group of reports has a few each, so all forms wait together: in
a record of equal length stand the number of the form and its report.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from sottovoce.store.arrivals import Bytes
from sottovoce.store.entries import Entry

#: The level under which the reports of all forms wait. No form has this name.
_TOGETHER = ""


def width_of(entry: Entry, level: str) -> int:
    """The bytes of a record that waits under a level."""
    packed = entry.study.of_several_questions and level == _TOGETHER
    return 1 + max(entry.widths.values()) if packed else entry.widths[level]


def packed(entry: Entry, parts: Mapping[str, Bytes]) -> Iterator[tuple[str, Bytes]]:
    """The levels under which reports wait, and the records that are added there, from the records of each level or form."""
    if not entry.study.of_several_questions:
        yield from ((level, parts[level]) for level in sorted(parts) if len(parts[level]))
        return
    width, found = width_of(entry, _TOGETHER), list[Bytes]()
    for number, form in enumerate(entry.widths):
        rows = parts.get(form)
        if rows is not None and len(rows):
            whole = np.zeros((len(rows), width), dtype=np.uint8)
            whole[:, 0] = number
            whole[:, 1 : 1 + rows.shape[1]] = rows
            found.append(whole)
    if found:
        yield _TOGETHER, np.concatenate(found)


def packed_one(entry: Entry, level: str, record: bytes) -> tuple[str, bytes]:
    """The same for a single report."""
    if not entry.study.of_several_questions:
        return level, record
    return _TOGETHER, bytes([list(entry.widths).index(level)]) + record.ljust(width_of(entry, _TOGETHER) - 1, b"\0")


def unpacked(entry: Entry, level: str, rows: Bytes) -> Iterator[tuple[str, Bytes]]:
    """The records of each level or form, in the order in which they wait."""
    if not entry.study.of_several_questions:
        yield level, rows
        return
    for number, (form, width) in enumerate(entry.widths.items()):
        own = rows[rows[:, 0] == number]
        if len(own):
            yield form, np.ascontiguousarray(own[:, 1 : 1 + width])
