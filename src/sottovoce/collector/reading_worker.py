"""The process that reads large bodies, one after the other, from its standard input. It ends when the input ends.

It has no socket, no store and no log, and keeps nothing of a body. It runs at the lowest priority, so that the collector answers short
requests first.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from io import RawIOBase
from typing import Any

import msgspec

#: Studies that are kept. The next one replaces them all, here and in the collector's list of what is kept here.
STUDIES = 64
#: How much this process gives way to others (0: not at all, 19: always).
_NICE = 10


class Asked(msgspec.Struct, array_like=True):
    """The head before a body of `size` bytes: its content type and its study, in full (`compiled`) if this process doesn't have it yet."""

    kind: str
    size: int
    fingerprint: str
    most: int
    compiled: str | None = None


class Found(msgspec.Struct, array_like=True, tag=True):
    """The reports of a body: the identifiers and the records of each level."""

    lanes: dict[str, tuple[bytes, bytes]]


class Refused(msgspec.Struct, array_like=True, tag=True):
    """Why a body is refused."""

    kind: str
    message: str
    more: dict[str, Any]


class Failed(msgspec.Struct, array_like=True, tag=True):
    """An internal error: its type, and where in the code it happened."""

    error: str
    where: str


def place_of(error: BaseException) -> str:
    """The file and the line that raised an error."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    return "" if place is None else f"{os.path.basename(place.tb_frame.f_code.co_filename)}:{place.tb_lineno}"


def send(file: RawIOBase, *parts: bytes | bytearray) -> None:
    """Send a message in parts, after a prefix with the length of the first."""
    for part in (len(parts[0]).to_bytes(8, "little"), *parts):
        rest = memoryview(part)
        while rest:
            rest = rest[file.write(rest) :]


def receive(file: RawIOBase, size: int | None = None) -> bytearray:
    """Receive so many bytes, or a message with a length prefix. Raises EOFError if the other process has ended."""
    if size is None:
        size = int.from_bytes(receive(file, 8), "little")
    whole = bytearray(size)
    rest = memoryview(whole)
    while rest:
        count = file.readinto(rest)
        if not count:
            raise EOFError
        rest = rest[count:]
    return whole


def main() -> None:
    """Read bodies until the input ends."""
    for number in (signal.SIGINT, signal.SIGTERM):  # those are for the collector, which ends this process in its own time
        signal.signal(number, signal.SIG_IGN)
    with open(os.dup(0), "rb", buffering=0) as incoming, open(os.dup(1), "wb", buffering=0) as outgoing:
        os.dup2(2, 1)  # whatever else is printed is not an answer
        with suppress(EOFError, BrokenPipeError):  # the collector has ended
            _answer_all(incoming, outgoing)


def _answer_all(incoming: RawIOBase, outgoing: RawIOBase) -> None:
    from sottovoce.collector.reading import Reader  # noqa: PLC0415 - takes long, and signals shouldn't come meanwhile
    from sottovoce.errors import RequestError  # noqa: PLC0415 - likewise
    from sottovoce.study import Study  # noqa: PLC0415 - likewise

    if hasattr(os, "nice"):  # from here on: on a busy machine, a process that gives way would take very long to start
        os.nice(_NICE)
    readers: dict[str, Reader] = {}
    while True:
        asked = msgspec.msgpack.decode(receive(incoming), type=Asked)
        body = receive(incoming, asked.size)
        try:
            if asked.compiled is not None:
                if len(readers) >= STUDIES:
                    readers.clear()
                readers[asked.fingerprint] = Reader(Study.from_json(asked.compiled, "the study").mechanism, asked.fingerprint, asked.most)
            answer: Found | Refused | Failed = Found(dict(readers[asked.fingerprint].read(asked.kind, body)))
        except RequestError as error:
            answer = Refused(error.kind, str(error), error.more)
        except Exception as error:
            answer = Failed(type(error).__name__, place_of(error))
        del body
        send(outgoing, msgspec.msgpack.encode(answer))


if __name__ == "__main__":
    main()
