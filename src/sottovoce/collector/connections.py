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
#: Seconds between two looks at all connections.
_PAUSE = 0.5


class Connection(HttpToolsProtocol):
    """A connection that does not know whose it is, and ends when it takes too long."""

    limits: ClassVar[Settings] = Settings()
    alive: ClassVar[set[Connection]] = set()

    _head: int | None = 0
    _long = False
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
        if self.transport.is_closing():
            return
        if self._head is not None:
            self._head += len(data)
            self._began = self._began or self.loop.time()
        super().data_received(data)
        if self._head is not None and self._head > _HEAD:
            self._long = True
            self.send_400_response("")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._began = self.loop.time()

    def on_headers_complete(self) -> None:
        if len(self.url) + sum([len(name) + len(value) + 4 for name, value in self.headers]) > _HEAD:
            self._long = True
            raise ValueError("the request's line and headers are too long")
        self._head = None
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._head, self._began = 0, None

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled = self.loop.time()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stalled = None

    def send_400_response(self, msg: str) -> None:
        if self._long:
            self.refuse(RequestError("headers", f"the request's line and headers have more than {_HEAD:,} bytes"))
        else:
            self.refuse(RequestError("malformed", "this is not a request of HTTP/1.1"))

    def _unsupported_upgrade_warning(self) -> None:
        self.refuse(RequestError("malformed", "the request asks for another protocol (Upgrade), and there is none; leave it out"))

    def refuse(self, error: RequestError) -> None:
        """Say why, if nothing was said yet, and end the connection."""
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            status, document = problem_document(error)
            body = msgspec.json.encode(document)
            retry = b"retry-after: 2\r\n" if status == 503 else b""
            head = b"content-type: application/problem+json\r\nconnection: close\r\ncontent-length: %d\r\n%s\r\n" % (len(body), retry)
            self.transport.write(STATUS_LINE[status] + head + body)
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
