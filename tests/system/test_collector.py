"""What a collector answers: a server with PostgreSQL. Then several workers, and a full disk."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from collectors import NDJSON, Hosting, Served, added, bodies, named, recounted, serving, some_reports
from postgres import Server
from sottovoce.collector.shared_metrics import EVERY
from sottovoce.store import Role
from sottovoce.tallies import Tally
from sottovoce.wire import lines
from studies import QUESTIONNAIRES, STUDIES
from suites.collector import *  # noqa: F403 - all tests of the suite
from suites.collector import post, refusal


@pytest.fixture(scope="module")
def served(postgres: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A collector with a study of every kind."""
    url = postgres.database()
    added(url, *(named(kind) for kind in [*STUDIES, *QUESTIONNAIRES]))
    with serving(url, tmp_path_factory.mktemp("collector"), body_bytes=1 << 20) as running:
        yield running


@pytest.fixture
def url(postgres: Server) -> str:
    return postgres.database()


@pytest.fixture
def hosting(url: str, tmp_path: Path) -> Hosting:
    """Starts a collector over an empty store."""
    return partial(serving, url, tmp_path)


def test_several_workers_on_postgresql(url: str, tmp_path: Path) -> None:
    study = named("integers")
    added(url, study)
    reports = some_reports(study, 3000)
    sent = bodies(study, reports)
    with serving(url, tmp_path, workers=2) as served:
        seen = 0
        for begin in range(0, 3000, 100):
            with served.client() as client:  # another connection each time, so that both workers have their share
                seen += post(client, study.name, b"\n".join(sent[begin : begin + 150]), NDJSON).json()["accepted"]
        assert seen == 3000
        with served.client() as client:
            told = client.get(f"/studies/{study.name}/tally", headers=served.token(Role.ANALYST, study.name)).json()
        monitor, counts = served.token(Role.MONITOR), []
        time.sleep(2 * EVERY)  # both have left their figures
        for _ in range(20):  # whichever worker answers
            with served.client() as client:
                counts.append(re.search(r'outcome="accepted"} (\d+)', client.get("/metrics", headers=monitor).text))
        assert {found and found[1] for found in counts} == {"3000"}
        assert told["blocks"][0]["counts"] == Tally(study.mechanism).add(reports).blocks[0].counts.tolist()
    recounted(url, study.name)


def test_a_store_that_is_full_loses_nothing_and_acknowledges_nothing(tmp_path: Path) -> None:
    """A limit on the size of files stands for a full disk; when it is lifted, everything goes on."""
    import resource

    url = str(tmp_path / "collector.sqlite")
    study = named("ldp")
    added(url, study)
    sent = [lines(study.fingerprint, some_reports(study, 2000, seed)) for seed in range(30)]
    with serving(url, tmp_path, check=False) as served, served.client() as client:
        assert post(client, "ldp", sent[0], NDJSON).json()["accepted"] == 2000
        size = max(path.stat().st_size for path in tmp_path.glob("collector.sqlite*"))
        resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (size + 200_000, resource.RLIM_INFINITY))
        answers = [post(client, "ldp", body, NDJSON) for body in sent[1:]]
        kept = [answer.status_code == 200 for answer in answers]
        assert not all(kept)
        for answer in answers:
            if answer.status_code != 200:
                refusal(answer, "store")
        resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        again = [post(client, "ldp", body, NDJSON).json() for body in sent[1:]]
        assert [each["repeated"] == 2000 for each in again] == kept, "what was acknowledged was kept, and nothing else"
        assert served.stop() == 0
    recounted(url, "ldp")
    assert _total(url, "ldp") == 60_000


def _total(url: str, name: str) -> int:
    from sottovoce.store import Store

    store = Store(url)
    n = store.tally(store.entry(name)).n
    store.close()
    return n
