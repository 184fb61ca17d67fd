"""Sends what waits, in a thread for each collector: again and again with growing pauses, until the collector has it or refuses it."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from random import SystemRandom
from urllib.parse import urlsplit

import msgspec

from sottovoce.devices.ledger import Book, Limits, Line, today
from sottovoce.devices.transport import TIMEOUT, Response, is_receipt, post
from sottovoce.errors import LedgerError, UnreachableError

#: The pause after the first failure, and the longest, in seconds. The real pause is a random part of it.
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 300.0
#: Statuses after which another ticket may help, so the reports are kept.
_TICKETS = {401, 403}


@dataclass
class Pauses:
    """When a collector may be tried again, and why it failed."""

    failures: int = 0
    due: float = 0.0
    reason: str = ""

    def failed(self, reason: str, pause: float = 0.0) -> None:
        """Wait before the next attempt: a random part of a pause that doubles each time, after what the collector asked for."""
        most = min(FIRST_PAUSE * 2.0 ** min(self.failures, 30), LONGEST_PAUSE)
        self.failures += 1
        self.due = time.monotonic() + pause + SystemRandom().uniform(0, most)
        self.reason = reason

    def answered(self) -> None:
        self.failures, self.due, self.reason = 0, 0.0, ""


@dataclass
class Flush:
    """A call that waits until everything was tried once."""

    acknowledged: int = 0
    done: bool = False


def origin(url: str) -> str:
    return "{0.scheme}://{0.netloc}".format(urlsplit(url))


class Sender:
    """A lane for each origin that something waits for. Collectors don't wait for each other."""

    def __init__(self, book: Book, limits: Limits, *, background: bool) -> None:
        self._book, self._limits, self._background = book, limits, background
        self.closed = False
        self.leave()

    def leave(self) -> None:
        """In a child process, and at first: there are no threads yet."""
        self._lock = threading.Lock()
        self._lanes: dict[str, Lane] = {}

    @property
    def running(self) -> bool:
        return any(lane.running for lane in self._all())

    def wake(self) -> None:
        """Something new waits."""
        if self._background:
            for lane in self._wanted():
                lane.wake()

    def flush(self, timeout: float) -> int:
        """Try everything that waits, whatever the pauses. Returns how many submissions were acknowledged in time."""
        end = time.monotonic() + timeout
        started = [(lane, flush) for lane in self._wanted() if (flush := lane.begin()) is not None]
        return sum(lane.wait(flush, max(0.0, end - time.monotonic())) for lane, flush in started)

    def close(self) -> None:
        """End the threads after their current attempts."""
        self.closed = True
        for lane in self._all():
            lane.close()

    def reason(self, url: str) -> str:
        """Why what waits for a collector wasn't acknowledged yet."""
        lane = self._lanes.get(origin(url))
        return lane.pauses.reason if lane else ""

    def _all(self) -> list[Lane]:
        with self._lock:
            return list(self._lanes.values())

    def _wanted(self) -> list[Lane]:
        """The lanes that something waits for, and those that run."""
        if self.closed:
            return []
        try:
            origins = {origin(line.url) for line in self._book.read().waiting.values()}
        except LedgerError:  # what was recorded is sent when the ledger can be read again
            origins = set()
        with self._lock:
            for each in origins:
                if each not in self._lanes:
                    self._lanes[each] = Lane(each, self._book, self._limits, background=self._background)
            return [lane for place, lane in self._lanes.items() if place in origins or lane.running]


class Lane:
    """A daemon thread for the collectors of one origin. It starts when something waits, and ends when nothing does."""

    def __init__(self, place: str, book: Book, limits: Limits, *, background: bool) -> None:
        self._origin, self._book, self._limits, self._background = place, book, limits, background
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._flushes: list[Flush] = []
        self._woken = self._closed = False
        self.pauses = Pauses()

    @property
    def running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def wake(self) -> None:
        with self._changed:
            self._start()

    def begin(self) -> Flush | None:
        """Try what waits, whatever the pause. None if the thread can't start any more."""
        flush = Flush()
        with self._changed:
            self._flushes.append(flush)
            return flush if self._start() else None

    def wait(self, flush: Flush, timeout: float) -> int:
        with self._changed:
            self._changed.wait_for(lambda: flush.done, timeout)
            return flush.acknowledged

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _start(self) -> bool:
        if self._closed:
            return False
        self._woken = True
        self._changed.notify_all()
        if not self.running:
            thread = threading.Thread(target=self._run, name="sottovoce-device", daemon=True)
            try:
                thread.start()
            except RuntimeError:  # the interpreter is ending: the reports are on disk, and sent next time
                return False
            self._thread = thread
        return True

    def _run(self) -> None:
        pause: float | None = None
        while True:
            with self._changed:
                if not (self._woken or self._closed):
                    self._changed.wait(pause)
                flushes, self._flushes, self._woken = self._flushes, [], False
            try:
                pause = None if self._closed else self._pass(flushes)
            except Exception:  # mostly a ledger that can't be read or written now
                pause = LONGEST_PAUSE
            with self._changed:
                for flush in flushes:
                    flush.done = True
                self._changed.notify_all()
                if self._closed or (not self._woken and (pause is None or not self._background)):
                    self._thread = None
                    return

    def _pass(self, flushes: list[Flush]) -> float | None:
        """Try each submission that is due once. Returns the seconds until the next one is, None if nothing waits."""
        tried = False
        for fingerprint in self._waiting():
            line = self._book.read().waiting.get(fingerprint)  # it may have been removed meanwhile
            if line is None or self._closed:
                continue
            if self.pauses.due > time.monotonic() and (not flushes or tried):
                break
            tried = True
            if self._attempt(fingerprint, line):
                for flush in flushes:
                    flush.acknowledged += 1
        waits = any(origin(line.url) == self._origin for line in self._book.read().waiting.values())
        return max(0.0, self.pauses.due - time.monotonic()) if waits else None

    def _waiting(self) -> list[str]:
        with self._book.change() as ledger:
            self._limits.trim(ledger, today())
            return [fingerprint for fingerprint, line in ledger.waiting.items() if origin(line.url) == self._origin]

    def _attempt(self, fingerprint: str, line: Line) -> bool:
        """Send a submission. Returns whether it was acknowledged. Whatever goes wrong, the thread goes on."""
        try:
            return self._exchange(fingerprint, line)
        except LedgerError:  # the thread waits until it can be read or written again
            raise
        except UnreachableError as error:
            self.pauses.failed(str(error))
        except Exception as error:  # nothing that a collector answers may end the thread
            self.pauses.failed(f"The attempt failed: {type(error).__name__}.")
        return False

    def _exchange(self, fingerprint: str, line: Line) -> bool:
        response = post(line.url, line.reports, line.ticket, TIMEOUT)
        if is_receipt(response, len(line.reports)):
            self._settle(fingerprint, line, None)
            self.pauses.answered()
            return True
        if response.final:
            self._settle(fingerprint, line, response)
            self.pauses.answered()
        else:
            self.pauses.failed(response.reason, response.pause)
        return False

    def _settle(self, fingerprint: str, sent: Line, refusal: Response | None) -> None:
        """Note the outcome. The line is written again if the ledger was removed meanwhile, since the answer was given."""
        with self._book.change() as ledger:
            line = ledger.lines.setdefault(fingerprint, msgspec.structs.replace(sent))
            if refusal is None:
                line.end("sent")
            elif line.state == "waiting":
                line.end("refused", refusal.reason, keep=refusal.status in _TICKETS)
