"""Devices for the tests: a storage in memory, and a collector that answers as it is told to."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sottovoce as sv
from collectors import named
from sottovoce.devices.transport import Response
from sottovoce.errors import UnreachableError
from sottovoce.wire import Body

#: Where the studies of these tests are collected.
URL = "https://collector.example/studies/app"
#: Answers to the questionnaires of `studies.py`.
ANSWERS: Mapping[str, Any] = {"smokes": "yes", "age": 44, "symptoms": ["cough"], "town": 7, "drinks": "no"}


class Memory:
    """A storage without a lock."""

    def __init__(self, data: bytes | None = None) -> None:
        self.data = data
        self.saves = 0

    def load(self) -> bytes | None:
        return self.data

    def save(self, data: bytes) -> None:
        self.data = data
        self.saves += 1

    @property
    def ledger(self) -> Any:
        assert self.data is not None
        return json.loads(self.data)


def receipt(accepted: int, repeated: int = 0) -> Response:
    return Response(200, json.dumps({"accepted": accepted, "repeated": repeated}).encode(), {})


def problem(status: int, detail: str, **headers: str) -> Response:
    body = {"type": "/problems/x", "title": "x", "status": status, "detail": detail, "remedy": "Read this."}
    return Response(status, json.dumps(body).encode(), {name.replace("_", "-"): value for name, value in headers.items()})


@dataclass
class ScriptedCollector:
    """Stands for the network: gives the responses of a script first, then counts each report once."""

    script: deque[Response | str] = field(default_factory=deque)
    sent: list[tuple[str, tuple[Body, ...], str]] = field(default_factory=list)
    counted: set[str] = field(default_factory=set)
    offline: bool = False
    down: set[str] = field(default_factory=set)

    def post(self, url: str, reports: Sequence[Body], ticket: str = "", timeout: float = 0) -> Response:
        self.sent.append((url, tuple(reports), ticket))
        found = self.script.popleft() if self.script else None
        if isinstance(found, Response):
            return found
        if self.offline or found is not None or any(host in url for host in self.down):
            raise UnreachableError(f"The collector can't be reached: {found or 'offline'}.")
        new = [each.id for each in reports if each.id not in self.counted]
        self.counted.update(new)
        return receipt(len(new), len(reports) - len(new))


def device(storage: Any = None, **options: Any) -> sv.Device:
    """A device that sends only when it is told to."""
    return sv.Device(Memory() if storage is None else storage, **({"send": "never"} | options))


def answered(given: sv.Device, study: sv.Study, **options: Any) -> sv.devices.Status:
    """Record an answer to a study of any kind."""
    url = URL.replace("app", study.name)
    if not study.of_several_questions:
        return given.record(study, study.domain.item(1), url=url, **options)
    return given.record(study, {question.name: ANSWERS[question.name] for question in study.questions}, url=url, **options)


__all__ = ["ANSWERS", "URL", "Memory", "ScriptedCollector", "answered", "device", "named", "problem", "receipt"]
