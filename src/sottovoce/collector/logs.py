"""Structured logs on standard error: a line of JSON for each event, or a sentence for a person on a terminal. Requests aren't logged by
default.

Times are rounded to minutes, so that no one can match a line with a person's visit. Lines can't fill the disk either: of each event that
requests can cause, a limited number of lines is written in ten seconds, then one that shows how many were skipped.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

#: The most lines of one event in so many seconds: a warning or an error, and a request in the access log.
_LINES, _REQUESTS, _SECONDS = 10, 1000, 10.0


def log(event: str, level: str = "info", **fields: Any) -> None:
    """Log an event, unless there were too many of its kind just now."""
    if level != "info" or event == "request":
        with _lock:
            seen = _seen.setdefault((event, level), _Seen(time.monotonic()))
            if seen.lines >= (_REQUESTS if event == "request" else _LINES):
                seen.left_out += 1
                return
            seen.lines += 1
    _write(event, level, fields)


def write_left_out(*, all_of_it: bool = False) -> None:
    """Log how many lines were skipped of each event whose ten seconds are over (or of every event), and start again."""
    now = time.monotonic()
    with _lock:
        over = [kind for kind, seen in _seen.items() if all_of_it or now - seen.since >= _SECONDS]
        ended = [(kind, _seen.pop(kind)) for kind in over]
    for (event, level), seen in ended:
        if seen.left_out:
            _write("lines left out", level, {"of": event, "count": seen.left_out})


@dataclass
class _Seen:
    """The lines of an event since some moment."""

    since: float
    lines: int = 0
    left_out: int = 0


_seen: dict[tuple[str, str], _Seen] = {}
_lock = threading.Lock()
_for_people = False


def _write(event: str, level: str, fields: dict[str, Any]) -> None:
    if sys.stderr is None:
        return
    if _for_people:
        sys.stderr.write(_sentence(event, level, fields) + "\n")
        sys.stderr.flush()
        return
    line = {"time": f"{datetime.now(UTC):%Y-%m-%dT%H:%MZ}", "level": level, "event": event} | fields
    sys.stderr.write(json.dumps(line, ensure_ascii=True, default=str) + "\n")
    sys.stderr.flush()


def write_for_people(*, wanted: bool) -> None:
    """Log sentences from now on, or JSON."""
    global _for_people  # noqa: PLW0603 - a process has one log
    _for_people = wanted


def _sentence(event: str, level: str, fields: dict[str, Any]) -> str:
    """An event as one line. Line breaks in values from elsewhere are escaped."""
    head = "" if level == "info" else f"{level.capitalize()}: "
    details = ", ".join(f"{name} {json.dumps(value, ensure_ascii=True, default=str)}" for name, value in fields.items())
    return f"{head}{event[:1].upper()}{event[1:]}{f' ({details})' if details else ''}."


class Relay(logging.Handler):
    """Forwards the messages of the HTTP server and the event loop, which never contain text from a request."""

    def emit(self, record: logging.LogRecord) -> None:
        fields = {} if record.exc_info is None else {"error": getattr(record.exc_info[0], "__name__", "")}
        log("server", record.levelname.lower(), message=str(record.msg).split("\n", 1)[0], **fields)


def relayed() -> None:
    """Forward the warnings of the HTTP server and the event loop to `log`, and drop the access log."""
    for name in ("asyncio", "uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi"):
        logger = logging.getLogger(name)
        logger.handlers = [Relay()] if name in {"asyncio", "uvicorn"} else []
        logger.propagate = name not in {"asyncio", "uvicorn", "uvicorn.access"}
        logger.setLevel(logging.WARNING)
