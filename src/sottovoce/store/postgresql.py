"""PostgreSQL: a server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy
from sqlalchemy import Connection, Row, event, text
from sqlalchemy.engine import make_url

from sottovoce.errors import StoreError
from sottovoce.extras import install
from sottovoce.store.shared_sql import FREE, PATIENCE, STATES, identifiers

#: Seconds for which writers may be held up by a deletion that waits for its turn.
_BRIEFLY = 5


class PostgreSQL:
    """A server; several processes may write at once."""

    shared = True
    free = text(f"{FREE} FOR UPDATE SKIP LOCKED")
    _states = text(f"{STATES} WHERE key = ANY(:keys) ORDER BY key FOR KEY SHARE")
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
    # writers share a study, and who takes it alone has its turn: the locks of rows would let writers pass before it for ever
    _QUEUE = 0x766F6365  # "voce"
    _SHARED = text("SELECT pg_advisory_xact_lock_shared(:queue, key) FROM unnest(CAST(:keys AS integer[])) AS key")
    _ALONE = text("SELECT pg_advisory_xact_lock(:queue, :key)")

    def __init__(self, url: str) -> None:
        try:
            import psycopg  # noqa: PLC0415 - an extra of its own
        except ImportError:
            raise StoreError(f"PostgreSQL needs a driver. Install it with: {install('postgres')}") from None
        del psycopg
        self.engine = sqlalchemy.create_engine(
            make_url(url).set(drivername="postgresql+psycopg"),
            pool_pre_ping=True,
            pool_size=4,
            max_overflow=4,
            pool_timeout=PATIENCE,
            connect_args={"connect_timeout": _BRIEFLY},
            isolation_level="READ COMMITTED",
        )
        event.listen(self.engine, "connect", self._connected)

    def _connected(self, connection: Any, _: Any) -> None:
        connection.execute("SET synchronous_commit = on")  # whatever the server's default is: an acknowledgement means that it is on disk
        connection.execute("SET application_name = 'sottovoce'")
        connection.execute(f"SET lock_timeout = '{PATIENCE}s'")
        connection.commit()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        with self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with self.engine.connect().execution_options(isolation_level="REPEATABLE READ") as connection, connection.begin():
            yield connection

    def states(self, connection: Connection, keys: Iterable[int]) -> Sequence[Row[Any]]:
        wanted = sorted(keys)
        connection.execute(self._SHARED, {"queue": self._QUEUE, "keys": wanted})
        return connection.execute(self._states, {"keys": wanted}).all()

    def hold(self, connection: Connection, key: int) -> None:
        connection.execute(self._ALONE, {"queue": self._QUEUE, "key": key})

    def keep(self, connection: Connection, study: int, ids: bytes) -> list[int]:
        told = set(connection.execute(self._KEEP, identifiers(study, ids)).scalars())
        return [i for i in range(len(ids) // 16) if ids[16 * i : 16 * i + 16] not in told] if told else []

    def known(self, connection: Connection, study: int, ids: bytes) -> list[int]:
        return list(connection.execute(self._KNOWN, identifiers(study, ids)).scalars())

    def lock(self, connection: Connection) -> None:
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({self._LOCK})")

    def settle(self, *, idle: bool) -> bool:
        """A server does it by itself."""
        return True

    def forget(self) -> None:
        with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.detach()  # it is not used again, with its short patience
            connection.exec_driver_sql(f"SET lock_timeout = '{_BRIEFLY}s'")  # whoever waits behind this waits as long
            for table in ("ids", "tallies", "pending", "chunks", "tickets"):
                connection.exec_driver_sql(f"VACUUM (FULL) {table}")

    def close(self) -> None:
        self.engine.dispose()
