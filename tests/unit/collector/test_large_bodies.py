"""Large bodies take turns. A single one isn't held up, and short ones never wait."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from typing import Any

import pytest

from sottovoce.collector.large_bodies import LARGE, Body, LargeBodies

PART = 64 << 10


async def _part() -> MutableMapping[str, Any]:
    return {"type": "http.request", "body": b" " * PART, "more_body": True}


async def _short() -> MutableMapping[str, Any]:
    return {"type": "http.request", "body": b" " * (LARGE // 8), "more_body": True}


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that were made."""
    made, sleep = list[float](), asyncio.sleep

    async def noted(seconds: float) -> None:
        made.append(seconds)
        await sleep(0)

    monkeypatch.setattr(asyncio, "sleep", noted)
    return made


def test_a_single_large_body_is_not_held_up(pauses: list[float]) -> None:
    async def received() -> None:
        body = Body(_part, LargeBodies())
        for _ in range(4):
            await body.receive()

    asyncio.run(received())
    assert pauses == [0, 0, 0, 0]


def test_several_large_bodies_pause_behind_each_part(pauses: list[float]) -> None:
    async def received() -> None:
        large = LargeBodies()
        first, second = Body(_part, large), Body(_part, large)
        await first.receive()
        await second.receive()
        await first.receive()
        large.end(first)
        await second.receive()

    asyncio.run(received())
    assert pauses == [0, 0.001, 0.001, 0]


def test_a_body_is_large_from_its_size_on(pauses: list[float]) -> None:
    async def received() -> None:
        large = LargeBodies()
        await Body(_part, large).receive()
        body = Body(_short, large)
        for _ in range(9):
            await body.receive()

    asyncio.run(received())
    assert pauses == [0, 0.001]


def test_one_part_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bodies that pause together would get 64 MB a second each, not all together."""
    asleep, most, sleep = 0, 0, asyncio.sleep

    async def counted(seconds: float) -> None:
        nonlocal asleep, most
        asleep += 1
        most = max(most, asleep)
        await sleep(seconds)
        asleep -= 1

    async def received() -> None:
        large = LargeBodies()
        bodies = [Body(_part, large) for _ in range(4)]
        await asyncio.gather(*(body.receive() for body in bodies))
        nonlocal most
        most = 0
        await asyncio.gather(*(body.receive() for body in bodies for _ in range(3)))

    monkeypatch.setattr(asyncio, "sleep", counted)
    asyncio.run(received())
    assert most == 1
