"""Collectors for the tests: the application in this process, or a server in a process of its own."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

import httpx
import numpy as np
import pytest
from numpy.typing import NDArray
from sqlalchemy import insert

import sottovoce as sv
from processes import PROGRAM
from sottovoce.reports import PopulationReports, Reports
from sottovoce.store import Entry, Role, Store, schema
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.wire import lines
from studies import QUESTIONNAIRES, STUDIES

if TYPE_CHECKING:
    from postgres import Server
    from sottovoce.collector.app import Collector

JSON, NDJSON, ARROW = "application/json", "application/x-ndjson", "application/vnd.apache.arrow.stream"


@lru_cache(maxsize=256)
def named(kind: str, name: str | None = None) -> sv.Study:
    """A study of a kind, under a name of its own, whose results are shown from the first report on."""
    text = re.sub(r'^name = "[^"]*"', f'name = "{name or kind.replace("_", "-")}"', (STUDIES | QUESTIONNAIRES)[kind])
    return sv.Study.from_toml(text.replace("[privacy]\n", "[privacy]\nminimum = 1\n"))


def some_reports(study: sv.Study, count: int, seed: int = 1) -> Reports:
    """Reports of people whose answers (and levels) go round."""
    source = sv.SeededSource(seed)
    if isinstance(study, Questionnaire):
        tiers = np.arange(count) // 7 % len(study.levels) if study.levels else None  # whatever the answers are
        return study.mechanism.perturb(some_answers(study, count), source=source, levels=tiers)
    codes = np.arange(count) % len(study.inputs)
    if list(study.blocks) == [""]:
        return study.blocks[""].channel.sample(codes, source)
    levels = (np.arange(count) % len(study.blocks)).astype(np.uint8)
    parts = {name: each.channel.sample(codes[levels == rank], source) for rank, (name, each) in enumerate(study.blocks.items())}
    return PopulationReports(levels, tuple(study.blocks), parts)


def some_answers(study: Questionnaire, count: int) -> dict[str, NDArray[np.int64]]:
    """The codes of answers that go round, and of several choices one at a time."""
    rows, found = np.arange(count), dict[str, NDArray[np.int64]]()
    for question in study.questions:
        for place, (name, domain) in enumerate(question.fields.items()):
            found[name] = (rows % len(question.fields) != place).astype(np.int64) if question.choices else rows % len(domain)
    return found


def bodies(study: sv.Study, reports: Reports) -> list[bytes]:
    """Each report as the body of a request."""
    return lines(study.fingerprint, reports).splitlines()


def added(url: str, *studies: sv.Study, respondents: str = "open") -> list[Entry]:
    """Put studies into a store."""
    store = Store(url)
    store.ready()
    entries = [store.add(study, json.dumps(study.compile()), respondents) for study in studies]
    store.close()
    return entries


def put_as_before(url: str, study: sv.Study) -> None:
    """Put a study into a store as an earlier version did, which took every text."""
    store = Store(url)
    store.ready()
    values = {"name": study.name, "fingerprint": study.fingerprint, "compiled": json.dumps(study.compile())}
    with store.dialect.writing() as connection:
        connection.execute(insert(schema.studies).values(**values, state="open", respondents="open"))
    store.close()


def fresh_url(request: pytest.FixtureRequest, folder: Path) -> str:
    """The address of an empty store of the kind that a fixture's parameter names."""
    if request.param == "sqlite":
        return str(folder / "collector.sqlite")
    server: Server = request.getfixturevalue("postgres")
    return server.database()


class Running(Protocol):
    """A collector that runs, wherever it does."""

    url: str
    address: str

    @property
    def pid(self) -> int:
        """The process that it runs in."""

    def client(self, **options: Any) -> httpx.Client:
        """A client that sends requests to it."""

    def token(self, role: Role, *studies: str) -> dict[str, str]:
        """A header with a new token."""
        store = Store(self.url)
        secret, _ = store.access.new_token(role, studies)
        store.close()
        return {"authorization": f"Bearer {secret}"}

    def memory(self) -> int:
        """Resident kilobytes of the process."""
        return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{self.pid}/status").read_text())[1])  # type: ignore[index]  # Linux


#: Starts a collector with some settings.
Hosting = Callable[..., AbstractContextManager[Running]]


@dataclass
class Hosted(Running):
    """A collector in this process. Its event loop runs in a thread, so that tests can use it like a server."""

    url: str
    application: Collector
    loop: asyncio.AbstractEventLoop
    address: str = "http://collector.test"

    @property
    def pid(self) -> int:
        return os.getpid()

    def client(self, **options: Any) -> httpx.Client:
        return httpx.Client(base_url=self.address, transport=_InProcess(self.application, self.loop), **options)


