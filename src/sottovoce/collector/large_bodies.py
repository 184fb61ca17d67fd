"""Receive large bodies at a bounded rate, so that short requests are answered meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sottovoce.collector.http import Receive

#: Bytes from which on a body is large: it is received at a bounded rate and read in another process.
LARGE = 16 << 10
#: Bytes a second that all large bodies get together while several are under way. That is faster than they can be read and slow enough for
#: others.
RATE = 64e6
#: Bytes that may come at once before anyone is held up: some batches at the same time, and not a flood.
BURST = 8 << 20


class LargeBodies:
    """The large bodies being received. A single one isn't delayed. Several get a short burst, and then share a rate."""

    def __init__(self) -> None:
        self._under_way: set[Body] = set()
        #: Until when what came so far takes at this rate.
        self._until = 0.0

    async def wait(self, body: Body, part: int) -> None:
        """Wait after a part of so many bytes, so that others get their turn."""
        self._under_way.add(body)
        pause = 0.0
        if len(self._under_way) > 1:
            now = time.monotonic()
            self._until = max(self._until, now - BURST / RATE) + part / RATE
            pause = self._until - now
        await asyncio.sleep(max(0.0, pause))

    def end(self, body: Body) -> None:
        """Forget a body whose request was answered."""
        self._under_way.discard(body)


class Body:
    """The body of a request, received part by part."""

    __slots__ = ("_large", "_receive", "_size")

    def __init__(self, receive: Receive, large: LargeBodies) -> None:
        self._receive, self._large, self._size = receive, large, 0

    async def receive(self) -> MutableMapping[str, Any]:
        """Receive the next part."""
        message = await self._receive()
        part = len(message.get("body", b""))
        self._size += part
        if self._size > LARGE:
            await self._large.wait(self, part)
        return message
