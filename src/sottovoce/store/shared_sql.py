"""Statements and settings that both databases use."""

from __future__ import annotations

from typing import NamedTuple

#: Seconds that a writer waits for another one.
PATIENCE = 30
#: The pending reports of one part of a level.
FREE = "SELECT part, records FROM pending WHERE study = :study AND level = :level ORDER BY part LIMIT 1"
#: The studies, as far as a writer has to know them.
STATES = "SELECT key, fingerprint, state, respondents FROM studies"


class State(NamedTuple):
    """A study, as far as a writer has to know it."""

    key: int
    fingerprint: str
    state: str
    respondents: str


def identifiers(study: int, ids: bytes) -> dict[str, object]:
    """Identifiers as one value: the database cuts them apart, since a row at a time from here would cost more than all the rest."""
    return {"study": study, "ids": ids, "count": len(ids) // 16}
