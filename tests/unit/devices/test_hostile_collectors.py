"""Whatever a collector answers, an attempt ends in time, the thread goes on, and other collectors are served."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from devices import ScriptedCollector, device, named, receipt
from sottovoce.devices import sender
from sottovoce.devices.transport import Response, is_receipt, post
from sottovoce.errors import UnreachableError

#: A response that is nested more deeply than any parser goes.
DEEP = b"[" * 100_000


@pytest.mark.parametrize("retry_after", ["Mon, 01 Jan 99999999999999999999 00:00:00 GMT", "Mon, 01 Jan 0001 00:00:00 -2359", "9" * 400])
def test_absurd_responses_are_failures(retry_after: str) -> None:
    assert Response(500, DEEP, {}).reason == "The collector answered 500."
    assert not is_receipt(Response(200, DEEP, {}), 1)
    assert 0 <= Response(503, b"", {"retry-after": retry_after}).pause <= 3600


@pytest.mark.parametrize("failure", [RecursionError("x"), OverflowError("x"), MemoryError("x"), KeyError("x")], ids=repr)
def test_an_unexpected_failure_delays_only_its_collector(
    failure: Exception, collector: ScriptedCollector, monkeypatch: pytest.MonkeyPatch
) -> None:
    def post(url: str, *arguments: Any) -> Response:
        if "bad" in url:
            raise failure
        return collector.post(url, *arguments)

    monkeypatch.setattr("sottovoce.devices.sender.post", post)
    given = device()
    given.record(named("ldp"), "flu", url="https://bad.example/studies/ldp")
    given.record(named("scale"), "often", url="https://good.example/studies/scale")
    start = time.monotonic()
    assert given.flush(30) == 1
    assert time.monotonic() - start < 20
    assert given.status(named("ldp")).reason == f"The attempt failed: {type(failure).__name__}."
    assert given._sender._lanes["https://bad.example"].pauses.failures == 1


def test_a_flush_ends_even_if_a_pass_fails_unexpectedly(collector: ScriptedCollector, monkeypatch: pytest.MonkeyPatch) -> None:
    given = device()
    given.record(named("ldp"), "flu", url="https://collector.example/studies/ldp")

    def broken(*_: Any) -> None:
        raise RuntimeError("unexpected")

    with monkeypatch.context() as patch:
        patch.setattr(sender.Lane, "_pass", broken)
        start = time.monotonic()
        assert given.flush(30) == 0
        assert time.monotonic() - start < 20
    assert given.flush() == 1


def trickled_headers(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
    for _ in range(200):
        connection.sendall(b"a")
        time.sleep(0.05)


def endless_continues(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000)


def trickled_chunk_sizes(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
    for _ in range(200):
        connection.sendall(b"0")
        time.sleep(0.05)


def endless_trailers(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n")
    while True:
        connection.sendall(b"X: y\r\n" * 1000)


def trickled_body(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
    for _ in range(200):
        connection.sendall(b"a")
        time.sleep(0.05)


def silence(connection: socket.socket) -> None:
    time.sleep(5)


@contextlib.contextmanager
def listening(act: Callable[[socket.socket], None]) -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with contextlib.suppress(OSError):
                connection, _ = server.accept()
                with connection:
                    connection.recv(1 << 16)
                    act(connection)

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]


@pytest.mark.parametrize(
    "act",
    [trickled_headers, endless_continues, trickled_chunk_sizes, endless_trailers, trickled_body, silence],
    ids=lambda act: act.__name__,
)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_time_limit_holds_for_the_whole_request(act: Callable[[socket.socket], None], scheme: str) -> None:
    """Over https the handshake never comes to an end."""
    found: list[Any] = []

    def attempt(port: int) -> None:
        try:
            found.append(post(f"{scheme}://127.0.0.1:{port}/studies/x", [], "", 0.5))
        except UnreachableError as error:
            found.append(error)

    with listening(act) as port:
        thread = threading.Thread(target=attempt, args=(port,), daemon=True)
        thread.start()
        thread.join(4)
        assert not thread.is_alive()
    assert isinstance(found[0], UnreachableError)


def test_plain_requests_to_this_machine_go_through_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    def acknowledge(connection: socket.socket) -> None:
        data = receipt(1).body
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(data), data))

    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with listening(acknowledge) as proxy:
        for name in ("http_proxy", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy}")
        with listening(acknowledge) as port:
            assert post(f"http://127.0.0.1:{port}/studies/x", [], "t", 5.0).status == 200
        with pytest.raises(UnreachableError):
            post(f"http://localhost:{port}/studies/x", [], "t", 5.0)


def test_encrypted_requests_go_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bytes] = []

    def refuse(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 403 No\r\n\r\n")
        seen.append(b"asked")

    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with listening(refuse) as proxy:
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{proxy}")
        with pytest.raises(UnreachableError, match="403"):
            post("https://collector.example/studies/x", [], "", 5.0)
    assert seen == [b"asked"]


def test_a_device_sends_over_http() -> None:
    def acknowledge(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        data = receipt(1).body
        connection.sendall(b"%x\r\n%s\r\n0\r\n\r\n" % (len(data), data))

    given = device()
    with listening(acknowledge) as port:
        given.record(named("ldp"), "flu", url=f"http://127.0.0.1:{port}/studies/ldp")
        assert given.flush() == 1
    assert given.status(named("ldp")).state == "sent"
