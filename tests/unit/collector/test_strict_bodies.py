"""Bodies that two readers may understand differently: a key that occurs twice, a length that is no number."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from collectors import JSON, Hosting, added, named
from sottovoce.errors import ReportError
from sottovoce.store import Role, Store
from sottovoce.wire import body


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", "/studies/ldp", b'{"state": "open", "state": "closed"}'),
        ("PATCH", "/studies/ldp", b'{"state": "closed", "st\\u0061te": "closed"}'),
        ("POST", "/studies/ldp/tickets", b'{"count": 1, "count": 10000}'),
    ],
)
def test_a_key_occurs_once(hosting: Hosting, url: str, method: str, path: str, body: bytes) -> None:
    added(url, named("ldp"))
    with hosting() as running, running.client() as client:
        answer = client.request(method, path, content=body, headers={"content-type": JSON, **running.token(Role.ADMIN)})
        assert (answer.status_code, answer.json()["type"]) == (400, "/problems/malformed")
    store = Store(url)
    assert store.entry("ldp").state == "open"
    assert store.access.unused_tickets(store.entry("ldp").key) == 0
    store.close()


def test_a_key_of_a_study_occurs_once(hosting: Hosting, url: str) -> None:
    added(url, named("ldp"))
    text = json.dumps(named("uldp").compile())
    with hosting() as running, running.client() as client:
        headers = {"content-type": JSON, **running.token(Role.ADMIN)}
        doubled = '{"question": "Another question?",' + text[1:]
        nested = text.replace('"domain": {', '"domain": {"items": ["x"], ', 1)
        assert nested != text
        for each in (doubled, nested):
            answer = client.post("/studies", content=each, headers=headers)
            assert (answer.status_code, answer.json()["type"]) == (400, "/problems/malformed"), answer.text
        assert client.post("/studies", content=text, headers=headers).status_code == 201


def test_a_length_that_nobody_needs(hosting: Hosting, url: str) -> None:
    added(url, named("ldp"))
    with hosting() as running, running.client() as client:
        for length in ("0" * 5000, "9" * 20):
            answer = client.post("/studies/ldp/reports", content=b"{}", headers={"content-type": JSON, "content-length": length})
            assert (answer.status_code, answer.json()["type"]) == (400, "/problems/malformed")


@pytest.mark.parametrize("blank", ["", " "])
@pytest.mark.parametrize("level", [None, "", "a"])
@pytest.mark.parametrize("report", [3, "AA=="])
def test_a_key_of_a_report_occurs_once(report: int | str, level: str | None, blank: str) -> None:
    """Whatever the second one says and wherever it is; and a level that is written and empty isn't a second key."""
    pairs = [("study", "s"), ("id", "0" * 32), ("report", report)] + ([] if level is None else [("level", level)])

    def written(those: Sequence[tuple[str, object]]) -> bytes:
        return ("{" + ",".join(f"{json.dumps(key)}{blank}:{json.dumps(value)}" for key, value in those) + "}").encode()

    assert body(written(pairs), "s").level == (level or "")
    seconds = [(key, value) for key, _ in pairs for value in ("", "level", "s", "0" * 32, "AA==", 3)]
    for place in range(len(pairs) + 1):
        for second in seconds:
            with pytest.raises(ReportError):
                body(written([*pairs[:place], second, *pairs[place:]]), "s")
