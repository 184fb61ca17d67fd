"""The transaction that takes reports in.

For each study, new identifiers are stored and their reports are shuffled into the newest ones (`pending`). Once there are many, they become
chunks and are added to the tally. Identifiers and reports aren't linked in any way.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from sqlalchemy import Connection, delete, insert, select, text, update

from sottovoce.arrays import Mask
from sottovoce.store import schema
from sottovoce.store.arrivals import ID, OPEN, TICKETS, Arrival, Bytes, Receipt, Refusal, firsts, mixed, rows_of, shuffled
from sottovoce.store.dialects import Dialect
from sottovoce.store.entries import Entry
from sottovoce.store.packing import packed, packed_one, unpacked, width_of

#: Reports, or bytes of them, that are pending before they become a chunk; and the most bytes of a chunk.
_MANY, _LARGE, _MOST = 2048, 1 << 18, 1 << 20
#: Bytes of pending reports that SQLite keeps with their key in one page. To log another page takes longer than most statements.
_IN_A_PAGE = 900
_LANE = "study = :study AND level = :level"


class Recorder:
    """A transaction that takes reports in."""

    def __init__(self, connection: Connection, dialect: Dialect, entries: Callable[[Connection, set[int]], Mapping[int, Entry]]) -> None:
        self._connection, self._dialect, self._entries = connection, dialect, entries

    def write(self, arrivals: Sequence[Arrival]) -> list[Receipt | Refusal]:
        """Count arrivals. Each is accepted or refused as a whole."""
        outcomes: list[Receipt | Refusal] = [Refusal.GONE] * len(arrivals)
        if not any(arrival.count for arrival in arrivals):  # a check whether reports can be written: write all the same
            self._connection.execute(_TOUCH)
        groups: dict[int, list[int]] = {}
        entries = self._entries(self._connection, {arrival.study for arrival in arrivals})
        for place, arrival in enumerate(arrivals):
            if arrival.study in entries and entries[arrival.study].fingerprint == arrival.fingerprint:
                groups.setdefault(arrival.study, []).append(place)
        for key in sorted(groups):  # always in the same order, so that two writers never wait for each other
            for place, outcome in zip(groups[key], self._study(entries[key], [arrivals[place] for place in groups[key]]), strict=True):
                outcomes[place] = outcome
        return outcomes

    def _study(self, entry: Entry, arrivals: Sequence[Arrival]) -> list[Receipt | Refusal]:
        if entry.state != OPEN:
            known = self._known(entry, arrivals)
            refused = {place: Refusal.CLOSED for place, arrival in enumerate(arrivals) if not _ids(arrival) <= known}
        elif entry.respondents == TICKETS:
            refused = self._tickets(entry, arrivals)
        elif len(arrivals) == arrivals[0].count == 1:
            return [self._lone(entry, arrivals[0])]
        else:
            refused = {}
        taken = [arrival for place, arrival in enumerate(arrivals) if place not in refused]
        fresh = self._counted_first(entry.key, _joined(taken))
        receipts, parts = _sorted_out(taken, fresh)
        for level, rows in packed(entry, parts):
            self._put(entry, level, rows.tobytes(), rows.shape[1])
        answers = iter(receipts)
        return [refused.get(place) or next(answers) for place in range(len(arrivals))]

    def _lone(self, entry: Entry, arrival: Arrival) -> Receipt:
        """Count a report that came alone, as `write` does, without the work that only several need."""
        ((level, lane),) = arrival.lanes.items()
        if self._dialect.keep(self._connection, entry.key, lane.ids):
            return Receipt(0, 1)
        waiting, record = packed_one(entry, level, lane.records)
        if self._dialect.shared:
            self._put(entry, waiting, record, len(record))
        else:
            self._put_one(entry, waiting, record)
        return Receipt(1, 0)

    def _counted_first(self, study: int, ids: Bytes) -> Mask:
        """Store identifiers, and return which are new (of equal ones, the first)."""
        order, fresh = firsts(ids)
        wanted = order[fresh[order]]
        if len(wanted):
            fresh[wanted[self._dialect.keep(self._connection, study, ids[wanted].tobytes())]] = False
        return fresh

    def _tickets(self, entry: Entry, arrivals: Sequence[Arrival]) -> dict[int, Refusal]:
        """Use up the tickets of arrivals that bring something new, and return which arrivals are refused.

        A retry is acknowledged although its ticket is used up, because its identifiers are known. A used ticket is deleted, so that nothing
        could link it to a report.
        """
        table = schema.tickets
        offered = {arrival.ticket for arrival in arrivals if arrival.ticket is not None}
        chosen = select(table.c.hash).where(table.c.study == entry.key, table.c.hash.in_(offered)).with_for_update()
        valid = set(self._connection.execute(chosen.order_by(table.c.hash)).scalars())
        known = self._known(entry, arrivals)  # after the tickets: another transaction with one of them has committed by now
        refused, used = dict[int, Refusal](), list[bytes]()
        for place, arrival in enumerate(arrivals):
            own = _ids(arrival)
            if own <= known:
                continue
            if arrival.count > entry.study.reports:
                refused[place] = Refusal.TOO_MANY
            elif arrival.ticket is None:
                refused[place] = Refusal.NO_TICKET
            elif arrival.ticket not in valid:
                refused[place] = Refusal.BAD_TICKET
            else:
                valid.discard(arrival.ticket)
                used.append(arrival.ticket)
                known |= own
        if used:
            self._connection.execute(delete(table).where(table.c.study == entry.key, table.c.hash.in_(used)))
        return refused

    def _known(self, entry: Entry, arrivals: Sequence[Arrival]) -> set[bytes]:
        """The identifiers of arrivals that were counted before."""
        ids = _joined(arrivals)
        return {ids[row].tobytes() for row in self._dialect.known(self._connection, entry.key, ids.tobytes())}

    def _put(self, entry: Entry, level: str, records: bytes, width: int) -> None:
        """Shuffle records into the pending ones of a free part, and turn these into chunks when there are many."""
        lane = {"study": entry.key, "level": level}
        found = self._dialect.rows(self._connection, self._dialect.free, lane)
        part, kept = found[0] if found else (secrets.randbelow(1 << 31), b"")
        together = mixed(kept, records, width)
        if len(together) >= min(_LARGE, _MANY * width):
            self._seal_all(entry, level, part, together, width)
            together = b""
        statement = _PENDING if found else _NEW_PENDING
        self._dialect.rows(self._connection, statement, lane | {"part": part, "records": together})

    def _put_one(self, entry: Entry, level: str, record: bytes) -> None:
        """Put a record into a random place of a random part. The parts are small enough to fit into a page.

        When one is full, all are turned into chunks. Only for a database with a single writer, which can use all parts.
        """
        size = min(_LARGE, _MANY * len(record))
        place = {"study": entry.key, "level": level, "part": secrets.randbelow(-(-size // _IN_A_PAGE))}
        found = self._dialect.rows(self._connection, _ONE_PART, place)
        together = mixed(found[0][0] if found else b"", record, len(record))
        self._dialect.rows(self._connection, _PENDING if found else _NEW_PENDING, place | {"records": together})
        if len(together) > _IN_A_PAGE:
            parts = self._dialect.rows(self._connection, _ALL_PARTS, place)
            if 2 * sum([length for _, length in parts]) >= size:
                self._seal_lane(entry, level)

    def seal(self, entry: Entry) -> None:
        """Turn all pending reports of a study into chunks."""
        table = schema.pending
        for level in self._connection.execute(select(table.c.level).where(table.c.study == entry.key).distinct()).scalars().all():
            self._seal_lane(entry, level)

    def _seal_lane(self, entry: Entry, level: str) -> None:
        """Turn everything that waits under a level into chunks. This transaction must have locked all of its parts."""
        table = schema.pending
        own = (table.c.study == entry.key) & (table.c.level == level)
        parts = self._connection.execute(select(table.c.part, table.c.records).where(own)).all()
        if records := b"".join([each.records for each in parts]):
            self._seal_all(entry, level, parts[0].part, records, width_of(entry, level))
            self._connection.execute(update(table).where(own).values(records=b""))

    def _seal_all(self, entry: Entry, level: str, part: int, records: bytes, width: int) -> None:
        """Turn everything in a row into chunks, each of one level or form."""
        for name, own in unpacked(entry, level, shuffled(rows_of(records, width))):
            self._seal(entry, name, part, own)

    def _seal(self, entry: Entry, level: str, part: int, records: Bytes) -> None:
        """Turn reports into chunks and add them to the tally of their part, which no one else writes to while its pending row is locked."""
        channel = entry.study.blocks[level].channel
        counts = channel.statistic.count(channel.reports_from_bytes(records.tobytes()))
        size = max(1, _MOST // records.shape[1])
        for begin in range(0, len(records), size):
            chunk = {
                "study": entry.key,
                "level": level,
                "key": secrets.randbelow(1 << 63),
                "records": records[begin : begin + size].tobytes(),
            }
            self._connection.execute(insert(schema.chunks), chunk)
        place = {"study": entry.key, "level": level, "part": part}
        row = self._connection.execute(_TALLY, place).one_or_none()
        n = len(records) + (0 if row is None else row.n)
        counts = counts if row is None else counts + np.frombuffer(row.counts, dtype="<i8")
        self._connection.execute(_NEW_COUNTS if row is None else _COUNTS, place | {"n": n, "counts": counts.astype("<i8").tobytes()})


def _joined(arrivals: Sequence[Arrival]) -> Bytes:
    """The identifiers of arrivals, one after the other."""
    return rows_of(b"".join([lane.ids for arrival in arrivals for lane in arrival.lanes.values()]), ID)


def _ids(arrival: Arrival) -> set[bytes]:
    return {each.tobytes() for each in _joined([arrival])}


def _sorted_out(arrivals: Sequence[Arrival], fresh: Mask) -> tuple[list[Receipt], dict[str, Bytes]]:
    """The receipt of each arrival, and the records of each level to count."""
    parts = dict[str, list[bytes]]()
    if fresh.all():
        widths = {level: len(lane.records) * ID // len(lane.ids) for arrival in arrivals for level, lane in arrival.lanes.items()}
        for arrival in arrivals:
            for level, lane in arrival.lanes.items():
                parts.setdefault(level, []).append(lane.records)
        return [Receipt(arrival.count, 0) for arrival in arrivals], {
            level: rows_of(b"".join(each), widths[level]) for level, each in parts.items()
        }
    chosen, receipts, begin = dict[str, list[Bytes]](), list[Receipt](), 0
    for arrival in arrivals:
        accepted = 0
        for level, lane in arrival.lanes.items():
            own = fresh[begin : begin + len(lane.ids) // ID]
            chosen.setdefault(level, []).append(rows_of(lane.records, len(lane.records) // len(own))[own])
            accepted += int(np.count_nonzero(own))
            begin += len(own)
        receipts.append(Receipt(accepted, arrival.count - accepted))
    return receipts, {level: np.concatenate(each) for level, each in chosen.items()}


_TOUCH = text("UPDATE migrations SET number = number WHERE number = 1")
_ONE_PART = text(f"SELECT records FROM pending WHERE {_LANE} AND part = :part")
_ALL_PARTS = text(f"SELECT part, length(records) FROM pending WHERE {_LANE}")
_NEW_PENDING = text("INSERT INTO pending (study, level, part, records) VALUES (:study, :level, :part, :records)")
_PENDING = text(f"UPDATE pending SET records = :records WHERE {_LANE} AND part = :part")
_TALLY = text(f"SELECT n, counts FROM tallies WHERE {_LANE} AND part = :part")
_NEW_COUNTS = text("INSERT INTO tallies (study, level, part, n, counts) VALUES (:study, :level, :part, :n, :counts)")
_COUNTS = text(f"UPDATE tallies SET n = :n, counts = :counts WHERE {_LANE} AND part = :part")
