"""System tests use real processes and real parts. A store is on SQLite or on PostgreSQL.

A suite that the unit tests run on SQLite overrides `url` in its file: `from fixtures import postgres_url as url`.
"""

from __future__ import annotations

from fixtures import browser, java, place, postgres
from fixtures import either_url as url

__all__ = ["browser", "java", "place", "postgres", "url"]
