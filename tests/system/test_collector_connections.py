"""Slow and many connections, strict HTTP and TLS, on a real server. The attacks at full size are in tests/long."""

from __future__ import annotations

import json
import re
import socket
import ssl
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from attackers import Honest, certificate
from collectors import JSON, Served, added, bodies, named, serving, some_reports
from sottovoce.collector.framing import FIELDS, PIPELINED
from sottovoce.store import Role
from suites.connections import honest_requests_succeed

#: The beginning of a request that sends reports.
POST = b"POST /studies/mine/reports HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
GET = b"GET /health HTTP/1.1\r\n"


@pytest.mark.parametrize("kind", ["half-header", "half-body"])
def test_slow_requests_give_way(tmp_path: Path, kind: str) -> None:
    honest_requests_succeed(tmp_path, kind, 60, 4, connections=50, false_alarm=1e-4)


def test_unfinished_handshakes_give_way(tmp_path: Path) -> None:
    """Attackers that come back at once take all places in turn. Each of 50 places lasts 9 ms on a fast machine, too short for some."""
    honest_requests_succeed(tmp_path, "half-handshake", 480, 4, connections=200, tls=True, false_alarm=1e-4)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("connections")
    url = str(folder / "collector.sqlite")
    added(url, named("ldp", "mine"))
    with serving(url, folder, head_seconds=1, connections=4) as running:
        Honest(running.port).ask(wait=60)
        yield running


