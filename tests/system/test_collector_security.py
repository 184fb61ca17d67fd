"""Slow, broken and hostile connections: each is refused with the right status, and nothing changes. And tokens, on a real server."""

from __future__ import annotations

import gzip
import json
import re
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from collectors import JSON, NDJSON, Served, bodies, fresh_url, named, recounted, request, serving, some_reports
from sottovoce.store import Role
from sottovoce.wire import lines
from suites.access import *  # noqa: F403 - all tests of the suite
from suites.access import everything, mine_and_other


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("security")
    url = fresh_url(request, folder)
    mine_and_other(url)
    with serving(url, folder, head_seconds=2, body_seconds=2, idle_seconds=2, connections=60, body_bytes=1 << 20) as running:
        yield running


def test_headers_cannot_be_smuggled_in(served: Served) -> None:
    for head in (
        "GET /studies/x%0d%0aSet-Cookie:%20a=b HTTP/1.1\r\nhost: x\r\n\r\n",
        "GET /problems/x%0d%0aX-Evil:%201 HTTP/1.1\r\nhost: x\r\n\r\n",
    ):
        answer = raw(served, head.encode())
        assert b"set-cookie" not in answer.lower().split(b"\r\n\r\n")[0]
        assert b"x-evil" not in answer.lower().split(b"\r\n\r\n")[0]
        assert status(answer) == 404


