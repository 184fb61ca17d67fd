"""Smoke tests use each real part once. A store is a file on SQLite."""

from __future__ import annotations

from fixtures import browser, place
from fixtures import sqlite_url as url

__all__ = ["browser", "place", "url"]
