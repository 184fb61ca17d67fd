"""What a store needs from its database, and how a URL selects the database."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol

import sqlalchemy
from sqlalchemy import Connection, Engine, TextClause
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from sottovoce.errors import ParameterError, StoreError
from sottovoce.store.postgresql import PostgreSQL
from sottovoce.store.shared_sql import State
from sottovoce.store.sqlite import SQLite

#: States of PostgreSQL after which a transaction is simply begun again: a serialization failure, a deadlock.
_AGAIN = frozenset({"40001", "40P01"})
#: What logs don't repeat of a driver's words, and how many characters they repeat.
_SECRETS = re.compile(r"\w+://[^\s\"']+|((?:password|passfile|sslkey|sslpassword)\s*=\s*)\S+", re.IGNORECASE)
_LONGEST = 200


class Dialect(Protocol):
    """What a store needs from its database."""

    engine: Engine
    #: Whether several processes may write at once.
    shared: bool
    #: The pending reports of a level that no one else is writing to. They are this transaction's until it ends.
    free: TextClause

    def rows(self, connection: Connection, statement: TextClause, values: Mapping[str, Any]) -> Sequence[Sequence[Any]]:
        """Fetch rows in the fastest way the database offers, for the few statements that every report needs."""

    def states(self, connection: Connection, keys: Iterable[int]) -> Sequence[State]:
        """Read the studies with these keys. They can't be deleted before the transaction ends."""

    def hold(self, connection: Connection, key: int) -> None:
        """Lock a study for this transaction: current writers finish first, and later ones wait."""

    def keep(self, connection: Connection, study: int, ids: bytes) -> list[int]:
        """Store identifiers (sorted and distinct), and return the places of those that existed before."""

    def known(self, connection: Connection, study: int, ids: bytes) -> list[int]:
        """The places of identifiers that exist already."""

    def writing(self, *, brief: bool = False) -> AbstractContextManager[Connection]:
        """Open a writing transaction. If it is `brief`, it waits no longer than a writer of reports may."""

    def reading(self, *, long: bool = False) -> AbstractContextManager[Connection]:
        """Open a transaction that sees the store as it was at the start. Each statement of a `long` one may take very long."""

    def lock(self, connection: Connection) -> None:
        """Keep everyone else from changing the tables until the transaction ends."""

    def settle(self, *, idle: bool) -> bool:
        """Do maintenance that would delay a later writer. Call it often. `idle` means that no one wrote since the last call.

        Returns whether nothing remains to be done.
        """

    def tidy(self, seconds: float) -> bool:
        """Remove every trace of the order in which reports came, if possible, and return whether that was done."""

    def forget(self) -> None:
        """Make sure that deleted rows are no longer on disk."""

    def abandon(self) -> None:
        """Stop waiting for the database, in every thread. The store can't be used after that."""

    def close(self) -> None:
        """Close all connections."""


def dialect_of(url: str, seconds: float) -> Dialect:
    """Choose the database of a URL: postgresql://…, sqlite:///file, or just the name of a file. A write waits for up to `seconds`."""
    if "://" not in url:
        return SQLite(url, seconds)
    found = _parsed(url)
    match found.get_backend_name():
        case "sqlite":
            return SQLite(found.database or "", seconds)
        case "postgresql":
            return PostgreSQL(url, seconds)
        case other:
            raise ParameterError(f"{other!r} isn't a known kind of store. Use the name of a file (SQLite) or a postgresql:// URL.")


def lacks_file(url: str) -> bool:
    """Whether a URL names an SQLite file that doesn't exist, so that connecting would create it."""
    if "://" in url:
        found = _parsed(url)
        if found.get_backend_name() != "sqlite":
            return False
        url = found.database or ""
    place = Path(url)
    return place.parent.is_dir() and not place.exists()


def _parsed(url: str) -> URL:
    try:
        return make_url(url)
    except (ArgumentError, ValueError):
        raise ParameterError("The URL of the store isn't valid. Write postgresql://user@host/name, or the name of a file.") from None


def begun_again(error: DBAPIError) -> bool:
    """Whether a transaction failed for reasons that go away if you run it again."""
    return getattr(error.orig, "sqlstate", None) in _AGAIN


@contextmanager
def explained() -> Iterator[None]:
    """Turn errors of the database into errors of this package, without the values that were sent to it."""
    try:
        yield
    except sqlalchemy.exc.TimeoutError:
        raise StoreError("The store is busy, and no connection became free. Try again later.") from None
    except sqlite3.Error as error:
        raise _unusable(error) from None
    except DBAPIError as error:
        if isinstance(error.orig, sqlite3.Error):
            raise _unusable(error.orig) from None
        detail = getattr(getattr(error.orig, "diag", None), "message_primary", None)
        if detail is None and isinstance(error, sqlalchemy.exc.OperationalError):
            said = "The database can't be reached. Check that it is running and that the store's URL is right."
            unreachable = StoreError(said)
            unreachable.reason = _reason(error.orig)
            raise unreachable from None
        raise StoreError(f"The store can't be used: {detail or type(error.orig).__name__}") from None


def _reason(error: BaseException | None) -> str:
    """What a driver reports in its first line, such as the host and the port. URLs and passwords are left out.

    >>> _reason(Exception('connection to "db", port 5432 failed: refused'))
    'connection to "db", port 5432 failed: refused'
    >>> _reason(Exception('missing "=" after "postgresql://ada:secret@db" in password=secret'))
    'missing "=" after "…" in password=…'
    """
    lines = str(error or "").strip().splitlines()
    return _SECRETS.sub(lambda found: f"{found[1] or ''}…", lines[0])[:_LONGEST] if lines else ""


def _unusable(error: sqlite3.Error) -> StoreError:
    """The error for a store in SQLite; its words don't have what was sent."""
    if getattr(error, "sqlite_errorname", "") == "SQLITE_NOTADB":
        return StoreError("The store's file isn't an SQLite database. Name the file of a store.")
    return StoreError(f"The store can't be used: {error}")
