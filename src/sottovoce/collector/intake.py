"""From the body of a request to an arrival: everything is checked here, and one bad report refuses them all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from sottovoce.batch.rows import salvage
from sottovoce.errors import ReportError, RequestError
from sottovoce.reports import PopulationReports, Reports
from sottovoce.store import Arrival, Entry
from sottovoce.store.arrivals import ID, Lane, rows_of
from sottovoce.wire import AnotherStudyError, Body, Records, bodies, body, of_study, read_stream

Given = TypeVar("Given")
#: Bad reports that an answer names.
_NAMED = 20
JSON, NDJSON, ARROW = "application/json", "application/x-ndjson", "application/vnd.apache.arrow.stream"


@dataclass(frozen=True)
class Desk:
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
            case "application/json":
                lanes = self._json(data)
            case "application/x-ndjson":
                lanes = self._ndjson(data)
            case "application/vnd.apache.arrow.stream":
                lanes = self._arrow(data)
            case _:
                known = ", ".join((JSON, NDJSON, ARROW))
                raise RequestError("media-type", f"the body is {kind or 'of no type'}; reports are taken as {known}", value=kind)
        found = Arrival(self.entry.key, lanes, ticket)
        if not found.count:
            raise RequestError("report", "there is no report in the body")
        if found.count > self.most:
            raise RequestError("too-large", f"the body has {found.count:,} reports, and {self.most:,} are taken at most", limit=self.most)
        return found

    def _json(self, data: bytes) -> dict[str, Lane]:
        try:
            if data[:1] == b"{":
                found = body(data, self.entry.fingerprint)
                return {found.level: Lane(bytes.fromhex(found.id), self.records.one(found))}
            many = bodies(data)
        except ReportError as error:
            raise self._refused([(0, error)]) from None
        return self._lanes(many, lambda each: of_study(each, self.entry.fingerprint))

    def _ndjson(self, data: bytes) -> dict[str, Lane]:
        return self._lanes([line for line in data.split(b"\n") if line.strip()], lambda line: body(line, self.entry.fingerprint))

    def _lanes(self, given: Sequence[Given], read: Callable[[Given], Body]) -> dict[str, Lane]:
        found, rows, bad = list[Body](), list[int](), list[tuple[int, ReportError]]()
        for row, each in enumerate(given, 1):
            try:
                found.append(read(each))
                rows.append(row)
            except ReportError as error:
                bad.append((row, error))
        good = salvage(found, self._of, lambda place, why: bad.append((rows[place], ReportError(why))))
        if bad:
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
            raise self._refused([(0, error)]) from None
        return {level: Lane(*(b"".join(parts) for parts in zip(*each, strict=True))) for level, each in lanes.items()}

    def _refused(self, bad: Sequence[tuple[int, ReportError]]) -> RequestError:
        """All that is wrong with a body, in one answer."""
        other = next((error for _, error in bad if isinstance(error, AnotherStudyError)), None)
        rows = [{"report": row, "reason": str(error)} for row, error in sorted(bad, key=lambda each: each[0])[:_NAMED] if row]
        what = f"{len(bad):,} reports cannot be used; the first" if len(bad) > 1 else "the report cannot be used"
        if other is not None:
            return RequestError("another-study", f"{what}: {other}", fingerprint=self.entry.fingerprint, count=len(bad), reports=rows)
        return RequestError("report", f"{what}: {min(bad, key=lambda each: each[0])[1]}", count=len(bad), reports=rows)


def _by_level(ids: bytes, reports: Reports) -> list[tuple[str, Lane]]:
    if not isinstance(reports, PopulationReports):
        return [("", Lane(ids, reports.to_bytes()))]
    rows = rows_of(ids, ID)
    own = {name: reports.levels == rank for rank, name in enumerate(reports.names)}
    return [(name, Lane(rows[own[name]].tobytes(), reports.parts[name].to_bytes())) for name in reports.names if own[name].any()]
