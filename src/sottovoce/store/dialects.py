"""What a store asks of its database, and which database it is."""

from __future__ import annotations

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


class Dialect(Protocol):
    """What a store asks of its database."""

    engine: Engine
    #: Whether several processes may write at once.
    shared: bool
    #: The pending reports of a level that nobody else is writing to; they are this transaction's until it ends.
    free: TextClause

    def rows(self, connection: Connection, statement: TextClause, values: Mapping[str, Any]) -> Sequence[Sequence[Any]]:
        """What a statement finds, in the shortest way that there is to the database: for the few that every report needs."""

    def states(self, connection: Connection, keys: Iterable[int]) -> Sequence[State]:
        """The studies with these keys. None of them can be deleted before the transaction ends."""

    def hold(self, connection: Connection, key: int) -> None:
        """Take a study for this transaction alone: writers that are at it finish, and later ones wait."""

    def keep(self, connection: Connection, study: int, ids: bytes) -> list[int]:
        """Keep identifiers (sorted, all different); tells the places of those that were there before."""

    def known(self, connection: Connection, study: int, ids: bytes) -> list[int]:
        """The places of identifiers that are there."""

    def writing(self, *, brief: bool = False) -> AbstractContextManager[Connection]:
        """A transaction that writes; a `brief` one waits no longer than a writer of reports may."""

    def reading(self, *, long: bool = False) -> AbstractContextManager[Connection]:
        """A transaction that sees the store as it was at its beginning; each statement of a `long` one may take very long."""

    def lock(self, connection: Connection) -> None:
        """Keep everybody else from changing the tables until the transaction ends."""

    def settle(self, *, idle: bool) -> bool:
        """Do what would hold up a writer later; called often, beside the writer. `idle`: nobody wrote since the last time.

        Tells whether nothing remains to be done.
        """

    def tidy(self, seconds: float) -> bool:
        """Leave nothing of the order in which reports came, if that can be done; tells whether it was."""

    def forget(self) -> None:
        """See that what was deleted is not on disk any more."""

    def abandon(self) -> None:
        """Stop waiting for the database, in every thread; the store can't be used after that."""

    def close(self) -> None:
        """Let go of all connections."""


def dialect_of(url: str, seconds: float) -> Dialect:
    """The database of an address: postgresql://…, sqlite:///file, or simply the name of a file; a write waits for so many seconds."""
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
    """Whether an address names an SQLite file that isn't there, so that connecting to it would make one."""
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
    """Whether a transaction failed for no fault of its own, and should be begun again."""
    return getattr(error.orig, "sqlstate", None) in _AGAIN


@contextmanager
def explained() -> Iterator[None]:
    """Errors of the database as errors of the package, without the values that were sent to it."""
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
            raise StoreError("The database can't be reached. Check that it is running and that the store's URL is right.") from None
        raise StoreError(f"The store can't be used: {detail or type(error.orig).__name__}") from None


def _unusable(error: sqlite3.Error) -> StoreError:
    """The error for a store in SQLite; its words don't have what was sent."""
    if getattr(error, "sqlite_errorname", "") == "SQLITE_NOTADB":
        return StoreError("The store's file isn't an SQLite database. Name the file of a store.")
    return StoreError(f"The store can't be used: {error}")
