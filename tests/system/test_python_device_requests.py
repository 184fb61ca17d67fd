"""The requests of a Python device over real sockets: what they say, when they come again, and whom they trust."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import sottovoce as sv
from collectors import named
from scripted_server import Scripted, self_signed, until
from sottovoce.errors import UnreachableError


@pytest.fixture
def scripted() -> Iterator[Scripted]:
    server = Scripted()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_requests_say_nothing_of_the_machine_and_come_again_when_asked_to(scripted: Scripted, tmp_path: Path) -> None:
    elsewhere = f"{scripted.address}/elsewhere"
    scripted.script += [(302, {"location": elsewhere}, b""), (503, {"retry-after": "2"}, b"{}"), (200, {}, b"<html>")]
    url = f"{scripted.address}/studies/scale"
    with sv.Device(tmp_path / "ledger.json") as device:
        status = device.record(named("scale"), "often", url=url, ticket="t-1")
        until(lambda: device.status(url).state == "sent")
    times, paths, headers, bodies = zip(*scripted.requests, strict=True)
    assert set(paths) == {"/studies/scale/reports"}
    assert len(set(bodies)) == 1
    assert json.loads(bodies[0]) == {"study": named("scale").fingerprint, "id": status.reports[0].id, "report": status.reports[0].report}
    assert times[2] - times[1] >= 2.0
    sent = headers[0]
    assert set(sent) == {"accept-encoding", "content-length", "host", "user-agent", "content-type", "authorization", "connection"}
    assert (sent["user-agent"], sent["authorization"]) == ("sottovoce", "Ticket t-1")


def test_responses_that_are_too_long_or_broken_are_no_acknowledgement(scripted: Scripted, tmp_path: Path) -> None:
    url = f"{scripted.address}/studies/scale"
    device = sv.Device(tmp_path / "ledger.json", send="never")
    device.record(named("scale"), "often", url=url)
    for response in [(200, {}, b"x" * (1 << 17)), (200, {"content-length": "5000"}, b"{}"), (200, {}, b"\xff")]:
        scripted.script.append(response)
        assert device.flush(2) == 0
        assert device.status(url).state == "waiting"
    until(lambda: device.flush() == 1 or device.status(url).state == "sent")


def test_certificates_are_verified(tmp_path: Path) -> None:
    certificate = self_signed(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server = Scripted()
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda *arguments: None  # type: ignore[method-assign]  # handshakes fail here
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        with pytest.raises(UnreachableError, match="certificate"):
            sv.Device(tmp_path / "ledger.json", send="never").study(f"https://localhost:{server.server_port}/studies/scale")
        assert server.requests == []
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
