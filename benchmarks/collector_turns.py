"""This collector beside that of another checkout and one plain transaction per request, in turns, on SQLite.

    python benchmarks/collector_turns.py ../before [--folder FOLDER] [--seconds 3] [--rounds 5]

Single reports at 1, 32 and 256 connections, and batches of 50,000 reports over 4 connections. Beside them stands the least that a durable
collector could do: read a body, keep its identifier and its report in one transaction, on disk, and answer. It is measured behind the
same HTTP server ("plain server") and without any server ("plain loop").
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import re
import secrets
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import uvicorn
import uvloop

import collector as bench
import sottovoce as sv
from common import machine, write
from sottovoce.reports import CodeReports
from sottovoce.store import Store
from sottovoce.wire import stream

CONNECTIONS, BATCHES = (1, 32, 256), 8


def plain_store(path: str) -> sqlite3.Connection:
    """A file with the same promise: on disk before anything is acknowledged."""
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA fullfsync = ON", "PRAGMA cache_size = -65536"):
        connection.execute(statement)
    connection.execute("CREATE TABLE ids (id BLOB PRIMARY KEY) WITHOUT ROWID")
    connection.execute("CREATE TABLE reports (key INTEGER PRIMARY KEY, report INTEGER)")
    return connection


def counted_plainly(connection: sqlite3.Connection, body: bytes) -> None:
    """One transaction for one report."""
    found = json.loads(body)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO ids VALUES (?)", (bytes.fromhex(found["id"]),))
    connection.execute("INSERT INTO reports (report) VALUES (?)", (found["report"],))
    connection.execute("COMMIT")


def serve_plainly(path: str) -> None:
    """The least server: it reads, counts and answers in its only thread."""
    connection = plain_store(path)
    answer = b'{"accepted":1,"repeated":0}'
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(answer))]

    async def app(_: Any, receive: Callable[[], Any], send: Callable[[Any], Any]) -> None:
        body, more = b"", True
        while more:
            part = await receive()
            body, more = body + part.get("body", b""), part.get("more_body", False)
        counted_plainly(connection, body)
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})

    config = uvicorn.Config(app, port=0, loop="uvloop", http="httptools", lifespan="off", access_log=False, log_level="info")
    uvicorn.Server(config).run()


@contextlib.contextmanager
def started(command: list[str], source: Path | None = None) -> Iterator[int]:
    """A server of its own process: its port."""
    environment = os.environ if source is None else {**os.environ, "PYTHONPATH": str(source / "src")}
    process = subprocess.Popen([sys.executable, *command], stderr=subprocess.PIPE, env=environment)
    assert process.stderr is not None
    try:
        while not (found := re.search(rb"http://127\.0\.0\.1:(\d+)", process.stderr.readline())):
            assert process.poll() is None, "the server did not start"
        yield int(found[1])
    finally:
        process.terminate()
        process.wait(60)


class Reports:
    """Requests with new reports."""

    def __init__(self) -> None:
        self.study = sv.Study.from_toml(bench.STUDY)
        self._path, self._head = f"/studies/{self.study.name}/reports", f'{{"study":"{self.study.fingerprint}","id":"'
        self._codes = itertools.cycle(np.random.default_rng(1).integers(0, 100, 10**6).tolist())

    def single(self) -> bytes:
        return f'{self._head}{secrets.token_hex(16)}","report":{next(self._codes)}}}'.encode()

    def request(self) -> bytes:
        return bench.post(self._path, "application/json", self.single())

    def batches(self, seed: int) -> Iterator[bytes]:
        for k in range(BATCHES):
            reports = CodeReports(np.random.default_rng(BATCHES * seed + k).integers(0, 100, bench.BATCH), 100)
            yield bench.post(
                self._path, "application/vnd.apache.arrow.stream", stream(self.study.fingerprint, self.study.mechanism, reports)
            )


def looped(connection: sqlite3.Connection, reports: Reports, seconds: float) -> float:
    """Plain transactions a second, without any server."""
    began, count = time.perf_counter(), 0
    while time.perf_counter() < began + seconds:
        counted_plainly(connection, reports.single())
        count += 1
    return count / (time.perf_counter() - began)


def measured(before: Path, folder: str, seconds: float, rounds: int) -> dict[tuple[str, str], list[float]]:
    """The rates of each round, by what was measured and of whom."""
    reports, found = Reports(), defaultdict[tuple[str, str], list[float]](list)
    with contextlib.ExitStack() as stack:
        ports = {}
        for name, source in (("before", before), ("now", Path(__file__).parent.parent)):
            db = f"{folder}/{name}.sqlite"
            command = f"from sottovoce.store import Store; import sottovoce as sv, json; s = Store({db!r}); s.ready(); "
            command += f"study = sv.Study.from_toml({bench.STUDY!r}); s.add(study, json.dumps(study.compile()))"
            subprocess.run([sys.executable, "-c", command], check=True, env={**os.environ, "PYTHONPATH": str(source / "src")})
            ports[name] = stack.enter_context(started(["-m", "sottovoce", "serve", "--db", db, "--port", "0"], source))
        ports["plain server"] = stack.enter_context(started([__file__, "--plain", f"{folder}/plain.sqlite"]))
        connection = stack.enter_context(contextlib.closing(plain_store(f"{folder}/loop.sqlite")))

        def batches(port: int, seed: int) -> float:
            requests = reports.batches(seed)
            return run(port, lambda: next(requests, None), 4, 600.0) * bench.BATCH

        def run(port: int, make: Callable[[], bytes | None], connections: int, longest: float = seconds) -> float:
            figures = uvloop.run(bench.Load(port, make, connections, longest).run())
            assert not figures.refused, "a report was refused"
            return figures.rate

        for port in ports.values():
            run(port, reports.request, 8, 1.0)
        for name in ("before", "now"):
            batches(ports[name], rounds)
        for turn in range(rounds):
            order = list(ports.items())[:: 1 if turn % 2 else -1]
            for connections in CONNECTIONS:
                for name, port in order:
                    found[f"single reports, {connections} connections".replace("1 connections", "1 connection"), name].append(
                        run(port, reports.request, connections)
                    )
            found["single reports, 1 connection", "plain loop"].append(looped(connection, reports, seconds))
            for name, port in order:
                if name != "plain server":
                    found[f"batches of {bench.BATCH:,} (Arrow), 4 connections", name].append(batches(port, turn))
            print(f"round {turn + 1} of {rounds}", file=sys.stderr, flush=True)
    with contextlib.closing(Store(f"{folder}/now.sqlite")) as store:
        assert store.recount(store.entry(reports.study.name)).holds, "a report was lost or counted twice"
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path, nargs="?", help="the other checkout")
    parser.add_argument("--folder", default=None, help="where the stores are kept: on a disk, not in memory")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--plain", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.plain:
        serve_plainly(options.plain)
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        found = measured(options.before.resolve(), folder, options.seconds, options.rounds)
    names = ("before", "now", "plain server", "plain loop")
    rows = ["| reports a second | " + " | ".join(names) + " | now / before, by rounds |", "|---" * (len(names) + 2) + "|"]
    for what in dict.fromkeys(what for what, _ in found):
        rates = {name: found[what, name] for name in names}
        shares = ", ".join(f"{now / then:.2f}" for now, then in zip(rates["now"], rates["before"], strict=True))
        rows.append(f"| {what} | " + " | ".join(f"{np.median(each):,.0f}" if each else "" for each in rates.values()) + f" | {shares} |")
    print("\n".join(rows))
    where = machine("uvicorn", "uvloop").replace("make bench", "benchmarks/collector_turns.py")
    conditions = (
        f"{where}, SQLite {sqlite3.sqlite_version}; the load generator shares the machine; "
        f"medians of {options.rounds} rounds of {options.seconds:g} s in turns."
    )
    write("collector-turns", [conditions, "", *rows])


if __name__ == "__main__":
    main()
