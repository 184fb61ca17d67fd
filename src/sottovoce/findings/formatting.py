"""Numbers as people read them."""

from __future__ import annotations


def as_percent(level: float) -> str:
    """A level without digits that say nothing.

    >>> as_percent(0.95), as_percent(0.999), as_percent(0.5)
    ('95%', '99.9%', '50%')
    """
    return f"{100 * level:.6g}%"


def counted(number: int, one: str, several: str) -> str:
    """A number with its noun.

    >>> counted(1, "person", "people"), counted(2000, "person", "people")
    ('1 person', '2,000 people')
    """
    return f"{number:,} {one if number == 1 else several}"


def percent(share: float | None) -> str:
    """A share with as many digits as it takes to see it."""
    return "–" if share is None or share != share else f"{share:.2%}" if abs(share) >= 0.001 or share == 0 else f"{share:.4%}"  # noqa: PLR0124 - NaN
