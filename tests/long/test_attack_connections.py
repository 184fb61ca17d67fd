"""Many slow connections at full size. The collector has its default of 1,024 connections, the attackers are more, and each of them comes
back as soon as it is pushed out."""

from __future__ import annotations

from pathlib import Path

import pytest

from sottovoce.collector.settings import Settings
from suites.connections import honest_requests_succeed

CONNECTIONS, SECONDS = Settings().connections, 20.0


@pytest.mark.parametrize("kind", ["half-header", "nothing", "idle", "half-body"])
def test_slow_requests(tmp_path: Path, kind: str) -> None:
    found = honest_requests_succeed(tmp_path, kind, 1060, SECONDS, connections=CONNECTIONS)
    print(found)  # noqa: T201 - the figures of docs/security.md


def test_unfinished_handshakes(tmp_path: Path) -> None:
    """With 2,048 descriptors, which 2,500 handshakes would fill."""
    found = honest_requests_succeed(tmp_path, "half-handshake", 2500, SECONDS, connections=CONNECTIONS, tls=True, open_files=2048)
    print(found)  # noqa: T201