class _InProcess(httpx.BaseTransport):
    """Hands the requests of a client to an application that runs in another thread, without a socket."""

    def __init__(self, application: Collector, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = httpx.ASGITransport(application), loop

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return asyncio.run_coroutine_threadsafe(self._answered(request), self._loop).result(60)

    async def _answered(self, request: httpx.Request) -> httpx.Response:
        parts = cast(Iterable[bytes], request.stream)
        asked = httpx.Request(request.method, request.url, headers=request.headers, stream=_Parts(parts))
        answer = await self._transport.handle_async_request(asked)
        body = b"".join([part async for part in cast(httpx.AsyncByteStream, answer.stream)])
        return httpx.Response(answer.status_code, headers=answer.headers, stream=httpx.ByteStream(body))


class _Parts(httpx.AsyncByteStream):
    """A body, in the parts that the client sends."""

    def __init__(self, parts: Iterable[bytes]) -> None:
        self._parts = parts

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self._parts:
            yield part


@contextmanager
def hosted(url: str, **settings: Any) -> Iterator[Hosted]:
    """The application of a collector over a store, in this process. In the end it must have had no internal errors."""
    from sottovoce.collector.serve import built
    from sottovoce.collector.settings import Settings

    pause = sys.getswitchinterval()
    application = built(Settings.of(None, {"db": url, **settings}, {}))
    started = Future[Hosted]()
    ending = asyncio.Event()

    async def live() -> None:
        try:
            async with _lifespan(application):
                started.set_result(Hosted(url, application, asyncio.get_running_loop()))
                await ending.wait()
        except BaseException as error:
            if not started.done():
                started.set_exception(error)
            raise

    with ThreadPoolExecutor(1, "collector") as thread:
        ended = thread.submit(asyncio.run, live())
        running = started.result(60)
        try:
            yield running
        finally:
            running.loop.call_soon_threadsafe(ending.set)
            ended.result(60)
            sys.setswitchinterval(pause)
            gc.unfreeze()
    broken = {kind: count for kind, count in application.metrics.refusals.items() if kind in {"broken", "store"} or ":" in kind}
    assert broken == {}
    assert application.held == 0


@asynccontextmanager
async def _lifespan(application: Collector) -> AsyncIterator[None]:
    """Start an application and shut it down, as a server does."""
    asked, told = asyncio.Queue[Any](), asyncio.Queue[Any]()
    living = asyncio.create_task(application({"type": "lifespan"}, asked.get, told.put))
    asked.put_nowait({"type": "lifespan.startup"})
    assert (await told.get())["type"] == "lifespan.startup.complete"
    try:
        yield
    finally:
        asked.put_nowait({"type": "lifespan.shutdown"})
        await living
        assert (await told.get())["type"] == "lifespan.shutdown.complete"


@dataclass
class Served(Running):
    """A collector in a process of its own."""

    process: subprocess.Popen[bytes]
    address: str
    log: Path
    url: str

    @property
    def pid(self) -> int:
        return self.process.pid

    def client(self, **options: Any) -> httpx.Client:
        return httpx.Client(base_url=self.address, timeout=60, **options)

    @property
    def port(self) -> int:
        return int(self.address.rsplit(":", 1)[1])

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(30)

    def stop(self) -> int:
        """End it as an operator would; tells its exit code."""
        self.process.terminate()
        return self.process.wait(60)


@contextmanager
def serving(url: str, folder: Path, *, port: int = 0, check: bool = True, **settings: Any) -> Iterator[Served]:
    """A collector over a store, for as long as it is needed."""
    log = folder / f"collector-{time.monotonic_ns()}.log"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SOTTOVOCE_")}
    environment |= {f"SOTTOVOCE_{name.upper()}": str(value) for name, value in settings.items()}
    with open(log, "wb") as file:
        command = [*PROGRAM, "serve", "--db", url, "--port", str(port)]
        process = subprocess.Popen(command, cwd=folder, stderr=file, stdout=file, env=environment)
    try:
        yield Served(process, _address(process, log), log, url)
        if check:
            assert process.poll() is None, log.read_text()
            assert Served(process, "", log, url).stop() == 0, log.read_text()
            assert "Traceback" not in log.read_text()
            assert '"error"' not in log.read_text(), log.read_text()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(30)


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    for _ in range(600):
        if found := re.search(r'"address": "([^"]+)"', log.read_text()):
            return found[1]
        assert process.poll() is None, log.read_text()
        time.sleep(0.05)
    raise AssertionError(f"the collector did not start: {log.read_text()}")


def request(method: str, path: str, body: bytes = b"", **headers: str) -> bytes:
    """A request as it goes over the line."""
    head = [
        f"{method} {path} HTTP/1.1",
        "host: test",
        f"content-length: {len(body)}",
        *(f"{k.replace('_', '-')}: {v}" for k, v in headers.items()),
    ]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection, for as long as it is needed."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield reader, writer
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


async def exchange(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, data: bytes) -> tuple[int, bytes]:
    """Send a request on a connection that stays open, and read the answer."""
    writer.write(data)
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head)
    assert length is not None
    return int(head[9:12]), await reader.readexactly(int(length[1]))


def found_ids(url: str, name: str) -> list[bytes]:
    """All identifiers that a store holds of a study."""
    from sqlalchemy import select

    from sottovoce.store import schema

    store = Store(url)
    with store.dialect.reading() as connection:
        query = (
            select(schema.ids.c.id).join(schema.studies, schema.studies.c.key == schema.ids.c.study).where(schema.studies.c.name == name)
        )
        ids = [bytes(each) for each in connection.execute(query).scalars()]
    store.close()
    return ids


def recounted(url: str, *names: str) -> None:
    """See that the tallies are those of the reports, and the reports as many as the identifiers."""
    store = Store(url)
    for name in names:
        entry = store.entry(name)
        found = store.recount(entry)
        assert found.holds, found
        assert store.tally(entry).n == found.reports
    store.close()


def ids_of(given: Sequence[bytes]) -> list[str]:
    return [json.loads(each)["id"] for each in given]


def matches(found: Any, name: str) -> None:
    """See that data are of a type that the interface of the collector describes."""
    import jsonschema

    from sottovoce.collector.openapi import document
    from sottovoce.collector.routes import ROUTES

    jsonschema.validate(found, {"$ref": f"#/components/schemas/{name}", "components": document(ROUTES)["components"]})
