"""What a collector answers over HTTP.

The unit tests run this suite on the application in their own process, on SQLite. The system tests run it on a server with PostgreSQL.
A test file that imports it defines two fixtures: `served`, a collector with a study of every kind, and `hosting`, which starts another one.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pyarrow.parquet as pq
import pytest

import sottovoce as sv
from collectors import ARROW, JSON, NDJSON, Hosting, Running, added, bodies, named, recounted, some_reports
from messages import wording
from sottovoce.batch.collecting import collect
from sottovoce.errors import PROBLEMS
from sottovoce.findings.results import Findings
from sottovoce.store import Role, Store
from sottovoce.tallies import Tally
from sottovoce.wire import lines, stream
from studies import QUESTIONNAIRES, STUDIES

COUNT = 300


def post(client: httpx.Client, name: str, body: bytes, kind: str = JSON, **headers: str) -> httpx.Response:
    return client.post(f"/studies/{name}/reports", content=body, headers={"content-type": kind, **headers})


@pytest.fixture
def client(served: Running) -> Iterator[httpx.Client]:
    with served.client() as made:
        yield made


def refusal(answer: httpx.Response, kind: str) -> dict[str, Any]:
    """The problem document of an answer: of this kind, as the table of problems has it."""
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    found: dict[str, Any] = answer.json()
    assert found["type"] == f"/problems/{kind}", found
    assert (found["title"], found["status"], found["remedy"]) == (PROBLEMS[kind].title, PROBLEMS[kind].status, PROBLEMS[kind].remedy)
    assert answer.status_code == PROBLEMS[kind].status
    assert found["detail"]
    return found


@pytest.mark.parametrize("kind", STUDIES)
def test_the_estimate_is_the_librarys_bit_for_bit(served: Running, client: httpx.Client, kind: str, tmp_path: Path) -> None:
    """Sent one by one, as a list, as NDJSON and as Arrow; read as a tally, an estimate, and reports."""
    study = named(kind)
    reports = some_reports(study, COUNT)
    quarter = COUNT // 4
    for body in bodies(study, reports[:quarter]):
        assert post(client, study.name, body).json() == {"accepted": 1, "repeated": 0}
    listed = b"[" + b",".join(bodies(study, reports[quarter : 2 * quarter])) + b"]"
    ndjson = lines(study.fingerprint, reports[2 * quarter : 3 * quarter])
    arrow = stream(study.fingerprint, study.mechanism, reports[3 * quarter :])
    for body, form in ((listed, JSON), (ndjson, NDJSON), (arrow, ARROW)):
        assert post(client, study.name, body, form).json() == {"accepted": quarter, "repeated": 0}
        assert post(client, study.name, body, form).json() == {"accepted": 0, "repeated": quarter}
    analyst = served.token(Role.ANALYST, study.name)
    expected = Tally(study.mechanism).add(reports)

    told = client.get(f"/studies/{study.name}/tally", headers=analyst).json()
    assert told["n"] == COUNT
    assert [(block["level"], block["n"], block["counts"]) for block in told["blocks"]] == [
        (block.name, block.n, block.counts.tolist()) for block in expected.blocks
    ]
    (tmp_path / "tally.arrow").write_bytes(client.get(f"/studies/{study.name}/tally", headers=analyst | {"accept": ARROW}).content)
    assert collect(study, [str(tmp_path / "tally.arrow")]).tally == expected

    for method in (None, "mle", "auto", "projected"):
        answer = client.get(f"/studies/{study.name}/estimate", params={"method": method} if method else {}, headers=analyst)
        read = not expected.supports(method or "mle")  # so few reports are read again, also if no method is named
        tally = Tally(study.mechanism, keep_reports=True).add(reports) if read else expected
        if method is not None and not tally.supports(method):
            refusal(answer, "unsupported")
            continue
        found = Findings.of(study, sv.estimate(tally, method)).to_dict()
        got = answer.json()
        assert [item["p"] for item in got["items"]] == [item["p"] for item in found["items"]], "bit for bit"
        assert json.loads(json.dumps(found)) == {key: got[key] for key in found}

    exported = client.get(f"/studies/{study.name}/export", headers=analyst)
    (tmp_path / "reports.parquet").write_bytes(exported.content)
    assert pq.read_schema(io.BytesIO(exported.content)).metadata[b"sottovoce.study"].decode() == study.fingerprint
    assert "id" not in pq.read_schema(io.BytesIO(exported.content)).names
    assert collect(study, [str(tmp_path / "reports.parquet")], keep=False).tally == expected
    recounted(served.url, study.name)


def test_levels_of_intervals(served: Running, client: httpx.Client) -> None:
    study = named("ldp", "widths")
    added(served.url, study)
    post(client, study.name, lines(study.fingerprint, some_reports(study, 200)), NDJSON)
    analyst = served.token(Role.ANALYST, study.name)
    narrow, wide = (client.get("/studies/widths/estimate", params={"level": level}, headers=analyst).json() for level in ("0.5", "0.99"))
    assert all(a["low"] >= b["low"] and a["high"] <= b["high"] for a, b in zip(narrow["items"], wide["items"], strict=True))
    once = client.get("/studies/widths/estimate", params={"level": "0.5", "simultaneous": "true"}, headers=analyst).json()
    assert (narrow["simultaneous"], once["simultaneous"]) == (False, True)
    assert all(a["low"] >= b["low"] and a["high"] < b["high"] for a, b in zip(narrow["items"], once["items"], strict=True))
    for query in ("level=1", "level=nan", "level=x", "method=magic", "metod=mle", "level=0.5&level=0.6", "level", "simultaneous=yes"):
        assert client.get(f"/studies/widths/estimate?{query}", headers=analyst).status_code in {400, 422}
    added(served.url, named("ldp", "nobody-yet"))
    nothing = client.get("/studies/nobody-yet/estimate", headers=served.token(Role.ANALYST, "nobody-yet"))
    wording(refusal(nothing, "few-reports")["detail"])


def test_studies_are_listed_and_may_be_kept(client: httpx.Client) -> None:
    study = named("unicode")
    (listed,) = client.get("/studies", params={"name": "unicode"}).json()["studies"]
    assert listed == {
        "name": "unicode",
        "question": study.question,
        "fingerprint": study.fingerprint,
        "state": "open",
        "respondents": "open",
        "listed": False,
    }
    found = client.get("/studies/unicode")
    assert sv.Study.from_json(found.text).fingerprint == study.fingerprint
    assert found.headers["etag"] == f'"{study.fingerprint}"'
    assert "max-age" in found.headers["cache-control"]
    for tag in (found.headers["etag"], f'W/"x", {found.headers["etag"]}', "*"):
        again = client.get("/studies/unicode", headers={"if-none-match": tag})
        assert (again.status_code, again.content) == (304, b"")
    assert client.get("/studies/unicode", headers={"if-none-match": '"other"'}).status_code == 200
    assert client.head("/studies/unicode").headers["content-length"] == str(len(found.content))


def test_what_no_channel_says_is_refused(served: Running, client: httpx.Client) -> None:
    """Every channel: ranges, lengths, padding bits, levels; and nothing is stored."""
    before = _counts(served)
    for kind in [*STUDIES, *QUESTIONNAIRES]:
        study = named(kind)
        good = json.loads(bodies(study, some_reports(study, 1))[0])
        wrong: list[Any] = [-1, 10**9, 1 << 70, 0.5, None, True, "", "?", "AAAA", [1], {"a": 1}, "A" * 5000]
        wrong += [good["report"] + "AAAA", good["report"][:-1], "//" * 700] if isinstance(good["report"], str) else [str(good["report"])]
        for value in wrong:
            refusal(post(client, study.name, json.dumps(good | {"report": value}).encode()), "report")
        refusal(post(client, study.name, json.dumps(good | {"level": "nope"}).encode()), "report")
        for change in ({"id": "0" * 31}, {"id": "G" * 32}, {"id": "A" * 32}, {"id": 5}, {"extra": 1}):
            refusal(post(client, study.name, json.dumps(good | change).encode()), "report")
        for missing in good:
            refusal(post(client, study.name, json.dumps({key: value for key, value in good.items() if key != missing}).encode()), "report")
        told = refusal(post(client, study.name, json.dumps(good | {"study": "0" * 64}).encode()), "another-study")
        assert told["fingerprint"] == study.fingerprint
    assert _counts(served) == before


def _counts(served: Running) -> dict[str, int]:
    store = Store(served.url)
    counts = {entry.name: store.tally(entry).n for entry in store.studies()}
    store.close()
    return counts


def test_bits_beyond_the_items_are_refused(client: httpx.Client) -> None:
    """30 items take 4 bytes, of which two bits are nobody's."""
    study = named("integers")
    good = json.loads(bodies(study, some_reports(study, 1))[0])
    refusal(post(client, "integers", json.dumps(good | {"report": "////////////"[:8]}).encode()), "report")
    refusal(post(client, "integers", json.dumps(good | {"report": "////////"}).encode()), "report")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"null",
        b"[]",
        b"{}",
        b"{",
        b"\xef\xbb\xbf{}",
        b"\xff\xfe{\x00}\x00",
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b"NaN",
        b"[[[]]]",
        b'"text"',
        b"\x00" * 10,
        b"[1,2,3]",
        b"[null]",
    ],
)
def test_bodies_that_are_no_reports(client: httpx.Client, body: bytes) -> None:
    for kind in (JSON, NDJSON, ARROW):
        refusal(post(client, "ldp", body, kind), "report")


