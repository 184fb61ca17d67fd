"""The collector under load, over loopback, the load generator on the same machine. Writes the table to docs/benchmarks.md and prints it.

Single reports: 128 connections, each sends its next report when the last one is acknowledged, which means on disk.
The same generator drives a no-op URL of the same server, which reads the body and answers as many bytes.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import re
import secrets
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np
import uvloop

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "support"))

import postgres
import sottovoce as sv
from common import machine, process_kib, write
from sottovoce.collector import routes, serve
from sottovoce.collector.app import Collector
from sottovoce.collector.http import Request, Response, json_response
from sottovoce.collector.routing import Route
from sottovoce.collector.settings import Settings
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
CONNECTIONS, SECONDS, ROUNDS, BATCH = 128, 6.0, 3, 50_000


async def noop(collector: Collector, request: Request) -> Response:
    """What any answer costs."""
    await request.body(collector.settings.body_bytes)
    return json_response({"accepted": 1, "repeated": 0})


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
        return f"p50 {self.p50:.1f} ms, p99 {self.p99:.1f} ms, max {self.worst:.0f} ms, refused {self.refused}"


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

    @property
    def answers(self) -> int:
        return len(self._times)

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
    return process_kib("VmRSS", pid) / 1024


def measure(name: str, db: str, minutes: float) -> Iterator[str]:
    """The rows of a store."""
    study = sv.Study.from_toml(STUDY)
    store = Store(db)
    store.migrate(0)
    store.ready()
    entry = store.add(study, json.dumps(study.compile()))
    path = f"/studies/{study.name}/reports"
    codes = itertools.cycle(np.random.default_rng(1).integers(0, 100, 10**6).tolist())

    def single(where: str) -> Callable[[], bytes]:
        head = f'{{"study":"{study.fingerprint}","id":"'
        return lambda: post(where, "application/json", f'{head}{secrets.token_hex(16)}","report":{next(codes)}}}'.encode())

    with served(db) as (port, pid):

        def run(make: Callable[[], bytes | None], connections: int = CONNECTIONS, seconds: float = SECONDS) -> Figures:
            return uvloop.run(Load(port, make, connections, seconds).run())

        run(single(path), 8, 1.0)
        rounds = [(run(single("/noop")), run(single(path))) for _ in range(ROUNDS)]  # by turns, since the machine is not always as fast
        idle, durable = (sorted(each, key=lambda figures: figures.rate)[ROUNDS // 2] for each in zip(*rounds, strict=True))
        shares = ", ".join(f"{done.rate / nothing.rate:.0%}" for nothing, done in rounds)
        yield f"| {name} | no-op URL | {idle.rate:,.0f} | {idle} |"
        yield f"| {name} | single reports, durable (of the no-op, by rounds: {shares}) | {durable.rate:,.0f} | {durable} |"
        for kind, made in (("NDJSON", "application/x-ndjson"), ("Arrow", "application/vnd.apache.arrow.stream")):
            requests = iter([post(path, made, body) for body in _batches(study, kind)])
            figures = run(partial(next, requests, None), 4, 600.0)
            yield f"| {name} | batches of {BATCH:,} as {kind}, durable | {figures.rate * BATCH:,.0f} | {figures} |"
        if minutes:
            seen, until = [], time.time() + 60 * minutes
            while time.time() < until:
                seen.append((run(single(path), seconds=30.0), memory(pid)))
            rates, memories = [figures.rate for figures, _ in seen], [each for _, each in seen]
            worst = max(figures.p99 for figures, _ in seen)
            told = f"p99 of the worst half minute {worst:.0f} ms; memory {memories[0]:.0f} MB at first, {memories[-1]:.0f} MB at last, "
            told += f"{max(memories):.0f} MB at most"
            yield f"| {name} | single reports for {minutes:g} minutes | {min(rates):,.0f} to {max(rates):,.0f} | {told} |"
    found = store.recount(entry)
    assert found.holds, found
    yield f"| {name} | recount of all {found.reports:,} reports | | all fit |"
    store.migrate(0)
    store.close()


def _batches(study: sv.Study, kind: str) -> Iterator[bytes]:
    for seed in range(40):
        reports = CodeReports(np.random.default_rng(seed).integers(0, 100, BATCH), 100)
        yield lines(study.fingerprint, reports) if kind == "NDJSON" else stream(study.fingerprint, study.mechanism, reports)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="a long run of single reports, with the memory watched")
    parser.add_argument("--serve", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve.run(Settings(db=options.serve, port=0), application="collector:serve_with_noop")
        return
    rows = ["| store | what | requests or reports a second | answers |", "|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder, postgres.serving() as server:
        stores = ("SQLite", f"{folder}/collector.sqlite", options.minutes), ("PostgreSQL", server.database(), options.minutes / 5)
        for name, db, minutes in stores:
            for row in measure(name, db, minutes):
                print(row, flush=True)
                rows.append(row)
    shared = "the load generator, the database and one process of the collector share the machine, over loopback"
    clients = f"{CONNECTIONS} connections (4 for batches), each of which sends when its last request is answered"
    versions = f"{machine('uvicorn', 'uvloop', 'sqlalchemy', 'psycopg')}, SQLite {sqlite3.sqlite_version}"
    conditions = (
        f"{versions}; {shared}; {clients}; {ROUNDS} rounds of {SECONDS:g} s by turns, the middle one shown; direct reports, K = 100."
    )
    write("collector", [conditions, "", *rows])


if __name__ == "__main__":
    main()
