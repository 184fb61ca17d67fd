"""Unit tests run in one process. A store is a file on SQLite."""

from __future__ import annotations

from fixtures import place
from fixtures import sqlite_url as url

__all__ = ["place", "url"]