def test_keys_that_occur_twice_are_refused(client: httpx.Client) -> None:
    study = named("ldp")
    (good,) = bodies(study, some_reports(study, 1))
    for twice in (good[:-1] + b',"report":1}', b'{"id":"' + b"0" * 32 + b'",' + good[1:], b"[" + good[:-1] + b',"report":2}]'):
        wording(refusal(post(client, "ldp", twice), "report")["detail"])
        wording(refusal(post(client, "ldp", twice + b"\n" + good, NDJSON), "report")["detail"])


def test_a_batch_is_taken_whole_or_not_at_all(served: Running, client: httpx.Client) -> None:
    study = named("ldp", "whole")
    added(served.url, study)
    good = bodies(study, some_reports(study, 50))
    bad = list(good)
    large = json.dumps(json.loads(good[7]) | {"report": 99}).encode()
    bad[7], bad[30] = large, b"nonsense"
    told = refusal(post(client, "whole", b"\n".join(bad), NDJSON), "report")
    assert told["count"] == 2
    assert [each["report"] for each in told["reports"]] == [8, 31]
    assert re.findall(r"\d+", told["reports"][0]["reason"]) == ["99", "0", "4"], "the report, and the smallest and largest of this study"
    for each in told["reports"]:
        wording(each["reason"])
    bad[30] = large
    told = refusal(post(client, "whole", b"\n".join(bad), NDJSON), "report")
    assert [each["report"] for each in told["reports"]] == [8, 31]
    told = refusal(post(client, "whole", b"[" + b",".join(bad) + b"]"), "report")
    assert [each["report"] for each in told["reports"]] == [8, 31]
    bad[7] = good[7].replace(study.fingerprint.encode(), b"0" * 64)
    assert refusal(post(client, "whole", b"\n".join(bad), NDJSON), "another-study")["fingerprint"] == study.fingerprint
    assert _counts(served)["whole"] == 0
    assert post(client, "whole", b"\r\n".join(good) + b"\n\n", NDJSON).json() == {"accepted": 50, "repeated": 0}


