"""A PostgreSQL that stops answering: its processes are stopped (SIGSTOP) under a stream of reports, and go on later."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx

import postgres
from collectors import JSON, Served, added, bodies, connected, found_ids, ids_of, named, recounted, request, serving, some_reports
from sottovoce.store import Store
from sottovoce.tallies import Tally

#: The settings of the collector, and the seconds by which an answer may be late: the machine is shared.
LATE = 1.5
CLIENTS, EACH = 8, 40


def _children(pid: int) -> list[int]:
    return [int(each) for task in Path(f"/proc/{pid}/task").iterdir() for each in (task / "children").read_text().split()]


def processes(server: postgres.Server, *, whole: bool) -> list[int]:
    """The processes that serve connections, or all of a server."""
    main = int((server.folder / "data" / "postmaster.pid").read_text().split()[0])
    if whole:
        return [main, *_children(main)]
    return [pid for pid in _children(main) if b"tester" in _command(pid)]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except FileNotFoundError:  # it has ended meanwhile
        return b""


@contextmanager
def hung(server: postgres.Server, *, whole: bool) -> Iterator[None]:
    """A server whose processes do nothing; `whole`: it takes no new connections either."""
    stopped = processes(server, whole=whole)
    assert stopped, "there are connections"
    try:
        _send(stopped, signal.SIGSTOP)
        yield
    finally:
        _send(stopped, signal.SIGCONT)


def _send(pids: list[int], what: signal.Signals) -> None:
    """Send a signal. A process that served a connection may have ended when it was listed."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, what)


class Clients:
    """People who send a report, and send it again until it is acknowledged; each answer is timed."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.answers = Counter[int]()
        self.accepted, self.longest = 0, 0.0
        self.acknowledged = list[str]()

    async def send(self, port: int, own: list[bytes], stopped: asyncio.Event) -> None:
        """Send reports, the second half of them when the server was stopped."""
        for place, body in enumerate(own):
            if place == len(own) // 2:
                await stopped.wait()
            while not await self._sent(port, body):
                await asyncio.sleep(0.1)
            await asyncio.sleep(0.02)

    async def _sent(self, port: int, body: bytes) -> bool:
        began = time.monotonic()
        async with connected(port) as (reader, writer):
            writer.write(request("POST", self._path, body, content_type=JSON))
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)
            self.longest = max(self.longest, time.monotonic() - began)
            status = int(head[9:12])
            self.answers[status] += 1
            assert status in {200, 503}, head
            assert (b"\r\nretry-after: " in head) == (status == 503)
            if status == 200:
                self.accepted += json.loads(await reader.readuntil(b"}"))["accepted"]
                self.acknowledged += ids_of([body])
            return status == 200


def hanging_is_bounded(tmp_path: Path, cycles: int, write: float, shutdown: float) -> dict[str, float]:
    """Stop a server again and again: every answer comes in time, nothing acknowledged is lost, and nothing is counted twice.

    `write` and `shutdown` are the seconds that the collector is given for a report and for its end.
    """
    study = named("integers")
    reports = some_reports(study, cycles * CLIENTS * EACH)
    sent = bodies(study, reports)
    figures = {"answer": 0.0, "health": 0.0, "ready": 0.0, "end": 0.0, "refused": 0.0}
    with postgres.serving() as server:
        url = server.database()
        added(url, study)
        clients = Clients(f"/studies/{study.name}/reports")
        for cycle in range(cycles):
            own = sent[cycle * CLIENTS * EACH : (cycle + 1) * CLIENTS * EACH]
            with serving(url, tmp_path, check=False, write_seconds=write, shutdown_seconds=shutdown) as served:
                asyncio.run(_cycle(server, served, clients, own, figures, write, whole=bool(cycle % 2)))
                with hung(server, whole=bool(cycle % 2)):
                    began = time.monotonic()
                    os.kill(served.process.pid, signal.SIGTERM)
                    served.process.wait(shutdown + 30)
                    figures["end"] = max(figures["end"], time.monotonic() - began)
            assert figures["end"] <= shutdown, figures
            found = Counter(each.hex() for each in found_ids(url, study.name))
            assert all(found[each] == 1 for each in clients.acknowledged), "every acknowledged report is there"
            recounted(url, study.name)
        assert sorted(each.hex() for each in found_ids(url, study.name)) == sorted(ids_of(sent))
        assert clients.accepted <= len(sent)
        store = Store(url)
        assert store.tally(store.entry(study.name)) == Tally(study.mechanism).add(reports), "each report once"
        store.close()
    figures |= {"answer": clients.longest, "refused": clients.answers[503]}
    assert figures["refused"] >= cycles // 2, figures
    return figures


async def _cycle(
    server: postgres.Server, served: Served, clients: Clients, own: list[bytes], figures: dict[str, float], write: float, *, whole: bool
) -> None:
    async with httpx.AsyncClient(base_url=served.address, timeout=60) as client:
        assert (await client.get("/health")).status_code == 200  # it listens before it has read its studies
        counted, refused = clients.answers[200], clients.answers[503]
        stopped = asyncio.Event()
        sending = [asyncio.create_task(clients.send(served.port, own[k * EACH : (k + 1) * EACH], stopped)) for k in range(CLIENTS)]
        while clients.answers[200] < counted + CLIENTS:
            await asyncio.sleep(0.005)
        with hung(server, whole=whole):
            stopped.set()
            for path, status in (("/health", 200), ("/ready", 503), ("/health", 200)) if whole else (("/health", 200),):
                began = time.monotonic()
                if path == "/ready":
                    await asyncio.sleep(1.1)  # what was written before shows that it worked
                    began = time.monotonic()
                assert (await client.get(path)).status_code == status, path
                figures[path[1:]] = max(figures[path[1:]], time.monotonic() - began)
            # if only connections hang, others that are opened meanwhile may do
            until = time.monotonic() + 2 * (write + LATE)
            while clients.answers[503] == refused and (whole or not all(task.done() for task in sending)):
                assert time.monotonic() < until, "a report that can't be written is refused in time"
                await asyncio.sleep(0.05)
        await asyncio.gather(*sending)
        assert (await client.get("/ready")).status_code == 200
    assert clients.longest <= write + LATE, clients.longest
    assert figures["health"] <= LATE, figures
    assert figures["ready"] <= write + LATE, figures
