"""PostgreSQL."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy
from sqlalchemy import Connection, TextClause, event, text
from sqlalchemy.engine import make_url

from sottovoce.errors import StoreError
from sottovoce.extras import install
from sottovoce.store.deadlines import Deadlines
from sottovoce.store.shared_sql import FREE, PATIENCE, STATES, State, identifiers

#: Seconds for which writers may be held up by a deletion that waits for its turn, and that a connection may take to be made.
_BRIEFLY = 5
#: Seconds after which the server ends a transaction in which nothing is asked for, and lets go of its locks.
_IDLE = 300


class PostgreSQL:
    """A PostgreSQL server. Several processes can write at once."""

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
    # The statement returns which ones were kept only if not all were.
    _KEEP = text(
        f"{_GIVEN}, kept AS (INSERT INTO ids (study, id) SELECT :study, id FROM given ON CONFLICT DO NOTHING RETURNING id) "
        "SELECT id FROM kept WHERE (SELECT count(*) FROM kept) < :count UNION ALL SELECT NULL WHERE (SELECT count(*) FROM kept) < :count"
    )
    _LOCK = 0x736F74746F  # "sotto"
    # writers share a study, and who takes it alone has its turn: the locks of rows would let writers pass before it for ever
    _QUEUE = 0x766F6365  # "voce"
    _SHARED = text("SELECT pg_advisory_xact_lock_shared(:queue, key) FROM unnest(CAST(:keys AS integer[])) AS key")
    _ALONE = text("SELECT pg_advisory_xact_lock(:queue, :key)")

    def __init__(self, url: str, seconds: float) -> None:
        try:
            from sottovoce.store.waiting import BoundedConnection  # noqa: PLC0415 - the driver is an extra of its own
        except ImportError:
            raise StoreError(f"PostgreSQL needs a driver. Install it with: {install('postgres')}") from None
        self._kind, self._seconds = BoundedConnection, seconds
        self.deadlines = Deadlines()
        address = make_url(url).set(drivername="postgresql+psycopg")
        network = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": math.ceil(1000 * seconds)}
        self.engine = sqlalchemy.create_engine(
            address,
            pool_pre_ping=True,
            pool_size=4,
            max_overflow=4,
            pool_timeout=min(PATIENCE, seconds),
            connect_args={name: value for name, value in network.items() if name not in address.query},
            isolation_level="READ COMMITTED",
        )
        event.listen(self.engine, "do_connect", self._connect)
        event.listen(self.engine, "connect", self._connected)

    def _connect(self, _dialect: Any, _record: Any, arguments: Any, named: dict[str, Any]) -> Any:
        left = self.deadlines.left()
        made = self._kind.connect(*arguments, **named | {"connect_timeout": max(2, min(_BRIEFLY, math.floor(left)))})
        made.deadlines = self.deadlines
        return made

    def _connected(self, connection: Any, _: Any) -> None:
        connection.execute("SET synchronous_commit = on")  # whatever the server's default is: an acknowledgement means that it is on disk
        connection.execute("SET application_name = 'sottovoce'")
        connection.execute(f"SET lock_timeout = '{PATIENCE}s'")
        connection.execute(f"SET idle_in_transaction_session_timeout = '{_IDLE}s'")
        connection.commit()

    @contextmanager
    def _limited(self, connection: Connection) -> Iterator[None]:
        """Open a transaction whose statements the server ends too, shortly before this side gives up and drops the connection."""
        raw: Any = connection.connection.driver_connection
        if raw.statement_seconds != (wanted := self.deadlines.each):
            connection.exec_driver_sql(f"SET statement_timeout = {math.ceil(900 * wanted)}")
            connection.commit()
            raw.statement_seconds = wanted
        with connection.begin():
            yield

    @contextmanager
    def writing(self, *, brief: bool = False) -> Iterator[Connection]:
        bound = self.deadlines.whole(self._seconds) if brief else self.deadlines.long()
        with bound, self.engine.connect() as connection, self._limited(connection):
            yield connection

    @contextmanager
    def reading(self, *, long: bool = False) -> Iterator[Connection]:
        bound = self.deadlines.long() if long else self.deadlines.statements(PATIENCE)
        options = {"isolation_level": "REPEATABLE READ"}
        with bound, self.engine.connect().execution_options(**options) as connection, self._limited(connection):
            yield connection

    def rows(self, connection: Connection, statement: TextClause, values: Mapping[str, Any]) -> Sequence[Sequence[Any]]:
        found = connection.execute(statement, values)
        return found.all() if found.returns_rows else []

    def states(self, connection: Connection, keys: Iterable[int]) -> Sequence[State]:
        wanted = sorted(keys)
        connection.execute(self._SHARED, {"queue": self._QUEUE, "keys": wanted})
        return [State(*row) for row in connection.execute(self._states, {"keys": wanted})]

    def hold(self, connection: Connection, key: int) -> None:
        connection.execute(self._ALONE, {"queue": self._QUEUE, "key": key})

    def keep(self, connection: Connection, study: int, ids: bytes) -> list[int]:
        kept = set(connection.execute(self._KEEP, identifiers(study, ids)).scalars())
        return [i for i in range(len(ids) // 16) if ids[16 * i : 16 * i + 16] not in kept] if kept else []

    def known(self, connection: Connection, study: int, ids: bytes) -> list[int]:
        return list(connection.execute(self._KNOWN, identifiers(study, ids)).scalars())

    def lock(self, connection: Connection) -> None:
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({self._LOCK})")

    def settle(self, *, idle: bool) -> bool:
        """Nothing to do: the server does its own maintenance."""
        return True

    def tidy(self, seconds: float) -> bool:
        """Not possible here: the server decides what its pages reveal, as docs/collector-data.md explains."""
        return False

    def forget(self) -> None:
        with self.deadlines.long(), self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.detach()  # it is not used again, with its short patience
            connection.exec_driver_sql("SET statement_timeout = 0")
            connection.exec_driver_sql(f"SET lock_timeout = '{_BRIEFLY}s'")  # others that wait for this lock wait as long
            for table in ("ids", "tallies", "pending", "chunks", "tickets", "tokens", "audit"):
                connection.exec_driver_sql(f"VACUUM (FULL) {table}")

    def abandon(self) -> None:
        self.deadlines.end()

    def close(self) -> None:
        self.engine.dispose()
