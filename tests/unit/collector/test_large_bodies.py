"""Large bodies share a rate. A single one isn't held up, and short ones never wait."""

from __future__ import annotations

import asyncio
import time
from collections.abc import MutableMapping
from typing import Any

import pytest

from sottovoce.collector.large_bodies import BURST, LARGE, RATE, Body, LargeBodies

PART = 64 << 10


async def _part() -> MutableMapping[str, Any]:
    return {"type": "http.request", "body": b" " * PART, "more_body": True}


async def _tiny() -> MutableMapping[str, Any]:
    return {"type": "http.request", "body": b" ", "more_body": True}


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


def test_several_large_bodies_have_a_burst_and_then_a_common_rate(pauses: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    async def received() -> None:
        large = LargeBodies()
        first, second = Body(_part, large), Body(_part, large)
        await first.receive()
        for _ in range(BURST // PART):
            await second.receive()
        assert max(pauses) < 1e-9
        await first.receive()
        await second.receive()
        assert pauses[-2:] == pytest.approx([PART / RATE, 2 * PART / RATE])
        large.end(first)
        await second.receive()
        assert pauses[-1] == 0

    monkeypatch.setattr(time, "monotonic", lambda: 1000.0)
    asyncio.run(received())


def test_tiny_parts_do_not_hold_up_others(pauses: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    """An attacker may send a byte at a time over hundreds of connections: bytes count, not parts."""

    async def received() -> None:
        large = LargeBodies()
        slow = [Body(_tiny, large) for _ in range(500)]
        for each in slow:
            each._size = LARGE
            await each.receive()
        await Body(_part, large).receive()
        assert pauses[-1] == 0

    monkeypatch.setattr(time, "monotonic", lambda: 1000.0)
    asyncio.run(received())


def test_a_body_is_large_from_its_size_on(pauses: list[float]) -> None:
    async def received() -> None:
        large = LargeBodies()
        await Body(_part, large).receive()
        body = Body(_short, large)
        for _ in range(9):
            await body.receive()

    asyncio.run(received())
    assert len(pauses) == 2


def test_all_together_keep_to_the_rate() -> None:
    """Bodies that pause together would get 64 MB a second each, not all together."""

    async def received() -> float:
        large = LargeBodies()
        bodies = [Body(_part, large) for _ in range(8)]
        began = time.monotonic()
        await asyncio.gather(*(_all_of(body, (BURST + RATE / 5) / PART / 8) for body in bodies))
        return time.monotonic() - began

    assert asyncio.run(received()) > 0.15


async def _all_of(body: Body, parts: float) -> None:
    for _ in range(int(parts)):
        await body.receive()
