"""A store: studies and their reports, each counted once, with tallies that are always up to date."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.exc import DBAPIError

from sottovoce.errors import ParameterError, StoreError
from sottovoce.later import later
from sottovoce.names import is_name
from sottovoce.store import schema
from sottovoce.store.access import Access, forgotten, noted
from sottovoce.store.arrivals import CLOSED, OPEN, TICKETS, Arrival, Receipt, Refusal
from sottovoce.store.dialects import begun_again, dialect_of, explained
from sottovoce.store.entries import Entry
from sottovoce.store.migrations import LATEST, migrate, version_of
from sottovoce.store.shared_sql import PATIENCE

if TYPE_CHECKING:
    from sottovoce.reports import Reports
    from sottovoce.store import queries, recording
    from sottovoce.study import Study, texts
    from sottovoce.tallies import Tally
else:  # tokens and studies are listed without the numerics
    queries, recording = later("sottovoce.store.queries"), later("sottovoce.store.recording")
    texts = later("sottovoce.study.texts")

#: Times that a transaction is begun again when another writer was in its way.
_TRIES = 8


class MissingError(ParameterError):
    """The store has no such study."""

    kind = "not-found"


class ExistsError(ParameterError):
    """The store has another study of this name."""

    kind = "exists"


class Chunks(NamedTuple):
    """The keys of a study's chunks, level by level. `read` reads some of a level.

    `everything` reads all reports with their level, in batches and in an order that means nothing.
    """

    keys: dict[str, list[int]]
    read: Callable[[str, Sequence[int]], Iterator[Reports]]
    everything: Callable[[], Iterator[tuple[str, Reports]]]


@dataclass(frozen=True)
class Recount:
    """The result of `Store.recount`: what the reports add up to, beside the stored tallies."""

    reports: int
    identifiers: int
    wrong: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether the tallies match the reports."""
        return not self.wrong and self.reports == self.identifiers


