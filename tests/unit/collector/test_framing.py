"""What is cheap to send and takes long to read is refused, however it is cut into fields, chunks and requests."""

from __future__ import annotations

import asyncio
import time
from unittest.mock import MagicMock

import pytest
from uvicorn.config import Config
from uvicorn.server import ServerState

from sottovoce.collector.connections import Connection
from sottovoce.collector.framing import PART_BYTES, PARTS, Chunks
from sottovoce.collector.http import Receive, Scope, Send

GET, POST = b"GET /health HTTP/1.1\r\nhost: x\r\n", b"POST /x HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"
#: As much as is read at once, in as many pieces as possible.
SIZE = 250_000
PIECES = {
    "pipelined requests": (GET + b"\r\n") * (SIZE // len(GET + b"\r\n")),
    "header fields": GET + b"a:\r\n" * (SIZE // 4),
    "requests of many header fields": (GET + b"a:\r\n" * 7000 + b"\r\n") * (SIZE // 28_000),
    "chunks": POST + b"1\r\n \r\n" * (SIZE // 6),
    "short requests of many chunks": (POST + b"1\r\n \r\n" * 2000 + b"0\r\n\r\n") * (SIZE // 12_000),
}


async def _unanswered(scope: Scope, receive: Receive, send: Send) -> None:
    """An application that never gets to a request: what is measured is how it is read."""


async def _seconds(data: bytes) -> tuple[float, bytes]:
    config = Config(_unanswered, http=Connection, lifespan="off", log_config=None)
    config.load()
    best, written = 1.0, b""
    for _ in range(3):  # others use the machine too
        connection, transport = Connection(config, ServerState(), {}), MagicMock()
        transport.is_closing.return_value = False
        transport.get_extra_info.return_value = None
        connection.connection_made(transport)
        began = time.thread_time()
        connection.data_received(data)
        best = min(best, time.thread_time() - began)
        written = b"".join(call.args[0] for call in transport.write.call_args_list)
        connection.connection_lost(None)
        for task in list(connection.tasks):
            task.cancel()
    return best, written


@pytest.mark.parametrize("data", PIECES.values(), ids=PIECES.keys())
def test_many_small_pieces_do_not_hold_up_others(data: bytes) -> None:
    """They took 20 to 200 ms of the event loop's time, and as much again for the next part."""
    taken, _ = asyncio.run(_seconds(data))
    assert taken < 0.008


def test_the_chunks_of_a_body_are_no_smaller_than_reports() -> None:
    small = Chunks()
    assert not any(small.wrong(1) for _ in range(PARTS))
    found = [small.wrong(1) for _ in range(PARTS)]
    assert found[-1] is not None
    assert found[-1][0] == "malformed"
    assert f"fewer than {PART_BYTES} bytes" in found[-1][1]
    whole = Chunks()
    assert not any(whole.wrong(PART_BYTES) for _ in range(20 * PARTS))
