"""Refused requests: people get a page in plain words, programs the problem document that they always got."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from collectors import JSON, Hosted, added, bodies, hosted, named, some_reports
from sottovoce.collector.app import Collector
from sottovoce.collector.refusals import refusal
from sottovoce.errors import PROBLEMS, RequestError
from sottovoce.store import Role

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"


@pytest.fixture(scope="module")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    url = str(tmp_path_factory.mktemp("refusals") / "collector.sqlite")
    added(url, named("ldp"), named("uldp"))
    with hosted(url) as running:
        yield running


@pytest.mark.parametrize(
    ("method", "path", "kind", "title"),
    [
        ("GET", "/nothing", "not-found", "This page doesn’t exist"),
        ("GET", "/s/nothing", "not-found", "This page doesn’t exist"),
        ("GET", "/d/no%20name", "not-found", "This page doesn’t exist"),
        ("DELETE", "/", "method", "This page can’t be used like that"),
        ("GET", "/studies/ldp/estimate", "no-token", "You need a token"),
        ("GET", "/studies?x=1", "parameter", "This request can’t be answered"),
    ],
)
def test_people_read_a_page_and_programs_a_problem(collector: Hosted, method: str, path: str, kind: str, title: str) -> None:
    with collector.client() as client:
        page = client.request(method, path, headers={"accept": BROWSER})
        others = [client.request(method, path, headers={"accept": each}) for each in ("*/*", JSON, "", f"{JSON}, text/html;q=0.9")]
        twice = client.request(method, path, headers=[("accept", BROWSER), ("accept", "text/html")])
    assert page.status_code == PROBLEMS[kind].status
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert f"<h1>{title}</h1>" in page.text
    assert "script" not in page.text.lower()
    assert "script-src" not in page.headers["content-security-policy"]
    for each in (*others, twice):
        assert each.headers["content-type"] == "application/problem+json"
        assert (each.status_code, each.json()["type"]) == (page.status_code, f"/problems/{kind}")
        assert {"allow", "www-authenticate", "cache-control"} & set(each.headers) <= set(page.headers)
        assert {(one.headers["vary"], one.headers["cache-control"]) for one in (page, each)} == {("accept", "no-store")}
        assert each.json()["detail"] in page.text.replace("&#39;", "'")


def test_a_closed_study_says_so(collector: Hosted) -> None:
    study = named("uldp")
    (report,) = bodies(study, some_reports(study, 1))
    with collector.client() as client:
        client.patch("/studies/uldp", json={"state": "closed"}, headers=collector.token(Role.ADMIN))
        closed = client.post("/studies/uldp/reports", content=report, headers={"accept": BROWSER, "content-type": JSON})
    assert closed.status_code == PROBLEMS["closed"].status
    assert "<h1>This study is closed</h1>" in closed.text


def test_an_internal_error_is_explained_without_its_words(collector: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object) -> None:
        raise ZeroDivisionError("secret <words>")

    monkeypatch.setattr(Collector, "entry", broken)
    with collector.client() as client:
        page = client.get("/s/ldp", headers={"accept": BROWSER})
    assert collector.application.metrics.refusals.pop("broken") == 1
    assert page.status_code == 500
    assert "Something went wrong here" in page.text
    assert "secret" not in page.text


@pytest.mark.parametrize("kind", PROBLEMS)
def test_every_kind_has_its_page(kind: str) -> None:
    """What a request contained is shown as text."""
    error = RequestError(kind, "it has <b>markup</b>")
    found = refusal(error, [(b"accept", BROWSER.encode())])
    assert found.status == PROBLEMS[kind].status
    assert b"&lt;b&gt;markup&lt;/b&gt;" in found.body
    assert json.loads(refusal(error, []).body)["type"] == f"/problems/{kind}"


def test_only_submissions_count_as_such(collector: Hosted) -> None:
    """An alert about devices that report to an unknown study must not count the links that strangers try."""
    added(collector.url, named("uldp"))
    series = 'sottovoce_refused_submissions_total{kind="not-found"}'
    with collector.client() as client:

        def counted() -> int:
            text = client.get("/metrics", headers=collector.token(Role.MONITOR)).text
            return int(next(line for line in text.splitlines() if line.startswith(series)).rpartition(" ")[2])

        for path in ("/nothing", "/studies/nothing", "/s/nothing", "/nothing/reports"):
            assert client.get(path).status_code == 404
        assert client.post("/nothing/nothing/reports", content=b"{}").status_code == 404
        assert counted() == 0
        assert client.post("/studies/nothing/reports", content=b"{}", headers={"content-type": JSON}).status_code == 404
        assert counted() == 1
        refused = client.post("/studies/uldp/reports", content=b"{}", headers={"content-type": JSON})
        assert refused.status_code == 422
        assert counted() == 1
