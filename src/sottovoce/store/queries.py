"""Reads within one transaction: tallies, reports, and a check of one against the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from sqlalchemy import Connection, delete, insert, select

from sottovoce.arrays import Counts
from sottovoce.mechanisms import Population
from sottovoce.reports import PopulationReports, Reports
from sottovoce.store import schema
from sottovoce.store.arrivals import rows_of
from sottovoce.store.entries import Entry
from sottovoce.store.packing import unpacked, width_of
from sottovoce.tallies import Tally

#: Chunks that are read at a time, of a megabyte each at most.
_CHUNKS = 16


def counted(connection: Connection, entry: Entry) -> Tally:
    """The tally from stored counts of the chunks, plus the few pending reports, which are counted now."""
    pending = Tally(entry.study.mechanism)
    for level, reports in _pending(connection, entry):
        pending = pending.add(whole(entry, level, reports))
    return Tally.from_counts(entry.study.mechanism, _sums(connection, entry)) + pending


def with_reports(connection: Connection, entry: Entry) -> Tally:
    """The tally with its reports, for methods of the likelihood."""
    tally = Tally(entry.study.mechanism, keep_reports=True)
    for level, part in reports(connection, entry):
        tally = tally.add(whole(entry, level, part))
    return tally


def reports(connection: Connection, entry: Entry) -> Iterator[tuple[str, Reports]]:
    """All reports with their level: the chunks in the order of their random keys, then the pending ones."""
    yield from _chunks(connection, entry)
    yield from _pending(connection, entry)


def keys(connection: Connection, entry: Entry) -> dict[str, list[int]]:
    """The keys of the chunks of each level, in order. A chunk never changes."""
    table = schema.chunks
    return {
        level: list(
            connection.execute(
                select(table.c.key).where(table.c.study == entry.key, table.c.level == level).order_by(table.c.key)
            ).scalars()
        )
        for level in entry.study.blocks
    }


def chunks(connection: Connection, entry: Entry, level: str, those: Sequence[int]) -> Iterator[Reports]:
    """The reports of some chunks of a level."""
    table = schema.chunks
    lane = (table.c.study == entry.key) & (table.c.level == level)
    for begin in range(0, len(those), _CHUNKS):
        chosen = lane & table.c.key.in_(those[begin : begin + _CHUNKS])
        found = connection.execute(select(table.c.records).where(chosen).order_by(table.c.key)).scalars()
        yield _read(entry, level, b"".join(found))


def _chunks(connection: Connection, entry: Entry) -> Iterator[tuple[str, Reports]]:
    for level, those in keys(connection, entry).items():
        for part in chunks(connection, entry, level, those):
            yield level, part


def _pending(connection: Connection, entry: Entry) -> Iterator[tuple[str, Reports]]:
    table = schema.pending
    for row in connection.execute(select(table.c.level, table.c.records).where(table.c.study == entry.key)).all():
        for level, own in unpacked(entry, row.level, rows_of(row.records, width_of(entry, row.level))):
            yield level, _read(entry, level, own.tobytes())


def _read(entry: Entry, level: str, records: bytes) -> Reports:
    return entry.study.blocks[level].channel.reports_from_bytes(records)


def whole(entry: Entry, level: str, part: Reports) -> Reports:
    """Reports of one level as reports of the study."""
    mechanism = entry.study.mechanism
    if not isinstance(mechanism, Population):
        return part
    nothing = {name: each.channel.reports_from_bytes(b"") for name, each in mechanism.groups.items()}
    return PopulationReports(np.full(len(part), mechanism.names.index(level), dtype=np.uint8), mechanism.names, nothing | {level: part})


def _sums(connection: Connection, entry: Entry) -> dict[str, tuple[int, Counts]]:
    """The stored counts of each level, summed over their parts."""
    table, sums = schema.tallies, dict[str, tuple[int, Counts]]()
    for level, each in entry.study.blocks.items():
        sums[level] = (0, np.zeros(each.channel.statistic.length, dtype=np.int64))
    for row in connection.execute(select(table.c.level, table.c.n, table.c.counts).where(table.c.study == entry.key)).all():
        n, counts = sums[row.level]
        sums[row.level] = (n + row.n, counts + np.frombuffer(row.counts, dtype="<i8"))
    return sums


def recounted(connection: Connection, entry: Entry) -> tuple[int, list[str]]:
    """Count the chunks' reports again, and list where the stored counts differ."""
    tally = _of_chunks(connection, entry)
    sums, wrong = _sums(connection, entry), []
    for block in tally.blocks:
        n, counts = sums[block.name]
        if n != block.n or not np.array_equal(counts, block.counts):
            named = f"level {block.name!r}: " if block.name else ""
            wrong.append(
                f"{named}the tally says {n:,} reports, the chunks hold {block.n:,}" + ("" if n != block.n else ", with other counts")
            )
    return tally.n + sum(len(part) for _, part in _pending(connection, entry)), wrong


def rebuild(connection: Connection, entry: Entry) -> None:
    """Replace the stored counts by those of the chunks."""
    tally = _of_chunks(connection, entry)
    connection.execute(delete(schema.tallies).where(schema.tallies.c.study == entry.key))
    for block in tally.blocks:
        row = {"study": entry.key, "level": block.name, "part": 0, "n": block.n, "counts": block.counts.astype("<i8").tobytes()}
        connection.execute(insert(schema.tallies), row)


def _of_chunks(connection: Connection, entry: Entry) -> Tally:
    tally = Tally(entry.study.mechanism)
    for level, part in _chunks(connection, entry):
        tally = tally.add(whole(entry, level, part))
    return tally
