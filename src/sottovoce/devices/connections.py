"""Connections to collectors, with one deadline for all that a request does: connecting, sending, and whatever the collector answers."""

from __future__ import annotations

import socket
import ssl
import time
from functools import cache, partial
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from io import BufferedReader, RawIOBase
from typing import Any
from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request, getproxies

#: How many bytes are sent before the deadline is looked at again.
_PIECE = 1 << 14


class Deadline:
    """When a request has to be over."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self._end = seconds, time.monotonic() + seconds

    def left(self) -> float:
        """The seconds that are left, or a `TimeoutError`."""
        found = self._end - time.monotonic()
        if found <= 0:
            raise TimeoutError(f"The request took longer than {self.seconds:g} seconds")
        return found


class _Incoming(RawIOBase):
    """What a collector sends, until the deadline. Slow or endless headers, chunks and trailers all come through here."""

    def __init__(self, raw: RawIOBase, sock: socket.socket, deadline: Deadline) -> None:
        self._raw, self._sock, self._deadline = raw, sock, deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int | None:
        self._sock.settimeout(self._deadline.left())
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Response(HTTPResponse):
    def __init__(self, sock: socket.socket, *arguments: Any, deadline: Deadline, **options: Any) -> None:
        super().__init__(sock, *arguments, **options)
        self.fp = BufferedReader(_Incoming(self.fp.detach(), sock, deadline))


class _Connection(HTTPConnection):
    def __init__(self, *arguments: Any, deadline: Deadline, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._deadline = deadline
        self._create_connection = self._connected
        self.response_class = partial(_Response, deadline=deadline)  # type: ignore[assignment]  # called like a class

    def _connected(self, address: tuple[str, int], *options: Any) -> socket.socket:
        """A connection to the first of a host's IP addresses that responds."""
        failure: OSError | None = None
        for family, kind, protocol, _, place in socket.getaddrinfo(*address, 0, socket.SOCK_STREAM):
            found = socket.socket(family, kind, protocol)
            try:
                found.settimeout(self._deadline.left())
                found.connect(place)
            except OSError as error:
                found.close()
                failure = error
            else:
                found.settimeout(self._deadline.left())
                return found
        raise failure or OSError("the host name can't be resolved")

    def send(self, data: Any) -> None:
        """Send bytes. The deadline is for all of them together."""
        if self.sock is None:
            self.connect()
        for start in range(0, len(data), _PIECE):
            self.sock.settimeout(self._deadline.left())
            self.sock.sendall(data[start : start + _PIECE])


class _SecureConnection(_Connection, HTTPSConnection):
    pass


class _Http(HTTPHandler):
    def __init__(self, deadline: Deadline) -> None:
        super().__init__()
        self._deadline = deadline

    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(partial(_Connection, deadline=self._deadline), req)


class _Https(HTTPSHandler):
    def __init__(self, deadline: Deadline) -> None:
        super().__init__(context=_context())
        self._deadline = deadline

    def https_open(self, req: Request) -> HTTPResponse:
        return self.do_open(partial(_SecureConnection, deadline=self._deadline), req, context=_context())


@cache
def _context() -> ssl.SSLContext:
    return ssl.create_default_context()


def opener(deadline: Deadline) -> OpenerDirector:
    """Sends a request. Without a handler for redirects, these are responses like others.

    Plain http stays on this machine, so only https can go through a proxy.
    """
    found = OpenerDirector()
    proxies = {scheme: proxy for scheme, proxy in getproxies().items() if scheme == "https"}
    for handler in (ProxyHandler(proxies), _Http(deadline), _Https(deadline)):
        found.add_handler(handler)
    return found
