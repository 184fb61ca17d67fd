"""Access to a collector: tokens, tickets, and the audit log of what administrators did."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, or_, select, update

from sottovoce.errors import ParameterError, StoreError
from sottovoce.store import credentials, schema
from sottovoce.store.credentials import Role, Token
from sottovoce.store.dialects import Dialect, explained

#: Who acts where no token is shown.
COMMAND_LINE = "command line"


@dataclass(frozen=True, slots=True)
class Pruned:
    """How many entries of the audit and how many tokens from before a day were deleted."""

    before: date
    entries: int
    tokens: int

    @property
    def anything(self) -> bool:
        """Whether something was deleted."""
        return bool(self.entries or self.tokens)


class Access:
    """The tokens, the tickets and the audit log of a store."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect

    def new_token(
        self,
        role: Role,
        studies: Sequence[str],
        note: str = "",
        actor: str = COMMAND_LINE,
        expires: str = f"{credentials.LASTS}d",
        show: Callable[[str], None] = lambda _: None,
    ) -> tuple[str, Token]:
        """Make a token and pass it to `show`, the only time it is shown. If `show` fails, no token is made. `expires` is what `last_day`
        reads.
        """
        until = credentials.last_day(expires)
        if role is Role.ANALYST and not studies:
            raise ParameterError(f"An analyst's token needs studies. Name them, or write '{credentials.EVERYTHING}' for all.")
        if credentials.EVERYTHING in studies and len(studies) > 1:
            raise ParameterError(f"Got '{credentials.EVERYTHING}' (all studies) and names of studies. Give one or the other.")
        name, token, digest = credentials.new_token()
        made = Token(name, role, tuple(dict.fromkeys(studies)) or (credentials.EVERYTHING,), note, credentials.today(), None, until)
        with explained(), self._dialect.writing() as connection:
            known = set(connection.execute(select(schema.studies.c.name).with_for_update(read=True, key_share=True)).scalars())
            if unknown := [study for study in made.studies if study not in known and study != credentials.EVERYTHING]:
                listed = f"Choose from {', '.join(sorted(known))}." if known else "It has none yet."
                raise ParameterError(f"There is no study {unknown[0]!r} in this store. {listed}")
            scope = " ".join(made.studies)
            row = {
                "name": name,
                "hash": digest,
                "role": role.value,
                "studies": scope,
                "note": note,
                "created": made.created,
                "expires": until,
            }
            connection.execute(insert(schema.tokens).values(row))
            noted(connection, actor, "create token", scope, f"token {name}, role {role.value}, expires {until or 'never'}")
            show(token)
        return token, made

    def tokens(self) -> list[Token]:
        """List all tokens, without their secrets."""
        with explained(), self._dialect.reading() as connection:
            rows = connection.execute(select(schema.tokens).order_by(schema.tokens.c.created, schema.tokens.c.name)).all()
        return [_token(row) for row in rows]

    def revoke(self, name: str, actor: str = COMMAND_LINE) -> None:
        """Revoke a token immediately."""
        with explained(), self._dialect.writing() as connection:
            row = connection.execute(select(schema.tokens).where(schema.tokens.c.name == name)).one_or_none()
            if row is None:
                raise ParameterError(f"There is no token {name!r}. List all tokens with: sottovoce token list")
            if row.revoked is None:
                connection.execute(update(schema.tokens).where(schema.tokens.c.name == name).values(revoked=credentials.today()))
                noted(connection, actor, "revoke token", row.studies, f"token {name}")

    def token(self, secret: str) -> Token | None:
        """Return what a token gives access to, or None if it's invalid or revoked. Expired tokens are returned too: check `is_expired`."""
        parts = credentials.parts_of(secret)
        if parts is None:
            return None
        with explained(), self._dialect.reading() as connection:
            row = connection.execute(select(schema.tokens).where(schema.tokens.c.name == parts[0])).one_or_none()
        if not credentials.same(parts[1], bytes(32) if row is None else row.hash) or row is None or row.revoked is not None:
            return None
        return _token(row)

    def new_tickets(
        self, study: str, count: int, actor: str = COMMAND_LINE, show: Callable[[list[str]], None] = lambda _: None
    ) -> list[str]:
        """Issue tickets for a study and pass them to `show`, the only time they are shown. If `show` fails, none is issued."""
        made = credentials.new_tickets(count)
        table = schema.studies
        with explained(), self._dialect.writing() as connection:
            key = connection.execute(select(table.c.key).where(table.c.name == study)).scalar_one_or_none()
            if key is None:
                raise ParameterError(f"There is no study {study!r} in this store. Check its name.")
            hashes = sorted(credentials.hashed(ticket) for ticket in made)
            connection.execute(insert(schema.tickets), [{"study": key, "hash": each} for each in hashes])
            connection.execute(update(table).where(table.c.key == key).values(issued=table.c.issued + count))
            noted(connection, actor, "issue tickets", study, f"{count} tickets")
            show(made)
        return made

    def unused_tickets(self, key: int) -> int:
        """How many tickets of a study are unused."""
        table = schema.tickets
        with explained(), self._dialect.reading() as connection:
            return int(connection.execute(select(func.count()).select_from(table).where(table.c.study == key)).scalar_one())

    def audit(self, limit: int = 1000) -> list[dict[str, str]]:
        """The audit log of what administrators did, latest first."""
        with explained(), self._dialect.reading() as connection:
            rows = connection.execute(select(schema.audit).order_by(schema.audit.c.number.desc()).limit(limit)).mappings().all()
        return [
            {**{key: str(row[key]) for key in ("actor", "action", "study", "detail")}, "at": f"{row['at']:%Y-%m-%dT%H:%M:%SZ}"}
            for row in rows
        ]

    def note(self, actor: str, action: str, study: str = "", detail: str = "") -> None:
        """Add an entry to the audit log."""
        with explained(), self._dialect.writing() as connection:
            noted(connection, actor, action, study, detail)

    def prune(self, before: str, actor: str = COMMAND_LINE) -> Pruned:
        """Delete what was done before a day, and tokens that were revoked or expired before it. `before` is what `past_day` reads.

        The audit then has an entry with the day and the numbers, so that no one mistakes it for a complete one. If there is nothing to
        delete, nothing is written.
        """
        day = credentials.past_day(before)
        tokens, audit = schema.tokens, schema.audit
        with explained(), self._dialect.writing() as connection:
            ended = connection.execute(delete(tokens).where(or_(tokens.c.revoked < day, tokens.c.expires < day))).rowcount
            old = connection.execute(delete(audit).where(audit.c.at < datetime.combine(day, time.min))).rowcount
            pruned = Pruned(day, old, ended)
            if pruned.anything:
                noted(connection, actor, "prune", "", f"{old} entries and {ended} tokens from before {day}")
        if pruned.anything:
            try:
                with explained():
                    self._dialect.forget()
            except StoreError as error:
                message = f"{old} entries and {ended} tokens are deleted, but their data may still be in the store's files: {error}"
                raise StoreError(message) from None
        return pruned


def forgotten(connection: Connection, study: str) -> None:
    """Remove a study from all tokens, so that they don't open a later study of the same name. Tokens without any study left are revoked."""
    for row in connection.execute(select(schema.tokens).order_by(schema.tokens.c.name).with_for_update()).all():
        names = row.studies.split()
        if study in names:
            names.remove(study)
            values = {"studies": " ".join(names)} if names else {"revoked": row.revoked or credentials.today()}
            connection.execute(update(schema.tokens).where(schema.tokens.c.name == row.name).values(values))


def noted(connection: Connection, actor: str, action: str, study: str, detail: str) -> None:
    """Add an entry to the audit log, within the transaction that makes the change."""
    now = datetime.now(UTC).replace(microsecond=0, tzinfo=None)
    connection.execute(insert(schema.audit).values(at=now, actor=actor, action=action, study=study, detail=detail))


def _token(row: Row[Any]) -> Token:
    return Token(row.name, Role(row.role), tuple(row.studies.split()), row.note, row.created, row.revoked, row.expires)
