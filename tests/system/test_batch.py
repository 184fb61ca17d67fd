"""The suite of stores and files, on PostgreSQL."""

from __future__ import annotations

from fixtures import postgres_url as url  # noqa: F401 - overrides the fixture of this tier
from suites.batch import *  # noqa: F403
