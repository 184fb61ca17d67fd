"""The current tables of a store. `migrations` has the steps that led here.

No table records when a report came, from where, or in which order. Identifiers (`ids`) and reports (`pending`, `chunks`) are in different
tables, with nothing that leads from one to the other.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Date, DateTime, ForeignKey, Integer, LargeBinary, MetaData, Table, Text, false

metadata = MetaData()


def _of_study(name: str, *columns: Column[Any]) -> Table:
    """A table with rows per study, clustered by its key."""
    study = Column("study", Integer, ForeignKey("studies.key"), primary_key=True)
    return Table(name, metadata, study, *columns, sqlite_with_rowid=False)


def _of_level(name: str, key: Column[int], *columns: Column[Any]) -> Table:
    """A table with rows per level of a study, with one more key."""
    return _of_study(name, Column("level", Text, primary_key=True), key, *columns)


def _part() -> Column[int]:
    return Column("part", Integer, primary_key=True, autoincrement=False)


#: What is asked and promised. `key` is never given again.
studies = Table(
    "studies",
    metadata,
    Column("key", Integer, primary_key=True, autoincrement=True),
    Column("name", Text, nullable=False, unique=True),
    Column("fingerprint", Text, nullable=False),
    Column("compiled", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("respondents", Text, nullable=False),
    Column("issued", Integer, nullable=False, server_default="0"),
    Column("listed", Boolean, nullable=False, server_default=false()),
    sqlite_autoincrement=True,
)

#: The identifiers of reports that were counted.
ids = Table(
    "ids",
    metadata,
    Column("study", Integer, primary_key=True, autoincrement=False),
    Column("id", LargeBinary, primary_key=True),
    sqlite_with_rowid=False,
)

#: The counts of the reports in `chunks`. Each writer has a part of its own, and takes whichever is free.
tallies = _of_level("tallies", _part(), Column("n", BigInteger, nullable=False), Column("counts", LargeBinary, nullable=False))

#: The newest reports of a part, in random order, in which a new one takes a random place.
pending = _of_level("pending", _part(), Column("records", LargeBinary, nullable=False))

#: Reports in shuffled groups, under random keys, by which SQLite also puts them on disk.
chunks = _of_level(
    "chunks", Column("key", BigInteger, primary_key=True, autoincrement=False), Column("records", LargeBinary, nullable=False)
)

#: Hashes of tickets that can still be used; using one removes it.
tickets = _of_study("tickets", Column("hash", LargeBinary, primary_key=True))

#: Bearer tokens: the hash of each, and what it opens. `studies` is "*", or names with blanks between them.
tokens = Table(
    "tokens",
    metadata,
    Column("name", Text, primary_key=True),
    Column("hash", LargeBinary, nullable=False),
    Column("role", Text, nullable=False),
    Column("studies", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("created", Date, nullable=False),
    Column("revoked", Date),
    Column("expires", Date),
)

#: What administrators did, and through which token ("command line" where it was none).
audit = Table(
    "audit",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("at", DateTime, nullable=False),
    Column("actor", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("study", Text, nullable=False),
    Column("detail", Text, nullable=False),
)
