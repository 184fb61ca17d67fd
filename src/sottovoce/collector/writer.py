"""Group commit: reports that arrive while one group is written to disk form the next group."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Sequence
from queue import SimpleQueue
from typing import NamedTuple

from sottovoce.collector.logs import log
from sottovoce.collector.metrics import Metrics
from sottovoce.errors import RequestError, StoreError
from sottovoce.store import Arrival, Receipt, Refusal, Store

#: The most reports of a group: a larger one would keep those behind it waiting.
_GROUP = 250_000
#: Turns of the loop without a new arrival after which a group is closed, and the most seconds that it waits for one.
_QUIET, _MOMENT = 6, 0.005
#: Seconds for which a commit shows that reports can be written.
_FRESH = 1.0

Outcome = Receipt | Refusal


class Waiting(NamedTuple):
    """An arrival, its future result, and when the response is due."""

    arrival: Arrival
    done: asyncio.Future[Outcome]
    until: float


class Writer:
    """Writes arrivals to a store in groups, from one thread. Each is answered when it's on disk, or after `seconds` at the latest."""

    def __init__(self, store: Store, metrics: Metrics, gather: float, seconds: float) -> None:
        self._store, self._metrics, self._gather, self._seconds = store, metrics, gather, seconds
        self._waiting: list[Waiting] = []
        self._group: list[Waiting] = []
        self._called = asyncio.Event()
        self._calls: SimpleQueue[list[Waiting] | None] = SimpleQueue()
        self._tasks: list[asyncio.Task[None]] = []
        self._probe: asyncio.Future[Outcome] | None = None
        self._written_at = float("-inf")
        self._alone = False
        self._ending = False

    def start(self) -> None:
        """Start writing."""
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._work, args=(loop,), name="writer", daemon=True).start()
        self._tasks = [loop.create_task(self._run()), loop.create_task(self._watch())]

    async def stop(self) -> None:
        """Write what is waiting, for as long as it may wait, and stop."""
        self._ending = True
        self._called.set()
        if self._tasks:
            run, watch = self._tasks
            await asyncio.wait([run], timeout=self._seconds)
            run.cancel()
            watch.cancel()
            self._fail(self._group + self._waiting)
        self._calls.put(None)

    def write(self, arrival: Arrival) -> asyncio.Future[Outcome]:
        """Write an arrival. The future is done when it's on disk."""
        if self._ending:
            raise RequestError("busy", "The collector is shutting down.")
        done: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._waiting.append(Waiting(arrival, done, time.monotonic() + self._seconds))
        if not self._group:
            self._begin()
        return done

    async def check(self) -> None:
        """Check that reports can be written: some were a moment ago, or an empty group is written now, once for all who ask."""
        if time.monotonic() - self._written_at < _FRESH:
            return
        if self._probe is None or self._probe.done():
            self._probe = self.write(Arrival(0, "", {}))
        await asyncio.shield(self._probe)

    async def _run(self) -> None:
        while self._waiting or self._group or not self._ending:
            if self._group or not self._waiting:
                self._called.clear()
                await self._called.wait()
                continue
            await self._gathered()
            if self._waiting and not self._group:
                self._hand_over()

    async def _watch(self) -> None:
        """Refuse what would be too late at the next check. Arrivals being written may still be counted, and count once if sent again."""
        pause = min(0.25, self._seconds / 20)
        while True:
            await asyncio.sleep(pause)
            due = time.monotonic() + pause
            if (self._waiting and self._waiting[0].until <= due) or (self._group and self._group[0].until <= due):
                self._fail([each for each in self._group + self._waiting if each.until <= due])
                self._waiting = [each for each in self._waiting if each.until > due]

    def _fail(self, those: list[Waiting]) -> None:
        late = [each.done for each in those if not each.done.done()]
        if late:
            log("the store did not answer in time", "error", requests=len(late), seconds=self._seconds)
        for done in late:
            done.set_exception(StoreError(f"The store didn't answer within {self._seconds:g} seconds."))
            done.exception()  # the client may have left

    async def _gathered(self) -> None:
        """Wait for a set time, and while more arrives at once, because a larger group costs less per report."""
        if self._gather and not self._ending:
            await asyncio.sleep(self._gather)
        until = time.perf_counter() + _MOMENT
        quiet = 0
        while quiet < _QUIET and time.perf_counter() < until:
            before = len(self._waiting)
            await asyncio.sleep(0)
            quiet = quiet + 1 if len(self._waiting) == before else 0

    def _next(self) -> list[Waiting]:
        """The arrivals of the next group, up to the size of a group."""
        total = end = 0
        for end, (arrival, _, _) in enumerate(self._waiting):
            total += arrival.count
            if end and total > _GROUP:
                break
        else:
            end = len(self._waiting)
        group, self._waiting = self._waiting[:end], self._waiting[end:]
        return group

    def _begin(self) -> None:
        """Start the next group. A single arrival after a single one doesn't wait, because its sender is probably the only one."""
        if self._alone and len(self._waiting) == 1 and not self._gather:
            self._hand_over()
        else:
            self._called.set()

    def _hand_over(self) -> None:
        """Pass the next group to the thread."""
        self._group = self._next()
        self._alone = len(self._group) == 1
        self._calls.put(self._group)

    def _work(self, loop: asyncio.AbstractEventLoop) -> None:
        """Write group after group, in a thread that doesn't delay the end of the process."""
        while (group := self._calls.get()) is not None:
            began = time.perf_counter()
            try:
                outcome: Sequence[Outcome] | Exception = self._store.write([each.arrival for each in group])
            except Exception as error:
                outcome = error
            with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
                loop.call_soon_threadsafe(self._answer, group, outcome, time.perf_counter() - began)

    def _answer(self, group: list[Waiting], outcome: Sequence[Outcome] | Exception, seconds: float) -> None:
        """Answer the requests that still wait for a group at once, and start the next group."""
        self._group = []
        if self._waiting or self._ending:
            self._begin()
        if isinstance(outcome, Exception):
            self._refuse(group, outcome)
        else:
            for each, own in zip(group, outcome, strict=True):
                if not each.done.done():
                    each.done.set_result(own)
            self._count(group, outcome, seconds)

    def _refuse(self, group: list[Waiting], error: Exception) -> None:
        known = isinstance(error, StoreError)
        reason = {"reason": error.reason} if isinstance(error, StoreError) and error.reason else {}
        log("a group was not written", "error", error=str(error) if known else type(error).__name__, **reason, requests=len(group))
        answer = error if known else RequestError("broken", "Internal error. The reports weren't counted.")
        for each in group:
            if not each.done.done():
                each.done.set_exception(answer)
                each.done.exception()  # the client may have left

    def _count(self, group: list[Waiting], outcomes: Sequence[Outcome], seconds: float) -> None:
        self._written_at = time.monotonic()
        self._metrics.commits.add(seconds)
        self._metrics.groups.add(sum([each.arrival.count for each in group]))
        receipts = [outcome for outcome in outcomes if isinstance(outcome, Receipt)]
        self._metrics.reports["accepted"] += sum([receipt.accepted for receipt in receipts])
        self._metrics.reports["repeated"] += sum([receipt.repeated for receipt in receipts])
