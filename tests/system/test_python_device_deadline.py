"""The time limit of an attempt over TLS: a collector that trickles its answer doesn't hold the connection for longer."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from devices import receipt
from scripted_server import self_signed
from sottovoce.devices import connections
from sottovoce.devices.transport import post
from sottovoce.errors import UnreachableError


@pytest.fixture
def port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A collector that answers `/quick` at once and everything else letter by letter."""
    certificate = self_signed(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    trusting = ssl.create_default_context(cafile=str(certificate))
    monkeypatch.setattr(connections, "_context", lambda: trusting)

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                plain, _ = server.accept()
                with contextlib.suppress(OSError), context.wrap_socket(plain, server_side=True) as connection:
                    head = connection.recv(1 << 16)
                    body = receipt(1).body
                    answer = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body)
                    if b"/quick" in head:
                        connection.sendall(answer)
                    for place in range(len(answer)):
                        connection.sendall(answer[place : place + 1])
                        time.sleep(0.2)

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]


def test_a_time_limit_holds_over_tls(port: int) -> None:
    assert post(f"https://localhost:{port}/quick", [], "", 10.0).body == receipt(1).body
    start = time.monotonic()
    with pytest.raises(UnreachableError):
        post(f"https://localhost:{port}/slow", [], "", 1.0)
    assert time.monotonic() - start < 4
