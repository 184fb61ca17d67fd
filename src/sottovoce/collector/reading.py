"""From the body of a request to identifiers and records. Everything is checked here, and one bad report refuses the whole body."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sottovoce.collector import content_types
from sottovoce.collector.content_types import ARROW, JSON, NDJSON
from sottovoce.errors import ReportError, RequestError, ended
from sottovoce.mechanisms import Mechanism, Population
from sottovoce.reports import PopulationReports, Reports
from sottovoce.store.arrivals import ID, Lane, rows_of
from sottovoce.wire import AnotherStudyError, Body, Records, bodies, body, is_list, line_parts, listed, of_study, read_stream

Given = TypeVar("Given")
#: The most bad reports that an answer names. Reading stops there: what is refused should cost no more than what is taken.
NAMED = 20


class Reader:
    """Reads the bodies of one study's reports, of at most `most` reports each."""

    def __init__(self, mechanism: Mechanism | Population, fingerprint: str, most: int) -> None:
        self._mechanism, self._fingerprint, self._most = mechanism, fingerprint, most
        self._records = Records(mechanism)

    def read(self, kind: str, data: bytes | bytearray) -> dict[str, Lane]:
        """Read a body, level by level. A body with bad reports is refused with the reasons."""
        match kind:
            case content_types.JSON:
                lanes = self._json(data)
            case content_types.NDJSON:
                lanes = self._ndjson(data)
            case content_types.ARROW:
                lanes = self._arrow(data)
            case _:
                known = ", ".join((JSON, NDJSON, ARROW))
                raise RequestError(
                    "media-type", f"The body has {f'the type {kind}' if kind else 'no content type'}. Send reports as {known}.", value=kind
                )
        count = sum([len(lane.ids) for lane in lanes.values()]) // ID
        if not count:
            raise RequestError("report", "The body contains no report.")
        self._not_too_many(count)
        return lanes

    def _not_too_many(self, count: int) -> None:
        if count > self._most:
            raise RequestError(
                "too-large",
                f"The body has {count:,} reports, more than the limit of {self._most:,}.",
                limit=self._most,
            )

    def _json(self, data: bytes | bytearray) -> dict[str, Lane]:
        try:
            if data[:1] == b"{":
                found = body(bytes(data), self._fingerprint)
                return {found.level: Lane(bytes.fromhex(found.id), self._records.one(found))}
            parts = listed(data) if is_list(data) else [bodies(bytes(data))]
            return self._lanes(parts, lambda each: of_study(each, self._fingerprint))
        except ReportError as error:
            raise self._refused(_Bad.of(error)) from None

    def _ndjson(self, data: bytes | bytearray) -> dict[str, Lane]:
        self._not_too_many(data.count(b"\n"))
        return self._lanes(line_parts(data), lambda line: body(line, self._fingerprint))

    def _lanes(self, parts: Iterable[Sequence[Given]], read: Callable[[Given], Body]) -> dict[str, Lane]:
        """The reports of a body, part by part."""
        made, bad, before = list[dict[str, Lane]](), _Bad(), 0
        for part in parts:
            if before + len(part) > self._most:
                raise RequestError("too-large", f"The body has more than the limit of {self._most:,} reports.", limit=self._most)
            made += self._part(part, read, before, bad)
            if bad.stopped:
                break
            before += len(part)
        if bad.named:
            raise self._refused(bad)
        return _together(made)

    def _part(self, part: Sequence[Given], read: Callable[[Given], Body], before: int, bad: _Bad) -> list[dict[str, Lane]]:
        """Read the reports of a part, which come after `before` others. Its first bad reports are added to those found before."""
        room = NAMED - len(bad.named)
        found, rows, wrong, impossible = list[Body](), list[int](), _Bad(), _Bad()
        for row, each in enumerate(part, before + 1):
            try:
                found.append(read(each))
                rows.append(row)
            except ReportError as error:
                wrong.add(row, error)
                if len(wrong.named) >= room:
                    break
        if not bad.named and not wrong.named:
            try:
                return [self._of(found)] if found else []
            except ReportError:
                pass  # which of them it is takes another look
        those, all_of_them = self._records.bad(found, room)
        for place, why in those:
            impossible.add(rows[place], ReportError(why))
        bad.take(wrong, impossible)
        bad.stopped = len(bad.named) >= NAMED or not all_of_them
        return []

    def _of(self, found: Sequence[Body]) -> dict[str, Lane]:
        return {
            level: Lane(bytes.fromhex("".join([found[row].id for row in rows])), records)
            for level, (rows, records) in self._records.of(found).items()
        }

    def _arrow(self, data: bytes | bytearray) -> dict[str, Lane]:
        made, count = list[dict[str, Lane]](), 0
        try:
            for ids, reports in read_stream(data, self._fingerprint, self._mechanism):
                count += len(reports)
                self._not_too_many(count)
                made.append(dict(_by_level(ids, reports)))
        except ReportError as error:
            raise self._refused(_Bad.of(error)) from None
        return _together(made)

    def _refused(self, bad: _Bad) -> RequestError:
        """The error with all bad reports of a body, or those found before reading stopped."""
        named = sorted(bad.named)[:NAMED]
        count = len(named)
        row = next((row for row, reason in named if reason == bad.another), 0) if bad.another else named[0][0]
        if count == 1:
            what = f"Report {row} can't be used." if row else "The report can't be used."
        else:
            what = f"{'At least ' * bad.stopped}{count} reports can't be used.{f' Report {row}:' * bool(row)}"
        more: dict[str, Any] = {"count": count, "reports": [{"report": row, "reason": reason} for row, reason in named if row]}
        if bad.stopped:
            more["stopped"] = True
        if bad.another:
            return RequestError("another-study", f"{what} {ended(bad.another)}", fingerprint=self._fingerprint, **more)
        return RequestError("report", f"{what} {ended(named[0][1])}", **more)


@dataclass
class _Bad:
    """Bad reports, with their reasons."""

    named: list[tuple[int, str]] = field(default_factory=list)
    another: str = ""
    #: Whether reading stopped, and there may be more.
    stopped: bool = False

    @classmethod
    def of(cls, error: ReportError) -> _Bad:
        """A body that can't be read at all."""
        made = cls()
        made.add(0, error)
        return made

    def add(self, row: int, error: ReportError) -> None:
        if isinstance(error, AnotherStudyError):
            self.another = self.another or str(error)
        self.named.append((row, str(error)))

    def take(self, *others: _Bad) -> None:
        """Add later ones in the order of the rows, up to the number that is named."""
        later = sorted(each for other in others for each in other.named)
        self.named += later[: NAMED - len(self.named)]
        self.another = next((each.another for each in (self, *others) if each.another), "")


def _together(made: Sequence[dict[str, Lane]]) -> dict[str, Lane]:
    """Merge the reports of all parts, level by level."""
    if len(made) == 1:
        return made[0]
    lanes: dict[str, list[Lane]] = {}
    for part in made:
        for level, lane in part.items():
            lanes.setdefault(level, []).append(lane)
    return {level: Lane(*(b"".join(pieces) for pieces in zip(*each, strict=True))) for level, each in lanes.items()}


def _by_level(ids: bytes, reports: Reports) -> list[tuple[str, Lane]]:
    if not isinstance(reports, PopulationReports):
        return [("", Lane(ids, reports.to_bytes()))]
    rows = rows_of(ids, ID)
    own = {name: reports.levels == rank for rank, name in enumerate(reports.names)}
    return [(name, Lane(rows[own[name]].tobytes(), reports.parts[name].to_bytes())) for name in reports.names if own[name].any()]
