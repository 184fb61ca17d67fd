"""Read large bodies in a separate process, so that short requests don't wait for the interpreter."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from io import RawIOBase
from typing import cast

import msgspec

from sottovoce.collector.intake import StudyIntake
from sottovoce.collector.logs import log
from sottovoce.collector.reading_worker import STUDIES, Asked, Failed, Found, Refused, receive, send
from sottovoce.errors import RequestError
from sottovoce.store import Arrival
from sottovoce.store.arrivals import Lane

#: Seconds that reading one body may take. The largest takes about one, so a process that needs more is stopped, or hangs.
_SECONDS = 60.0
#: Bytes that wait in the pipe to the process, where the system lets us choose.
_PIPE = 1 << 20
_ANSWER = msgspec.msgpack.Decoder(Found | Refused | Failed)


class ReadingProcess:
    """Reads one body at a time in another process, which starts with the first body and again after it has ended.

    If it ends while reading, the request is refused with 503 and none of its reports is counted.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._known: set[str] = set()
        self._reading = threading.Lock()
        self._stopped = False

    def arrival(self, intake: StudyIntake, kind: str, data: bytes | bytearray, ticket: bytes | None) -> Arrival:
        """Read a body as an arrival, as the intake itself would."""
        with self._reading:
            try:
                answer = self._answer(intake, kind, data)
            except (OSError, EOFError, msgspec.DecodeError):
                code = self._end()
                if not self._stopped:
                    log("the process that reads large bodies ended", "error", code=code)
                raise RequestError("busy", "The process that reads large bodies ended unexpectedly.") from None
        if isinstance(answer, Refused):
            raise RequestError(answer.kind, answer.message, **answer.more)
        if isinstance(answer, Failed):
            log("a request failed", "error", error=answer.error, where=answer.where)
            raise RequestError("broken", "Internal error. The request wasn't carried out.")
        return intake.arrival_of({level: Lane(*lane) for level, lane in answer.lanes.items()}, ticket)

    def _answer(self, intake: StudyIntake, kind: str, data: bytes | bytearray) -> Found | Refused | Failed:
        process, fingerprint, compiled = self._started(), intake.entry.fingerprint, None
        if fingerprint not in self._known:
            if len(self._known) >= STUDIES:
                self._known.clear()
            self._known.add(fingerprint)
            compiled = intake.entry.compiled
        asked = msgspec.msgpack.encode(Asked(kind, len(data), fingerprint, intake.most, compiled))
        with _killed_after(_SECONDS, process):
            send(cast(RawIOBase, process.stdin), asked, data)
            return _ANSWER.decode(receive(cast(RawIOBase, process.stdout)))

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._known.clear()
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "sottovoce.collector.reading_worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                pipesize=_PIPE,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},  # it finds what this process finds
            )
        if self._stopped:
            raise EOFError
        return self._process

    def _end(self) -> int | None:
        """End the process, if there is one, and return its exit code."""
        process, self._process = self._process, None
        if process is None:
            return None
        process.kill()
        with process:  # closes its pipes, and waits for it
            return process.wait()

    def stop(self) -> None:
        """End the process for good. The body it is reading is refused."""
        self._stopped = True
        if (process := self._process) is not None:
            process.kill()
        with self._reading:  # the thread that waits for its answer has noticed
            self._end()


@contextlib.contextmanager
def _killed_after(seconds: float, process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Kill a process that takes longer than this."""
    timer = threading.Timer(seconds, process.kill)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
