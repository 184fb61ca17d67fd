"""SQLite: a file of its own."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy
from sqlalchemy import Connection, Row, event, text
from sqlalchemy.engine import URL

from sottovoce.errors import ParameterError, StoreError
from sottovoce.store.shared_sql import FREE, PATIENCE, STATES, identifiers

#: Identifiers from which on they are tried first, and looked up only if one was there.
_MANY = 1000


class SQLite:
    """A file of its own, with a write-ahead log that is on disk before anything is acknowledged."""

    shared = False
    free, _states = text(FREE), text(STATES)
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
        self.engine = sqlalchemy.create_engine(address, connect_args={"timeout": PATIENCE, "check_same_thread": False})
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

    def states(self, connection: Connection, keys: Iterable[int]) -> Sequence[Row[Any]]:
        wanted = set(keys)
        return [row for row in connection.execute(self._states).all() if row.key in wanted]

    def hold(self, connection: Connection, key: int) -> None:
        """A writing transaction of SQLite is alone."""

    def keep(self, connection: Connection, study: int, ids: bytes) -> list[int]:
        if len(ids) >= 16 * _MANY and self._kept_all(connection, study, ids):
            return []
        known = self.known(connection, study, ids)
        if known:
            ids = np.delete(np.frombuffer(ids, dtype=np.uint8).reshape(-1, 16), known, axis=0).tobytes()
        if ids:
            connection.execute(self._KEEP, identifiers(study, ids))
        return known

    def _kept_all(self, connection: Connection, study: int, ids: bytes) -> bool:
        """Keep identifiers without looking first, which saves a third of the time where all are new; or none of them."""
        connection.exec_driver_sql("SAVEPOINT kept")
        connection.execute(self._TRY, identifiers(study, ids))
        all_new = bool(connection.exec_driver_sql("SELECT changes()").scalar_one() == len(ids) // 16)
        if not all_new:
            connection.exec_driver_sql("ROLLBACK TO kept")
        connection.exec_driver_sql("RELEASE kept")
        return all_new

    def known(self, connection: Connection, study: int, ids: bytes) -> list[int]:
        return list(connection.execute(self._KNOWN, identifiers(study, ids)).scalars())

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
            until = time.monotonic() + PATIENCE
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
