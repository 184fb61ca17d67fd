"""Migrations of the tables: steps forwards and back, each in its own transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, inspect, text

from sottovoce.errors import StoreError

Statements = Sequence[str]


@dataclass(frozen=True)
class Step:
    """One step: its description, and the statements that do and undo it, with placeholders for the dialect's types."""

    what: str
    forwards: Statements
    back: Statements


#: The words in which the dialects differ.
_WORDS = {
    "sqlite": {"key": "INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL", "bytes": "BLOB", "clustered": " WITHOUT ROWID", "moment": "DATETIME"},
    "postgresql": {
        "key": "INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
        "bytes": "BYTEA",
        "clustered": "",
        "moment": "TIMESTAMP",
    },
}
_OF_STUDY = "study INTEGER NOT NULL REFERENCES studies (key)"

_LEVEL = f"{_OF_STUDY}, level TEXT NOT NULL"

STEPS: Sequence[Step] = (
    Step(
        "studies, identifiers, reports and their tallies",
        (
            """CREATE TABLE studies (key {key}, name TEXT NOT NULL UNIQUE, fingerprint TEXT NOT NULL, compiled TEXT NOT NULL,
                                     state TEXT NOT NULL)""",
            # without a reference, which PostgreSQL would look up for every row: a writer locks the row of the study instead
            "CREATE TABLE ids (study INTEGER NOT NULL, id {bytes} NOT NULL, PRIMARY KEY (study, id)){clustered}",
            f"""CREATE TABLE tallies ({_LEVEL}, part INTEGER NOT NULL, n BIGINT NOT NULL, counts {{bytes}} NOT NULL,
                                      PRIMARY KEY (study, level, part)){{clustered}}""",
            f"""CREATE TABLE pending ({_LEVEL}, part INTEGER NOT NULL, records {{bytes}} NOT NULL,
                                      PRIMARY KEY (study, level, part)){{clustered}}""",
            f"""CREATE TABLE chunks ({_LEVEL}, key BIGINT NOT NULL, records {{bytes}} NOT NULL,
                                     PRIMARY KEY (study, level, key)){{clustered}}""",
            "postgresql: ALTER TABLE pending ALTER COLUMN records SET STORAGE EXTERNAL",  # reports are random, and do not compress
            "postgresql: ALTER TABLE chunks ALTER COLUMN records SET STORAGE EXTERNAL",
        ),
        ("DROP TABLE chunks", "DROP TABLE pending", "DROP TABLE tallies", "DROP TABLE ids", "DROP TABLE studies"),
    ),
    Step(
        "tokens of analysts and administrators, and what administrators did",
        (
            """CREATE TABLE tokens (name TEXT PRIMARY KEY NOT NULL, hash {bytes} NOT NULL, role TEXT NOT NULL, studies TEXT NOT NULL,
                                    note TEXT NOT NULL, created DATE NOT NULL, revoked DATE)""",
            """CREATE TABLE audit (number {key}, at {moment} NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL, study TEXT NOT NULL,
                                   detail TEXT NOT NULL)""",
        ),
        ("DROP TABLE audit", "DROP TABLE tokens"),
    ),
    Step(
        "tickets of respondents",
        (
            "ALTER TABLE studies ADD COLUMN respondents TEXT NOT NULL DEFAULT 'open'",
            "ALTER TABLE studies ADD COLUMN issued INTEGER NOT NULL DEFAULT 0",
            f"CREATE TABLE tickets ({_OF_STUDY}, hash {{bytes}} NOT NULL, PRIMARY KEY (study, hash)){{clustered}}",
        ),
        ("DROP TABLE tickets", "ALTER TABLE studies DROP COLUMN issued", "ALTER TABLE studies DROP COLUMN respondents"),
    ),
    Step(
        "the last day of a token",
        ("ALTER TABLE tokens ADD COLUMN expires DATE",),
        (  # an earlier version knows no last day: what has expired stays shut
            "UPDATE tokens SET revoked = expires WHERE revoked IS NULL AND expires < CURRENT_DATE",
            "ALTER TABLE tokens DROP COLUMN expires",
        ),
    ),
    Step(
        "which studies the home page names",
        ("ALTER TABLE studies ADD COLUMN listed BOOLEAN NOT NULL DEFAULT FALSE",),
        ("ALTER TABLE studies DROP COLUMN listed",),
    ),
)
LATEST = len(STEPS)


def version_of(connection: Connection) -> int:
    """The step at which a store is, 0 if it's empty."""
    if not inspect(connection).has_table("migrations"):
        return 0
    return int(connection.execute(text("SELECT coalesce(max(number), 0) FROM migrations")).scalar_one())


def migrate(connection: Connection, target: int = LATEST, announce: Callable[[str], None] = lambda _: None) -> None:
    """Migrate a store to a step, forwards or back. The caller owns the lock and the transaction, so it happens as a whole or not at all."""
    if not 0 <= target <= LATEST:
        raise StoreError(f"{target} isn't a step of this version. Choose from 0 (nothing) to {LATEST}.")
    here = version_of(connection)
    if here > LATEST:
        raise StoreError(
            f"The store is at step {here}, and this version of sottovoce only supports up to {LATEST}. Install a newer version."
        )
    words = _WORDS[connection.dialect.name]
    connection.execute(text("CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY NOT NULL)"))
    for number in range(here + 1, target + 1):
        announce(f"{number}: {STEPS[number - 1].what}")
        for statement in STEPS[number - 1].forwards:
            only, colon, rest = statement.partition(": ")
            if not colon or only == connection.dialect.name:
                connection.exec_driver_sql((rest or statement).format(**words))
        connection.execute(text("INSERT INTO migrations (number) VALUES (:number)"), {"number": number})
    for number in range(here, target, -1):
        announce(f"back from {number}: {STEPS[number - 1].what}")
        for statement in STEPS[number - 1].back:
            connection.exec_driver_sql(statement)
        connection.execute(text("DELETE FROM migrations WHERE number = :number"), {"number": number})
