"""SQLite: one file."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy
from sqlalchemy import Connection, TextClause, event, text
from sqlalchemy.engine import URL

from sottovoce.errors import ParameterError, StoreError
from sottovoce.store.shared_sql import FREE, PATIENCE, STATES, State, identifiers

#: Identifiers from which on they are tried first, and looked up only if one was there.
_MANY = 1000
#: Pages in the log after which its writer moves them into the file. Where reports come one by one the log stays short: to overwrite what it
#: had takes half as long as to make it longer. Groups change many pages, often the same ones, and gain more from moving them less often.
_SHORT, _LONG = 1000, 16_000
#: Seconds without a write after which the log is emptied.
_CALM = 1.0
#: The largest file that is rewritten while a collector runs or ends, in bytes, and how many of them a slow disk takes in a second.
TIDY_BYTES, _SPEED = 256 << 20, 32 << 20
#: Seconds without a write after which that is done, and how many times longer than the work itself (by the file's size) they are. A file
#: that was rewritten is full to the last byte of its pages, so what comes next has to divide them, and takes longer for a while.
_REST, _TIMES = 60.0, 20


def _driver(connection: Connection) -> sqlite3.Connection:
    """The driver's own connection. Short statements take a tenth of the time on it."""
    found: sqlite3.Connection = connection.connection.driver_connection  # type: ignore[assignment]  # it is SQLite's
    return found