def raw(served: Served, data: bytes, *, wait: float = 5.0, shut: bool = False) -> bytes:
    """What comes back when bytes are sent as they are."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=wait) as line:
        line.sendall(data)
        if shut:
            line.shutdown(socket.SHUT_WR)
        answer = b""
        try:
            while part := line.recv(65536):
                answer += part
                if (found := re.search(rb"content-length: (\d+)", answer)) and len(answer) >= answer.index(b"\r\n\r\n") + 4 + int(found[1]):
                    break
        except (TimeoutError, ConnectionResetError):
            pass
    return answer


def status(answer: bytes) -> int:
    return int(answer[9:12] or b"0")


def test_requests_that_are_no_http(served: Served) -> None:
    before = everything(served.url)
    study = named("ldp", "mine")
    (good,) = bodies(study, some_reports(study, 1))
    path = "/studies/mine/reports"
    head = f"POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: {JSON}\r\n".encode()
    length = b"content-length: %d\r\n" % len(good)
    for data, allowed in (
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 100, {400}),
        (b"GET / HTTP/9.9\r\n\r\n", {400}),
        (b"GET\r\n\r\n", {400}),
        (b"\x00" * 50, {400}),
        (b"GET /" + b"a" * 40_000 + b" HTTP/1.1\r\nhost: x\r\n\r\n", {431}),
        (b"GET / HTTP/1.1\r\n" + b"".join(b"x%d: y\r\n" % k for k in range(9000)), {431}),
        (b"GET / HTTP/1.1\r\nhost: x\r\nx: " + b"y" * 70_000, {431}),
        (head + length + length + b"\r\n" + good, {400}),
        (head + b"content-length: 5\r\n" + length + b"\r\n" + good, {400}),
        (head + length + b"transfer-encoding: chunked\r\n\r\n" + good, {400}),
        (head + b"content-length: -5\r\n\r\n" + good, {400}),
        (head + b"content-length: 1e3\r\n\r\n" + good, {400}),
        (head + b"content-length: 99999999999999999999999\r\n\r\n", {400, 413}),
        (head + b"content-length: 99999999\r\n\r\n", {413}),
        (head + b"transfer-encoding: chunked\r\n\r\nZZ\r\n", {400}),
        (head + length + b"content-type: text/plain\r\n\r\n" + good, {400}),
        (head + length + b"authorization: Ticket a\r\nauthorization: Ticket b\r\n\r\n" + good, {400}),
        (head + length + b"content-encoding: gzip\r\n\r\n" + good, {415}),
        (b"CONNECT x:443 HTTP/1.1\r\nhost: x\r\n\r\n", {400, 404, 405}),
        (b"TRACE / HTTP/1.1\r\nhost: x\r\n\r\n", {400, 405}),
        (b"GET / HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n", {400}),
        (head + length + b"upgrade: h2c\r\nconnection: upgrade\r\n\r\n" + good, {400}),
        (b"GET / HTTP/1.1\r\nhost: x\r\nx: " + b"y" * 40_000 + b"\r\n\r\n", {431}),
        (b"GET * HTTP/1.1\r\nhost: x\r\n\r\n", {400, 404}),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", {400}),
    ):
        answer = raw(served, data)
        assert status(answer) in allowed, (data[:120], answer[:300])
        if status(answer) >= 400:
            assert b"application/problem+json" in answer, answer[:300]
    assert everything(served.url) == before
    assert status(raw(served, b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n")) == 200


def test_compressed_bodies_are_not_opened(served: Served) -> None:
    bomb = gzip.compress(b"[" + b" " * (50 << 20) + b"]")
    assert len(bomb) < 1 << 20
    before = served.memory()
    with served.client() as client:
        for headers in ({"content-encoding": "gzip"}, {}):
            answer = client.post("/studies/mine/reports", content=bomb, headers={"content-type": JSON, **headers})
            assert answer.status_code == (415 if headers else 422)
    assert served.memory() - before < 30_000


def test_slow_requests_end(served: Served) -> None:
    """Headers, bodies and pauses that take longer than two seconds."""
    study = named("ldp", "mine")
    (good,) = bodies(study, some_reports(study, 1))
    whole = request("POST", "/studies/mine/reports", good, content_type=JSON)

    def stop_midway(data: bytes) -> None:
        began = time.monotonic()
        answer = raw(served, data, wait=15)
        assert 1 < time.monotonic() - began < 10
        assert status(answer) in {0, 408}, answer
        assert status(answer) == 408 or not data

    def drip(data: bytes) -> None:
        began = time.monotonic()
        with socket.create_connection(("127.0.0.1", served.port), timeout=15) as line:
            line.settimeout(15)
            for byte in data[:30]:
                try:
                    line.sendall(bytes([byte]))
                except OSError:
                    break
                time.sleep(0.2)
            assert b"408" in line.recv(65536)
        assert time.monotonic() - began < 12

    with ThreadPoolExecutor(5) as pool:  # all of them at once: nobody has to wait for the others
        cut = [b"", b"GET / HTTP/1.1\r\nho", whole[:-5], whole[: whole.index(b"\r\n\r\n") + 4]]
        for done in [*(pool.submit(stop_midway, data) for data in cut), pool.submit(drip, whole)]:
            done.result()


def test_too_many_connections_are_told_so(served: Served) -> None:
    lines = [socket.create_connection(("127.0.0.1", served.port), timeout=10) for _ in range(80)]
    try:
        for line in lines[:15]:  # the oldest make room
            answer = line.recv(4096)
            assert b" 503 " in answer
            assert b"retry-after" in answer
        assert status(raw(served, b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n")) == 200
    finally:
        for line in lines:
            line.close()


def test_a_body_that_is_not_whole_is_not_counted(served: Served) -> None:
    before = everything(served.url)
    study = named("ldp", "mine")
    good = lines(study.fingerprint, some_reports(study, 5))
    data = request("POST", "/studies/mine/reports", good, content_type=NDJSON)
    for cut in (10, 200, len(data) - 200, len(data) - 1):
        raw(served, data[:cut], shut=True, wait=5)
    chunked = f"POST /studies/mine/reports HTTP/1.1\r\nhost: x\r\ncontent-type: {NDJSON}\r\ntransfer-encoding: chunked\r\n\r\n".encode()
    raw(served, chunked + b"%x\r\n" % len(good) + good + b"\r\n", shut=True, wait=5)
    assert everything(served.url) == before
    answer = raw(served, chunked + b"%x\r\n" % len(good) + good + b"\r\n0\r\n\r\n")
    assert json.loads(answer.split(b"\r\n\r\n", 1)[1]) == {"accepted": 5, "repeated": 0}
    recounted(served.url, "mine")


def test_pipelined_requests_are_answered_in_order(served: Served) -> None:
    study = named("ldp", "mine")
    sent = bodies(study, some_reports(study, 3, seed=9))
    data = b"".join(request("POST", "/studies/mine/reports", body, content_type=JSON) for body in (*sent, sent[0], b"?"))
    data += b"GET /nothing HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", served.port), timeout=10) as line:
        line.sendall(data)
        answer = b""
        while part := line.recv(65536):
            answer += part
    assert re.findall(rb"HTTP/1.1 (\d+)", answer) == [b"200"] * 4 + [b"422", b"404"]
    assert re.findall(rb'"repeated":(\d)', answer) == [b"0", b"0", b"0", b"1"]


def test_fields_behind_the_body_are_bounded(served: Served) -> None:
    """Trailers would otherwise be kept without end."""
    study = named("ldp", "mine")
    (good,) = bodies(study, some_reports(study, 1, seed=77))
    head = f"POST /studies/mine/reports HTTP/1.1\r\nhost: x\r\ncontent-type: {JSON}\r\ntransfer-encoding: chunked\r\n\r\n".encode()
    chunk = b"%x\r\n" % len(good) + good + b"\r\n0\r\n"
    before = everything(served.url), served.memory()
    assert status(raw(served, head + chunk + b"a: b\r\n" * 10 + b"\r\n")) == 400
    assert status(raw(served, head + chunk + b"authorization: Bearer x\r\n\r\n")) == 400
    with socket.create_connection(("127.0.0.1", served.port), timeout=10) as line:
        line.sendall(head + chunk + b"a: ")
        sent, answer = 0, b""
        try:
            for _ in range(2000):
                line.sendall(b"x" * 65536)
                sent += 65536
        except OSError:
            pass
        with suppress(OSError):
            answer = line.recv(4096)
    assert sent < 100 << 20
    assert status(answer) in {0, 400, 431}
    assert served.memory() - before[1] < 30_000
    assert everything(served.url) == before[0]


def test_a_bad_request_behind_a_good_one_does_not_answer_for_it(served: Served) -> None:
    study = named("ldp", "mine")
    for number, second in enumerate(
        (
            b"GET / HTTP/1.1\r\nhost: x\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n",
            b"nonsense\r\n\r\n",
            b"GET / HTTP/1.1\r\nx: " + b"y" * 40_000 + b"\r\n\r\n",
        )
    ):
        (good,) = bodies(study, some_reports(study, 1, seed=90 + number))
        data = request("POST", "/studies/mine/reports", good, content_type=JSON) + second
        with socket.create_connection(("127.0.0.1", served.port), timeout=10) as line:
            line.sendall(data)
            answer = b""
            with suppress(OSError):
                while part := line.recv(65536):
                    answer += part
        assert re.findall(rb"HTTP/1.1 (\d+)", answer)[0] == b"200", answer
        assert b'"accepted":1' in answer


def test_nothing_secret_is_logged(served: Served, tmp_path: Path) -> None:
    headers = served.token(Role.ANALYST, "mine")
    with served.client() as client:
        client.get("/studies/mine/tally", headers=headers)
        client.get("/studies/mine/tally", headers={"authorization": "Bearer sv_wrong"})
    text = served.log.read_text()
    assert "sv_" not in text
    assert headers["authorization"].split()[1] not in text
