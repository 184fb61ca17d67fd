"""Connections that keep to limits: of their number, of their headers, and of the time that a request may take to arrive.

TLS begins here too, and not in the server that accepts: this way a connection counts from the moment it is accepted, and an unfinished
handshake can be ended like an unfinished header.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Coroutine
from typing import Any, ClassVar

import httptools
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from sottovoce.collector.answers import JoinedAnswer
from sottovoce.collector.framing import FIELDS, HEAD, LONG, Chunks, Wrong, wrong_with_field, wrong_with_headers
from sottovoce.collector.logs import log, write_left_out
from sottovoce.collector.metrics import Metrics
from sottovoce.collector.refusals import refusal
from sottovoce.collector.room import Room
from sottovoce.collector.settings import Settings
from sottovoce.errors import RequestError

#: Seconds between two looks at all connections, and the seconds until a connection must have closed.
_PAUSE, _LEAVE = 0.5, 2.0
#: Seconds that the end of TLS may take, with the rest of an answer that the client has still to read.
_SHUTDOWN = 30.0


class Connection(HttpToolsProtocol):
    """A connection before any login, which ends when it takes too long."""

    limits: ClassVar[Settings] = Settings()
    #: The most connections, which may be fewer than the settings ask for.
    most: ClassVar[int] = limits.connections
    tls: ClassVar[ssl.SSLContext | None] = None
    metrics: ClassVar[Metrics] = Metrics()
    room: ClassVar[Room] = Room()
    alive: ClassVar[set[Connection]] = set()
    #: Those of them that are closing.
    leaving: ClassVar[set[Connection]] = set()

    #: The connection without TLS, whether requests can come (the handshake is over), what came before we knew, and whether it was lost.
    _plain: asyncio.Transport
    _opened = False
    _early = b""
    _lost = False
    #: Bytes of the line and headers so far (None while the body is read), and bytes behind them that were no body.
    _head: int | None = 0
    _unused = 0
    _chunks: Chunks | None = None
    _wrong: Wrong | None = None
    _refused = False
    _began: float | None = None
    _stalled: float | None = None
    #: Whether headers or a body became complete: the connection may wait for something else now.
    _moved = False
    _ending: float | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as the server declares it
        self._plain, self._began = transport, self.loop.time()
        self.alive.add(self)
        self.room.awaits_head(self)
        if self.tls is None:
            self._open(transport)
        else:
            self.connections.add(self)  # the server shuts it down, too
        if len(self.alive) - len(self.leaving) > self.most:
            self._make_room(self._began)
        if self.tls is not None and not transport.is_closing():
            self._encrypt(transport, self.tls)

    def _open(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._opened = True
        self.client = None  # nothing behind this line knows an address

    def _encrypt(self, transport: asyncio.Transport, context: ssl.SSLContext) -> None:
        """Start TLS immediately. In a task, it would start after part of the handshake may have been read as a request."""
        beginning = self.loop.start_tls(
            transport, self, context, server_side=True, ssl_handshake_timeout=self.limits.head_seconds, ssl_shutdown_timeout=_SHUTDOWN
        )
        beginning.send(None).add_done_callback(lambda _: self._encrypted(beginning))

    def _encrypted(self, beginning: Coroutine[Any, Any, asyncio.Transport | None]) -> None:
        encrypted = None
        try:
            beginning.send(None)
        except StopIteration as end:
            encrypted = end.value
        except (OSError, asyncio.CancelledError):  # whatever the client did wrong, or too slowly
            pass
        if encrypted is None or self._plain.is_closing() or self._lost:
            if self not in self.leaving:
                slow = self.loop.time() - (self._began or 0.0) >= self.limits.head_seconds
                self.metrics.drops["slow handshake" if slow else "failed handshake"] += 1
            self._plain.abort()
            self._forget()
            return
        self._open(encrypted)
        if self._early:
            self.data_received(self._early)
            self._early = b""

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost = True
        self._forget()
        if self._opened:
            super().connection_lost(exc)

    def _forget(self) -> None:
        self.connections.discard(self)
        self.alive.discard(self)
        self.leaving.discard(self)
        self.room.leave(self)

    def shutdown(self) -> None:
        if self._opened:
            super().shutdown()
        else:
            self._plain.abort()

    def _make_room(self, now: float) -> None:
        """Close the connection that has waited longest for its client, or this one if there is none."""
        longest = self.room.gives_way(self, self.most, now, self.limits.head_seconds)
        self.metrics.drops["refused" if longest is None else "evicted"] += 1
        log("too many connections", "warning", connections=self.most)
        (longest or self).leave()

    def leave(self) -> None:
        """Close the connection at once, with a response that explains why if that takes no time."""
        self.room.leave(self)
        self.leaving.add(self)
        if not self._opened or self.scheme == "https" or self.transport.is_closing() or self.unsent():
            self._plain.abort()
        else:
            self.refuse(RequestError("busy", "There are too many connections."))

    def unsent(self) -> bool:
        return self._opened and self.transport.get_write_buffer_size() > 0

    def _settle(self) -> None:
        """Record what the connection waits for now."""
        if self._lost or self in self.leaving:
            return
        if self.pipeline:
            self.room.is_answered(self)
        elif self.cycle is None or self.cycle.response_complete:
            self.room.awaits_head(self)
            if self._stalled is None:
                self.room.stalled.pop(self, None)
        elif self.cycle.more_body:
            self.room.awaits_body(self)
        else:
            self.room.is_answered(self)

    def data_received(self, data: bytes) -> None:
        if not self._opened:
            self._early += data
            return
        if self.transport.is_closing() or self._refused:
            return
        if self._head is None:
            self._unused += len(data)
        else:
            self._head += len(data)
            self._began = self._began or self.loop.time()
        self._unset_keepalive_if_required()
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserError:  # the server would write a line to the log for each
            self.send_400_response("")
            return
        if self._moved:
            self._moved = False
            self._settle()
        if (self._head or 0) > HEAD or self._unused > HEAD:
            self.refuse(RequestError("headers", LONG))

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._began = self.loop.time()

    def _check_framing(self, wrong: Wrong | None) -> None:
        """Stop the parser if something is wrong, and ask for the response to an unreadable request."""
        self._wrong = wrong
        if wrong is not None:
            raise ValueError(wrong[1])

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._head is None or len(self.headers) >= FIELDS:
            self._check_framing(wrong_with_field(in_body=self._head is None))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        version, upgrade = self.parser.get_http_version(), self.parser.should_upgrade()
        self._check_framing(wrong_with_headers(self.url, self.headers, version, self.pipeline, upgrade=upgrade))
        self._head, self._unused = None, 0
        self._chunks = Chunks() if b"transfer-encoding" in dict(self.headers) else None
        super().on_headers_complete()
        if self.scope["method"] != "HEAD":
            self.cycle.transport = JoinedAnswer(self.transport)  # type: ignore[assignment]  # as much of one as an answer needs
        self._moved = True

    def on_body(self, body: bytes) -> None:
        self._unused = 0
        if self._chunks is not None:
            self._check_framing(self._chunks.wrong(len(body)))
        super().on_body(body)

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._head, self._unused, self._began = 0, 0, None
        self._moved = True

    def on_response_complete(self) -> None:
        left = len(self.pipeline) - (self.cycle.disconnected and self._refused)  # the newest will never be whole
        super().on_response_complete()
        if self._refused and left <= 0:
            self.transport.close()
        self._settle()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled = self.loop.time()
        self.room.stalled[self] = self._stalled

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stalled = None
        self.room.stalled.pop(self, None)

    def send_400_response(self, msg: str) -> None:
        self.refuse(RequestError(*(self._wrong or ("malformed", "This isn't a request in HTTP/1.1."))))

    def refuse(self, error: RequestError) -> None:
        """Send the reason and close the connection. Responses to earlier requests are sent first."""
        if self.transport.is_closing() or self._refused:
            return
        self.metrics.refusals[error.kind] += 1
        own = self._head is None  # whether it is the body of the newest cycle that is being read
        if self.pipeline or (not own and self.cycle is not None and not self.cycle.response_complete):
            self._refused = True
            self.flow.pause_reading()
            if own:
                self.cycle.disconnected = True
                self.cycle.message_event.set()
            else:
                self.cycle.keep_alive = False
            return
        if not own or not self.cycle.response_started:
            found = refusal(error, getattr(self, "headers", None) or [])  # None before the first request
            own_headers = [(b"content-type", found.kind.encode()), (b"connection", b"close"), (b"content-length", b"%d" % len(found.body))]
            lines = [b"%s: %s\r\n" % header for header in [*self.server_state.default_headers, *own_headers, *found.headers]]
            self.transport.write(STATUS_LINE[found.status] + b"".join(lines) + b"\r\n" + found.body)
        if own:
            self.cycle.disconnected = True  # the handler that answers finds the client gone
            self.cycle.message_event.set()
        self.transport.close()

    def _check(self, now: float) -> None:
        if not self._opened:  # the handshake has a limit of its own
            return
        if self.transport.is_closing():
            self._ending = self._ending or now
            if now - self._ending > (_LEAVE if self in self.leaving else self.limits.body_seconds):
                self.transport.abort()
        elif self._stalled is not None and now - self._stalled > self.limits.body_seconds:
            self.transport.abort()
        elif self._began is not None:
            limit = self.limits.body_seconds if self._head is None else self.limits.head_seconds
            if now - self._began > limit:
                self.refuse(RequestError("slow", f"The request took more than {limit:g} seconds to arrive."))

    @classmethod
    async def watch(cls, metrics: Metrics) -> None:
        """Check all connections regularly, and count what happens to them."""
        cls.metrics = metrics
        loop: Any = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(_PAUSE)
            now = loop.time()
            for connection in list(cls.alive):
                connection._check(now)
            write_left_out()
