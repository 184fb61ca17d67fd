"""Attacks by many connections: how many honest requests succeed meanwhile."""

from __future__ import annotations

import json
import ssl
import time
from pathlib import Path
from resource import RLIMIT_NOFILE, prlimit
from typing import Any

from scipy.stats import binom

from attackers import Honest, attacking, certificate, descriptors
from collectors import added, named, serving
from sottovoce.store import Role

#: The share of honest requests that must succeed.
SUCCEED = 0.99


def honest_requests_succeed(
    folder: Path,
    kind: str,
    attackers: int,
    seconds: float,
    *,
    connections: int,
    tls: bool = False,
    open_files: int = 0,
    false_alarm: float | None = None,
) -> dict[str, Any]:
    """Attack a collector and send honest requests beside it; returns the figures.

    With `false_alarm` the share of requests that succeed is tested: few requests are compatible with 99 % if one of them fails.
    Before connections gave way, 1 to 4 % succeeded.
    """
    url = str(folder / "collector.sqlite")
    added(url, named("ldp", "mine"))
    context, settings = None, dict[str, Any](connections=connections)
    if tls:
        made, key = certificate(folder)
        settings |= {"certificate": made, "certificate_key": key}
        context = ssl.create_default_context(cafile=str(made))
    with serving(url, folder, **settings) as served:
        honest = Honest(served.port, context)
        token = served.token(Role.MONITOR)
        honest.ask(wait=60)  # the studies are read
        assert honest.succeeded == 1
        before = descriptors(served.pid)
        if open_files:
            prlimit(served.pid, RLIMIT_NOFILE, (open_files, open_files))
        honest = Honest(served.port, context)
        with attacking(served.port, kind, attackers, seconds + 8) as attack:
            until = _is_full(served.pid, connections) + seconds
            most = 0
            while time.monotonic() < until or honest.outcomes.total() < 20:
                honest.ask()
                most = max(most, descriptors(served.pid))
                time.sleep(0.02)
            found = honest.metrics(token)
            outcomes = json.loads(attack.communicate(timeout=seconds + 60)[0])
        took = sorted(honest.seconds)
        figures = {
            "honest": dict(honest.outcomes),
            "p50": took[len(took) // 2],
            "p99": took[int(0.99 * len(took))],
            "attackers": outcomes,
            "descriptors": most - before,
            "evicted": found.get('sottovoce_dropped_connections_total{reason="evicted"}', 0),
            "log lines": served.log.read_text().count("\n"),
        }
    if false_alarm is None:
        assert honest.succeeded >= SUCCEED, figures
    else:
        failed = honest.outcomes.total() - honest.outcomes["200"]
        assert binom.sf(failed - 1, honest.outcomes.total(), 1 - SUCCEED) > false_alarm, figures
    assert outcomes["opened"] > attackers, figures  # they were pushed out and came back
    assert figures["evicted"], figures
    assert figures["descriptors"] < connections + 64, figures
    assert figures["log lines"] < 100, figures
    return figures


def _is_full(pid: int, connections: int) -> float:
    """Wait until a collector has as many connections as it takes; tells the time."""
    for _ in range(600):
        if descriptors(pid) >= connections:
            return time.monotonic()
        time.sleep(0.05)
    raise AssertionError("the attack never filled the collector")
