"""Where SQLite and PostgreSQL differ."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import sqlalchemy
from sqlalchemy import Connection, Engine, TextClause, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from sottovoce.errors import ParameterError, StoreError

#: Seconds that a writer waits for another one.
_PATIENCE = 30
#: Identifiers from which on they are tried first, and looked up only if one was there.
_MANY = 1000
#: Seconds for which writers may be held up by a deletion that waits for its turn.
_BRIEFLY = 5
#: States of PostgreSQL after which a transaction is simply begun again: a serialization failure, a deadlock.
_AGAIN = frozenset({"40001", "40P01"})

_FREE = "SELECT part, records FROM pending WHERE study = :study AND level = :level ORDER BY part LIMIT 1"
_STATES = "SELECT key, fingerprint, state, respondents FROM studies"


class Dialect(Protocol):
    """What a store asks of its database."""

    engine: Engine
    #: Whether several processes may write at once.
    shared: bool
    #: The pending reports of a level that nobody else is writing to; they are this transaction's until it ends.
    free: TextClause

    def states(self, connection: Connection, keys: Iterable[int]) -> Sequence[Any]:
        """The studies with these keys: key, fingerprint, state, respondents. None of them can be deleted before the transaction ends."""

    def keep(self, connection: Connection, study: int, ids: bytes) -> list[int]:
        """Keep identifiers (sorted, all different); tells the places of those that were there before."""

    def known(self, connection: Connection, study: int, ids: bytes) -> list[int]:
        """The places of identifiers that are there."""

    def writing(self) -> Any:
        """A transaction that writes."""

    def reading(self) -> Any:
        """A transaction that sees the store as it was at its beginning."""

    def lock(self, connection: Connection) -> None:
        """Keep everybody else from changing the tables until the transaction ends."""

    def settle(self, *, idle: bool) -> bool:
        """Do what would hold up a writer later; called often, beside the writer. `idle`: nobody wrote since the last time.

        Tells whether nothing remains to be done.
        """

    def forget(self) -> None:
        """See that what was deleted is not on disk any more."""

    def close(self) -> None:
        """Let go of all connections."""


class SQLite:
    """A file of its own, with a write-ahead log that is on disk before anything is acknowledged."""

    shared = False
    free, _states = text(_FREE), text(_STATES)
    # identifiers are cut out of one value by the database: a row at a time from here would cost more than all the rest
    _GIVEN = (
        "WITH RECURSIVE places (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM places WHERE i + 1 < :count), "
        "given AS (SELECT i, substr(:ids, 16 * i + 1, 16) AS id FROM places)"
    )
    _KNOWN = text(f"{_GIVEN} SELECT i FROM given WHERE EXISTS (SELECT 1 FROM ids WHERE ids.study = :study AND ids.id = given.id)")
    _KEEP = text(f"{_GIVEN} INSERT INTO ids (study, id) SELECT :study, id FROM given")
    _TRY = text(f"{_GIVEN} INSERT OR IGNORE INTO ids (study, id) SELECT :study, id FROM given")
    _PRAGMAS = (
        "journal_mode = WAL",
        "synchronous = FULL",
        "fullfsync = ON",
        "foreign_keys = ON",
        "secure_delete = ON",
        "temp_store = MEMORY",
        "trusted_schema = OFF",
        "cache_size = -65536",
        "wal_autocheckpoint = 16000",
        "journal_size_limit = 67108864",
    )

    def __init__(self, path: str) -> None:
        if not path or path == ":memory:":
            raise ParameterError("a store is kept in a file; name one, for example collector.sqlite")
        self.path = Path(path)
        self._settler: sqlite3.Connection | None = None
        if not self.path.parent.is_dir():
            raise StoreError(f"{self.path}: there is no folder {self.path.parent}; make it first")
        try:
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))  # its owner's, and nobody else's; the log inherits it
        except OSError as error:
            raise StoreError(f"{self.path}: the store cannot be opened: {error.strerror}") from None
        address = URL.create("sqlite", database=str(self.path))
        self.engine = sqlalchemy.create_engine(address, connect_args={"timeout": _PATIENCE, "check_same_thread": False})
        event.listen(self.engine, "connect", self._connected)
        event.listen(self.engine, "begin", self._begin)

    def _connected(self, connection: sqlite3.Connection, _: Any) -> None:
        connection.isolation_level = None  # transactions are begun below, and not by guessing
        for pragma in self._PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")

    def _begin(self, connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("writing") else "BEGIN")

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        with self.engine.connect().execution_options(writing=True) as connection, connection.begin():
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with self.engine.connect() as connection, connection.begin():
            yield connection

    def states(self, connection: Connection, keys: Iterable[int]) -> Sequence[Any]:
        wanted = set(keys)
        return [row for row in connection.execute(self._states).all() if row.key in wanted]

    def keep(self, connection: Connection, study: int, ids: bytes) -> list[int]:
        if len(ids) >= 16 * _MANY and self._kept_all(connection, study, ids):
            return []
        known = self.known(connection, study, ids)
        if known:
            ids = np.delete(np.frombuffer(ids, dtype=np.uint8).reshape(-1, 16), known, axis=0).tobytes()
        if ids:
            connection.execute(self._KEEP, _values(study, ids))
        return known

    def _kept_all(self, connection: Connection, study: int, ids: bytes) -> bool:
        """Keep identifiers without looking first, which saves a third of the time where all are new; or none of them."""
        connection.exec_driver_sql("SAVEPOINT kept")
        connection.execute(self._TRY, _values(study, ids))
        all_new = bool(connection.exec_driver_sql("SELECT changes()").scalar_one() == len(ids) // 16)
        if not all_new:
            connection.exec_driver_sql("ROLLBACK TO kept")
        connection.exec_driver_sql("RELEASE kept")
        return all_new

    def known(self, connection: Connection, study: int, ids: bytes) -> list[int]:
        return list(connection.execute(self._KNOWN, _values(study, ids)).scalars())

    def lock(self, connection: Connection) -> None:
        """A writing transaction of SQLite is alone."""

    def settle(self, *, idle: bool) -> bool:
        """Move what is in the log into the file, beside the writer, who otherwise has to stop for it when the log is long.

        The log tells in which order things were written, and what together; so it is emptied as soon as nobody writes.
        """
        if self._settler is None:
            self._settler = self._connect()
        return self._done(self._settler, f"PRAGMA wal_checkpoint({'TRUNCATE' if idle else 'PASSIVE'})") and idle

    def forget(self) -> None:
        """Deleted pages were overwritten with zeros (secure_delete); the log is emptied, and the file shrinks."""
        with contextlib.closing(self._connect()) as connection:
            connection.execute("PRAGMA temp_store = FILE")
            until = time.monotonic() + _PATIENCE
            for statement in ("VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                while not self._done(connection, statement):  # somebody reads or writes: rather than make others wait, try again
                    if time.monotonic() > until:
                        raise StoreError("the store is busy all the time, and its files could not be cleaned up")
                    time.sleep(0.05)

    def _done(self, connection: sqlite3.Connection, statement: str) -> bool:
        """Run a statement, unless others are in its way."""
        try:
            row = connection.execute(statement).fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname.startswith("SQLITE_BUSY"):
                return False
            raise
        return not row or not row[0]

    def _connect(self) -> sqlite3.Connection:
        """A connection for work outside transactions, which keeps nobody waiting."""
        connection = sqlite3.connect(self.path, timeout=0.05, isolation_level=None, check_same_thread=False)
        for pragma in (*self._PRAGMAS, "wal_autocheckpoint = 0"):
            connection.execute(f"PRAGMA {pragma}")
        return connection

    def close(self) -> None:
        if self._settler is not None:
            self._settler.close()
            self._settler = None
        self.engine.dispose()


class PostgreSQL:
    """A server; several processes may write at once."""

    shared = True
    free = text(f"{_FREE} FOR UPDATE SKIP LOCKED")
    _states = text(f"{_STATES} WHERE key = ANY(:keys) ORDER BY key FOR KEY SHARE")
    _GIVEN = (
        "WITH given AS MATERIALIZED (SELECT i, substring(CAST(:ids AS bytea) FROM 16 * i + 1 FOR 16) AS id "
        "FROM generate_series(0, CAST(:count AS integer) - 1) AS i)"
    )
    _KNOWN = text(
        f"{_GIVEN} SELECT i FROM given, LATERAL (SELECT 1 FROM ids WHERE ids.study = :study AND ids.id = given.id LIMIT 1) AS found"
    )
    # one statement, so that another writer cannot come between; where one has the same identifier, this waits until that is decided.
    # Which ones were kept is told only if not all were.
    _KEEP = text(
        f"{_GIVEN}, kept AS (INSERT INTO ids (study, id) SELECT :study, id FROM given ON CONFLICT DO NOTHING RETURNING id) "
        "SELECT id FROM kept WHERE (SELECT count(*) FROM kept) < :count UNION ALL SELECT NULL WHERE (SELECT count(*) FROM kept) < :count"
    )
    _LOCK = 0x736F74746F  # "sotto"

    def __init__(self, url: str) -> None:
        try:
            import psycopg  # noqa: PLC0415 - an extra of its own
        except ImportError:
            raise StoreError("PostgreSQL needs a driver: pip install 'sottovoce[postgres]'") from None
        del psycopg
        self.engine = sqlalchemy.create_engine(
            make_url(url).set(drivername="postgresql+psycopg"),
            pool_pre_ping=True,
            pool_size=4,
            max_overflow=4,
            pool_timeout=_PATIENCE,
            connect_args={"connect_timeout": _BRIEFLY},
            isolation_level="READ COMMITTED",
        )
        event.listen(self.engine, "connect", self._connected)

    def _connected(self, connection: Any, _: Any) -> None:
        connection.execute("SET synchronous_commit = on")  # whatever the server's default is: an acknowledgement means that it is on disk
        connection.execute("SET application_name = 'sottovoce'")
        connection.execute(f"SET lock_timeout = '{_PATIENCE}s'")
        connection.commit()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        with self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with self.engine.connect().execution_options(isolation_level="REPEATABLE READ") as connection, connection.begin():
            yield connection

    def states(self, connection: Connection, keys: Iterable[int]) -> Sequence[Any]:
        return connection.execute(self._states, {"keys": list(keys)}).all()

    def keep(self, connection: Connection, study: int, ids: bytes) -> list[int]:
        told = set(connection.execute(self._KEEP, _values(study, ids)).scalars())
        return [i for i in range(len(ids) // 16) if ids[16 * i : 16 * i + 16] not in told] if told else []

    def known(self, connection: Connection, study: int, ids: bytes) -> list[int]:
        return list(connection.execute(self._KNOWN, _values(study, ids)).scalars())

    def lock(self, connection: Connection) -> None:
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({self._LOCK})")

    def settle(self, *, idle: bool) -> bool:
        """A server does it by itself."""
        return True

    def forget(self) -> None:
        with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql(f"SET lock_timeout = '{_BRIEFLY}s'")  # whoever waits behind this waits as long
            for table in ("ids", "tallies", "pending", "chunks", "tickets"):
                connection.exec_driver_sql(f"VACUUM (FULL) {table}")

    def close(self) -> None:
        self.engine.dispose()


def _values(study: int, ids: bytes) -> dict[str, object]:
    return {"study": study, "ids": ids, "count": len(ids) // 16}


def dialect_of(url: str) -> Dialect:
    """The database of an address: postgresql://…, sqlite:///file, or simply the name of a file."""
    if "://" not in url:
        return SQLite(url)
    try:
        found = make_url(url)
    except (ArgumentError, ValueError):
        raise ParameterError("the address of the store cannot be read; write postgresql://user@host/name, or the name of a file") from None
    match found.get_backend_name():
        case "sqlite":
            return SQLite(found.database or "")
        case "postgresql":
            return PostgreSQL(url)
        case other:
            raise ParameterError(f"{other!r} is not a store that is known; use the name of a file (SQLite), or postgresql://…")


def begun_again(error: DBAPIError) -> bool:
    """Whether a transaction failed for no fault of its own, and should be begun again."""
    return getattr(error.orig, "sqlstate", None) in _AGAIN


@contextmanager
def explained() -> Iterator[None]:
    """Errors of the database as errors of the package, without the values that were sent to it."""
    try:
        yield
    except sqlalchemy.exc.TimeoutError:
        raise StoreError("the store is busy: no connection became free") from None
    except sqlite3.Error as error:
        raise StoreError(f"the store cannot be used: {error}") from None
    except DBAPIError as error:
        if isinstance(error.orig, sqlite3.Error):
            raise StoreError(f"the store cannot be used: {error.orig}") from None
        detail = getattr(getattr(error.orig, "diag", None), "message_primary", None) or type(error.orig).__name__
        raise StoreError(f"the store cannot be used: {detail}") from None
