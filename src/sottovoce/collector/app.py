"""The collector as an ASGI application. It finds the route, checks who may call it, and responds. Errors become problems from the table."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TypeVar

import msgspec

from sottovoce.collector.connections import Connection
from sottovoce.collector.estimating import Estimates
from sottovoce.collector.http import DisconnectedError, Headers, Receive, Request, Response, Scope, Send, shortened
from sottovoce.collector.intake import StudyIntake
from sottovoce.collector.large_bodies import LARGE, LargeBodies
from sottovoce.collector.logs import log, write_left_out
from sottovoce.collector.metrics import Figures, Metrics
from sottovoce.collector.models import Recount
from sottovoce.collector.reading_process import ReadingProcess
from sottovoce.collector.reading_worker import place_of
from sottovoce.collector.refusals import refusal
from sottovoce.collector.routing import Route
from sottovoce.collector.settings import Settings
from sottovoce.collector.shared_metrics import EVERY, SharedMetrics
from sottovoce.collector.threads import Threads
from sottovoce.collector.writer import Writer
from sottovoce.errors import RequestError, SottovoceError, StoreError
from sottovoce.names import is_name
from sottovoce.store import Arrival, Entry, Role, Store, Token
from sottovoce.store.credentials import EVERYTHING

Found = TypeVar("Found")
#: The most calls of one kind that wait for a thread, and the most bodies.
_MOST_WAITING, _MOST_BODIES = 256, 64
#: Seconds between two times that the store settles what was written.
_SETTLE = 0.05
#: How long a browser may remember which addresses are shared.
_DAY = (b"access-control-max-age", b"86400")
_ALLOWED = b"access-control-allow-origin"
_EXPOSED = (b"access-control-expose-headers", b"retry-after, sottovoce-state")


class Collector:
    """Everything that a process of the collector shares between requests."""

    def __init__(self, settings: Settings, store: Store, routes: tuple[Route, ...], shared_metrics: str | None = None) -> None:
        self.settings, self.store, self.routes = settings, store, routes
        self.metrics, self.shared_metrics = Metrics(), None if shared_metrics is None else SharedMetrics(shared_metrics)
        self.writer = Writer(store, self.metrics, settings.gather_milliseconds / 1000, settings.write_seconds)
        self.held = 0
        self._origins = frozenset(settings.origins.split())
        self._intakes: dict[str, tuple[StudyIntake, float]] = {}
        self.lookups = Threads("lookup", 2, _MOST_WAITING)  # short: tokens, studies, health
        self.bodies = Threads("body", 1, _MOST_BODIES)  # hands large bodies to the process below, one at a time
        self.reading = ReadingProcess()
        self.reads = Threads("read", 2, _MOST_WAITING)  # everything else that asks the store
        self.estimates = Estimates(settings.estimate_seconds, self.metrics)
        self._large = LargeBodies()
        self._settler = Threads("settle", 1, 1)
        self._jobs: list[asyncio.Task[None]] = []
        self._table: dict[tuple[str | None, ...], dict[str, Route]] = {}
        for route in routes:
            parts = tuple(None if part.startswith("{") else part for part in route.path.strip("/").split("/"))
            self._table.setdefault(parts, {})[route.method] = route

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        if scope["type"] != "http":
            return
        request = Request(scope, receive, self._large)
        try:
            found = await self._answered(request)
        except DisconnectedError:
            return
        finally:
            request.end()
        if self._origins:
            found.headers += self._sharing(request)
        if self.settings.access_log:
            log("request", method=request.method, status=found.status)
        await found.send(send, close=not request.complete and request.method not in {"GET", "HEAD"})

    async def _answered(self, request: Request) -> Response:
        try:
            if request.method == "OPTIONS" and self._origins and _ALLOWED in dict(self._sharing(request)):
                return Response(204, b"", "", [(b"access-control-allow-headers", b"authorization, content-type"), _DAY])
            route, request.name = self._route(request)
            if route.role is not None:
                token = await self._admitted(request, route.role)
                request.actor, request.administers = f"token {token.name}", token.role is Role.ADMIN
            return await route.respond(self, request, self.settings.body_bytes)
        except SottovoceError as error:
            self.metrics.refusals[error.kind] += 1
            if request.submits:
                self.metrics.refused_submissions[error.kind] += 1
            return refusal(error, request.headers)
        except DisconnectedError:
            raise
        except Exception as error:
            log("a request failed", "error", error=type(error).__name__, where=place_of(error))
            self.metrics.refusals["broken"] += 1
            return refusal(RequestError("broken", "Internal error. The request wasn't carried out."), request.headers)

    def _route(self, request: Request) -> tuple[Route, str]:
        """Find the route of a request, and the variable part of its path."""
        methods = self._methods(request.path)
        if not methods:
            raise RequestError("not-found", "This URL doesn't exist.")
        route = methods.get(request.method) or (methods.get("GET") if request.method == "HEAD" else None)
        if route is None:
            allowed = ", ".join(sorted(methods | ({"HEAD": None} if "GET" in methods else {})))
            raise RequestError("method", f"This URL accepts only {allowed}.", headers=[(b"allow", allowed.encode())])
        parts = request.path.split("/")
        return route, parts[2] if len(parts) > 2 else ""

    def _methods(self, path: str) -> dict[str, Route]:
        """The routes of a path, by method."""
        if not path.startswith("/"):
            return {}
        parts = path[1:].split("/")
        named = parts[1] if len(parts) > 1 else ""
        return self._table.get(tuple(parts)) or (self._table.get((parts[0], None, *parts[2:]), {}) if named else {})

    def _sharing(self, request: Request) -> Headers:
        """The headers that let a page of another origin read the response, if the settings name that origin and the route is public."""
        headers = dict(request.headers)
        method = headers.get(b"access-control-request-method", b"").decode("latin-1") if request.method == "OPTIONS" else request.method
        route = self._methods(request.path).get("GET" if method == "HEAD" else method)
        if route is None or not route.shared:
            return []
        if "*" in self._origins:
            return [(_ALLOWED, b"*"), _EXPOSED]
        given = [value for name, value in request.headers if name == b"origin"]
        named = len(given) == 1 and given[0].decode("latin-1") in self._origins
        return [(b"vary", b"origin"), *([(_ALLOWED, given[0]), _EXPOSED] if named else [])]

    async def in_thread(self, read: Callable[..., Found], *arguments: Any) -> Found:
        """Call a function in a thread, because it would block the event loop."""
        return await self.reads.call(read, *arguments)

    @property
    def waiting(self) -> dict[str, int]:
        """How many calls of each kind are running or waiting for a thread."""
        return {f"{each.kind}_calls": each.calls for each in (self.lookups, self.bodies, self.reads, self.estimates.threads)}

    @property
    def figures(self) -> Figures:
        """The figures of this process."""
        return self.metrics.figures(held_bytes=self.held, connections=len(Connection.alive), **self.waiting)

    async def intake(self, name: str, fresh: float = float("inf")) -> StudyIntake:
        """The intake of a study's reports. The study may have been read up to `fresh` seconds ago."""
        found, read_at = self._intakes.get(name, (None, 0.0))
        if found is not None and time.monotonic() - read_at <= fresh:
            return found
        entry = await self.lookups.call(self.store.find, name) if is_name(name) else None
        if entry is None:
            self._intakes.pop(name, None)
            raise RequestError("not-found", f"There is no study {shortened(name)} on this collector.")
        if found is None or found.entry != entry:
            await self.lookups.call(lambda: entry.study)  # its tables are judged outside the loop
            found = StudyIntake(entry, self.settings.batch_reports)
        self._intakes[name] = (found, time.monotonic())
        return found

    async def entry(self, name: str) -> Entry:
        """A study in its current state."""
        return (await self.intake(name, 0.0)).entry

    def forget(self, name: str) -> None:
        """Look up the study again at the next request."""
        self._intakes.pop(name, None)

    async def token(self, request: Request) -> Token | None:
        """The token that a request shows, of whatever role. None if it shows none."""
        scheme, _, secret = request.header(b"authorization").partition(" ")
        if scheme.lower() != "bearer" or not secret.strip():
            return None
        token = await self.lookups.call(self.store.access.token, secret.strip())
        if token is None:
            raise RequestError("no-token", "The token is wrong or was revoked.")
        if token.is_expired():
            raise RequestError("expired-token", f"The token expired on {token.expires}.")
        return token

    async def _admitted(self, request: Request, role: Role) -> Token:
        """The token of a request, if it is for this role and this study."""
        token = await self.token(request)
        if token is None:
            raise RequestError("no-token", "The request has no token.")
        if token.role is not Role.ADMIN and token.role is not role:
            raise RequestError("forbidden", f"Your token has the role {token.role.value}, but this needs the role {role.value}.")
        if role is not Role.MONITOR and not token.opens(request.name or EVERYTHING):
            raise RequestError("forbidden", "Your token is for other studies.")
        return token

    async def arrival(self, intake: StudyIntake, kind: str, data: bytes | bytearray, ticket: bytes | None) -> Arrival:
        """Read a body as an arrival. A body with bad reports is refused with the reasons."""
        if len(data) <= LARGE:
            return intake.arrival(kind, data, ticket)
        return await self.bodies.call(self.reading.arrival, intake, kind, data, ticket)

    def hold(self, size: int) -> None:
        """Reserve memory for part of a body, if there is enough."""
        if self.held + size > self.settings.queue_bytes:
            raise RequestError("busy", "Too many reports are waiting to be written.")
        self.held += size

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                self.start()
                await send({"type": "lifespan.startup.complete"})
            else:
                await self.stop()
                await send({"type": "lifespan.shutdown.complete"})
                return

    def start(self) -> None:
        """Start the writer and the tasks that run beside it."""
        self.writer.start()
        loop = asyncio.get_running_loop()
        self._jobs = [loop.create_task(Connection.watch(self.metrics)), loop.create_task(self._settling())]
        if self.shared_metrics is not None:
            self._jobs.append(loop.create_task(self._publishing(self.shared_metrics)))
        if self.settings.recount_hours:
            self._jobs.append(loop.create_task(self._recounting()))

    async def stop(self) -> None:
        """Write what is waiting, and stop."""
        for job in self._jobs:
            job.cancel()
        await self.writer.stop()
        with contextlib.suppress(StoreError):
            await asyncio.to_thread(self.store.tidy)
        self.store.abandon()  # threads that still wait for the database go on
        self.estimates.stop()
        await asyncio.to_thread(self.reading.stop)
        for threads in (self.lookups, self.bodies, self.reads, self._settler):
            await asyncio.to_thread(threads.stop)
        self.store.close()
        write_left_out(all_of_it=True)
        log("stopped")

    async def _settling(self) -> None:
        """Let the store do its maintenance in small steps beside the writer, so that it doesn't block it at once later."""
        written, settled, pause = 0, False, _SETTLE
        while True:
            await asyncio.sleep(pause)
            idle = self.metrics.commits.count == written
            if idle and settled:
                continue
            written = self.metrics.commits.count
            try:
                settled = await self._settler.call(lambda idle=idle: self.store.settle(idle=idle))
                pause = _SETTLE if settled or not idle else 20 * _SETTLE  # a long read is running: don't hold up writers all the time
            except Exception as error:
                self.metrics.refusals[f"settling: {type(error).__name__}"] += 1

    async def _publishing(self, shared: SharedMetrics) -> None:
        """Leave the figures of this worker for the others."""
        while True:
            try:
                shared.publish(self.figures)
            except OSError as error:
                log("the metrics of a worker were not shared", "warning", error=str(error))
            await asyncio.sleep(EVERY)

    async def _recounting(self) -> None:
        """Compare all tallies with their reports every so many hours."""
        while True:
            await asyncio.sleep(3600 * self.settings.recount_hours)
            try:
                for entry in await self.in_thread(self.store.studies):
                    await self.recount(entry)
            except Exception as error:
                log("a recount failed", "error", error=str(error) if isinstance(error, SottovoceError) else type(error).__name__)

    async def recount(self, entry: Entry) -> Recount:
        """Compare the tally of a study with its reports."""
        found = await self.in_thread(self.store.recount, entry)
        self.metrics.recounts["fits" if found.holds else "differs"] += 1
        if not found.holds:
            log("a tally differs from its reports", "error", study=entry.name, wrong=list(found.wrong))
        return msgspec.convert({"study": entry.name, "holds": found.holds} | asdict(found), Recount)
