"""The collector's own HTTP layer beside the same service on Starlette. Writes the table to docs/benchmarks.md and prints it.

Three servers, each in its own process, with the same connections (uvicorn, uvloop, httptools), the same store (SQLite) and the same
intake. The load generator of `benchmarks/collector.py` drives them by turns. A no-op reads a small body and answers as many bytes as a
receipt has. A single report is acknowledged when it is on disk. Processor time is that of the server's process, per request: unlike the
rate, it hardly changes when something else runs on the machine.
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
import statistics
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import uvloop
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

import sottovoce as sv
from collector import CONNECTIONS, STUDY, Figures, Load, post, serve_with_noop
from common import machine, write
from sottovoce.collector import serve
from sottovoce.collector.http import problem_document
from sottovoce.collector.routes import ROUTES
from sottovoce.collector.settings import Settings
from sottovoce.errors import RequestError, SottovoceError
from sottovoce.store import Receipt, Refusal, Store
from sottovoce.store.credentials import ticket_hash

SECONDS, ROUNDS = 4.0, 5
LAYERS = {"uvicorn alone": "bare", "own layer": "own", "Starlette": "starlette"}
RECEIPT = b'{"accepted":1,"repeated":0}'
HEADERS = {"x-content-type-options": "nosniff"}


class Problem(Response):
    """An error as problem+json, from the same table."""

    media_type = "application/problem+json"

    def __init__(self, error: SottovoceError, headers: dict[str, str] | None = None) -> None:
        status, document = problem_document(error)
        super().__init__(json.dumps(document), status, {**HEADERS, "cache-control": "no-store", **(headers or {})})


def header(request: Request, name: str) -> str:
    found = request.headers.getlist(name)
    if len(found) > 1:
        raise RequestError("malformed", f"the header {name} occurs more than once")
    return found[0] if found else ""


def query(request: Request, *known: str) -> dict[str, str]:
    given: bytes = request.scope["query_string"]
    if not given:
        return {}
    pairs = parse_qsl(given.decode("ascii"), keep_blank_values=True, strict_parsing=True)
    if {name for name, _ in pairs} - set(known):
        raise RequestError("parameter", "the query has an unknown parameter")
    return dict(pairs)


async def body(request: Request, limit: int, hold: Callable[[int], None] = lambda _: None) -> bytes:
    """The body, bounded while it arrives: what `Request.body` of Starlette does not do."""
    declared = header(request, "content-length")
    if declared.isdecimal() and int(declared) > limit:
        raise RequestError("too-large", f"the body has {int(declared):,} bytes, and {limit:,} are taken at most")
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > limit:
            raise RequestError("too-large", f"the body has more than {limit:,} bytes")
        hold(len(part))
        parts.append(part)
    return b"".join(parts)


def starlette() -> Starlette:
    """The intake of reports as it would be written on Starlette: all routes, one table of problems, the same promises."""
    collector = serve.collector()
    settings = collector.settings

    async def noop(request: Request) -> Response:
        await body(request, settings.body_bytes)
        return Response(RECEIPT, 200, HEADERS, "application/json")

    async def reports(request: Request) -> Response:
        query(request)
        intake = await collector.intake(request.path_params["name"])
        if header(request, "content-encoding").lower() not in {"", "identity"}:
            raise RequestError("media-type", "the body is compressed; send it as it is")
        kind = header(request, "content-type").partition(";")[0].strip().lower()
        scheme, _, ticket = header(request, "authorization").partition(" ")
        shown = (ticket_hash(ticket.strip()) or b"?") if scheme.lower() == "ticket" else None
        held = 0

        def hold(size: int) -> None:
            nonlocal held
            collector.hold(size)
            held += size

        try:
            data = await body(request, settings.body_bytes, hold)
            outcome = await collector.writer.write(intake.arrival(kind, data, shown))
        finally:
            collector.held -= held
        if isinstance(outcome, Refusal):
            raise RequestError("closed", outcome.value)
        same = outcome == Receipt(1, 0)
        content = RECEIPT if same else b'{"accepted":%d,"repeated":%d}' % (outcome.accepted, outcome.repeated)
        return Response(content, 200, HEADERS, "application/json")

    async def elsewhere(request: Request) -> Response:
        raise RequestError("not-found", "this benchmark does not use it")

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, SottovoceError)
        collector.metrics.refusals[error.kind] += 1
        return Problem(error)

    async def unknown(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        kind = "method" if error.status_code == 405 else "not-found"
        return Problem(RequestError(kind, "there is nothing at this address"), dict(error.headers or {}))

    async def gone(request: Request, error: Exception) -> Response:
        return Response(status_code=400)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        collector.start()
        yield
        await collector.stop()

    handlers: dict[Any, Any] = {SottovoceError: refused, HTTPException: unknown, ClientDisconnect: gone}
    hot = [Route("/noop", noop, methods=["POST"]), Route("/studies/{name}/reports", reports, methods=["POST"])]  # routes are tried in order
    others = [Route(each.path, elsewhere, methods=[each.method]) for each in ROUTES]
    made = Starlette(routes=[*hot, *others], exception_handlers=handlers, lifespan=lifespan)
    made.router.redirect_slashes = False
    return made


def own() -> Any:
    return serve_with_noop()


def bare() -> Any:
    """The floor: an application that reads the body and answers, whatever is asked."""
    start = {
        "type": "http.response.start",
        "status": 200,
        "headers": [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(RECEIPT))],
    }

    async def application(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            while (await receive())["type"] == "lifespan.startup":
                await send({"type": "lifespan.startup.complete"})
            await send({"type": "lifespan.shutdown.complete"})
            return
        while (await receive()).get("more_body"):
            pass
        await send(start)
        await send({"type": "http.response.body", "body": RECEIPT})

    return application


@dataclass
class Server:
    """A layer that serves: its port and the processor time that it has used."""

    layer: str
    port: int
    pid: int

    def used(self) -> float:
        """Seconds of processor time so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def measure(self, make: Callable[[], bytes], connections: int = CONNECTIONS, seconds: float = SECONDS) -> tuple[Figures, float]:
        """What the load saw, and microseconds of processor time per request."""
        before = self.used()
        load = Load(self.port, make, connections, seconds)
        figures = uvloop.run(load.run())
        return figures, 1e6 * (self.used() - before) / load.answers


