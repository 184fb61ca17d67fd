"""Copying a whole store: to back it up into a file, to restore it, and to move between SQLite and PostgreSQL."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Connection, Table, func, insert, select

from sottovoce.errors import ParameterError
from sottovoce.progress import Progress
from sottovoce.store import schema
from sottovoce.store.dialects import explained
from sottovoce.store.store import Store

#: Rows that are copied at a time: identifiers, and others, which may take a megabyte each.
_IDS, _ROWS = 50_000, 8


def backup(store: Store, path: str | Path) -> None:
    """Write everything in a store, as it is at one moment, into a new SQLite file. The store stays in use meanwhile."""
    place = Path(path)
    if place.exists():
        raise ParameterError(f"{place} already exists. Choose another file.")
    if not place.parent.is_dir():
        raise ParameterError(f"There is no folder {place.parent} for the backup {place.name}. Make it first.")
    part = place.with_name(f".{place.name}.part")
    for old in (part, *_beside(part)):
        old.unlink(missing_ok=True)
    target = Store(str(part))
    try:
        copy(store, target)
        with target.dialect.engine.connect() as connection:
            connection.exec_driver_sql("ROLLBACK")
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        target.close()
        with open(part, "rb") as file:
            os.fsync(file.fileno())
        os.replace(part, place)
    finally:
        target.close()
        for old in (part, *_beside(part)):
            old.unlink(missing_ok=True)


def check_backup(path: str | Path) -> None:
    """Raise an error if a backup file doesn't exist."""
    if not Path(path).is_file():
        raise ParameterError(f"There is no backup {path}. Check the name.")


def restore(path: str | Path, store: Store) -> None:
    """Copy a backup into an empty store."""
    check_backup(path)
    source = Store(str(path))
    try:
        if not source.version:
            raise ParameterError(f"{path} isn't a store or a backup of one. Choose another file.")
        copy(source, store)
    finally:
        source.close()


def copy(source: Store, target: Store) -> None:
    """Copy everything from one store into an empty one, in a single transaction."""
    source.ready()
    target.ready()
    with explained(), source.dialect.reading(long=True) as old, target.dialect.writing() as new, Progress("copying the store") as bar:
        target.dialect.lock(new)
        for table in (schema.studies, schema.tokens):
            if new.execute(select(func.count()).select_from(table)).scalar_one():
                raise ParameterError("The target store isn't empty. Choose a new one.")
        keys = _studies(old, new)
        for key in keys:
            found = old.execution_options(stream_results=True).execute(select(schema.ids.c.id).where(schema.ids.c.study == key)).scalars()
            for done, part in enumerate(found.partitions(_IDS), 1):
                target.dialect.keep(new, keys[key], b"".join(part))
                bar.at(0.0, f"about {done * _IDS:,} identifiers")
        for number, table in enumerate((schema.tallies, schema.pending, schema.chunks, schema.tickets), 1):
            for done in _rows(old, new, table, keys):
                bar.at(number / 5, f"{table.name}: {done:,} rows")
        for table in (schema.tokens, schema.audit):
            own = [column for column in table.c if column.name != "number"]
            order = table.c.number if table is schema.audit else table.c.name
            if rows := [dict(row) for row in old.execute(select(*own).order_by(order)).mappings()]:
                new.execute(insert(table), rows)


def _studies(old: Connection, new: Connection) -> dict[int, int]:
    """Copy the studies, and return the new key of each."""
    table, keys = schema.studies, dict[int, int]()
    for row in old.execute(select(table).order_by(table.c.key)).mappings().all():
        new.execute(insert(table), {name: value for name, value in row.items() if name != "key"})
        keys[row["key"]] = new.execute(select(table.c.key).where(table.c.name == row["name"])).scalar_one()
    return keys


def _rows(old: Connection, new: Connection, table: Table, keys: dict[int, int]) -> Iterator[int]:
    """Copy the rows of a table in batches."""
    done = 0
    found = old.execution_options(stream_results=True).execute(select(table)).mappings()
    while rows := found.fetchmany(_ROWS):
        new.execute(insert(table), [dict(row) | {"study": keys[row["study"]]} for row in rows])
        done += len(rows)
        yield done


def _beside(path: Path) -> tuple[Path, Path]:
    return Path(f"{path}-wal"), Path(f"{path}-shm")
