"""A collector that is killed without warning, again and again, under a stream of reports."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from pathlib import Path

from collectors import (
    JSON,
    NDJSON,
    added,
    bodies,
    connected,
    exchange,
    found_ids,
    ids_of,
    named,
    recounted,
    request,
    serving,
    some_reports,
)
from sottovoce.store import Store
from sottovoce.tallies import Tally

CLIENTS, CHUNK = 12, 40


class Stream:
    """Clients that send reports, alone and in batches, and send again what was not acknowledged, until they are told to stop."""

    def __init__(self, path: str, waiting: list[list[bytes]]) -> None:
        self._path, self._waiting = path, waiting
        self.acknowledged = list[str]()
        self.accepted = 0
        self.stopping = False

    async def client(self, port: int) -> None:
        while not self.stopping and self._waiting:
            try:
                async with connected(port) as (reader, writer):
                    while not self.stopping and self._waiting:
                        await self._one(reader, writer)
            except (OSError, asyncio.IncompleteReadError):
                await asyncio.sleep(0.01)

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        batch = self._waiting.pop(random.randrange(len(self._waiting)))
        try:
            kind = JSON if len(batch) == 1 else NDJSON
            status, answer = await exchange(reader, writer, request("POST", self._path, b"\n".join(batch), content_type=kind))
        except (OSError, asyncio.IncompleteReadError):
            self._waiting.append(batch)  # whether it was counted is not known: it is sent again, with the same identifiers
            raise
        assert status == 200, answer
        self.acknowledged += ids_of(batch)
        self.accepted += json.loads(answer)["accepted"]


def kills_lose_nothing(url: str, tmp_path: Path, kills: int, kind: str = "integers") -> None:
    """Kill a collector so many times while reports come in: every acknowledged report is there, and counted once."""
    study = named(kind)
    added(url, study)
    reports = some_reports(study, 60_000)
    all_bodies = bodies(study, reports)
    cut = [1 if k % 3 else CHUNK for k in range(len(all_bodies))]
    waiting, begin = list[list[bytes]](), 0
    while begin < len(all_bodies):
        waiting.append(all_bodies[begin : begin + cut[len(waiting)]])
        begin += cut[len(waiting) - 1]
    sending = Stream(f"/studies/{study.name}/reports", waiting)
    killed_at = list[int]()

    async def disturbed(seconds: float, port: int) -> None:
        sending.stopping = False
        clients = [asyncio.create_task(sending.client(port)) for _ in range(CLIENTS)]
        before = len(sending.acknowledged)
        while len(sending.acknowledged) == before and sending._waiting:
            await asyncio.sleep(0.005)  # the kill comes while reports are coming in
        await asyncio.sleep(seconds)
        served.kill()
        killed_at.append(len(sending.acknowledged) - before)
        sending.stopping = True
        await asyncio.gather(*clients)

    async def finished(port: int) -> None:
        sending.stopping = False
        await asyncio.gather(*[sending.client(port) for _ in range(CLIENTS)])

    for _ in range(kills):
        with serving(url, tmp_path, check=False) as served:
            asyncio.run(disturbed(random.random() * 0.15, served.port))
        found = Counter(each.hex() for each in found_ids(url, study.name))
        assert all(found[each] == 1 for each in sending.acknowledged), "every acknowledged report is there"
        recounted(url, study.name)
    assert len(killed_at) == kills
    assert sum(killed_at) > kills, "the kills came while reports were acknowledged"
    with serving(url, tmp_path) as served:
        asyncio.run(finished(served.port))
    assert sorted(each.hex() for each in found_ids(url, study.name)) == sorted(ids_of(all_bodies))
    recounted(url, study.name)
    store = Store(url)
    assert store.tally(store.entry(study.name)) == Tally(study.mechanism).add(reports), "each report once, whatever happened"
    store.close()
