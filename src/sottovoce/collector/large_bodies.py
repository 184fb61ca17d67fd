"""Receiving large bodies in turn, so that short requests are answered meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from typing import Any

from sottovoce.collector.http import Receive

#: Bytes from which on a body is large: it is received in turn with others and read in another process.
LARGE = 16 << 10
#: Seconds of pause behind a part while several large bodies are under way, for each 64 KiB of it. All of them together get 64 MB a
#: second. That is faster than they can be read and slow enough for others.
_BREATH, _IN_A_BREATH = 0.001, 1 << 16


class LargeBodies:
    """The large bodies that are under way. Several take turns, with a pause behind each part. A single one isn't held up."""

    def __init__(self) -> None:
        self._under_way: set[Body] = set()
        self._turn = asyncio.Lock()

    async def wait(self, body: Body, part: int) -> None:
        """Let others have their turn behind a part of so many bytes."""
        self._under_way.add(body)
        if len(self._under_way) == 1:
            await asyncio.sleep(0)
            return
        async with self._turn:
            await asyncio.sleep(max(1.0, part / _IN_A_BREATH) * _BREATH)

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
