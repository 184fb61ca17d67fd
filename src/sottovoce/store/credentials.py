"""Tokens of analysts and administrators, and tickets of respondents: shown once, stored as hashes.

Both carry at least 128 random bits, so no one can reverse a plain SHA-256 by guessing.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum

from sottovoce.errors import ParameterError

_TOKEN = re.compile(r"sv_([0-9a-f]{12})_([0-9a-f]{64})")
_TICKET = re.compile(r"[0-9a-f]{32}")
EVERYTHING = "*"
#: Days that a token lasts if nothing else is asked for, and at most.
LASTS, _LONGEST = 365, 36_500
_DAYS = re.compile(r"([0-9]{1,6})d")


class Role(StrEnum):
    """What a token is for."""

    ANALYST = "analyst"
    ADMIN = "admin"
    MONITOR = "monitor"


@dataclass(frozen=True, slots=True)
class Token:
    """What a token gives access to. The token itself isn't stored."""

    name: str
    role: Role
    studies: tuple[str, ...]
    note: str
    created: date
    revoked: date | None = None
    expires: date | None = None

    def is_expired(self) -> bool:
        """Whether the token's last day (in UTC) is over."""
        return self.expires is not None and self.expires < today()

    def opens(self, study: str) -> bool:
        """Whether the token gives access to a study."""
        return self.studies == (EVERYTHING,) or study in self.studies


def today() -> date:
    """The current day in UTC."""
    return datetime.now(UTC).date()


def last_day(expires: str) -> date | None:
    """Read how long a token lasts: for days ("90d"), until a day ("2027-06-30"), or without end ("never", which returns None).

    >>> last_day("2999-12-31"), last_day("never")
    (datetime.date(2999, 12, 31), None)
    """
    if expires == "never":
        return None
    try:
        found = _DAYS.fullmatch(expires)
        day = today() + timedelta(int(found[1])) if found else date.fromisoformat(expires)
    except (ValueError, OverflowError):
        raise ParameterError(f"{expires!r} isn't a valid expiry. Write a number of days (90d), a date (2027-06-30) or never.") from None
    if day < today():
        raise ParameterError(f"{expires} is in the past. Choose a later day.")
    if found and not 1 <= int(found[1]) <= _LONGEST:
        raise ParameterError(f"A token can't last {expires}. Write 1d to {_LONGEST}d, a date or never.")
    return day


def past_day(before: str) -> date:
    """A day that isn't in the future, as a date ("2027-06-30") or as so many days ago ("365d").

    >>> past_day("2026-01-31"), past_day("0d") == today()
    (datetime.date(2026, 1, 31), True)
    """
    try:
        found = _DAYS.fullmatch(before)
        day = today() - timedelta(int(found[1])) if found else date.fromisoformat(before)
    except (ValueError, OverflowError):
        raise ParameterError(f"{before!r} isn't a valid day. Write a date (2027-06-30) or a number of days ago (365d).") from None
    if day > today():
        raise ParameterError(f"{before} is in the future. Choose today or an earlier day.")
    return day


def new_token() -> tuple[str, str, bytes]:
    """Make a token: its name, the token, and its hash."""
    name, secret = secrets.token_hex(6), secrets.token_hex(32)
    return name, f"sv_{name}_{secret}", hashed(secret)


def parts_of(token: str) -> tuple[str, bytes] | None:
    """The name of a token and the hash of its secret, or None if the text isn't a token."""
    found = _TOKEN.fullmatch(token)
    return (found[1], hashed(found[2])) if found else None


def same(one: bytes, other: bytes) -> bool:
    """Compare two hashes in constant time."""
    return hmac.compare_digest(one, other)


def hashed(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()


def new_tickets(count: int) -> list[str]:
    """Make tickets."""
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= 1_000_000:
        raise ParameterError(f"The number of tickets is {count!r}. Ask for 1 to 1,000,000.")
    return [secrets.token_hex(16) for _ in range(count)]


def ticket_hash(ticket: str) -> bytes | None:
    """The hash of a ticket, or None if the text isn't a ticket."""
    return hashed(ticket) if _TICKET.fullmatch(ticket) else None
