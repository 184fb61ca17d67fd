"""How long the calls of a thread may wait for a database."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from sottovoce.store.shared_sql import PATIENCE

#: Seconds that one statement of a long piece of work may take: deleting a study, counting everything again, copying a store.
_LONG = 3600.0


class _Limits(threading.local):
    """The limits of a thread: `until` for everything it does now, `each` for one statement."""

    until: float = float("inf")
    each: float = float(PATIENCE)


class Deadlines:
    """Limits on how long calls may wait. Each thread sets its own, and `end` ends the waits of all threads."""

    def __init__(self) -> None:
        self._limits = _Limits()
        self._ended = False

    @property
    def each(self) -> float:
        """The seconds that a statement of this thread may take."""
        return self._limits.each

    def end(self) -> None:
        """End all waits, in every thread."""
        self._ended = True

    def next(self) -> float:
        """When a wait that starts now must be over."""
        return min(self._limits.until, time.monotonic() + self._limits.each)

    def over(self, until: float) -> bool:
        """Whether the deadline `until` has passed."""
        return self._ended or time.monotonic() >= until

    def left(self) -> float:
        """The seconds that a wait may take if it starts now."""
        return 0.0 if self._ended else self.next() - time.monotonic()

    @contextmanager
    def whole(self, seconds: float) -> Iterator[None]:
        """Limit everything that this thread waits for, taken together."""
        with self._limited(time.monotonic() + seconds, seconds):
            yield

    @contextmanager
    def statements(self, seconds: float) -> Iterator[None]:
        """Limit each statement."""
        with self._limited(float("inf"), seconds):
            yield

    @contextmanager
    def long(self) -> Iterator[None]:
        """Limit each statement of a long job."""
        with self.statements(_LONG):
            yield

    @contextmanager
    def _limited(self, until: float, each: float) -> Iterator[None]:
        before = self._limits.until, self._limits.each
        self._limits.until, self._limits.each = min(until, before[0]), each
        try:
            yield
        finally:
            self._limits.until, self._limits.each = before
