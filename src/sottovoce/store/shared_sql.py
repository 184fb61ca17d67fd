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
    """What a writer has to know about a study."""

    key: int
    fingerprint: str
    state: str
    respondents: str


def identifiers(study: int, ids: bytes) -> dict[str, object]:
    """Pass identifiers as one value, which the database splits. Sending them row by row would cost more than everything else together."""
    return {"study": study, "ids": ids, "count": len(ids) // 16}
