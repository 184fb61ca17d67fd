"""Sends what waits, in a thread of its own: again and again with growing pauses, until the collector has it or refuses it."""

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
class Collector:
    """What is known of the collectors of one origin."""

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
    """A daemon thread that starts when something waits, and ends when nothing does."""

    def __init__(self, book: Book, limits: Limits, *, background: bool) -> None:
        self._book, self._limits, self._background = book, limits, background
        self.closed = False
        self.leave()

    def leave(self) -> None:
        """In a child process, and at first: there is no thread yet."""
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._flushes: list[Flush] = []
        self._woken = False
        self._collectors: dict[str, Collector] = {}

    @property
    def running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def wake(self) -> None:
        """Something new waits."""
        with self._changed:
            if self._background:
                self._start()

    def flush(self, timeout: float) -> int:
        """Try everything that waits, whatever the pauses. Returns how many submissions were acknowledged in time."""
        flush = Flush()
        with self._changed:
            self._flushes.append(flush)
            if self._start():
                self._changed.wait_for(lambda: flush.done, timeout)
            return flush.acknowledged

    def close(self) -> None:
        """End the thread after its current attempt."""
        with self._changed:
            self.closed = True
            self._changed.notify_all()

    def reason(self, url: str) -> str:
        """Why what waits for a collector wasn't acknowledged yet."""
        found = self._collectors.get(origin(url))
        return found.reason if found else ""

    def _start(self) -> bool:
        if self.closed:
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
                if not (self._woken or self.closed):
                    self._changed.wait(pause)
                flushes, self._flushes, self._woken = self._flushes, [], False
            try:
                pause = None if self.closed else self._pass(flushes)
            except Exception:  # mostly a ledger that can't be read or written now
                pause = LONGEST_PAUSE
            with self._changed:
                for flush in flushes:
                    flush.done = True
                self._changed.notify_all()
                if self.closed or (not self._woken and (pause is None or not self._background)):
                    self._thread = None
                    return

    def _pass(self, flushes: list[Flush]) -> float | None:
        """Try each submission that is due once. Returns the seconds until the next one is, None if nothing waits."""
        tried = set[str]()
        for fingerprint in self._waiting():
            line = self._book.read().waiting.get(fingerprint)  # it may have been removed meanwhile
            if line is None or self.closed:
                continue
            collector = self._collectors.setdefault(origin(line.url), Collector())
            if collector.due > time.monotonic() and (not flushes or origin(line.url) in tried):
                continue
            tried.add(origin(line.url))
            if self._attempt(fingerprint, line, collector):
                for flush in flushes:
                    flush.acknowledged += 1
        waiting = self._book.read().waiting
        now = time.monotonic()
        return min((max(0.0, self._collectors.get(origin(line.url), Collector()).due - now) for line in waiting.values()), default=None)

    def _waiting(self) -> list[str]:
        with self._book.change() as ledger:
            self._limits.trim(ledger, today())
            return list(ledger.waiting)

    def _attempt(self, fingerprint: str, line: Line, collector: Collector) -> bool:
        """Send a submission. Returns whether it was acknowledged. Whatever goes wrong, the other collectors are served."""
        try:
            return self._exchange(fingerprint, line, collector)
        except LedgerError:  # which every collector needs
            raise
        except UnreachableError as error:
            collector.failed(str(error))
        except Exception as error:  # nothing that a collector answers may end the thread
            collector.failed(f"The attempt failed: {type(error).__name__}.")
        return False

    def _exchange(self, fingerprint: str, line: Line, collector: Collector) -> bool:
        response = post(line.url, line.reports, line.ticket, TIMEOUT)
        if is_receipt(response, len(line.reports)):
            self._settle(fingerprint, line, None)
            collector.answered()
            return True
        if response.final:
            self._settle(fingerprint, line, response)
            collector.answered()
        else:
            collector.failed(response.reason, response.pause)
        return False

    def _settle(self, fingerprint: str, sent: Line, refusal: Response | None) -> None:
        """Note the outcome. The line is written again if the ledger was removed meanwhile, since the answer was given."""
        with self._book.change() as ledger:
            line = ledger.lines.setdefault(fingerprint, msgspec.structs.replace(sent))
            if refusal is None:
                line.end("sent")
            elif line.state == "waiting":
                line.end("refused", refusal.reason, keep=refusal.status in _TICKETS)
