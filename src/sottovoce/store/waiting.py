"""Connections to PostgreSQL that stop waiting.

The server's own timeouts need a server that runs. One whose process is stopped, or whose disk doesn't answer, keeps them waiting too, and
TCP finds nothing wrong: the kernel of its machine goes on answering. So the wait ends on this side, by shutting the socket down.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Generator
from typing import Any

import psycopg

from sottovoce.store.deadlines import Deadlines

Waiting = Generator[Any, Any, Any]


class BoundedConnection(psycopg.Connection[Any]):
    """A connection whose waits have an end. One that waited too long is broken, and the pool drops it."""

    deadlines: Deadlines | None = None
    #: What the server was told: the seconds that a statement may take.
    statement_seconds: float | None = None

    def wait(self, gen: Waiting, *arguments: Any, **named: Any) -> Any:
        return super().wait(self._bounded(gen, self.deadlines) if self.deadlines is not None else gen, *arguments, **named)

    def _bounded(self, gen: Waiting, deadlines: Deadlines) -> Waiting:
        """The same steps; the driver comes by at least every tenth of a second, ready or not."""
        until = deadlines.next()
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if not ready and deadlines.over(until):
                    self._shut()
                wanted = gen.send(ready)
        except StopIteration as end:
            return end.value

    def _shut(self) -> None:
        """Let the driver find the connection closed. What the server did with the transaction is not known then."""
        with contextlib.suppress(OSError), socket.socket(fileno=os.dup(self.pgconn.socket)) as line:
            line.shutdown(socket.SHUT_RDWR)
