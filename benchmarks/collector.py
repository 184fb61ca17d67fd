"""The collector under load, over loopback, the load generator on the same machine. Writes the table to docs/benchmarks.md and prints it.

Single reports: 128 connections, each sends its next report when the last one is acknowledged, which means on disk.
The same generator drives a no-op address of the same server, which reads the body and answers as many bytes.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import re
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
import uvloop

import sottovoce as sv
from sottovoce.collector import routes, serve
from sottovoce.collector.app import Collector, Route
from sottovoce.collector.http import Answer, Request, answer
from sottovoce.reports import CodeReports
from sottovoce.store import Store
from sottovoce.wire import lines, stream

STUDY = """
name = "bench"
question = "Which of these?"
items = 100
[privacy]
notion = "ldp"
epsilon = 1.0
[mechanism]
name = "krr"
"""
CONNECTIONS, SECONDS, BATCH = 128, 10.0, 50_000


async def noop(collector: Collector, request: Request) -> Answer:
    """What any answer costs."""
    await request.body(collector.settings.body_bytes)
    return answer({"accepted": 1, "repeated": 0})


def serve_with_noop() -> Collector:
    """The collector, with one more address."""
    made = serve.collector()
    return Collector(made.settings, made.store, (*routes.ROUTES, Route("POST", "/noop", noop, None, "Nothing.")))


@dataclass
class Figures:
    """What a run measured."""

    rate: float
    p50: float
    p99: float
    worst: float
    refused: int

    def __str__(self) -> str:
        return f"{self.rate:>9,.0f}/s   p50 {self.p50:6.1f} ms   p99 {self.p99:6.1f} ms   max {self.worst:6.1f} ms   refused {self.refused}"


class Client(asyncio.Protocol):
    """One connection: a request, its answer, the next request."""

    def __init__(self, load: Load) -> None:
        self._load, self._buffer = load, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._next()

    def _next(self) -> None:
        self._sent = time.perf_counter()
        request = self._load.request(self._sent)
        if request is None:
            self._transport.close()
            self._load.ended()
        else:
            self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head = self._buffer.find(b"\r\n\r\n")
        if head < 0:
            return
        at = self._buffer.index(b"content-length: ") + 16
        if len(self._buffer) >= head + 4 + int(self._buffer[at : self._buffer.index(b"\r", at)]):
            self._load.answered(time.perf_counter() - self._sent, good=self._buffer[9:12] == b"200")
            self._buffer = b""
            self._next()


class Load:
    """Keeps connections busy for some seconds, or until there are no more requests."""

    def __init__(self, port: int, make: Callable[[], bytes | None], connections: int, seconds: float) -> None:
        self._port, self._make, self._connections, self._seconds = port, make, connections, seconds
        self._times: list[float] = []
        self._refused = 0

    async def run(self) -> Figures:
        loop = asyncio.get_running_loop()
        self._done, self._left = loop.create_future(), self._connections
        began = time.perf_counter()
        self._until = began + self._seconds
        for _ in range(self._connections):
            await loop.create_connection(lambda: Client(self), "127.0.0.1", self._port)
        await self._done
        took = np.array(self._times) * 1e3
        p50, p99, worst = np.percentile(took, [50, 99, 100])
        return Figures(len(took) / (time.perf_counter() - began), float(p50), float(p99), float(worst), self._refused)

    def request(self, now: float) -> bytes | None:
        return self._make() if now < self._until else None

    def answered(self, took: float, *, good: bool) -> None:
        self._times.append(took)
        self._refused += not good

    def ended(self) -> None:
        self._left -= 1
        if not self._left:
            self._done.set_result(None)


def post(path: str, kind: str, body: bytes) -> bytes:
    return f"POST {path} HTTP/1.1\r\nhost: bench\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body


@contextlib.contextmanager
def served(db: str) -> Iterator[tuple[int, int]]:
    """A server of its own process: its port and its number."""
    process = subprocess.Popen([sys.executable, __file__, "--serve", db], stderr=subprocess.PIPE)
    try:
        assert process.stderr is not None
        while not (found := re.search(rb"http://127\.0\.0\.1:(\d+)", process.stderr.readline())):
            assert process.poll() is None, "the server did not start"
        yield int(found[1]), process.pid
    finally:
        process.terminate()
        process.wait(60)


def memory(pid: int) -> float:
    """Resident memory in MB."""
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) / 1024  # type: ignore[index]  # Linux


def measure(name: str, db: str, minutes: float) -> None:
    study = sv.Study.from_toml(STUDY)
    store = Store(db)
    store.migrate(0)
    store.ready()
    entry = store.add(study, json.dumps(study.compile()))
    path = f"/studies/{study.name}/reports"
    codes = iter(np.random.default_rng(1).integers(0, 100, 10**7).tolist())

    def single(where: str) -> Callable[[], bytes]:
        head = f'{{"study":"{study.fingerprint}","id":"'
        return lambda: post(where, "application/json", f'{head}{secrets.token_hex(16)}","report":{next(codes)}}}'.encode())

    with served(db) as (port, pid):
        run = lambda make, connections, seconds: uvloop.run(Load(port, make, connections, seconds).run())  # noqa: E731 - used below
        run(single(path), 8, 1.0)
        idle = run(single("/noop"), CONNECTIONS, SECONDS)
        durable = run(single(path), CONNECTIONS, SECONDS)
        print(f"{name}: no-op      {idle}")
        print(f"{name}: single     {durable}   {durable.rate / idle.rate:.0%} of the no-op")
        for kind, made in (("ndjson", "application/x-ndjson"), ("arrow", "application/vnd.apache.arrow.stream")):
            bodies = []
            for seed in range(40):
                reports = CodeReports(np.random.default_rng(seed).integers(0, 100, BATCH), 100)
                bodies.append(
                    lines(study.fingerprint, reports) if kind == "ndjson" else stream(study.fingerprint, study.mechanism, reports)
                )
            requests = iter([post(path, made, body) for body in bodies])
            figures = run(lambda r=requests: next(r, None), 4, 600.0)
            print(
                f"{name}: {kind:<6} x{BATCH:,}: {figures.rate * BATCH:>9,.0f} reports/s   p99 {figures.p99:.0f} ms   refused {figures.refused}"
            )
        if minutes:
            seen = []
            until = time.time() + 60 * minutes
            while time.time() < until:
                figures = run(single(path), CONNECTIONS, 30.0)
                seen.append((figures, memory(pid)))
            memories = [each for _, each in seen]
            print(
                f"{name}: {minutes:g} minutes: {min(f.rate for f, _ in seen):,.0f} to {max(f.rate for f, _ in seen):,.0f}/s, p99 at most "
                f"{max(f.p99 for f, _ in seen):.0f} ms, memory {memories[0]:.0f} MB after 30 s, {memories[-1]:.0f} MB at the end, "
                f"{max(memories):.0f} MB at most"
            )
    found = store.recount(entry)
    print(f"{name}: {found.reports:,} reports, recount {'fits' if found.holds else 'DIFFERS'}")
    store.migrate(0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=0.0, help="a long run of single reports, with the memory watched")
    parser.add_argument("--postgres", default="", help="postgresql://… of an empty database")
    parser.add_argument("--serve", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        from sottovoce.collector.settings import Settings

        serve.run(Settings(db=options.serve, port=0), "benchmarks.collector:serve_with_noop")
        return
    with tempfile.TemporaryDirectory(dir=".") as folder:
        measure("SQLite", f"{folder}/collector.sqlite", options.minutes)
    if options.postgres:
        measure("PostgreSQL", options.postgres, options.minutes)


if __name__ == "__main__":
    main()
