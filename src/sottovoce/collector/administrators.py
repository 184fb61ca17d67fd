"""What administrators can do. The audit log records all of it."""

from __future__ import annotations

from typing import Annotated

import msgspec

from sottovoce.collector.app import Collector
from sottovoce.collector.content_types import JSON
from sottovoce.collector.http import Request
from sottovoce.collector.models import Audit, Change, CompiledStudy, Deleted, NewStudyQuery, Recount, StudyState, TicketCount, TicketList
from sottovoce.collector.routing import Content, Header, check_keys, json_body
from sottovoce.errors import RequestError
from sottovoce.store import Entry
from sottovoce.study import Study


async def add(collector: Collector, request: Annotated[Request, Content((JSON,), CompiledStudy)], query: NewStudyQuery) -> StudyState:
    """Add a compiled study. The collector checks its guarantee again."""
    data = await json_body(request, collector.settings.body_bytes)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise RequestError("malformed", "The body isn't UTF-8 text. Send the compiled study as UTF-8.") from None
    study = await collector.in_thread(_study, text)
    return _state(await collector.in_thread(lambda: collector.store.add(study, text, query.respondents, request.actor)))


def _study(text: str) -> Study:
    study = Study.from_json(text, "The body")
    check_keys(text)
    return study


async def change(collector: Collector, request: Request, body: Change) -> StudyState:
    """Close or reopen a study, require tickets or not, list it on the home page or not."""
    change_to = msgspec.structs.asdict(body)
    entry = await collector.in_thread(lambda: collector.store.change(request.name, request.actor, **change_to))
    collector.forget(request.name)
    return _state(entry)


def _state(entry: Entry) -> StudyState:
    return msgspec.convert(entry, StudyState, from_attributes=True)


async def delete(
    collector: Collector, request: Request, if_match: Annotated[str, Header("If-Match", "The fingerprint.", required=True)]
) -> Deleted:
    """Delete a study permanently, if If-Match names its fingerprint."""
    entry = await collector.entry(request.name)
    confirmed = if_match.strip()
    if not confirmed:
        raise RequestError(
            "unconfirmed",
            "Deleting a study can't be undone, so it must be confirmed.",
            fingerprint=entry.fingerprint,
        )
    if confirmed.strip('"') != entry.fingerprint:
        raise RequestError(
            "changed",
            "If-Match names a different fingerprint.",
            fingerprint=entry.fingerprint,
        )
    await collector.in_thread(collector.store.delete, entry.name, request.actor, entry.fingerprint)
    collector.forget(request.name)
    return Deleted(deleted=entry.name)


async def tickets(collector: Collector, request: Request, body: TicketCount) -> TicketList:
    """Issue tickets. Only this response contains them."""
    entry = await collector.entry(request.name)
    return TicketList(tickets=await collector.in_thread(collector.store.access.new_tickets, entry.name, body.count, request.actor))


async def recount(collector: Collector, request: Request) -> Recount:
    """Compare the tally of a study with its reports."""
    entry = await collector.entry(request.name)
    found = await collector.recount(entry)
    await collector.in_thread(collector.store.access.note, request.actor, "recount", entry.name, "fits" if found.holds else "differs")
    return found


async def audit(collector: Collector, request: Request) -> Audit:
    """The actions of administrators, latest first."""
    return msgspec.convert({"audit": await collector.in_thread(collector.store.access.audit)}, Audit)