def answer_to(served: Served, data: bytes) -> bytes:
    """All that comes back until the collector closes the connection, which it must."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=10) as line:
        line.sendall(data)
        answer = b""
        try:
            while part := line.recv(65536):
                answer += part
        except ConnectionResetError:
            assert answer
    return answer


@pytest.mark.parametrize(
    "data",
    [
        POST + b"content-length: " + b"0" * 5000 + b"\r\n\r\n",
        POST + b"content-length: " + b"0" * 19 + b"5\r\n\r\nabcde",
        GET + b"\r\n",
        GET + b"host: x\r\nhost: x\r\n\r\n",
        GET + b"host: x\r\nhost: y\r\n\r\n",
        GET + b"host: a b\r\n\r\n",
        GET + b"host: a, b\r\n\r\n",
        GET + b"host: user@x/y\r\n\r\n",
        b"GET /health\r\n\r\n",
        b"GET /health HTTP/0.9\r\nhost: x\r\n\r\n",
        b"GET /health HTTP/2.0\r\nhost: x\r\n\r\n",
        POST + b"transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        POST + b"transfer-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        POST.replace(b"1.1", b"1.0") + b"transfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        POST + b"transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n",
        POST + b"content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        GET + b"host: x\r\nx: a\r\n b\r\n\r\n",
        GET + b"host: x\r\nx: a\nb: c\r\n\r\n",
        GET + b"host: x\r\nx: a\rb: c\r\n\r\n",
        GET + b"host : x\r\n\r\n",
        GET + b"host: x\r\nx\t: y\r\n\r\n",
        GET + b" host: x\r\n\r\n",
        GET.replace(b"\r\n", b"\n") + b"host: x\n\n",
        POST + b"transfer-encoding: chunked\r\n\r\n0\n\n",
    ],
)
def test_what_two_readers_may_understand_differently_is_refused(served: Served, data: bytes) -> None:
    answer = answer_to(served, data)
    assert answer.startswith(b"HTTP/1.1 400 "), answer
    assert b"application/problem+json" in answer
    assert answer.count(b"HTTP/1.1 ") == 1


def test_what_is_strict_is_still_taken(served: Served) -> None:
    study = named("ldp", "mine")
    (good,) = bodies(study, some_reports(study, 1))
    for data in (
        b"GET /health HTTP/1.0\r\n\r\n",
        GET + b"host:\r\nconnection: close\r\n\r\n",
        GET + b"host: [::1]:8000\r\nconnection: close\r\n\r\n",
        GET + b"Host: \tcollector.example:443 \t\r\nconnection: close\r\n\r\n",
        POST + b"connection: close\r\nTransfer-Encoding: Chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(good), good),
        POST + b"connection: close\r\ncontent-length: 00%d\r\n\r\n%b" % (len(good), good),
    ):
        assert answer_to(served, data).startswith(b"HTTP/1.1 200 "), data


def test_a_report_in_each_chunk_is_taken(served: Served) -> None:
    """The shortest reports, sent line by line as many clients do. Chunks of a byte take a hundred times as long to read."""
    study = named("ldp", "mine")
    rows = [row + b"\n" for row in bodies(study, some_reports(study, 1000, 3))]
    head = POST.replace(b"json", b"x-ndjson") + b"connection: close\r\ntransfer-encoding: chunked\r\n\r\n"
    answer = answer_to(served, head + b"".join(b"%x\r\n%b\r\n" % (len(row), row) for row in rows) + b"0\r\n\r\n")
    assert json.loads(answer.split(b"\r\n\r\n", 1)[1]) == {"accepted": 1000, "repeated": 0}
    bytewise = head + b"".join(b"1\r\n%c\r\n" % each for row in rows[:5] for each in row)
    assert answer_to(served, bytewise).startswith(b"HTTP/1.1 400 ")


def test_header_fields_and_waiting_requests_are_bounded(served: Served) -> None:
    last, fields = GET + b"host: x\r\nconnection: close\r\n", b"".join(b"x%d: y\r\n" % number for number in range(FIELDS - 2))
    assert answer_to(served, last + fields + b"\r\n").startswith(b"HTTP/1.1 200 ")
    assert answer_to(served, last + fields + b"z: y\r\n\r\n").startswith(b"HTTP/1.1 431 ")
    one = GET + b"host: x\r\n\r\n"
    for data in (one * PIPELINED + last + b"\r\n", one * 1000):  # the second ends with the answers to those before the one too many
        answers = answer_to(served, data)
        assert re.findall(rb"HTTP/1.1 (\d+)", answers) == [b"200"] * (PIPELINED + 1)


def test_what_was_refused_or_dropped_shows_in_the_metrics(served: Served) -> None:
    honest, token = Honest(served.port), served.token(Role.MONITOR)
    kinds = {kind: f'sottovoce_refusals_total{{kind="{kind}"}}' for kind in ("slow", "headers", "malformed", "busy")}
    before = honest.metrics(token)
    assert answer_to(served, GET + b"x").startswith(b"HTTP/1.1 408 ")
    assert answer_to(served, GET + b"x: " + b"y" * 40_000 + b"\r\n\r\n").startswith(b"HTTP/1.1 431 ")
    assert answer_to(served, b"nonsense\r\n\r\n").startswith(b"HTTP/1.1 400 ")
    lines = [socket.create_connection(("127.0.0.1", served.port), timeout=10) for _ in range(8)]
    told = b"".join(line.recv(4096) for line in lines[:4])
    assert told.count(b"HTTP/1.1 503 ") == told.count(b"retry-after") == 4
    for line in lines:
        line.close()
    after = honest.metrics(token)
    assert all(after[name] > before.get(name, 0) for name in kinds.values()), (before, after)
    assert after['sottovoce_dropped_connections_total{reason="evicted"}'] >= 4


def test_malformed_requests_do_not_fill_the_log(served: Served) -> None:
    before = served.log.read_text().count("\n")
    for _ in range(60):
        assert answer_to(served, b"nonsense\r\n\r\n").startswith(b"HTTP/1.1 400 ")
    assert served.log.read_text().count("\n") - before <= 2


def test_a_request_that_is_being_answered_does_not_give_way(tmp_path: Path) -> None:
    """A hundred connections come while a report waits for its group, in a collector that has room for four."""
    url, study = str(tmp_path / "collector.sqlite"), named("ldp", "mine")
    added(url, study)
    (good,) = bodies(study, some_reports(study, 1))
    with serving(url, tmp_path, connections=4, gather_milliseconds=3000) as served:
        Honest(served.port).ask(wait=60)
        with socket.create_connection(("127.0.0.1", served.port), timeout=30) as line:
            line.sendall(POST + b"connection: close\r\ncontent-length: %d\r\n\r\n%b" % (len(good), good))
            others = [socket.create_connection(("127.0.0.1", served.port), timeout=30) for _ in range(100)]
            answer = b""
            while part := line.recv(65536):
                answer += part
            for other in others:
                other.close()
    assert json.loads(answer.split(b"\r\n\r\n", 1)[1]) == {"accepted": 1, "repeated": 0}


@pytest.mark.parametrize(("seconds", "header"), [(60, [b"max-age=60"]), (0, [])])
def test_browsers_are_told_to_stay_with_tls(tmp_path: Path, seconds: int, header: list[bytes]) -> None:
    url = str(tmp_path / "collector.sqlite")
    added(url, named("ldp", "mine"))
    made, key = certificate(tmp_path)
    with serving(url, tmp_path, certificate=made, certificate_key=key, hsts_seconds=seconds) as served:
        honest = Honest(served.port, ssl.create_default_context(cafile=str(made)))
        for request in (GET + b"host: x\r\nconnection: close\r\n\r\n", b"nonsense\r\n\r\n"):
            answer = honest.ask(request, wait=60)
            assert re.findall(rb"strict-transport-security: (\S+)", answer) == header, answer


def test_without_tls_nothing_is_said_about_it(served: Served) -> None:
    assert b"strict-transport-security" not in answer_to(served, GET + b"host: x\r\nconnection: close\r\n\r\n")


def test_a_handshake_that_is_cut_short_or_wrong_is_counted(tmp_path: Path) -> None:
    url = str(tmp_path / "collector.sqlite")
    added(url, named("ldp", "mine"))
    made, key = certificate(tmp_path)
    with serving(url, tmp_path, certificate=made, certificate_key=key, head_seconds=1) as served:
        honest, token = Honest(served.port, ssl.create_default_context(cafile=str(made))), served.token(Role.MONITOR)
        honest.ask(wait=60)
        began = time.monotonic()
        with socket.create_connection(("127.0.0.1", served.port), timeout=20) as line:
            assert line.recv(1) == b""  # nothing was sent, and it ended after a second
        assert 0.5 < time.monotonic() - began < 10
        with socket.create_connection(("127.0.0.1", served.port), timeout=20) as line:
            line.sendall(GET + b"host: x\r\n\r\n")
            assert not line.recv(4096).startswith(b"HTTP")
        found = honest.metrics(token)
        assert found['sottovoce_dropped_connections_total{reason="slow handshake"}'] == 1
        assert found['sottovoce_dropped_connections_total{reason="failed handshake"}'] == 1


def test_a_certificate_that_cannot_be_read_ends_it(tmp_path: Path) -> None:
    from processes import run

    made = run(tmp_path, "serve", "--db", "c.sqlite", code=1, env={"SOTTOVOCE_CERTIFICATE": "nothing.pem", "PATH": ""})
    assert b"nothing.pem" in made.stderr
    assert b"Traceback" not in made.stderr


def test_an_answer_comes_in_one_piece(tmp_path: Path) -> None:
    """Its head and its body, also behind a question whether to send the body. What a HEAD asks for ends with its head."""
    study = named("ldp")
    added(url := str(tmp_path / "collector.sqlite"), study)
    (body,) = bodies(study, some_reports(study, 1))
    head = f"POST /studies/{study.name}/reports HTTP/1.1\r\nhost: x\r\ncontent-type: {JSON}\r\ncontent-length: {len(body)}\r\n"
    with serving(url, tmp_path) as served, socket.create_connection(("127.0.0.1", served.port), timeout=10) as line:
        line.sendall(head.encode() + b"expect: 100-continue\r\n\r\n")
        assert line.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        line.sendall(body)
        answer = line.recv(65536)
        assert answer.startswith(b"HTTP/1.1 200 ")
        assert answer.endswith(b'\r\n\r\n{"accepted":1,"repeated":0}')
        line.sendall(b"HEAD /health HTTP/1.1\r\nhost: x\r\n\r\n")
        assert line.recv(65536).endswith(b"\r\n\r\n")
        line.sendall(b"GET /nothing HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        assert line.recv(65536).endswith(b"}")
        assert line.recv(65536) == b""
