"""Large bodies are read in a process of their own, which answers as the collector would. Whatever ends, nothing is half counted."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

import sottovoce as sv
from amplification import intake_of, shapes, valid
from collectors import ARROW, JSON, NDJSON, Served, added, named, recounted, serving, some_reports
from processes import children
from sottovoce.collector.intake import StudyIntake
from sottovoce.collector.reading_process import ReadingProcess
from sottovoce.collector.reading_worker import STUDIES
from sottovoce.errors import RequestError
from sottovoce.store import Arrival, Role, Store
from sottovoce.wire import lines

#: Reports of a large body, and seconds in which a process that is told to end must have ended.
MANY, SOON = 2000, 10.0


@pytest.fixture
def reading() -> Iterator[ReadingProcess]:
    made = ReadingProcess()
    yield made
    made.stop()


@pytest.fixture
def study() -> sv.Study:
    return named("integers")


@pytest.fixture
def url(tmp_path: Path, study: sv.Study) -> str:
    added(url := str(tmp_path / "collector.sqlite"), study)
    return url


def _outcome(read: Callable[[], Arrival]) -> object:
    try:
        found = read()
    except RequestError as error:
        return error.kind, str(error), error.more
    return found.count, found.study, found.fingerprint, dict(found.lanes), found.ticket


@pytest.mark.parametrize("mechanism", ["oue", "krr", "levels"])
def test_the_process_answers_as_the_collector_itself_would(mechanism: str, tmp_path: Path, reading: ReadingProcess) -> None:
    intake = intake_of(mechanism, tmp_path)
    kinds = set()
    for shape in (*(valid(mechanism, kind, 40_000) for kind in (NDJSON, JSON, ARROW)), *shapes(mechanism, 40_000)):
        expected = _outcome(lambda shape=shape: intake.arrival(shape.kind, shape.data, b"t"))  # type: ignore[misc]  # bound now
        assert _outcome(lambda shape=shape: reading.arrival(intake, shape.kind, bytearray(shape.data), b"t")) == expected, shape.name  # type: ignore[misc]
        kinds.add(expected[0] if isinstance(expected, tuple) and isinstance(expected[0], str) else "good")
    assert kinds >= {"good", "report", "another-study"}


def test_more_studies_than_are_kept_are_read_each_with_its_own(tmp_path: Path, reading: ReadingProcess) -> None:
    studies = [named("integers", f"study-{number}") for number in range(STUDIES + 2)]
    entries = added(str(tmp_path / "many.sqlite"), *studies)
    for place in (*range(len(studies)), 0, 1, STUDIES, 0):
        intake, body = StudyIntake(entries[place], 100), lines(studies[place].fingerprint, some_reports(studies[place], 3))
        assert reading.arrival(intake, NDJSON, body, None).lanes == intake.arrival(NDJSON, body, None).lanes
        with pytest.raises(RequestError):
            reading.arrival(intake, NDJSON, lines(studies[place - 1].fingerprint, some_reports(studies[place], 3)), None)


def _body(study: sv.Study, seed: int) -> bytes:
    return lines(study.fingerprint, some_reports(study, MANY, seed))


def _post(client: httpx.Client, study: sv.Study, body: bytes) -> httpx.Response:
    return client.post(f"/studies/{study.name}/reports", content=body, headers={"content-type": NDJSON})


def _worker(served: Served) -> int:
    """The process that reads for a collector."""
    (found,) = [pid for pid, command in children(served.pid).items() if "reading_worker" in command]
    return found


def _ended(pid: int) -> bool:
    """Whether a process ends soon."""
    until = time.monotonic() + SOON
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":  # whoever took it over has not asked yet
            return True
        time.sleep(0.05)
    return False


def test_a_process_that_is_killed_while_it_reads_is_started_again(url: str, tmp_path: Path, study: sv.Study) -> None:
    with serving(url, tmp_path, check=False) as served, served.client() as client, ThreadPoolExecutor(1) as sender:
        assert _post(client, study, _body(study, 1)).json() == {"accepted": MANY, "repeated": 0}
        worker, second = _worker(served), _body(study, 2)
        os.kill(worker, signal.SIGSTOP)
        answer = sender.submit(_post, client, study, second)
        time.sleep(0.5)
        assert not answer.done()
        with served.client() as another:
            assert another.get("/health").status_code == 200
            assert _post(another, study, second.split(b"\n", 1)[0]).json() == {"accepted": 1, "repeated": 0}
        os.kill(worker, signal.SIGKILL)
        refused = answer.result(30)
        assert (refused.status_code, refused.json()["type"]) == (503, "/problems/busy")
        assert refused.headers["retry-after"] == "2"
        assert _post(client, study, second).json() == {"accepted": MANY - 1, "repeated": 1}
        assert _worker(served) != worker
        token = served.token(Role.MONITOR)
        assert "sottovoce_held_bytes 0\n" in client.get("/metrics", headers=token).text
        assert served.stop() == 0
        logged = served.log.read_text()
        assert logged.count('"error"') == logged.count("the process that reads large bodies ended") == 1
        assert second[100:130].decode() not in logged
    assert _ended(worker)
    recounted(url, study.name)


def test_a_collector_that_is_killed_leaves_no_process_behind(url: str, tmp_path: Path, study: sv.Study) -> None:
    with serving(url, tmp_path, check=False) as served, served.client() as client:
        assert _post(client, study, _body(study, 1)).status_code == 200
        worker = _worker(served)
        served.kill()
        assert _ended(worker)


def test_the_process_has_no_socket_and_no_store(url: str, tmp_path: Path, study: sv.Study) -> None:
    with serving(url, tmp_path) as served, served.client() as client:
        assert _post(client, study, _body(study, 1)).status_code == 200
        worker = _worker(served)
        opened = {os.readlink(each) for each in Path(f"/proc/{worker}/fd").iterdir()}
        assert {each.split(":")[0] for each in opened if each != "/dev/null"} == {"pipe"}, opened
        assert os.getpriority(os.PRIO_PROCESS, worker) > os.getpriority(os.PRIO_PROCESS, served.pid)


@pytest.mark.parametrize("hangs", [False, True])
def test_a_collector_that_is_told_to_end_while_a_large_body_is_read_ends_in_time(
    url: str, tmp_path: Path, study: sv.Study, hangs: bool
) -> None:
    """What is read is finished first. A process that hangs is left to itself, and ends when it goes on."""
    seconds = 6
    with serving(url, tmp_path, check=False, shutdown_seconds=seconds) as served, served.client() as client:
        assert _post(client, study, _body(study, 1)).status_code == 200
        worker = _worker(served)
        with ThreadPoolExecutor(1) as sender:
            os.kill(worker, signal.SIGSTOP)
            answer = sender.submit(_post, client, study, _body(study, 2))
            time.sleep(0.5)
            served.process.terminate()
            began = time.monotonic()
            if not hangs:
                time.sleep(0.5)
                os.kill(worker, signal.SIGCONT)
                assert answer.result(30).status_code == 200
            assert served.process.wait(30) == (1 if hangs else 0)
            assert time.monotonic() - began <= seconds
            if hangs:
                os.kill(worker, signal.SIGCONT)
                with pytest.raises(httpx.TransportError):
                    answer.result(30)
        assert _ended(worker)
    recounted(url, study.name)


def test_a_study_that_is_replaced_is_read_with_the_new_one(url: str, tmp_path: Path, study: sv.Study) -> None:
    other = named("olh", study.name)
    with serving(url, tmp_path) as served, served.client() as client:
        assert _post(client, study, _body(study, 1)).status_code == 200
        store = Store(url)
        store.delete(study.name, "test")
        store.close()
        added(url, other)
        time.sleep(0.5)  # the collector asks again whether a study was replaced when what it knows is older
        assert _post(client, other, _body(other, 2)).json() == {"accepted": MANY, "repeated": 0}
        old = _post(client, study, _body(study, 3))
        assert (old.status_code, old.json()["type"]) == (409, "/problems/another-study")
    recounted(url, study.name)
