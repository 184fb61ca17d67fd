"""Threads for calls that would block the event loop. Each kind of work has its own, so that one can't delay another."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from sottovoce.errors import RequestError

Found = TypeVar("Found")


class Threads:
    """Threads for one kind of work. When `most` calls are running or waiting, further ones are refused."""

    def __init__(self, kind: str, number: int, most: int) -> None:
        self.kind, self.most = kind, most
        self.calls = 0
        self._pool = ThreadPoolExecutor(number, kind)

    async def call(self, work: Callable[..., Found], *arguments: Any) -> Found:
        """Call a function in one of the threads."""
        if self.calls >= self.most:
            raise RequestError("busy", "Too many requests are waiting.")
        self.calls += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work, *arguments)
        finally:
            self.calls -= 1

    def stop(self) -> None:
        """Drop calls that haven't started, and wait for the rest."""
        self._pool.shutdown(cancel_futures=True)