def test_sizes_types_and_encodings(client: httpx.Client) -> None:
    study = named("ldp")
    (good,) = bodies(study, some_reports(study, 1))
    told = refusal(post(client, "ldp", b" " * (1 << 20) + good), "too-large")
    assert told["limit"] == 1 << 20
    parts = (b" " * 65536 for _ in range(40))
    answer = client.post("/studies/ldp/reports", content=parts, headers={"content-type": JSON})
    refusal(answer, "too-large")
    for kind in ("", "text/plain", "application/jsonp", "multipart/form-data", "application/x-www-form-urlencoded", "*/*"):
        answer = post(client, "ldp", good, kind)
        assert JSON in refusal(answer, "media-type")["detail"]
    assert post(client, "ldp", good, "Application/JSON; charset=utf-8").status_code == 200
    for encoding in ("gzip", "deflate", "br", "zstd", "gzip, identity"):
        answer = client.post("/studies/ldp/reports", content=good, headers={"content-type": JSON, "content-encoding": encoding})
        refusal(answer, "media-type")


def test_addresses_and_methods(client: httpx.Client) -> None:
    for path in (
        "/nothing",
        "/studies/",
        "/studies/ldp/",
        "/studies/nope",
        "/studies//reports",
        "/studies/ldp/reports/1",
        "/problems/nope",
    ):
        refusal(client.get(path), "not-found")
    for path in (
        "/studies/..%2f..%2fetc%2fpasswd",
        "/studies/%00",
        "/studies/" + "a" * 5000,
        "/studies/%FF",
        "/studies/LDP",
        "/studies/ldp%20",
    ):
        refusal(client.get(path), "not-found")
    refusal(post(client, "nope", b"{}"), "not-found")
    answer = client.put("/studies/ldp/reports")
    assert answer.headers["allow"] == "POST"
    refusal(answer, "method")
    assert client.request("BREW", "/studies").status_code in {400, 405}
    assert client.post("/health").headers["allow"] == "GET, HEAD"
    assert client.get("/health").json() == {"status": "ok"}
    assert client.get("/ready").json() == {"status": "ok"}
    assert client.get("/health", params={"x": "1"}).status_code == 422
    for kind in PROBLEMS:
        assert client.get(f"/problems/{kind}").json()["status"] == PROBLEMS[kind].status


