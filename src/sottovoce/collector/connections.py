"""Connections that keep to limits: of their number, of their headers, and of the time that a request may take to arrive."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

import msgspec
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from sottovoce.collector.http import problem_document
from sottovoce.collector.settings import Settings
from sottovoce.errors import RequestError

#: The most bytes of a request's line and headers.
_HEAD = 32 << 10
_LONG = f"the request's line and headers have more than {_HEAD:,} bytes"
#: Seconds between two looks at all connections.
_PAUSE = 0.5


class Connection(HttpToolsProtocol):
    """A connection that does not know whose it is, and ends when it takes too long."""

    limits: ClassVar[Settings] = Settings()
    alive: ClassVar[set[Connection]] = set()

    #: Bytes of the line and headers so far (None while the body is read), and bytes behind them that were no body.
    _head: int | None = 0
    _unused = 0
    _wrong: tuple[str, str] | None = None
    _refused = False
    _began: float | None = None
    _stalled: float | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as the server declares it
        super().connection_made(transport)
        self.client = None  # nothing behind this line knows an address
        self._began = self.loop.time()
        self.alive.add(self)
        if len(self.alive) > self.limits.connections:
            self.refuse(RequestError("busy", "there are too many connections"))

    def connection_lost(self, exc: Exception | None) -> None:
        self.alive.discard(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing() or self._refused:
            return
        if self._head is None:
            self._unused += len(data)
        else:
            self._head += len(data)
            self._began = self._began or self.loop.time()
        super().data_received(data)
        if (self._head or 0) > _HEAD or self._unused > _HEAD:
            self.refuse(RequestError("headers", _LONG))

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._began = self.loop.time()

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._head is None:
            self._wrong = ("malformed", "fields behind the body (trailers) are not taken")
            raise ValueError(self._wrong[1])
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if len(self.url) + sum([len(name) + len(value) + 4 for name, value in self.headers]) > _HEAD:
            self._wrong = ("headers", _LONG)
            raise ValueError(_LONG)
        if self.parser.should_upgrade():
            self._wrong = ("malformed", "the request asks for another protocol (Upgrade), and there is none; leave it out")
            raise ValueError(self._wrong[1])
        self._head, self._unused = None, 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._unused = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._head, self._unused, self._began = 0, 0, None

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._refused and not self.pipeline:
            self.transport.close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled = self.loop.time()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stalled = None

    def send_400_response(self, msg: str) -> None:
        self.refuse(RequestError(*(self._wrong or ("malformed", "this is not a request of HTTP/1.1"))))

    def refuse(self, error: RequestError) -> None:
        """Say why, and end the connection; answers to earlier requests that are under way are sent first, and this one is left out."""
        if self.transport.is_closing() or self._refused:
            return
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
            status, document = problem_document(error)
            body = msgspec.json.encode(document)
            retry = b"retry-after: 2\r\n" if status == 503 else b""
            head = b"content-type: application/problem+json\r\nconnection: close\r\ncontent-length: %d\r\n%s\r\n" % (len(body), retry)
            self.transport.write(STATUS_LINE[status] + head + body)
        if own:
            self.cycle.disconnected = True  # whoever answers it finds that nobody listens
            self.cycle.message_event.set()
        self.transport.close()

    def _check(self, now: float) -> None:
        if self._stalled is not None and now - self._stalled > self.limits.body_seconds:
            self.transport.abort()
        elif self._began is not None:
            limit = self.limits.body_seconds if self._head is None else self.limits.head_seconds
            if now - self._began > limit:
                self.refuse(RequestError("slow", f"the request took more than {limit:g} seconds to arrive"))

    @classmethod
    async def watch(cls) -> None:
        """Look at all connections, again and again."""
        loop: Any = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(_PAUSE)
            now = loop.time()
            for connection in list(cls.alive):
                connection._check(now)
