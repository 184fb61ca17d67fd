"""Long tests use real processes and real parts, at full size. A store is on SQLite or on PostgreSQL."""

from __future__ import annotations

from fixtures import browser, java, place, postgres
from fixtures import either_url as url

__all__ = ["browser", "java", "place", "postgres", "url"]