class Store:
    """Open a store of studies and reports: SQLite (the name of a file) or PostgreSQL (postgresql://…).

    You can call every method from any thread, and each is one transaction. `access` keeps tokens, tickets and the audit log. Writing
    reports fails after `write_seconds` if the database doesn't respond.
    """

    def __init__(self, url: str, write_seconds: float = PATIENCE) -> None:
        with explained():
            self.dialect = dialect_of(url, write_seconds)
        self.access = Access(self.dialect)
        self._entries: dict[int, Entry] = {}

    def abandon(self) -> None:
        """Stop waiting for the database, in every thread. The store can't be used after that."""
        self.dialect.abandon()

    def close(self) -> None:
        """Close all connections."""
        self.dialect.close()

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with explained(), self.dialect.writing() as connection:
            yield connection

    @contextmanager
    def _reading(self, *, long: bool = False) -> Iterator[Connection]:
        with explained(), self.dialect.reading(long=long) as connection:
            yield connection

    @property
    def version(self) -> int:
        """The migration step that the tables are at."""
        with self._reading() as connection:
            return version_of(connection)

    def migrate(self, target: int = LATEST, announce: Callable[[str], None] = lambda _: None) -> None:
        """Migrate the tables to a step, forwards or back."""
        with self._writing() as connection:
            self.dialect.lock(connection)
            migrate(connection, target, announce)

    def ready(self) -> None:
        """Check that the tables have the current version, and migrate older ones."""
        if self.version != LATEST:
            self.migrate()

    def studies(self) -> list[Entry]:
        """List all studies, by name."""
        with self._reading() as connection:
            rows = connection.execute(select(schema.studies).order_by(schema.studies.c.name)).all()
        return [self._entry(*row) for row in rows]

    def find(self, name: str) -> Entry | None:
        """Find a study by name, or return None."""
        if not is_name(name):
            return None
        with self._reading() as connection:
            row = connection.execute(select(schema.studies).where(schema.studies.c.name == name)).one_or_none()
        return None if row is None else self._entry(*row)

    def entry(self, name: str) -> Entry:
        """Return a study by name, or raise `MissingError`."""
        if (found := self.find(name)) is None:
            raise MissingError(f"There is no study {name!r} in this store. Check its name.")
        return found

    def _entry(self, *values: object) -> Entry:
        """Read an entry. If it's unchanged, the same object is returned, with its study parsed already."""
        entry = Entry(*values)  # type: ignore[arg-type]  # the columns are the fields
        return self._entries.setdefault(entry.key, entry) if self._entries.get(entry.key) == entry else self._remember(entry)

    def _remember(self, entry: Entry) -> Entry:
        before = self._entries.get(entry.key)
        if before is not None and before.fingerprint == entry.fingerprint and "study" in before.__dict__:
            entry.__dict__["study"] = before.study
        self._entries[entry.key] = entry
        return entry

    def add(self, study: Study, compiled: str, respondents: str = OPEN, actor: str = "command line") -> Entry:
        """Add a study. If it already exists, it must be the same one, and its `listed` setting is updated."""
        if respondents not in {OPEN, TICKETS}:
            raise ParameterError(f"respondents is {respondents!r}. Give '{OPEN}' for everyone or '{TICKETS}' for people with a ticket.")
        with self._writing() as connection:
            self.dialect.lock(connection)
            found = connection.execute(select(schema.studies).where(schema.studies.c.name == study.name)).one_or_none()
            if found is not None:
                if found.fingerprint != study.fingerprint:
                    raise ExistsError(
                        f"The store has a study {study.name!r} with the fingerprint {found.fingerprint[:12]}…, and this one has "
                        f"{study.fingerprint[:12]}…. Give your study another name, or delete the stored one."
                    )
                if study.listed not in {None, found.listed}:
                    self._update(connection, study.name, actor, {"listed": study.listed})
                    found = connection.execute(select(schema.studies).where(schema.studies.c.name == study.name)).one()
                return self._entry(*found)
            texts.check_texts(study)
            values = {
                "name": study.name,
                "fingerprint": study.fingerprint,
                "compiled": compiled,
                "state": OPEN,
                "respondents": respondents,
                "listed": bool(study.listed),
            }
            connection.execute(insert(schema.studies).values(values))
            noted(connection, actor, "add study", study.name, f"fingerprint {study.fingerprint}, respondents {respondents}")
            row = connection.execute(select(schema.studies).where(schema.studies.c.name == study.name)).one()
        return self._entry(*row)

    def change(
        self, name: str, actor: str, *, state: str | None = None, respondents: str | None = None, listed: bool | None = None
    ) -> Entry:
        """Change a study: close or open it, require tickets or not, list it on the home page or not."""
        given = {"state": state, "respondents": respondents, "listed": listed}
        wanted: dict[str, str | bool] = {key: value for key, value in given.items() if value is not None}
        if not wanted or wanted.get("state", OPEN) not in {OPEN, CLOSED} or wanted.get("respondents", OPEN) not in {OPEN, TICKETS}:
            raise ParameterError(
                f"There is nothing valid to change. Give a state ({OPEN}, {CLOSED}), "
                f"respondents ({OPEN}, {TICKETS}) or listed (true, false)."
            )
        entry = self.entry(name)
        with self._writing() as connection:
            self._hold(connection, entry)
            self._update(connection, name, actor, wanted)
        return self.entry(name)

    def _update(self, connection: Connection, name: str, actor: str, wanted: Mapping[str, object]) -> None:
        """Change columns of a study, with an entry in the audit log."""
        connection.execute(update(schema.studies).where(schema.studies.c.name == name).values(wanted))
        noted(connection, actor, "change study", name, ", ".join(f"{key} {str(value).lower()}" for key, value in wanted.items()))

    def delete(self, name: str, actor: str, fingerprint: str | None = None) -> None:
        """Delete a study (if it has this fingerprint) with its reports, identifiers, tickets and tallies. There is no way back."""
        entry = self.entry(name)
        if fingerprint is not None and entry.fingerprint != fingerprint:
            raise MissingError(f"The stored study {name!r} has a different fingerprint. Check that it is the one that you mean.")
        with self._writing() as connection:
            self._hold(connection, entry)
            for table in (schema.ids, schema.tallies, schema.pending, schema.chunks, schema.tickets):
                connection.execute(delete(table).where(table.c.study == entry.key))
            connection.execute(delete(schema.studies).where(schema.studies.c.key == entry.key))
            forgotten(connection, name)
            noted(connection, actor, "delete study", name, f"fingerprint {entry.fingerprint}")
        self._entries.pop(entry.key, None)
        try:
            with explained():
                self.dialect.forget()
        except StoreError as error:
            raise StoreError(f"{name} is deleted, but its data may still be in the store's files: {error}") from None

    def write(self, arrivals: Sequence[Arrival]) -> list[Receipt | Refusal]:
        """Count arrivals in one transaction. When this returns, what was accepted is on disk.

        If it raises an error, you may not know whether they were counted: the reply to a successful commit may have been lost. Write the
        same arrivals again, which is safe because identifiers count once.
        """
        for _ in range(_TRIES):
            with explained():
                try:
                    with self.dialect.writing(brief=True) as connection:
                        return recording.Recorder(connection, self.dialect, self._by_key).write(arrivals)
                except DBAPIError as error:
                    if not begun_again(error):
                        raise
        raise StoreError("The store is busy with other writers. Try again later.")

    def settle(self, *, idle: bool = True) -> bool:
        """Do maintenance that would delay a later writer. Call it often. `idle` means that no one wrote since the last call.

        Returns whether nothing remains to be done.
        """
        with explained():
            return self.dialect.settle(idle=idle)

    def tidy(self, seconds: float = 5.0) -> bool:
        """Remove every trace of the order of arrival from the store's files. Retries for `seconds` if others use them.

        Returns whether that was done. SQLite can do this for files of up to 256 MiB. PostgreSQL can't.
        """
        with explained():
            return self.dialect.tidy(seconds)

    def _by_key(self, connection: Connection, wanted: set[int]) -> dict[int, Entry]:
        """The studies with these keys, as this transaction sees them."""
        found = {}
        for row in self.dialect.states(connection, wanted):
            entry = self._entries.get(row.key)
            if entry is None or (entry.key, entry.fingerprint, entry.state, entry.respondents) != row:
                entry = self._entry(*connection.execute(select(schema.studies).where(schema.studies.c.key == row.key)).one())
            found[row.key] = entry
        return found

    def _hold(self, connection: Connection, entry: Entry) -> None:
        """Lock a study for this transaction, if it still exists."""
        self.dialect.hold(connection, entry.key)
        rows = self.dialect.states(connection, [entry.key])
        if [row.fingerprint for row in rows] != [entry.fingerprint]:
            raise MissingError(f"The study {entry.name!r} has been deleted from this store, or replaced. Check its name.")

    def count(self, entry: Entry) -> int:
        """How many reports a study has. Reads the study itself only if some are pending."""
        with self._reading() as connection:
            pending = connection.execute(select(schema.pending.c.level).where(schema.pending.c.study == entry.key).limit(1)).first()
            counted = connection.execute(select(func.sum(schema.tallies.c.n)).where(schema.tallies.c.study == entry.key)).scalar()
            return int(counted or 0) if pending is None else queries.counted(connection, entry).n

    def tally(self, entry: Entry, *, keep_reports: bool = False) -> Tally:
        """The tally of all reports: from stored counts, or from the reports themselves if you need them in the tally."""
        with self._reading() as connection:
            return queries.with_reports(connection, entry) if keep_reports else queries.counted(connection, entry)

    @contextmanager
    def chunks(self, entry: Entry) -> Iterator[Chunks]:
        """The keys of the chunks of each level at one moment, with functions that read some of them, or all reports.

        A chunk never changes. The newest reports aren't in a chunk yet.
        """
        with self._reading() as connection:
            read = partial(queries.chunks, connection, entry), partial(queries.reports, connection, entry)
            yield Chunks(queries.keys(connection, entry), *read)

    def seal(self, entry: Entry) -> None:
        """Turn the newest reports into chunks too, for a study that is over."""
        with self._writing() as connection:
            self._hold(connection, entry)
            recording.Recorder(connection, self.dialect, self._by_key).seal(entry)

    def recount(self, entry: Entry, actor: str = "command line", *, repair: bool = False) -> Recount:
        """Count all reports again and compare with the tallies. `repair` replaces tallies that are wrong."""
        with self._writing() if repair else self._reading(long=True) as connection:
            if repair:
                self._hold(connection, entry)
            identifiers = connection.execute(
                select(func.count()).select_from(schema.ids).where(schema.ids.c.study == entry.key)
            ).scalar_one()
            total, wrong = queries.recounted(connection, entry)
            if repair and wrong:
                queries.rebuild(connection, entry)
                noted(connection, actor, "rebuild tallies", entry.name, "; ".join(wrong))
        return Recount(total, int(identifiers), tuple(wrong))