def test_administrators(served: Running, client: httpx.Client) -> None:
    admin = served.token(Role.ADMIN)
    study = named("ldp", "made-over-http")
    compiled = json.dumps(study.compile())
    made = client.post("/studies", content=compiled, headers=admin | {"content-type": JSON})
    assert (made.status_code, made.json()["fingerprint"]) == (201, study.fingerprint)
    assert client.post("/studies", content=compiled, headers=admin | {"content-type": JSON}).status_code == 201, (
        "the same again is no conflict"
    )
    other = json.dumps(named("uldp", "made-over-http").compile())
    refusal(client.post("/studies", content=other, headers=admin | {"content-type": JSON}), "exists")
    broken = compiled.replace('"truth": "4', '"truth": "5')
    refusal(client.post("/studies", content=broken, headers=admin | {"content-type": JSON}), "study")
    refusal(client.post("/studies", content=b"\xff", headers=admin | {"content-type": JSON}), "malformed")
    report = bodies(study, some_reports(study, 3))
    assert post(client, study.name, report[0]).status_code == 200

    changed = client.patch(f"/studies/{study.name}", json={"state": "closed"}, headers=admin).json()
    assert changed["state"] == "closed"
    refusal(post(client, study.name, report[1]), "closed")
    client.patch(f"/studies/{study.name}", json={"state": "open", "respondents": "tickets"}, headers=admin)
    refusal(post(client, study.name, report[1]), "no-ticket")
    assert post(client, study.name, report[1]).headers["www-authenticate"] == "Ticket"
    tickets = client.post(f"/studies/{study.name}/tickets", json={"count": 2}, headers=admin).json()["tickets"]
    assert post(client, study.name, report[1], authorization=f"Ticket {tickets[0]}").json() == {"accepted": 1, "repeated": 0}
    assert post(client, study.name, report[1], authorization=f"Ticket {tickets[0]}").json() == {"accepted": 0, "repeated": 1}
    for ticket in (tickets[0], "0" * 32, "short", "~"):
        refusal(post(client, study.name, report[2], authorization=f"Ticket {ticket}"), "used-ticket")
    counts: list[Any] = [{"count": 0}, {"count": 10_001}, {"count": "5"}, {}, {"count": 1, "x": 1}, []]
    for wrong in counts:
        refusal(client.post(f"/studies/{study.name}/tickets", json=wrong, headers=admin), "parameter")
    refusal(client.patch(f"/studies/{study.name}", json={"state": "ajar"}, headers=admin), "parameter")
    refusal(client.patch(f"/studies/{study.name}", json={}, headers=admin), "parameter")
    refusal(client.patch(f"/studies/{study.name}", content=b"{", headers=admin | {"content-type": JSON}), "malformed")

    assert client.post(f"/studies/{study.name}/recount", headers=admin).json() == {
        "study": study.name,
        "holds": True,
        "reports": 2,
        "identifiers": 2,
        "wrong": [],
    }
    assert refusal(client.delete(f"/studies/{study.name}", headers=admin), "unconfirmed")["fingerprint"] == study.fingerprint
    refusal(client.delete(f"/studies/{study.name}", headers=admin | {"if-match": '"0"'}), "changed")
    gone = client.delete(f"/studies/{study.name}", headers=admin | {"if-match": f'"{study.fingerprint}"'})
    assert gone.json() == {"deleted": study.name}
    refusal(post(client, study.name, report[2]), "not-found")
    refusal(client.get(f"/studies/{study.name}"), "not-found")
    actions = [each["action"] for each in client.get("/audit", headers=admin).json()["audit"] if each["study"] == study.name]
    assert actions == ["delete study", "recount", "issue tickets", "change study", "change study", "add study"]
    actors = {each["actor"] for each in client.get("/audit", headers=admin).json()["audit"] if each["study"] == study.name}
    assert actors == {f"token {admin['authorization'].split('_')[1]}"}


