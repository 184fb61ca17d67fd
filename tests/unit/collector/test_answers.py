"""Statuses, headers and problems of a collector's answers, as they are recorded: clients rely on all of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest

import sottovoce as sv
from collectors import JSON, NDJSON, Hosted, added, bodies, hosted, named, some_reports
from messages import wording
from sottovoce.store import Role, Store

EVERYBODY = [
    ("GET", "/"),
    ("HEAD", "/"),
    ("GET", "/?x=1"),
    ("GET", "/s/ldp"),
    ("GET", "/s/ldp?utm_source=mail"),
    ("GET", "/s/nothing"),
    ("GET", "/s/"),
    ("GET", "/d/ldp"),
    ("GET", "/d/nothing"),
    ("GET", "/static/survey.js"),
    ("GET", "/static/survey.css"),
    ("GET", "/static/icon.svg"),
    ("GET", "/static/charts.licences.txt"),
    ("GET", "/static/nothing.js"),
    ("GET", "/health"),
    ("GET", "/ready"),
    ("POST", "/health"),
    ("GET", "/openapi.json"),
    ("GET", "/problems/busy"),
    ("GET", "/problems/nothing"),
    ("GET", "/studies"),
    ("GET", "/studies?a=1&a=2"),
    ("GET", "/studies?%zz"),
    ("GET", "/studies/"),
    ("GET", "/studies/ldp"),
    ("PUT", "/studies/ldp"),
    ("OPTIONS", "/studies/ldp"),
    ("GET", "/studies/ldp/reports"),
    ("GET", "/studies/ldp/tally"),
    ("GET", "/nowhere"),
    ("GET", "/metrics"),
    ("DELETE", "/studies/ldp"),
]
ADMINISTRATORS = [
    ("GET", "/studies/ldp/tally", {}),
    ("GET", "/studies/ldp/tally", {"accept": "application/vnd.apache.arrow.stream"}),
    ("GET", "/studies/ldp/estimate", {}),
    ("GET", "/studies/ldp/estimate?method=nothing", {}),
    ("GET", "/studies/ldp/estimate?level=2", {}),
    ("GET", "/studies/ldp/outlook?target=0.02", {}),
    ("GET", "/studies/ldp/export", {}),
    ("GET", "/metrics", {}),
    ("GET", "/audit", {}),
    ("POST", "/studies/ldp/recount", {}),
    ("PATCH", "/studies/ldp", {"content-type": "text/plain"}),
    ("PATCH", "/studies/ldp", {"content-type": JSON}),
    ("POST", "/studies/ldp/tickets", {"content-type": JSON}),
    ("DELETE", "/studies/ldp", {}),
    ("DELETE", "/studies/ldp", {"if-match": '"other"'}),
]


@pytest.fixture(scope="module")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    url = str(tmp_path_factory.mktemp("answers") / "collector.sqlite")
    added(url, named("ldp"), named("lip"))
    added(url, named("uldp"), respondents="tickets")
    store = Store(url)
    store.change("lip", "a test", state="closed")
    store.close()
    with hosted(url, body_bytes=2048) as running:
        yield running


def record(asked: str, answer: httpx.Response) -> None:
    """Compare an answer with the recorded one; its body, if it is a problem."""
    told = [f"{asked}: {answer.status_code}"]
    for name, value in answer.headers.items():
        if name != "content-length":
            told.append(f"{name}: " + re.sub(r'sha384-[^;, "]+', "<digest>", value))
    if answer.headers.get("content-type", "").startswith("application/problem"):
        told.append(re.sub(r"[0-9a-f]{64}", "<fingerprint>", answer.text))
    wording("\n".join(told))


def test_everybody(collector: Hosted) -> None:
    with collector.client() as client:
        for method, path in EVERYBODY:
            record(f"{method} {path}", client.request(method, path))


def test_administrators(collector: Hosted) -> None:
    token = collector.token(Role.ADMIN)
    with collector.client() as client:
        client.post("/studies/ldp/reports", content=bodies(named("ldp"), some_reports(named("ldp"), 1))[0], headers={"content-type": JSON})
        for method, path, headers in ADMINISTRATORS:
            record(f"{method} {path} {headers}", client.request(method, path, headers={**headers, **token}))


def test_tokens_of_others(collector: Hosted) -> None:
    analyst, monitor = collector.token(Role.ANALYST, "lip"), collector.token(Role.MONITOR)
    with collector.client() as client:
        record("another study", client.get("/studies/ldp/tally", headers=analyst))
        record("another role", client.get("/studies/ldp/tally", headers=monitor))
        record("twice", client.get("/studies/ldp/tally", headers=[*analyst.items(), *monitor.items()]))


def test_reports(collector: Hosted) -> None:
    study: sv.Study = named("ldp")
    one = bodies(study, some_reports(study, 1))[0]
    other = bodies(named("uldp"), some_reports(named("uldp"), 1))[0]
    cases: list[tuple[str, str, bytes, dict[str, str]]] = [
        ("good", "ldp", one, {"content-type": JSON}),
        ("again", "ldp", one, {"content-type": JSON}),
        ("lines", "ldp", b"\n".join(bodies(study, some_reports(study, 3, 2))), {"content-type": NDJSON}),
        ("empty", "ldp", b"", {"content-type": NDJSON}),
        ("not JSON", "ldp", b"{", {"content-type": JSON}),
        ("another study", "ldp", other, {"content-type": JSON}),
        ("closed", "lip", bodies(named("lip"), some_reports(named("lip"), 1))[0], {"content-type": JSON}),
        ("without a ticket", "uldp", other, {"content-type": JSON}),
        ("with a wrong ticket", "uldp", other, {"content-type": JSON, "authorization": "Ticket abc"}),
        ("another type", "ldp", one, {"content-type": "text/plain"}),
        ("compressed", "ldp", one, {"content-type": JSON, "content-encoding": "gzip"}),
        ("too large", "ldp", b" " * 3000, {"content-type": JSON}),
        ("no such study", "nothing", one, {"content-type": JSON}),
    ]
    with collector.client() as client:
        for what, name, content, headers in cases:
            record(what, client.post(f"/studies/{name}/reports", content=content, headers=headers))
        record("too large in parts", client.post("/studies/ldp/reports", content=iter([b" " * 1500] * 2), headers={"content-type": JSON}))
