"""Structured logs: a line of JSON for each event, on standard error. Events are the collector's own; no request leaves a line by default.

Times are to the minute, so that a line cannot be matched with somebody's visit.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any


def log(event: str, level: str = "info", **fields: Any) -> None:
    """Write an event."""
    if sys.stderr is None:
        return
    line = {"time": f"{datetime.now(UTC):%Y-%m-%dT%H:%MZ}", "level": level, "event": event} | fields
    sys.stderr.write(json.dumps(line, ensure_ascii=True, default=str) + "\n")
    sys.stderr.flush()


class Relay(logging.Handler):
    """Hands on what the HTTP server has to say: its own words, never those of a request."""

    def emit(self, record: logging.LogRecord) -> None:
        fields = {} if record.exc_info is None else {"error": getattr(record.exc_info[0], "__name__", "")}
        log("server", record.levelname.lower(), message=str(record.msg), **fields)


def relayed() -> None:
    """Let the HTTP server's warnings go through `log`, and its access log nowhere."""
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi"):
        logger = logging.getLogger(name)
        logger.handlers = [Relay()] if name == "uvicorn" else []
        logger.propagate = name not in {"uvicorn", "uvicorn.access"}
        logger.setLevel(logging.WARNING)
