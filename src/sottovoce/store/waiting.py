"""Connections to PostgreSQL that stop waiting.

The server's own timeouts don't help if its process is stopped or its disk hangs, and TCP sees no problem because the kernel still answers.
So this side ends the wait, by shutting the socket down.
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
    """A connection whose waits end. After a wait that took too long it is broken, and the pool drops it."""

    deadlines: Deadlines | None = None
    #: The server's own limit for a statement, in seconds.
    statement_seconds: float | None = None

    def wait(self, gen: Waiting, *arguments: Any, **named: Any) -> Any:
        return super().wait(self._bounded(gen, self.deadlines) if self.deadlines is not None else gen, *arguments, **named)

    def _bounded(self, gen: Waiting, deadlines: Deadlines) -> Waiting:
        """Run the same steps, and check the deadline at least every tenth of a second."""
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
        """Make the driver see a closed connection. Whether the server finished the transaction is then unknown."""
        with contextlib.suppress(OSError), socket.socket(fileno=os.dup(self.pgconn.socket)) as line:
            line.shutdown(socket.SHUT_RDWR)
