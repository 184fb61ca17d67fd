"""Hostile clients for the attack tests, on 127.0.0.1 only, and an honest one beside them.

The hostile ones run in a process of their own and stop by themselves. As a script this prints what happened to their connections, as JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import socket
import ssl
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

#: What each kind of attacker sends before it goes silent.
SENT = {
    "nothing": b"",
    "half-header": b"GET /health HTTP/1.1\r\nhost: x\r\nx-slow: ",
    "half-body": b"POST /studies/mine/reports HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{",
    "idle": b"GET /nothing HTTP/1.1\r\nhost: x\r\n\r\n",
    "half-handshake": bytes.fromhex("1603010200010001fc0303"),
}


class Attacker(asyncio.Protocol):
    """A connection that sends the beginning of something, and is opened again when it is closed."""

    def __init__(self, attack: Attack) -> None:
        self._attack = attack
        self._answer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._attack.open += 1
        transport.write(self._attack.sent)

    def data_received(self, data: bytes) -> None:
        if not self._answer:
            self._answer = data[9:12]

    def connection_lost(self, exc: Exception | None) -> None:
        self._attack.open -= 1
        self._attack.outcomes[self._answer.decode("latin-1") or ("closed" if exc is None else "reset")] += 1
        self._attack.again()


class Attack:
    """Keeps a number of connections open, each replaced as soon as it is closed."""

    def __init__(self, port: int, kind: str, count: int) -> None:
        self._port, self._count, self.sent = port, count, SENT[kind]
        self.open = self.most = 0
        self.outcomes = Counter[str]()
        self._missing = asyncio.Semaphore(count)

    def again(self) -> None:
        self._missing.release()

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._missing.acquire()
            try:
                await asyncio.wait_for(loop.create_connection(lambda: Attacker(self), "127.0.0.1", self._port), 10)
                self.outcomes["opened"] += 1
            except OSError:
                self.outcomes["failed"] += 1
                self._missing.release()
                await asyncio.sleep(0.05)

    async def run(self, seconds: float) -> dict[str, int]:
        connecting = [asyncio.create_task(self._connect()) for _ in range(16)]
        for _ in range(int(seconds * 10)):
            await asyncio.sleep(0.1)
            self.most = max(self.most, self.open)
        for each in connecting:
            each.cancel()
        return {"most": self.most, **self.outcomes}


@contextmanager
def attacking(port: int, kind: str, count: int, seconds: float) -> Iterator[subprocess.Popen[str]]:
    """Attack a collector for so many seconds at most."""
    command = [sys.executable, __file__, str(port), kind, str(count), str(seconds)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait(30)
        assert process.stdout is not None
        process.stdout.close()


@dataclass
class Honest:
    """What an honest client sees, who opens a new connection for each request."""

    port: int
    tls: ssl.SSLContext | None = None
    outcomes: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)

    def ask(self, request: bytes = b"GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n", wait: float = 10.0) -> bytes:
        """Send one request and read the whole answer."""
        began, answer = time.monotonic(), b""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=wait) as plain:
                line = plain if self.tls is None else self.tls.wrap_socket(plain, server_hostname="127.0.0.1")
                with line:
                    line.sendall(request)
                    while part := line.recv(65536):
                        answer += part
            outcome = answer[9:12].decode() or "closed"
        except OSError as error:
            outcome = type(error).__name__
        self.outcomes[outcome] += 1
        self.seconds.append(time.monotonic() - began)
        return answer

    @property
    def succeeded(self) -> float:
        """The share of requests that were answered with 200."""
        return self.outcomes["200"] / max(1, self.outcomes.total())

    def metrics(self, token: dict[str, str]) -> dict[str, float]:
        """The metrics of the collector, by name and label."""
        head = f"GET /metrics HTTP/1.1\r\nhost: x\r\nauthorization: {token['authorization']}\r\nconnection: close\r\n\r\n"
        text = self.ask(head.encode()).decode()
        return {name: float(value) for name, value in re.findall(r"(?m)^(sottovoce_\S+?(?:\{[^}]*\})?) (\S+)$", text)}


def descriptors(pid: int) -> int:
    """How many files a process has open."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def certificate(folder: Path) -> tuple[Path, Path]:
    """A new certificate for 127.0.0.1, and its key."""
    from shutil import which

    from parts import missing

    if which("openssl") is None:
        missing("openssl", "apt-get install openssl")
    made, key = folder / "certificate.pem", folder / "key.pem"
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    named = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(["openssl", "req", "-x509", *kind, *named, "-keyout", key, "-out", made], check=True, capture_output=True)
    return made, key


def _main() -> None:
    import resource

    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("kind", choices=SENT)
    parser.add_argument("count", type=int)
    parser.add_argument("seconds", type=float)
    given = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

    async def run() -> dict[str, int]:
        return await Attack(given.port, given.kind, given.count).run(given.seconds)

    sys.stdout.write(json.dumps(asyncio.run(run())) + "\n")


if __name__ == "__main__":
    _main()
