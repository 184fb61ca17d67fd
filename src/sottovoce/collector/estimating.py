"""Estimates within a time limit, each computed once: equal queries about the same reports share one response."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from sottovoce.collector.metrics import Metrics
from sottovoce.collector.threads import Threads
from sottovoce.errors import RequestError
from sottovoce.progress import watching
from sottovoce.tallies import Tally

#: Estimates that are computed or wait for it.
_MOST = 16
#: Bytes of answers that are kept, and how many estimates behind them.
_ANSWERS, _ESTIMATES = 32 << 20, 8
#: Seconds for which an estimate that took too long is not tried again.
_PAUSE = 60

Value = TypeVar("Value")


def state_of(tally: Tally) -> bytes:
    """A hash of a tally's counts. Reports are only ever added to a study, so equal counts mean equal reports."""
    found = hashlib.blake2b(digest_size=16)
    for block in tally.blocks:
        found.update(f"{len(block.name)} {block.name} {block.n} ".encode())
        found.update(block.counts.tobytes())
    return found.digest()


class Recent(Generic[Value]):
    """A cache of recently used values, whose sizes add up to at most `room`."""

    def __init__(self, room: int) -> None:
        self._room, self._size = room, 0
        self._kept: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()

    def get(self, key: Hashable) -> Value | None:
        """The value of a key."""
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key][0]

    def keep(self, key: Hashable, value: Value, size: int = 1) -> None:
        """Store a value, and drop those that were unused for longest."""
        self._size += size - self._kept.pop(key, (None, 0))[1]
        self._kept[key] = (value, size)
        while self._size > self._room:
            self._size -= self._kept.popitem(last=False)[1][1]


class _TooLongError(Exception):
    """An estimate exceeded its time limit."""


@dataclass
class _Work:
    """An estimate in progress, and how many requests wait for it."""

    waiting: int = 0
    began: float | None = None
    task: asyncio.Task[bytes] | None = None


class Estimates:
    """Computes responses from tallies in one thread, and caches the latest."""

    def __init__(self, seconds: float, metrics: Metrics) -> None:
        self.seconds, self._metrics = seconds, metrics
        self.threads = Threads("estimate", 1, _MOST)
        self._answers = Recent[bytes](_ANSWERS)
        self._made = Recent[object](_ESTIMATES)
        self._failed = Recent[float](256)
        self._under_way: dict[Hashable, _Work] = {}
        self._ending = False

    async def answer(self, key: Hashable, make: Callable[[], bytes]) -> bytes:
        """The response to a query: from the cache, from the computation in progress, or from a new one."""
        if (kept := self._answers.get(key)) is not None:
            self._metrics.estimates["kept"] += 1
            return kept
        if (failed := self._failed.get(key)) is not None and time.monotonic() < failed:
            self._metrics.estimates["too long"] += 1
            raise self._too_long(failed - time.monotonic())
        work = self._under_way.get(key)
        if work is None:
            work = self._under_way[key] = _Work()
            work.task = asyncio.create_task(self._begin(key, work, make))
            work.task.add_done_callback(lambda task: task.cancelled() or task.exception())  # it may be that no one waits any more
        else:
            self._metrics.estimates["shared"] += 1
        assert work.task is not None
        work.waiting += 1
        try:
            return await asyncio.wait_for(asyncio.shield(work.task), self.seconds)
        except TimeoutError:
            self._metrics.estimates["too long"] += 1
            raise self._too_long(2) from None
        finally:
            work.waiting -= 1

    def shared(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """A value that several responses share. Only the `make` of `answer` calls this, in its single thread."""
        found = self._made.get(key)
        if found is None:
            found = make()
            self._made.keep(key, found)
        return found  # type: ignore[return-value]  # it was made by the same function

    async def _begin(self, key: Hashable, work: _Work, make: Callable[[], bytes]) -> bytes:
        try:
            found = await self.threads.call(self._run, work, make)
        except _TooLongError:
            self._failed.keep(key, time.monotonic() + _PAUSE)
            self._metrics.estimates["too long"] += 1
            raise self._too_long(_PAUSE) from None
        finally:
            del self._under_way[key]
        self._answers.keep(key, found, len(found))
        self._metrics.estimates["made"] += 1
        return found

    def _run(self, work: _Work, make: Callable[[], bytes]) -> bytes:
        if not work.waiting:
            raise RequestError("busy", "Too many estimates are waiting.")
        until = time.monotonic() + self.seconds

        def check() -> None:
            if self._ending:
                raise RequestError("busy", "The collector is shutting down.")
            if time.monotonic() > until:
                raise _TooLongError

        with watching(check):
            return make()

    def _too_long(self, pause: float) -> RequestError:
        return RequestError(
            "too-long",
            f"The estimate wasn't ready after {self.seconds:g} seconds (estimate_seconds). Choose a method that doesn't read the reports, "
            "or export them and run: sottovoce estimate study.json reports.parquet",
            retry_after=max(1, round(pause)),
        )

    def stop(self) -> None:
        """Stop the current computation at its next step."""
        self._ending = True
        self.threads.stop()