@contextlib.contextmanager
def served(layer: str, folder: str) -> Iterator[Server]:
    """A server in a process of its own, with a store of its own."""
    db = f"{folder}/{layer}.sqlite"
    study = sv.Study.from_toml(STUDY)
    store = Store(db)
    store.ready()
    store.add(study, json.dumps(study.compile()))
    store.close()
    process = subprocess.Popen([sys.executable, __file__, "--serve", db, "--layer", layer], stderr=subprocess.PIPE)
    try:
        assert process.stderr is not None
        while not (found := re.search(rb"http://127\.0\.0\.1:(\d+)", process.stderr.readline())):
            assert process.poll() is None, "the server did not start"
        yield Server(layer, int(found[1]), process.pid)
    finally:
        process.terminate()
        process.wait(60)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve", default="", help=argparse.SUPPRESS)
    parser.add_argument("--layer", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve.run(Settings(db=options.serve, port=0), application=f"service:{options.layer}")
        return
    study = sv.Study.from_toml(STUDY)
    codes = itertools.cycle(np.random.default_rng(1).integers(0, 100, 10**6).tolist())

    def single(where: str) -> Callable[[], bytes]:
        head = f'{{"study":"{study.fingerprint}","id":"'
        return lambda: post(where, "application/json", f'{head}{secrets.token_hex(16)}","report":{next(codes)}}}'.encode())

    kinds = {"no-op": "/noop", "single reports, durable": f"/studies/{study.name}/reports"}
    rows = ["| request | layer | requests a second, by rounds | of the own layer's | processor time per request | of the own layer's |"]
    rows.append("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        servers = {name: stack.enter_context(served(layer, folder)) for name, layer in LAYERS.items()}
        for kind, path in kinds.items():
            names = [name for name in servers if kind == "no-op" or name != "uvicorn alone"]
            for name in names:
                servers[name].measure(single(path), 8, 1.0)
            rounds = [{name: servers[name].measure(single(path)) for name in names} for _ in range(ROUNDS)]
            assert not any(figures.refused for each in rounds for figures, _ in each.values())
            for name in names:
                rates, costs = ([each[name][k] for each in rounds] for k in (0, 1))
                speed = statistics.median(each[name][0].rate / each["own layer"][0].rate for each in rounds)
                cost = statistics.median(each[name][1] / each["own layer"][1] for each in rounds)
                listed = ", ".join(f"{figures.rate:,.0f}" for figures in rates)  # type: ignore[union-attr]  # the first are figures
                micro = statistics.median(costs)  # type: ignore[type-var]  # the second are numbers
                rows.append(f"| {kind} | {name} | {listed} | {speed:.2f} | {micro:.0f} µs | {cost:.2f} |")
                print(rows[-1], flush=True)
    shared = "the load generator and one server share the machine, over loopback"
    turns = f"{CONNECTIONS} connections; {ROUNDS} rounds of {SECONDS:g} s by turns, ratios within a round, the middle one shown"
    write("service", [f"{machine('uvicorn', 'uvloop', 'starlette')}, SQLite {sqlite3.sqlite_version}; {shared}; {turns}.", "", *rows])


if __name__ == "__main__":
    main()
