"""Group commit: reports that come while one group is being written to disk form the next one."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

from sottovoce.collector.logs import log
from sottovoce.collector.metrics import Metrics
from sottovoce.errors import RequestError, StoreError
from sottovoce.store import Arrival, Receipt, Refusal, Store

#: The most reports of a group: a larger one would keep those behind it waiting.
_GROUP = 250_000
#: Turns of the loop without a new arrival after which a group is closed, and the most seconds that it waits for one.
_QUIET, _MOMENT = 6, 0.005

Outcome = Receipt | Refusal


class Writer:
    """Hands arrivals to a store in groups, from one thread, and answers each when it is on disk."""

    def __init__(self, store: Store, metrics: Metrics, gather: float) -> None:
        self._store, self._metrics, self._gather = store, metrics, gather
        self._waiting: list[tuple[Arrival, asyncio.Future[Outcome]]] = []
        self._called = asyncio.Event()
        self._thread = ThreadPoolExecutor(1, "writer")
        self._task: asyncio.Task[None] | None = None
        self._ending = False

    def start(self) -> None:
        """Begin to write."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """Write what is waiting, and end."""
        self._ending = True
        self._called.set()
        if self._task is not None:
            await self._task
        self._thread.shutdown()

    def write(self, arrival: Arrival) -> asyncio.Future[Outcome]:
        """What becomes of an arrival; it is done when that is on disk."""
        if self._ending:
            raise RequestError("busy", "the collector is shutting down")
        done: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._waiting.append((arrival, done))
        self._called.set()
        return done

    async def _run(self) -> None:
        while self._waiting or not self._ending:
            if not self._waiting:
                self._called.clear()
                await self._called.wait()
                continue
            await self._gathered()
            await self._group(self._next())

    async def _gathered(self) -> None:
        """Wait as long as is set, and while more keeps coming at once: a larger group costs each of its reports less."""
        if self._gather and not self._ending:
            await asyncio.sleep(self._gather)
        until = time.perf_counter() + _MOMENT
        quiet = 0
        while quiet < _QUIET and time.perf_counter() < until:
            before = len(self._waiting)
            await asyncio.sleep(0)
            quiet = quiet + 1 if len(self._waiting) == before else 0

    def _next(self) -> list[tuple[Arrival, asyncio.Future[Outcome]]]:
        """The arrivals of the next group: at least one, and no more than a group should hold."""
        total = end = 0
        for end, (arrival, _) in enumerate(self._waiting):
            total += arrival.count
            if end and total > _GROUP:
                break
        else:
            end = len(self._waiting)
        group, self._waiting = self._waiting[:end], self._waiting[end:]
        return group

    async def _group(self, group: list[tuple[Arrival, asyncio.Future[Outcome]]]) -> None:
        began = time.perf_counter()
        try:
            outcomes = await asyncio.get_running_loop().run_in_executor(self._thread, self._store.write, [arrival for arrival, _ in group])
        except Exception as error:
            known = isinstance(error, StoreError)
            log("a group was not written", "error", error=str(error) if known else type(error).__name__, requests=len(group))
            answer = error if known else RequestError("broken", "the reports were not counted")
            for _, done in group:
                if not done.done():
                    done.set_exception(answer)
            return
        self._metrics.commits.add(time.perf_counter() - began)
        self._metrics.groups.add(sum(arrival.count for arrival, _ in group))
        receipts = [outcome for outcome in outcomes if isinstance(outcome, Receipt)]
        self._metrics.reports["accepted"] += sum([receipt.accepted for receipt in receipts])
        self._metrics.reports["repeated"] += sum([receipt.repeated for receipt in receipts])
        for (_, done), outcome in zip(group, outcomes, strict=True):
            if not done.done():
                done.set_result(outcome)
