"""From the body of a request to an arrival: everything is checked here, and one bad report refuses them all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from sottovoce.batch.skipped_rows import salvage
from sottovoce.collector import content_types
from sottovoce.collector.content_types import ARROW, JSON, NDJSON
from sottovoce.errors import ReportError, RequestError
from sottovoce.reports import PopulationReports, Reports
from sottovoce.store import Arrival, Entry
from sottovoce.store.arrivals import ID, Lane, rows_of
from sottovoce.wire import AnotherStudyError, Body, Records, bodies, body, of_study, read_stream

Given = TypeVar("Given")
#: Bad reports that an answer names.
_NAMED = 20


@dataclass(frozen=True)
class StudyIntake:
    """Where the reports of one study are taken in."""

    entry: Entry
    most: int

    @cached_property
    def records(self) -> Records:
        """Reads the records of this study's reports."""
        return Records(self.entry.study.mechanism)

    @cached_property
    def compiled(self) -> bytes:
        """The study as clients fetch it."""
        return self.entry.compiled.encode()

    def arrival(self, kind: str, data: bytes, ticket: bytes | None) -> Arrival:
        """What a body brings; a body that cannot be used is refused with its reasons."""
        match kind:
            case content_types.JSON:
                lanes = self._json(data)
            case content_types.NDJSON:
                lanes = self._ndjson(data)
            case content_types.ARROW:
                lanes = self._arrow(data)
            case _:
                known = ", ".join((JSON, NDJSON, ARROW))
                raise RequestError("media-type", f"the body is {kind or 'of no type'}; reports are taken as {known}", value=kind)
        found = Arrival(self.entry.key, self.entry.fingerprint, lanes, ticket)
        if not found.count:
            raise RequestError("report", "there is no report in the body")
        self._not_too_many(found.count)
        return found

    def _not_too_many(self, count: int) -> None:
        if count > self.most:
            raise RequestError("too-large", f"the body has {count:,} reports, and {self.most:,} are taken at most", limit=self.most)

    def _json(self, data: bytes) -> dict[str, Lane]:
        try:
            if data[:1] == b"{":
                found = body(data, self.entry.fingerprint)
                return {found.level: Lane(bytes.fromhex(found.id), self.records.one(found))}
            many = bodies(data)
        except ReportError as error:
            raise self._refused(_Bad.of(error)) from None
        return self._lanes(many, lambda each: of_study(each, self.entry.fingerprint))

    def _ndjson(self, data: bytes) -> dict[str, Lane]:
        self._not_too_many(data.count(b"\n"))
        return self._lanes([line for line in data.split(b"\n") if line.strip()], lambda line: body(line, self.entry.fingerprint))

    def _lanes(self, given: Sequence[Given], read: Callable[[Given], Body]) -> dict[str, Lane]:
        self._not_too_many(len(given))
        found, rows, bad = list[Body](), list[int](), _Bad()
        for row, each in enumerate(given, 1):
            try:
                found.append(read(each))
                rows.append(row)
            except ReportError as error:
                bad.add(row, error)
        good = salvage(found, self._of, lambda place, why: bad.add(rows[place], ReportError(why)))
        if bad.count:
            raise self._refused(bad)
        return good[0] if good else {}

    def _of(self, found: Sequence[Body]) -> dict[str, Lane]:
        return {
            level: Lane(bytes.fromhex("".join([found[row].id for row in rows])), records)
            for level, (rows, records) in self.records.of(found).items()
        }

    def _arrow(self, data: bytes) -> dict[str, Lane]:
        lanes: dict[str, list[Lane]] = {}
        try:
            for ids, reports in read_stream(data, self.entry.fingerprint, self.entry.study.mechanism):
                for level, lane in _by_level(ids, reports):
                    lanes.setdefault(level, []).append(lane)
        except ReportError as error:
            raise self._refused(_Bad.of(error)) from None
        return {level: Lane(*(b"".join(parts) for parts in zip(*each, strict=True))) for level, each in lanes.items()}

    def _refused(self, bad: _Bad) -> RequestError:
        """All that is wrong with a body, in one answer."""
        named = sorted(bad.named)
        what = f"{bad.count:,} reports cannot be used; the first" if bad.count > 1 else "the report cannot be used"
        rows = [{"report": row, "reason": reason} for row, reason in named if row]
        if bad.another:
            return RequestError(
                "another-study", f"{what}: {bad.another}", fingerprint=self.entry.fingerprint, count=bad.count, reports=rows
            )
        return RequestError("report", f"{what}: {named[0][1]}", count=bad.count, reports=rows)


@dataclass
class _Bad:
    """Reports that cannot be used: how many, and the first of them with their reasons (and nothing else: there may be very many)."""

    count: int = 0
    named: list[tuple[int, str]] = field(default_factory=list)
    another: str = ""

    @classmethod
    def of(cls, error: ReportError) -> _Bad:
        """A body that cannot be read at all."""
        made = cls()
        made.add(0, error)
        return made

    def add(self, row: int, error: ReportError) -> None:
        self.count += 1
        if isinstance(error, AnotherStudyError):
            self.another = self.another or str(error)
        if len(self.named) < _NAMED:
            self.named.append((row, str(error)))


def _by_level(ids: bytes, reports: Reports) -> list[tuple[str, Lane]]:
    if not isinstance(reports, PopulationReports):
        return [("", Lane(ids, reports.to_bytes()))]
    rows = rows_of(ids, ID)
    own = {name: reports.levels == rank for rank, name in enumerate(reports.names)}
    return [(name, Lane(rows[own[name]].tobytes(), reports.parts[name].to_bytes())) for name in reports.names if own[name].any()]
