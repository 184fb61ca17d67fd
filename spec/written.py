"""Numbers as people read them: shares with their intervals, which every page writes alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sottovoce.findings.formatting import digits_of, ends_text, percent, percent_between, share_text
from sottovoce.findings.fractions import one_in

#: Tables: the share, the low and the high end of each row.
_TABLES: dict[str, Sequence[tuple[float, float | None, float | None]]] = {
    "clinic": [
        (0.0312, 0.0149, 0.0471),
        (0.0671, 0.0509, 0.0837),
        (0.0173, 0.0013, 0.0332),
        (0.2583, 0.2474, 0.269),
        (0.6261, 0.6116, 0.6422),
    ],
    "few people": [(0.3, 0.12, 0.49), (0.7, 0.51, 0.88), (0.0, 0.0, 0.07)],
    "many people": [(0.20531, 0.20387, 0.20677), (0.00012, 0.0, 0.00033), (1.0, 0.9987, 1.0)],
    "millions": [(0.2053149, 0.2052871, 0.2053402), (0.5, 0.49996, 0.50003)],
    "steps": [(0.5, 0.45, 0.55), (0.5, 0.4, 0.6)],
    "below a step": [(0.5, 0.4501, 0.5499), (0.5, 0.4, 0.6)],
    "halves": [(0.125, 0.075, 0.175), (0.0005, 0.0, 0.1), (0.9995, 0.9, 1.0)],
    "ends on a digit": [(0.07, 0.07, 0.09), (0.29, 0.28, 0.30000000000000004), (0.58, 0.57, 0.59)],
    "just above zero": [
        (0.06, 0.0023, 0.13),
        (0.06, 0.00004, 0.13),
        (0.05, 0.00012, 0.12),
        (0.05, 1e-12, 0.12),
        (0.004, 0.0015, 0.12),
        (0.004, 0.0, 0.12),
        (0.3, 0.21, 0.39),
    ],
    "below zero": [(-0.0123, -0.031, 0.0064), (1.0123, 0.9936, 1.031), (-0.0001, -0.019, 0.019)],
    "without intervals": [(0.2553, None, None), (0.7447, None, None)],
    "all the same": [(1.0, 1.0, 1.0), (0.0, 0.0, 0.0)],
}
_SHARES = (
    0.0,
    0.0004,
    0.0016,
    0.0098,
    0.0312,
    0.062,
    0.109,
    0.121,
    0.1551,
    0.255,
    0.289,
    0.349,
    0.455,
    0.498,
    0.626,
    0.71,
    0.78,
    0.9,
    0.93,
    0.98,
    0.9991,
    1.0,
)


def written() -> dict[str, Any]:
    """Tables of shares with how they are written, and shares in words."""
    return {"shares": {"tables": [_table(name, rows) for name, rows in _TABLES.items()], "words": [_words(share) for share in _SHARES]}}


def _table(name: str, rows: Sequence[tuple[float, float | None, float | None]]) -> dict[str, Any]:
    digits = digits_of([high - low for _, low, high in rows if low is not None and high is not None])
    return {
        "name": name,
        "digits": digits,
        "rows": [
            {
                "p": p,
                "low": low,
                "high": high,
                "share": share_text(p, digits, low),
                "ends": ends_text(low, high, digits),
                "sentence": percent_between(p, low, high),
            }
            for p, low, high in rows
        ],
    }


def _words(share: float) -> dict[str, Any]:
    """A share that has no interval, and as a fraction."""
    return {"p": share, "share": percent(share), "about": one_in(share)}
