"""How a study's newest reports are kept until there are enough of them for a chunk.

The reports of a level wait together. A questionnaire has many forms, and a batch of reports has only a few of each, so all forms wait
together: records of equal length contain the number of the form and its report.
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
    """Pack the records of each level or form: the levels under which they wait, and the records to add there."""
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
    """Pack a single report, as `packed` does."""
    if not entry.study.of_several_questions:
        return level, record
    return _TOGETHER, bytes([list(entry.widths).index(level)]) + record.ljust(width_of(entry, _TOGETHER) - 1, b"\0")


def unpacked(entry: Entry, level: str, rows: Bytes) -> Iterator[tuple[str, Bytes]]:
    """Unpack the records of each level or form, in the order in which they wait."""
    if not entry.study.of_several_questions:
        yield level, rows
        return
    for number, (form, width) in enumerate(entry.widths.items()):
        own = rows[rows[:, 0] == number]
        if len(own):
            yield form, np.ascontiguousarray(own[:, 1 : 1 + width])
