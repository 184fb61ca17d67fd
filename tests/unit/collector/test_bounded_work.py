"""Work is bounded by what is answered: bad reports, estimates, and threads that don't wait for each other."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from base64 import b64decode, b64encode
from concurrent.futures import Future, ThreadPoolExecutor

import httpx
import msgspec
import numpy as np
import pytest

import sottovoce as sv
from collectors import JSON, NDJSON, Hosted, Hosting, added, bodies, named, some_reports
from messages import refused
from sottovoce.errors import ReportError
from sottovoce.store import Role
from sottovoce.wire import Body, Records, lines, listed, read_stream, stream


def bad_rows(study: sv.Study, count: int, places: set[int]) -> bytes:
    """Lines of which some have another study's fingerprint."""
    rows = bodies(study, some_reports(study, count))
    return b"\n".join(row.replace(study.fingerprint.encode(), b"0" * 64) if place in places else row for place, row in enumerate(rows))


@pytest.mark.parametrize("kind", ["ldp", "integers", "levels"])
def test_the_first_twenty_bad_reports_are_named_whatever_is_wrong_with_them(hosting: Hosting, url: str, kind: str) -> None:
    """In their order, also over the parts in which a body is read; and then reading stops."""
    study = named(kind)
    added(url, study)
    rows = bodies(study, some_reports(study, 4000))
    changes: list[dict[str, object]] = [{"id": "?"}, {"report": "*"}, {"level": "nowhere"}, {"more": 1}]
    places = range(7, 4000, 97)
    for number, place in enumerate(places):
        rows[place] = json.dumps(json.loads(rows[place]) | changes[number % 4], separators=(",", ":")).encode()
    with hosting() as served, served.client() as client:
        for count in (1, 2, 19, 20, 21, len(places)):
            some = [row for place, row in enumerate(rows) if place not in places[count:]]
            told = client.post(f"/studies/{study.name}/reports", content=b"\n".join(some), headers={"content-type": NDJSON}).json()
            assert [each["report"] - 1 for each in told["reports"]] == list(places[:count])[:20]
            assert (told["count"], told.get("stopped", False)) == (min(count, 20), count >= 20)
            assert ("At least 20" in told["detail"]) == (count >= 20)


@pytest.mark.parametrize("kind", ["integers", "olh", "lifted", "levels", "ldp"])
def test_reports_that_no_device_can_have_made_are_found_where_they_are(kind: str) -> None:
    study = named(kind)
    rows = [msgspec.json.decode(row, type=Body) for row in bodies(study, some_reports(study, 200))]
    records, generator = Records(study.mechanism), np.random.default_rng(5)
    wrong = [255 if isinstance(row.report, int) else b64encode(b"\xff" * len(b64decode(row.report))).decode() for row in rows]
    spoiled = [msgspec.structs.replace(row, report=bad) for row, bad in zip(rows, wrong, strict=True)]
    refused_alone = [bool(records.bad([row], 1)[0]) for row in spoiled]
    assert any(refused_alone)
    assert records.bad(rows, 20) == ([], True)
    for count in (1, 2, 3, 10, 60, 199, 200):
        chosen = set(generator.choice(200, count, replace=False).tolist())
        given = [spoiled[place] if place in chosen else row for place, row in enumerate(rows)]
        expected = sorted(place for place in chosen if refused_alone[place])
        for most in (1, 5, 20, 500):
            found, all_of_them = records.bad(given, most)
            places = [place for place, _ in found]
            assert places == expected[: len(places)], "the first ones"
            assert len(places) == min(most, len(expected)) if all_of_them else 1 <= len(places) < most
            assert all_of_them or count > 3, "few are always found"
        if expected:
            with pytest.raises(ReportError):
                records.of(given)


def test_a_list_is_read_in_parts_as_it_is_read_at_once() -> None:
    study = named("levels")
    rows = bodies(study, some_reports(study, 3000))
    data = b" [" + b",".join(rows) + b"] "
    parts = list(listed(data))
    assert len(parts) > 2
    assert [each.id for part in parts for each in part] == [json.loads(row)["id"] for row in rows]
    odd = [row[:-1] + b' ,"x":1}' if row is rows[-1] else row for row in rows]
    with refused(ReportError, "`x`", "$[2999]"):  # its place in the list, not in the part
        list(listed(b"[" + b",".join(odd) + b"]"))
    for level in (b"},{", b'\\"},{', b"},{" * 20):  # a cut is never in a text
        inner = b'{"study":"a","id":"b","report":1,"level":"' + level + b'"}'
        parts = list(listed(b"[" + b",".join([inner] * 5000) + b"]"))
        assert len(parts) > 2
        assert sum(len(part) for part in parts) == 5000
    with pytest.raises(ReportError):
        list(listed(b"[" + b",".join([inner.replace(b"},{", b"},{" * 100)] * 2000) + b"]"))
    for broken in (b"[", b"[]]", b"[{}", b"[" + b",".join(rows) + b",]", b"[" + b",".join(rows)):
        with pytest.raises(ReportError):
            list(listed(broken))
    assert list(listed(b"[]")) == [[]]


