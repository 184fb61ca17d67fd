"""Loops over the bytes of CSV files."""

from __future__ import annotations

import numpy as np

from sottovoce.loops import loop

_QUOTE, _NEWLINE, _RETURN = 34, 10, 13


@loop(lambda data, *_: len(data) // 2)
def rows(data, delimiter, starts):
    """Find where rows begin, and whether the last one is complete. A quote opens a field only at its start, and "" inside it is one quote.

    Fills `starts` with the offset of the first byte of each row (as many as fit). Returns the number of rows, the end of the last complete
    row, the line breaks inside rows, the offset of a quote that is still open (−1 if none), and that of a carriage return within a line.
    """
    count, end, inner, opened, stray = 0, 0, 0, -1, -1
    fresh, start, place, size = True, 0, 0, len(data)
    while place < size:
        byte = data[place]
        if opened >= 0:
            if byte == _QUOTE:
                if place + 1 < size and data[place + 1] == _QUOTE:
                    place += 1
                else:
                    opened = -1
            elif byte == _NEWLINE:
                inner += 1
        elif byte == _QUOTE and fresh:
            opened = place
            fresh = False
        elif byte == _NEWLINE:
            if count < len(starts):
                starts[count] = start
            count += 1
            start = end = place + 1
            fresh = True
        else:
            if byte == _RETURN and stray < 0 and place + 1 < size and data[place + 1] != _NEWLINE:
                stray = place
            fresh = byte == delimiter
        place += 1
    return count, end, inner, opened, stray


def row_lines(data: bytes, delimiter: str) -> np.ndarray:
    """The line of the data on which each row begins, counted from 0."""
    view = np.frombuffer(data, dtype=np.uint8)
    breaks = np.flatnonzero(view == _NEWLINE)
    starts = np.zeros(len(breaks), dtype=np.int64)
    count = rows(view, ord(delimiter), starts)[0]
    return np.searchsorted(breaks, starts[:count])
