"""Loops over the bytes of reports."""

from __future__ import annotations

from sottovoce.loops import loop


def pad_columns(records, padded):
    """What `pad_records` does, for few rows: all of them at once."""
    padded[:, : records.shape[1]], padded[:, records.shape[1] :] = records, 0


@loop(lambda records, padded: padded.size // 64, plain=pad_columns)
def pad_records(records, padded):
    """Copy rows of bytes into longer rows, and fill these up with zeros."""
    width = records.shape[1]
    for i in range(len(records)):
        source, target = records[i], padded[i]
        for j in range(width):
            target[j] = source[j]
        for j in range(width, len(target)):
            target[j] = 0


@loop(lambda data, starts, rows, records: records.size)
def pick_records(data, starts, rows, records):
    """Copy the records that begin at some of the starts."""
    width = records.shape[1]
    for i in range(len(rows)):
        start = starts[rows[i]]
        source, target = data[start : start + width], records[i]
        for j in range(width):
            target[j] = source[j]


@loop(lambda data, widths, levels, starts: 2 * len(levels))
def walk_records(data, widths, levels, starts):
    """Go through records that follow one another, each behind the number of its level; notes levels, and where the records start.

    Returns how many there are, and the place at which the walk ended: before the end where no record begins.
    """
    count, place = 0, 0
    while place < len(data):
        level = data[place]
        if level >= len(widths) or place + 1 + widths[level] > len(data):
            break
        levels[count], starts[count] = level, place + 1
        place += 1 + widths[level]
        count += 1
    return count, place
