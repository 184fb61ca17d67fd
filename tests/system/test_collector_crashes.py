"""Killed without warning, again and again, under a stream of reports: nothing acknowledged is lost, and nothing is counted twice."""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections import Counter
from pathlib import Path

from collectors import (
    ARROW,
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
from sottovoce.wire import stream
from suites.crashes import kills_lose_nothing


def test_kills_lose_nothing_and_count_nothing_twice(url: str, tmp_path: Path) -> None:
    kills_lose_nothing(url, tmp_path, 6)


def test_kills_lose_no_submission_of_a_questionnaire(url: str, tmp_path: Path) -> None:
    kills_lose_nothing(url, tmp_path, 3, "block")


def test_a_graceful_end_answers_what_it_has_taken(url: str, tmp_path: Path) -> None:
    study = named("ldp")
    added(url, study)
    sent = bodies(study, some_reports(study, 200))

    async def send(port: int, body: bytes) -> tuple[int, bytes]:
        async with connected(port) as (reader, writer):
            return await exchange(reader, writer, request("POST", f"/studies/{study.name}/reports", body, content_type=JSON))

    async def all_at_once(port: int) -> list[tuple[int, bytes] | BaseException]:
        sending = [asyncio.create_task(send(port, body)) for body in sent]
        await asyncio.sleep(1)  # all have been read, and wait for the group to be written
        os.kill(served.process.pid, 15)
        return await asyncio.gather(*sending, return_exceptions=True)

    with serving(url, tmp_path, check=False, gather_milliseconds=2000) as served:
        with served.client() as client:
            assert client.get("/health").status_code == 200  # it listens before it has read its studies
        answers = asyncio.run(all_at_once(served.port))
        assert served.process.wait(30) == 0
    assert [answer[0] if isinstance(answer, tuple) else answer for answer in answers] == [200] * 200
    assert len(found_ids(url, study.name)) == 200
    recounted(url, study.name)
    assert not list(tmp_path.glob("*-wal")), "SQLite's log was worked in"


def test_a_restart_under_batches_of_arrow(url: str, tmp_path: Path) -> None:
    """The same stream sent to three processes in turn, the first two of which are killed."""
    study = named("olh")
    added(url, study)
    reports = some_reports(study, 20_000)
    body = stream(study.fingerprint, study.mechanism, reports)
    data = request("POST", f"/studies/{study.name}/reports", body, content_type=ARROW)

    async def send(port: int) -> tuple[int, bytes]:
        async with connected(port) as (reader, writer):
            return await exchange(reader, writer, data)

    async def begin(port: int, seconds: float) -> None:
        task = asyncio.create_task(send(port))
        await asyncio.sleep(seconds)
        served.kill()
        await asyncio.gather(task, return_exceptions=True)

    for seconds in (0.02, 0.2):
        with serving(url, tmp_path, check=False) as served:
            asyncio.run(begin(served.port, seconds))
        recounted(url, study.name)
    with serving(url, tmp_path) as served:
        answer = json.loads(asyncio.run(send(served.port))[1])
        assert answer["accepted"] in {0, 20_000}
        assert sum(answer.values()) == 20_000
        assert json.loads(asyncio.run(send(served.port))[1]) == {"accepted": 0, "repeated": 20_000}
    store = Store(url)
    assert store.tally(store.entry(study.name)) == Tally(study.mechanism).add(reports)
    store.close()


def test_two_hundred_clients_that_retry_aggressively(url: str, tmp_path: Path) -> None:
    """Timeouts, connections cut in the middle, requests doubled and reordered: the counts are exact."""
    study = named("ldp")
    added(url, study)
    each, clients = 25, 200
    reports = some_reports(study, each * clients)
    sent = bodies(study, reports)
    path = f"/studies/{study.name}/reports"
    accepted, answered = Counter[str](), Counter[int]()
    dice = random.Random(5)

    async def once(port: int, batch: list[bytes], patience: float) -> bool:
        """Send a batch; tells whether it was acknowledged."""
        data = request("POST", path, b"\n".join(batch), content_type=NDJSON)
        try:
            async with connected(port) as (reader, writer):
                if dice.random() < 0.1:
                    writer.write(data[: dice.randrange(len(data))])  # cut in the middle
                    await writer.drain()
                    return False
                status, answer = await asyncio.wait_for(exchange(reader, writer, data), patience)
        except (OSError, asyncio.IncompleteReadError, TimeoutError):
            return False
        answered[status] += 1
        if status == 200:
            accepted["reports"] += json.loads(answer)["accepted"]
        return status == 200

    async def client(port: int, own: list[bytes]) -> None:
        waiting = [own[k : k + 5] for k in range(0, len(own), 5)]
        while waiting:
            dice.shuffle(waiting)
            batch = waiting[0]
            doubled = [batch] * dice.choice((1, 1, 2, 3)) + ([waiting[-1]] if dice.random() < 0.3 else [])
            outcomes = await asyncio.gather(*[once(port, dice.sample(one, len(one)), dice.choice((0.02, 0.2, 5.0))) for one in doubled])
            if outcomes[0]:
                waiting.remove(batch)

    async def everybody(port: int) -> None:
        await asyncio.gather(*[client(port, sent[k * each : (k + 1) * each]) for k in range(clients)])

    with serving(url, tmp_path) as served:
        asyncio.run(asyncio.wait_for(everybody(served.port), 240))
    assert set(answered) <= {200, 503}
    assert accepted["reports"] <= len(sent), "an answer may have been lost, but none was counted twice"
    assert sorted(found.hex() for found in found_ids(url, study.name)) == sorted(ids_of(sent))
    recounted(url, study.name)
    store = Store(url)
    assert store.tally(store.entry(study.name)) == Tally(study.mechanism).add(reports)
    store.close()