def test_metrics(served: Running, client: httpx.Client) -> None:
    monitor = served.token(Role.MONITOR)
    study = named("ldp", "measured")
    added(served.url, study)

    def read() -> dict[str, float]:
        text = client.get("/metrics", headers=monitor).text
        return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if not line.startswith("#")}

    before = read()
    body = lines(study.fingerprint, some_reports(study, 20))
    post(client, "measured", body, NDJSON)
    post(client, "measured", body, NDJSON)
    post(client, "measured", b"?", NDJSON)
    after = read()
    assert after['sottovoce_reports_total{outcome="accepted"}'] - before.get('sottovoce_reports_total{outcome="accepted"}', 0) == 20
    assert after['sottovoce_reports_total{outcome="repeated"}'] - before.get('sottovoce_reports_total{outcome="repeated"}', 0) == 20
    assert after['sottovoce_refusals_total{kind="report"}'] - before.get('sottovoce_refusals_total{kind="report"}', 0) == 1
    assert after["sottovoce_held_bytes"] == 0
    assert after["sottovoce_commit_seconds_count"] > before["sottovoce_commit_seconds_count"]
    assert after['sottovoce_group_reports_bucket{le="+Inf"}'] == after["sottovoce_group_reports_count"]


def test_the_page_tells_what_is_kept(client: httpx.Client) -> None:
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script" not in page.text
    assert "set-cookie" not in page.headers
    for words in ("Your network address", "When you answered", "in random order among the other reports"):
        assert words in page.text
    assert all("server" not in client.get(path).headers for path in ("/", "/health", "/nothing"))


