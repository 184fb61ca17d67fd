"""The ledger of a device: a line for each study that got an answer. The answer isn't in it, and the reports only until they arrived."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Literal

import msgspec
from msgspec import Struct

from sottovoce.devices.spending import Spent
from sottovoce.devices.storage import GuardedStorage
from sottovoce.devices.urls import is_at
from sottovoce.errors import LedgerError
from sottovoce.wire import Body

State = Literal["waiting", "sent", "refused", "removed"]
#: Compiled studies that are kept for use without a network, and their characters together.
MOST_STUDIES, MOST_CHARACTERS = 16, 1 << 23


class Line(Struct, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """What a device keeps of a study that got its answer, under the study's fingerprint."""

    url: str
    state: State
    day: str
    spent: Spent
    reports: list[Body]
    ticket: str = ""
    reason: str = ""
    #: The last day on which the collector takes reports.
    closes: str = ""

    def end(self, state: State, reason: str = "", *, keep: bool = False) -> None:
        """Leave it at a state, without the reports unless they are to be kept."""
        self.state, self.reason = state, reason
        if not keep:
            self.reports, self.ticket, self.closes = [], "", ""


class CachedStudy(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A compiled study as a collector sent it, when (in seconds since 1970), and whether an administrator had closed it by then."""

    fingerprint: str
    text: str
    etag: str
    fetched: int
    closed: bool = False


class Drawn(Struct, forbid_unknown_fields=True, frozen=True):
    """The form that was drawn for a level of a questionnaire, before any answer."""

    study: str
    url: str
    level: str
    form: str


class Ledger(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """All that a device keeps. Lines are by the fingerprint of the study. With `out` the person takes part in nothing."""

    lines: dict[str, Line]
    drawn: list[Drawn] = []
    out: bool = False
    studies: dict[str, CachedStudy] = {}

    @property
    def spent(self) -> Spent:
        """The budget that the device has used in all studies."""
        lines = self.lines.values()
        return Spent(round(sum((line.spent.epsilon for line in lines), 0.0), 3), sum(line.spent.shown for line in lines))

    @property
    def waiting(self) -> dict[str, Line]:
        """The lines whose reports are to be sent."""
        return {} if self.out else {key: line for key, line in self.lines.items() if line.state == "waiting"}

    def line_at(self, url: str) -> Line | None:
        """The line of whatever study was answered at a URL."""
        return next((line for line in self.lines.values() if is_at(line.url, url)), None)

    def status(self, fingerprint: str, url: str) -> Status:
        """The state of the answer to a study. A study that replaced another one at the same URL counts as answered."""
        earlier = next((line for key, line in self.lines.items() if key != fingerprint and is_at(line.url, url)), None)
        if earlier is not None:
            return Status.of(earlier, changed=True)
        return Status.of(self.lines.get(fingerprint))

    def closed(self, fingerprint: str, url: str) -> str:
        """Why the collector takes no reports, as far as it has said so: "" if it does."""
        cached = self.studies.get(url)
        return "The study is closed." if cached is not None and cached.closed and cached.fingerprint == fingerprint else ""

    def afford(self, spent: Spent, cap: float) -> None:
        """Refuse an answer with which the sum would exceed the cap."""
        total = self.spent.epsilon
        if total + spent.epsilon >= cap + 1e-6:  # sums of thousandths
            raise LedgerError(
                f"This answer would add {spent.epsilon:g} to the privacy budget used by this device, "
                f"which is {total:g} of at most {cap:g}. "
                "Nothing was recorded."
            )

    def cache(self, url: str, study: CachedStudy) -> None:
        """Keep a compiled study, and the latest few before it. Very large ones aren't kept."""
        self.studies.pop(url, None)
        self.studies[url] = study
        while len(self.studies) > MOST_STUDIES or sum(len(each.text) for each in self.studies.values()) > MOST_CHARACTERS:
            del self.studies[next(iter(self.studies))]


@dataclass(frozen=True)
class Status:
    """The state of the answer to a study.

    `state` is "none", "waiting", "sent", "refused" (by the collector), "removed" (before it was acknowledged) or "opted out". `reports`
    has what waits to be sent. `changed` means that an earlier version of the study was answered, so there is no report for this one.
    """

    state: Literal["none", "waiting", "sent", "refused", "removed", "opted out"] = "none"
    day: str = ""
    reason: str = ""
    reports: tuple[Body, ...] = ()
    changed: bool = False

    @classmethod
    def of(cls, line: Line | None, *, changed: bool = False) -> Status:
        if line is None:
            return cls()
        return cls(line.state, line.day, line.reason, () if changed else tuple(line.reports), changed)


@dataclass(frozen=True)
class Limits:
    """How much may wait, and for how long."""

    waiting: int
    size: int
    days: int

    def trim(self, ledger: Ledger, day: date) -> None:
        """Remove what waited too long or can't arrive any more, and the oldest if too much waits. The newest always stays."""
        for line in ledger.lines.values():
            if line.reports and line.closes and day > date.fromisoformat(line.closes):
                _drop(line, f"The study closed on {line.closes}.")
            elif line.reports and day - date.fromisoformat(line.day) > timedelta(days=self.days):
                _drop(line, f"It waited for more than {self.days} days.")
        held = [(line, len(msgspec.json.encode(line.reports))) for line in ledger.lines.values() if line.reports]
        total = sum(size for _, size in held)
        for place, (line, size) in enumerate(held[:-1]):
            if len(held) - place > self.waiting:
                _drop(line, f"More than {self.waiting:,} waited.")
            elif total > self.size:
                _drop(line, f"More than {self.size:,} bytes waited.")
            else:
                break
            total -= size


def _drop(line: Line, reason: str) -> None:
    line.end("removed" if line.state == "waiting" else line.state, reason if line.state == "waiting" else line.reason)


#: The ledger of a device that has given nothing. It isn't written.
_EMPTY = msgspec.json.encode(Ledger({}))


def today() -> date:
    """The day in UTC, as collectors count days."""
    return datetime.now(UTC).date()


class Book:
    """The ledger in its storage. Changes come one after the other, from whatever thread or process."""

    def __init__(self, storage: GuardedStorage) -> None:
        self._storage = storage
        self._lock, self._changing = threading.RLock(), False

    def read(self) -> Ledger:
        """The ledger as it was saved last."""
        return self._decoded(self._storage.load())

    @contextmanager
    def change(self) -> Iterator[Ledger]:
        """The ledger, to be changed. It is saved in the end unless an error is raised."""
        with self._lock, self._alone(), self._storage.lock():
            before = self._storage.load()
            ledger = self._decoded(before)
            yield ledger
            places = {line.url for line in ledger.lines.values()} - {""}
            ledger.drawn = [each for each in ledger.drawn if each.study not in ledger.lines and each.url not in places]
            data = msgspec.json.encode(ledger)
            if data != (_EMPTY if before is None else before):
                self._storage.save(data)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Refuse a change within a change of the same thread, which would wait for itself or be overwritten."""
        if self._changing:
            raise LedgerError(
                "A signal handler or a storage changed this ledger while another change was under way. Make the change afterwards."
            )
        self._changing = True
        try:
            yield
        finally:
            self._changing = False

    def _decoded(self, data: bytes | None) -> Ledger:
        if data is None:
            return Ledger({})
        try:
            ledger = msgspec.json.decode(data, type=Ledger)
            _check_days(ledger.lines)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise self._storage.broken(error) from None
        return ledger

    def leave(self) -> None:
        """In a child process: forget what the parent's threads held when it forked."""
        self._lock, self._changing = threading.RLock(), False
        self._storage.leave()


def _check_days(lines: Mapping[str, Line]) -> None:
    for line in lines.values():
        for day in (line.day, line.closes or line.day):
            date.fromisoformat(day)
