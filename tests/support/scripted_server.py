"""An HTTP server that gives the responses of a script, for tests of what a device sends and takes."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


def until(met: Callable[[], Any], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < end
        time.sleep(0.02)


class Scripted(ThreadingHTTPServer):
    """A server that gives the responses of a script, then acknowledges."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script: list[tuple[int, dict[str, str], bytes]] = []
        self.requests: list[tuple[float, str, dict[str, str], bytes]] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Scripted
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"] or 0))
        self.server.requests.append((time.monotonic(), self.path, {k.lower(): v for k, v in self.headers.items()}, body))
        status, headers, answer = self.server.script.pop(0) if self.server.script else (200, {}, b'{"accepted":1,"repeated":0}')
        self.send_response(status)
        for name, value in ({"content-length": str(len(answer))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer)

    def do_GET(self) -> None:
        self.do_POST()

    def log_message(self, *arguments: Any) -> None:
        pass


def self_signed(folder: Path) -> Path:
    """A certificate that no authority has signed."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(1).not_valid_before(now - timedelta(1)).not_valid_after(now + timedelta(1))
    made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path = folder / "certificate.pem"
    path.write_bytes(private + made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    return path
