"""Responses sent in one piece."""

from __future__ import annotations

import asyncio


class JoinedAnswer:
    """A transport that sends a response's head with the first part of its body, so that both take one packet and one system call.

    For responses with a body, even an empty one. The response to HEAD ends with its head.
    """

    __slots__ = ("_head", "_sent", "_transport")

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport, self._head, self._sent = transport, b"", False

    def write(self, data: bytes) -> None:
        """Send data, unless it is the head."""
        if self._sent or data.startswith(b"HTTP/1.1 100 "):
            self._transport.write(data)
        elif not self._head:
            self._head = data
        else:
            self._sent = True
            self._transport.write(self._head + data)

    def is_closing(self) -> bool:
        """Whether the connection is closing."""
        return self._transport.is_closing()

    def close(self) -> None:
        """Send what is left, and close the connection."""
        if self._head and not self._sent:
            self._transport.write(self._head)
        self._transport.close()