class SQLite:
    """A file with a write-ahead log, which is on disk before anything is acknowledged."""

    shared = False
    free, _states = text(FREE), text(STATES)
    _GIVEN = (
        "WITH RECURSIVE places (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM places WHERE i + 1 < :count), "
        "given AS (SELECT i, substr(:ids, 16 * i + 1, 16) AS id FROM places)"
    )
    _KNOWN = text(f"{_GIVEN} SELECT i FROM given WHERE EXISTS (SELECT 1 FROM ids WHERE ids.study = :study AND ids.id = given.id)")
    _KEEP = text(f"{_GIVEN} INSERT INTO ids (study, id) SELECT :study, id FROM given")
    _TRY = text(f"{_GIVEN} INSERT OR IGNORE INTO ids (study, id) SELECT :study, id FROM given")
    _ONE = "INSERT OR IGNORE INTO ids (study, id) VALUES (?, ?)"
    _PRAGMAS = (
        "journal_mode = WAL",
        "synchronous = FULL",
        "fullfsync = ON",
        "foreign_keys = ON",
        "secure_delete = ON",
        "temp_store = MEMORY",
        "trusted_schema = OFF",
        "cache_size = -65536",
        f"wal_autocheckpoint = {_LONG}",
        "journal_size_limit = 67108864",
    )

    def __init__(self, path: str, seconds: float) -> None:
        if not path or path == ":memory:":
            raise ParameterError("The store has no file. Name one, for example collector.sqlite.")
        self.path = Path(path)
        self._settler: sqlite3.Connection | None = None
        self._steady: Connection | None = None
        self._alone = threading.Lock()
        self._log = _LONG
        self._busy_at: float | None = None
        if not self.path.parent.is_dir():
            raise StoreError(f"There is no folder {self.path.parent} for the store {self.path}. Make it first.")
        if self.path.is_dir():
            raise StoreError(f"The store {self.path} is a folder. Name a file.")
        try:
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))  # its owner's alone; the log inherits it
        except OSError as error:
            raise StoreError(f"The store {self.path} can't be opened: {error.strerror}") from None
        address = URL.create("sqlite", database=str(self.path))
        self.engine = sqlalchemy.create_engine(address, connect_args={"timeout": min(PATIENCE, seconds), "check_same_thread": False})
        event.listen(self.engine, "connect", self._connected)
        event.listen(self.engine, "begin", self._begin)

    def _connected(self, connection: sqlite3.Connection, _: Any) -> None:
        connection.isolation_level = None  # transactions are begun below, and not by guessing
        for pragma in self._PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")

    def _begin(self, connection: Connection) -> None:
        begin = connection.get_execution_options().get("begin", "BEGIN")
        if begin:
            _driver(connection).execute(begin)

    @contextmanager
    def writing(self, *, brief: bool = False) -> Iterator[Connection]:
        if brief and self._alone.acquire(blocking=False):
            try:
                with self._at_once() as connection:
                    yield connection
            finally:
                self._alone.release()
        else:
            with self.engine.connect().execution_options(begin="BEGIN IMMEDIATE") as connection, connection.begin():
                yield connection

    @contextmanager
    def _at_once(self) -> Iterator[Connection]:
        """Open a transaction on a connection that stays open: opening and returning one takes longer than the statements of a single
        report.
        """
        connection = self._steady
        if connection is None:
            connection, self._log = self.engine.connect().execution_options(begin=None), _LONG
        driver, self._steady = _driver(connection), None
        try:
            driver.execute("BEGIN IMMEDIATE")
            yield connection
            driver.execute("COMMIT")
        except BaseException:
            connection.invalidate()
            connection.close()
            raise
        self._steady = connection

    @contextmanager
    def reading(self, *, long: bool = False) -> Iterator[Connection]:
        with self.engine.connect() as connection, connection.begin():
            yield connection

    def rows(self, connection: Connection, statement: TextClause, values: Mapping[str, Any]) -> Sequence[Sequence[Any]]:
        return list(_driver(connection).execute(statement.text, values))

    def states(self, connection: Connection, keys: Iterable[int]) -> Sequence[State]:
        wanted = set(keys)
        return [State(*row) for row in self.rows(connection, self._states, {}) if row[0] in wanted]

    def hold(self, connection: Connection, key: int) -> None:
        """Nothing to do: a writing transaction of SQLite is exclusive."""

    def keep(self, connection: Connection, study: int, ids: bytes) -> list[int]:
        log = _SHORT if len(ids) == 16 else _LONG
        if log != self._log:
            _driver(connection).execute(f"PRAGMA wal_autocheckpoint = {log}")
            self._log = log
        if len(ids) == 16:
            return [] if _driver(connection).execute(self._ONE, (study, ids)).rowcount else [0]
        if len(ids) >= 16 * _MANY and self._kept_all(connection, study, ids):
            return []
        known = self.known(connection, study, ids)
        if known:
            ids = np.delete(np.frombuffer(ids, dtype=np.uint8).reshape(-1, 16), known, axis=0).tobytes()
        if ids:
            self.rows(connection, self._KEEP, identifiers(study, ids))
        return known

    def _kept_all(self, connection: Connection, study: int, ids: bytes) -> bool:
        """Store identifiers without looking first, which saves a third of the time if all are new. If any exists, none is stored."""
        connection.exec_driver_sql("SAVEPOINT kept")
        connection.execute(self._TRY, identifiers(study, ids))
        all_new = bool(connection.exec_driver_sql("SELECT changes()").scalar_one() == len(ids) // 16)
        if not all_new:
            connection.exec_driver_sql("ROLLBACK TO kept")
        connection.exec_driver_sql("RELEASE kept")
        return all_new

    def known(self, connection: Connection, study: int, ids: bytes) -> list[int]:
        return [place for (place,) in self.rows(connection, self._KNOWN, identifiers(study, ids))]

    def lock(self, connection: Connection) -> None:
        """Nothing to do: a writing transaction of SQLite is exclusive."""

    def settle(self, *, idle: bool) -> bool:
        """Move a long log into the file, so that no writer has to stop for it.

        After a while without writes, the log is emptied and the file is rewritten, since both show the order of writes.
        """
        now = time.monotonic()
        if not idle:
            self._busy_at = now
        calm = self._busy_at is None or now - self._busy_at >= _CALM
        if (idle and not calm) or (not idle and self._log == _SHORT):
            return False
        if self._settler is None:
            self._settler = self._connect()
        if not self._done(self._settler, f"PRAGMA wal_checkpoint({'TRUNCATE' if idle else 'PASSIVE'})") or not idle:
            return False
        size = self.path.stat().st_size
        if self._busy_at is None or size > TIDY_BYTES:
            return True
        if now - self._busy_at < max(_REST, _TIMES * size / _SPEED):
            return False
        self._busy_at = now  # if it can't be done now, wait as long again
        return self.tidy(0.0)

    def tidy(self, seconds: float) -> bool:
        """Rewrite the file, every table in the order of its keys, so that it depends only on the contents of the tables.

        SQLite puts a new row at the next free place of its page, and the parts of a long row on the next free pages, so places reveal the
        order in which rows came. Returns whether it was done: not if the file is too large or in use by others.
        """
        if self.path.stat().st_size > TIDY_BYTES:
            return False
        done = self._rewritten(seconds)
        if done:
            self._busy_at = None
        return done

    def forget(self) -> None:
        """Empty the log and shrink the file. SQLite has overwritten deleted pages with zeros already (secure_delete)."""
        if not self._rewritten(PATIENCE):
            raise StoreError("The store is too busy to clean up its files. Try again later.")

    def _rewritten(self, seconds: float) -> bool:
        with contextlib.closing(self._connect()) as connection:
            connection.execute("PRAGMA temp_store = FILE")
            until = time.monotonic() + seconds
            for statement in ("VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                while not self._done(connection, statement):  # others read or write: rather than make them wait, try again
                    if time.monotonic() >= until:
                        return False
                    time.sleep(0.05)
        return True

    def _done(self, connection: sqlite3.Connection, statement: str) -> bool:
        """Run a statement, unless others block it."""
        try:
            row = connection.execute(statement).fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname.startswith("SQLITE_BUSY"):
                return False
            raise
        return not row or not row[0]

    def _connect(self) -> sqlite3.Connection:
        """Open a connection for work outside transactions. It makes no one wait."""
        connection = sqlite3.connect(self.path, timeout=0.05, isolation_level=None, check_same_thread=False)
        for pragma in (*self._PRAGMAS, "wal_autocheckpoint = 0"):
            connection.execute(f"PRAGMA {pragma}")
        return connection

    def abandon(self) -> None:
        """Nothing to do: a wait for another writer ends after the seconds that were set."""

    def close(self) -> None:
        if self._settler is not None:
            self._settler.close()
            self._settler = None
        if self._steady is not None:
            self._steady.close()
            self._steady = None
        self.engine.dispose()