def test_a_stream_of_very_many_batches_is_refused() -> None:
    import pyarrow as pa

    study = named("ldp")
    table = pa.ipc.open_stream(stream(study.fingerprint, study.mechanism, some_reports(study, 40))).read_all()
    for rows, taken in ((5, True), (1, False)):
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            for start in range(0, 40, rows):
                writer.write_table(table.slice(start, rows))
        data = sink.getvalue().to_pybytes()
        if taken:
            assert sum(len(reports) for _, reports in read_stream(data, study.fingerprint, study.mechanism)) == 40
        else:
            with pytest.raises(ReportError, match="batches"):
                list(read_stream(data, study.fingerprint, study.mechanism))


def test_health_tokens_and_reports_do_not_wait_for_long_work(hosting: Hosting, url: str) -> None:
    study = named("ldp")
    added(url, study)
    with hosting() as served, served.client() as client:
        assert isinstance(served, Hosted)
        blocked, done = threading.Event(), list[Future[bool]]()
        application = served.application
        first = lines(study.fingerprint, some_reports(study, 1000, 2))  # starts the process that reads large bodies
        assert client.post(f"/studies/{study.name}/reports", content=first, headers={"content-type": NDJSON}).status_code == 200
        done += [asyncio.run_coroutine_threadsafe(application.in_thread(blocked.wait, 20), served.loop) for _ in range(8)]
        try:
            began = time.monotonic()
            assert client.get("/health").status_code == 200
            assert client.get("/studies").status_code == 200
            assert client.get("/audit", headers={"authorization": "Bearer sv_wrong"}).status_code == 401
            (one,) = bodies(study, some_reports(study, 1))
            assert client.post(f"/studies/{study.name}/reports", content=one, headers={"content-type": JSON}).status_code == 200
            many = lines(study.fingerprint, some_reports(study, 1000))
            assert client.post(f"/studies/{study.name}/reports", content=many, headers={"content-type": NDJSON}).status_code == 200
            assert time.monotonic() - began < 15, "the eight calls had to end first"
        finally:
            blocked.set()
            assert [each.result(30) for each in done] == [True] * 8


def asked(client: httpx.Client, name: str, headers: dict[str, str], **query: object) -> httpx.Response:
    return client.get(f"/studies/{name}/estimate", headers=headers, params={key: str(value) for key, value in query.items()})


def test_an_estimate_is_made_once_for_the_same_reports(hosting: Hosting, url: str) -> None:
    study = named("olh")
    added(url, study)
    with hosting() as served, served.client() as client:
        assert isinstance(served, Hosted)
        outcomes = served.application.metrics.estimates
        headers = served.token(Role.ANALYST, study.name)
        where = f"/studies/{study.name}/reports"
        client.post(where, content=lines(study.fingerprint, some_reports(study, 3000)), headers={"content-type": NDJSON})
        with ThreadPoolExecutor(6) as threads:
            found = list(threads.map(lambda _: asked(client, study.name, headers, method="mle").content, range(6)))
        assert len(set(found)) == 1
        assert json.loads(found[0])["n"] == 3000
        assert outcomes["made"] == 1
        assert outcomes["kept"] + outcomes["shared"] == 5
        assert asked(client, study.name, headers, method="mle", level=0.9).content != found[0]
        assert asked(client, study.name, headers, method="projected").json()["method"] == "projected"
        assert outcomes["made"] == 3
        client.post(where, content=lines(study.fingerprint, some_reports(study, 1, 7)), headers={"content-type": NDJSON})
        assert asked(client, study.name, headers, method="mle").json()["n"] == 3001
        assert outcomes["made"] == 4


def test_an_estimate_that_takes_too_long_is_ended(hosting: Hosting, url: str) -> None:
    study = named("olh")
    added(url, study)
    with hosting(estimate_seconds=0.05) as served, served.client() as client:
        assert isinstance(served, Hosted)
        headers = served.token(Role.ANALYST, study.name)
        many = lines(study.fingerprint, some_reports(study, 40_000))
        client.post(f"/studies/{study.name}/reports", content=many, headers={"content-type": NDJSON})
        answer = asked(client, study.name, headers, method="em")
        assert (answer.status_code, answer.json()["type"]) == (503, "/problems/too-long")
        assert int(answer.headers["retry-after"]) >= 1
        threads = served.application.estimates.threads
        for _ in range(300):
            if not threads.calls:
                break
            time.sleep(0.1)
        assert not threads.calls, "the thread is free again"
        again = asked(client, study.name, headers, method="em")
        assert again.status_code == 503
        assert int(again.headers["retry-after"]) > 2
        assert not threads.calls, "and it isn't tried again at once"
        assert client.get(f"/studies/{study.name}/tally", headers=headers).json()["n"] == 40_000
