"""Loops over the bytes of reports."""

from __future__ import annotations

from sottovoce.loops import loop


def pad_columns(records, padded):
    """The same as `pad_records`, faster for few rows."""
    padded[:, : records.shape[1]], padded[:, records.shape[1] :] = records, 0


@loop(lambda records, padded: padded.size // 64, plain=pad_columns)
def pad_records(records, padded):
    """Copy rows of bytes into longer rows, padded with zeros."""
    width = records.shape[1]
    for i in range(len(records)):
        source, target = records[i], padded[i]
        for j in range(width):
            target[j] = source[j]
        for j in range(width, len(target)):
            target[j] = 0


@loop(lambda data, starts, rows, records: records.size)
def pick_records(data, starts, rows, records):
    """Copy the records at the given starts."""
    width = records.shape[1]
    for i in range(len(rows)):
        start = starts[rows[i]]
        source, target = data[start : start + width], records[i]
        for j in range(width):
            target[j] = source[j]


@loop(lambda data, widths, levels, starts: 2 * len(levels))
def walk_records(data, widths, levels, starts):
    """Walk through consecutive records, each after the number of its level. Writes the levels, and where the records start.

    Returns how many there are and where the walk ended, which is before the end of the bytes if no valid record begins there.
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
