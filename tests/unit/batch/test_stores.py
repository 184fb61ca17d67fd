"""The suite of stores and files, on SQLite."""

from __future__ import annotations

from suites.batch import *  # noqa: F403
