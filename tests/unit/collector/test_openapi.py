"""The OpenAPI document describes what the running collector answers: every route, every content type, every schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import jsonschema
import pytest

import sottovoce as sv
from collectors import ARROW, JSON, NDJSON, Hosted, added, bodies, hosted, named, some_reports
from sottovoce.collector.assets import assets
from sottovoce.collector.content_types import media_type
from sottovoce.collector.models import Report
from sottovoce.collector.openapi import document
from sottovoce.collector.routes import ROUTES
from sottovoce.store import Role
from sottovoce.wire import Body, lines, stream

STUDY: sv.Study = named("tags")
NEW: sv.Study = named("ldp", "another")
SEVERAL: sv.Study = named("block")


def report(seed: int) -> bytes:
    return bodies(STUDY, some_reports(STUDY, 1, seed))[0]


#: Requests that succeed and show, together, all that a route can answer: the open part of its path, and what else a request has.
Asked = tuple[str, dict[str, Any]]
REQUESTS: dict[str, list[Asked]] = {
    "GET /": [("", {})],
    "GET /s/{name}": [("tags", {})],
    "GET /d/{name}": [("tags", {}), ("block", {})],
    "GET /static/{name}": [(name, {}) for name in assets()],
    "GET /health": [("", {})],
    "GET /ready": [("", {})],
    "GET /openapi.json": [("", {})],
    "GET /problems/{kind}": [("busy", {})],
    "GET /studies": [("", {"params": {"name": "tags"}})],
    "GET /studies/{name}": [("tags", {})],
    "POST /studies/{name}/reports": [
        ("tags", {"content": report(1), "headers": {"content-type": JSON}}),
        ("tags", {"content": b"[%s]" % report(2), "headers": {"content-type": JSON}}),
        ("tags", {"content": report(3), "headers": {"content-type": NDJSON}}),
        ("tags", {"content": stream(STUDY.fingerprint, STUDY.mechanism, some_reports(STUDY, 300, 4)), "headers": {"content-type": ARROW}}),
        ("block", {"content": lines(SEVERAL.fingerprint, some_reports(SEVERAL, 300)), "headers": {"content-type": NDJSON}}),
    ],
    "GET /studies/{name}/tally": [("tags", {}), ("block", {}), ("tags", {"headers": {"accept": ARROW}})],
    "GET /studies/{name}/estimate": [
        ("tags", {}),
        ("block", {}),
        ("tags", {"params": {"method": "inversion", "level": "0.9", "simultaneous": "true"}}),
    ],
    "GET /studies/{name}/outlook": [
        ("tags", {}),
        ("block", {}),
        ("tags", {"params": {"target": "0.02", "level": "0.9", "method": "projected"}}),
    ],
    "GET /studies/{name}/export": [("tags", {})],
    "GET /metrics": [("", {})],
    "POST /studies": [
        ("", {"content": json.dumps(NEW.compile()), "headers": {"content-type": JSON}, "params": {"respondents": "tickets"}})
    ],
    "PATCH /studies/{name}": [("another", {"json": {"state": "closed"}}), ("another", {"json": {"state": "open"}})],
    "POST /studies/{name}/tickets": [("another", {"json": {"count": 2}})],
    "POST /studies/{name}/recount": [("tags", {})],
    "DELETE /studies/{name}": [("another", {"headers": {"if-match": f'"{NEW.fingerprint}"'}})],
    "GET /audit": [("", {})],
}


@pytest.fixture(scope="module")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    url = str(tmp_path_factory.mktemp("openapi") / "collector.sqlite")
    added(url, STUDY, SEVERAL)
    with hosted(url) as running:
        yield running


@pytest.fixture(scope="module")
def ask(collector: Hosted) -> Iterator[Callable[[str, Asked], httpx.Response]]:
    """Sends a request of a route, as an administrator where a token is needed."""
    token = collector.token(Role.ADMIN)
    open_to_all = {f"{route.method} {route.path}" for route in ROUTES if route.role is None}
    with collector.client() as client:

        def send(operation: str, asked: Asked) -> httpx.Response:
            method, _, path = operation.partition(" ")
            place, options = asked
            headers = options.get("headers", {}) | ({} if operation in open_to_all else token)
            return client.request(method, path.replace("{name}", place).replace("{kind}", place), **{**options, "headers": headers})

        yield send


def described() -> dict[str, dict[str, Any]]:
    """All operations of the document, by method and path."""
    paths = document(ROUTES)["paths"]
    return {f"{method.upper()} {path}": operation for path, methods in paths.items() for method, operation in methods.items()}


def valid(found: Any, schema: dict[str, Any]) -> None:
    jsonschema.validate(found, schema | {"components": document(ROUTES)["components"]})


def test_every_operation_answers_what_the_document_says(ask: Callable[[str, Asked], httpx.Response]) -> None:
    operations = described()
    assert set(REQUESTS) == set(operations)
    for operation, requests in REQUESTS.items():
        seen = set()
        (status,) = (code for code in operations[operation]["responses"] if code.startswith("2"))
        contents = operations[operation]["responses"][status]["content"]
        for asked in requests:
            answer = ask(operation, asked)
            assert str(answer.status_code) == status, (operation, answer.text)
            kind = media_type(answer.headers["content-type"])
            seen.add(kind)
            assert ("schema" in contents[kind]) == (kind == JSON), operation
            if kind == JSON:
                valid(answer.json(), contents[kind]["schema"])
        assert seen == set(contents), operation


def test_every_operation_takes_what_the_document_says(ask: Callable[[str, Asked], httpx.Response]) -> None:
    for operation, described_as in described().items():
        kinds = set(described_as.get("requestBody", {}).get("content", {}))
        sent = {
            options.get("headers", {}).get("content-type") or JSON
            for _, options in REQUESTS[operation]
            if options.keys() & {"content", "json"}
        }
        assert kinds == sent, operation
        if kinds:
            answer = ask(operation, ("tags", {"content": b"{}", "headers": {"content-type": "text/plain"}}))
            assert answer.status_code == 415
            valid(answer.json(), described_as["responses"]["415"]["content"]["application/problem+json"]["schema"])


def test_parameters_are_those_that_are_taken(ask: Callable[[str, Asked], httpx.Response]) -> None:
    """A parameter that is described is not refused as unknown, and any other is, where the query isn't left alone."""
    for operation, described_as in described().items():
        route = next(route for route in ROUTES if f"{route.method} {route.path}" == operation)
        known = {each["name"] for each in described_as.get("parameters", []) if each["in"] == "query"}
        sent = {name for _, options in REQUESTS[operation] for name in options.get("params", {})}
        assert known == sent, operation
        place, options = REQUESTS[operation][0]
        unknown = ask(operation, (place, {**options, "params": {"unknown": "1"}}))
        assert (unknown.status_code == 422) == (not route.any_query), operation


def test_headers_that_are_described_are_used(ask: Callable[[str, Asked], httpx.Response]) -> None:
    conditional = [operation for operation, described_as in described().items() if "304" in described_as["responses"]]
    assert conditional == ["GET /static/{name}", "GET /studies/{name}"]
    for operation in conditional:
        place, options = REQUESTS[operation][0]
        tag = ask(operation, (place, options)).headers["etag"]
        assert ask(operation, (place, {"headers": {"if-none-match": tag}})).status_code == 304
    assert [each["name"] for each in described()["DELETE /studies/{name}"]["parameters"]] == ["name", "If-Match"]


def test_reports_are_described_as_they_are_read() -> None:
    assert Report.__struct_fields__ == Body.__struct_fields__
    schema = {"$ref": "#/components/schemas/Report"}
    for kind in ("ldp", "olh", "levels"):
        for each in bodies(named(kind), some_reports(named(kind), 5)):
            valid(json.loads(each), schema)
    with pytest.raises(jsonschema.ValidationError):
        valid(json.loads(report(1)) | {"id": "00"}, schema)