@pytest.mark.parametrize("page", ["s", "d"])
def test_the_pages_of_a_study_carry_their_policy(client: httpx.Client, page: str) -> None:
    """Nothing from elsewhere, nothing inline, and no script or style other than the ones that were built."""
    answer = client.get(f"/{page}/unicode")
    assert answer.headers["content-type"].startswith("text/html")
    assert "set-cookie" not in answer.headers
    assert answer.headers["x-content-type-options"] == "nosniff"
    policy = dict(each.strip().split(" ", 1) for each in answer.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert policy["script-src"] == policy["connect-src"] == "'self'"
    assert re.findall(r'(?:src|href)="(?!/)', answer.text) == []
    found = re.findall(r'/static/([^"]+)" integrity="sha384-([^"]+)"', answer.text)
    assert len(found) == 2
    for name, digest in found:
        file = client.get(f"/static/{name}")
        assert base64.b64encode(hashlib.sha384(file.content).digest()).decode() == digest


def test_no_such_study(client: httpx.Client) -> None:
    for path in ("/s/nothing", "/d/nothing", "/static/nothing.js", "/static/../pages.py"):
        assert client.get(path).status_code == 404


def test_a_study_that_another_process_adds_or_deletes_is_noticed(served: Running, client: httpx.Client) -> None:
    study = named("ldp", "comes-and-goes")
    report = bodies(study, some_reports(study, 1))[0]
    refusal(post(client, study.name, report), "not-found")
    added(served.url, study)
    assert post(client, study.name, report).status_code == 200
    store = Store(served.url)
    store.delete(study.name, "test")
    store.close()
    refusal(post(client, study.name, report), "not-found")
    added(served.url, study)
    assert post(client, study.name, report).json() == {"accepted": 1, "repeated": 0}
    recounted(served.url, study.name)


def test_arrow_streams_of_another_kind_are_refused(client: httpx.Client) -> None:
    import pyarrow as pa

    study = named("ldp")
    good = stream(study.fingerprint, study.mechanism, some_reports(study, 10))
    table = pa.ipc.open_stream(good).read_all()

    def written(changed: pa.Table, **options: Any) -> bytes:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, changed.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
            writer.write_table(changed)
        return sink.getvalue().to_pybytes()

    for wrong in (
        written(table, compression="zstd"),
        written(table, compression="lz4"),
        written(table.append_column("more", pa.array([1] * 10))),
        written(table.drop_columns("id")),
        written(table.set_column(1, "report", pa.array([9] * 10, pa.uint8()))),
        written(table.set_column(1, "report", pa.array([1] * 10, pa.int64()))),
        written(table.set_column(0, "id", pa.array([None] * 10, pa.binary(16)))),
        written(table.slice(0, 0)),
        good[:-40],
        good[: len(good) // 2],
        good[40:],
    ):
        refusal(post(client, "ldp", wrong, ARROW), "report")
    for other in (written(table.replace_schema_metadata({b"sottovoce.study": b"0" * 64})), written(table.replace_schema_metadata(None))):
        assert refusal(post(client, "ldp", other, ARROW), "another-study")["fingerprint"] == study.fingerprint
    assert post(client, "ldp", written(table), ARROW).json()["accepted"] == 10


def test_a_message_that_is_no_schema_does_not_end_the_process(client: httpx.Client) -> None:
    """Read as a schema, such bytes bring pyarrow down."""
    study = named("ldp")
    for change in range(0, 256, 5):
        broken = bytearray(stream(study.fingerprint, study.mechanism, some_reports(study, 10)))
        broken[29], broken[44:48] = change, b"\xff\xff\xff\x7f"
        refusal(post(client, "ldp", bytes(broken), ARROW), "report")
    assert client.get("/health").status_code == 200


def test_very_many_bad_reports_take_little_room(served: Running, client: httpx.Client) -> None:
    post(client, "ldp", b"1\n" * 1000, NDJSON)
    before = served.memory()
    told = refusal(post(client, "ldp", b"1\n" * 150_000, NDJSON), "report")
    assert (told["count"], told["stopped"]) == (20, True)
    assert len(told["reports"]) == 20
    refusal(post(client, "ldp", b"1\n" * 300_000, NDJSON), "too-large")
    refusal(post(client, "ldp", b"[" + b"1," * 300_000 + b"1]"), "report")
    assert served.memory() - before < 120_000


def test_a_study_that_is_replaced_is_noticed(served: Running, client: httpx.Client) -> None:
    old, new = named("ldp", "replaced"), named("uldp", "replaced")
    added(served.url, old)
    assert post(client, "replaced", bodies(old, some_reports(old, 1))[0]).status_code == 200
    store = Store(served.url)
    store.delete("replaced", "test")
    store.close()
    added(served.url, new)
    report = bodies(new, some_reports(new, 1))[0]
    for _ in range(40):
        if (answer := post(client, "replaced", report)).status_code == 200:
            break
        assert refusal(answer, "another-study")["fingerprint"] == old.fingerprint
        time.sleep(0.1)
    assert answer.json() == {"accepted": 1, "repeated": 0}
    refusal(post(client, "replaced", bodies(old, some_reports(old, 1))[0]), "another-study")
    recounted(served.url, "replaced")


def test_a_full_queue_answers_busy_and_goes_on(url: str, hosting: Hosting) -> None:
    study = named("ldp")
    added(url, study)
    body = lines(study.fingerprint, some_reports(study, 6000))
    assert 500_000 < len(body) < 1 << 20
    with hosting(queue_bytes=1 << 20, gather_milliseconds=1000) as served:
        import concurrent.futures

        def send(_: int) -> httpx.Response:
            with served.client() as client:
                return post(client, "ldp", body, NDJSON)

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(send, range(8)))
        busy = [answer for answer in answers if answer.status_code == 503]
        assert busy
        assert {answer.headers["retry-after"] for answer in busy} == {"2"}
        assert sum(answer.json()["accepted"] for answer in answers if answer.status_code == 200) == 6000
        assert {answer.status_code for answer in answers} == {200, 503}
        assert send(0).json() == {"accepted": 0, "repeated": 6000}
    recounted(url, "ldp")


def test_identifiers_do_not_lie_in_the_order_of_their_reports(url: str, hosting: Hosting) -> None:
    """Codes rise with time, and identifiers too; what is stored shows neither order, whichever way it is read."""
    study = named("integers")
    added(url, study)
    sending = bodies(study, some_reports(study, 400))
    with hosting() as served, served.client() as client:
        for body in sending:
            client.post(f"/studies/{study.name}/reports", content=body, headers={"content-type": "application/json"})
    store = Store(url)
    with store.chunks(store.entry(study.name)) as parts:
        stored = [record.tobytes() for _, reports in parts.everything() for record in reports.records()]
    store.close()
    came = [base64.b64decode(json.loads(body)["report"]) for body in sending]
    assert sorted(stored) == sorted(came)
    assert stored != came
    same = sum(a == b for a, b in zip(stored, came, strict=True))
    assert same < 40, "no more reports lie in their place than chance puts there"


def test_a_questionnaire_has_a_page(served: Running, client: httpx.Client) -> None:
    """The page has the title and the script that asks; the front page invites to answer."""
    study = named("block")
    page = client.get("/s/block").text
    assert f'<h1 lang="" dir="auto">{study.question}</h1>' in page
    assert 'data-state="open"' in page
    assert page.count("<script") == 1
    assert client.patch("/studies/block", json={"listed": True}, headers=served.token(Role.ADMIN)).status_code == 200
    front = client.get("/").text
    assert 'href="/s/block">' in front
    assert re.search(rf"[1-{len(study.questions) - 1}] of {len(study.questions)} questions", front)


def test_days_on_which_a_questionnaire_is_open(served: Running, client: httpx.Client) -> None:
    for name, dates in {"not-yet": "opens = 2999-01-01\n", "over": "closes = 2020-01-01\n"}.items():
        study = sv.Study.from_toml(QUESTIONNAIRES["split"].replace("[privacy]", f"{dates}[privacy]").replace("wellbeing", name))
        added(served.url, study)
        body = lines(study.fingerprint, some_reports(study, 1)).strip()
        wording(refusal(post(client, name, body), "closed")["detail"])
        assert f'data-state="{"early" if name == "not-yet" else "closed"}"' in client.get(f"/s/{name}").text
    store = Store(served.url)
    assert [store.count(store.entry(name)) for name in ("not-yet", "over")] == [0, 0]
    store.close()
