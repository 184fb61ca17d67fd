"""What anyone can do: read the studies and send reports."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec

from sottovoce.collector import models
from sottovoce.collector.app import Collector
from sottovoce.collector.assets import KINDS, asset_response
from sottovoce.collector.content_types import ARROW, JSON, NDJSON, media_type
from sottovoce.collector.http import Request, Response
from sottovoce.collector.languages import accepted, named
from sottovoce.collector.models import CompiledStudy, Health, Problem, Report, Studies, StudiesQuery
from sottovoce.collector.operator import Operator
from sottovoce.collector.pages import Page, front_page, survey_page
from sottovoce.collector.routing import Content, Header
from sottovoce.errors import PROBLEMS, RequestError
from sottovoce.names import is_name
from sottovoce.store import Entry, Receipt, Refusal, Role, Store
from sottovoce.store.credentials import Token, ticket_hash

IfNoneMatch = Annotated[str, Header("If-None-Match", "A known ETag.")]
#: How old the knowledge of a study may be when it is handed out.
_FRESH = 2.0
#: The usual answer.
_FIRST, _ONE = Receipt(1, 0), b'{"accepted":1,"repeated":0}'
_REFUSALS = {
    Refusal.GONE: "not-found",
    Refusal.CLOSED: "closed",
    Refusal.NO_TICKET: "no-ticket",
    Refusal.BAD_TICKET: "used-ticket",
    Refusal.TOO_MANY: "report",
}


async def front(collector: Collector, request: Request) -> Page:
    """The home page: who runs the collector, what it stores, and the studies. `lang` names a language."""
    operator = Operator.of(collector.settings)
    return await collector.lookups.call(lambda: front_page(collector.store.studies(), operator, *_wanted(request)))


async def survey(collector: Collector, request: Request) -> Page:
    """A page on which people answer a study. Besides `lang`, a language, whatever mailers put behind a link is left alone."""
    wanted, asked = _wanted(request)
    entry, operator = await collector.entry(request.name), Operator.of(collector.settings)
    return survey_page(entry, operator, collector.settings.device_cap, [*asked, *wanted])


def _wanted(request: Request) -> tuple[list[str], list[str]]:
    """The languages that a browser prefers, best first, and those that the query asks for."""
    return accepted(request.header(b"accept-language")), named(request.query_string.decode("latin-1"))


async def asset(
    collector: Collector, request: Request, if_none_match: IfNoneMatch
) -> Annotated[Response, Content(tuple(KINDS.values()), dict[str, Any])]:
    """The client, and the scripts and styles of the pages."""
    return asset_response(request, if_none_match)


async def studies(collector: Collector, request: Request, query: StudiesQuery) -> Studies:
    """The studies that ask to be listed, those of a token, and one that is named."""
    token = await collector.token(request)
    return await collector.lookups.call(_shown, collector.store, token, query.name)


def _shown(store: Store, token: Token | None, name: str) -> Studies:
    def shows(entry: Entry) -> bool:
        return entry.listed or (token is not None and token.role is not Role.MONITOR and token.opens(entry.name))

    if name:
        found = store.find(name) if is_name(name) else None
        entries = [] if found is None else [found]
    else:
        entries = [each for each in store.studies() if shows(each)]
    names = ("name", "fingerprint", "state", "respondents", "listed")
    listed = [{name: getattr(each, name) for name in names} | {"question": each.study.question} for each in entries]
    return msgspec.convert({"studies": listed}, Studies)


async def study(collector: Collector, request: Request, if_none_match: IfNoneMatch) -> Annotated[Response, Content((JSON,), CompiledStudy)]:
    """A compiled study. Its ETag is its fingerprint, so clients can cache it. Devices refuse to answer one that is marked as closed."""
    intake = await collector.intake(request.name, _FRESH)
    tag = f'"{intake.entry.fingerprint}"'
    headers = [(b"etag", tag.encode()), (b"cache-control", b"public, max-age=60")]
    if intake.entry.state == "closed":
        headers.append((b"sottovoce-state", b"closed"))
    asked = [each.strip().removeprefix("W/") for each in if_none_match.split(",")]
    if tag in asked or "*" in asked:
        return Response(304, b"", "", headers)
    return Response(200, intake.compiled, JSON, headers)


async def reports(
    collector: Collector, request: Annotated[Request, Content((JSON, NDJSON, ARROW), Report | list[Report])]
) -> Annotated[Response, Content((JSON,), models.Receipt)]:
    """Store reports, and respond when they are on disk."""
    request.submits = True
    intake = await collector.intake(request.name)
    if closed := intake.entry.study.closed_on(datetime.now(UTC).date()):
        raise RequestError("closed", closed)
    if request.header(b"content-encoding").lower() not in {"", "identity"}:
        raise RequestError("media-type", "The body is compressed. Send it uncompressed.", value=request.header(b"content-encoding"))
    kind = media_type(request.header(b"content-type"))
    scheme, _, ticket = request.header(b"authorization").partition(" ")
    shown = (ticket_hash(ticket.strip()) or b"?") if scheme.lower() == "ticket" else None
    try:
        data = await request.body(collector.settings.body_bytes, collector.hold)
        try:
            arrival = await collector.arrival(intake, kind, data, shown)
        except RequestError as error:
            newer = await collector.intake(request.name, _FRESH / 10) if error.kind == "another-study" else intake
            if newer.entry.key == intake.entry.key:
                raise
            arrival = await collector.arrival(newer, kind, data, shown)  # the study was replaced behind our back
        outcome = await collector.writer.write(arrival)
        if outcome is Refusal.GONE:  # deleted meanwhile, and perhaps added again
            collector.forget(request.name)
            intake = await collector.intake(request.name)
            outcome = await collector.writer.write(await collector.arrival(intake, kind, data, shown))
    finally:
        collector.held -= request.held
    if isinstance(outcome, Refusal):
        raise RequestError(_REFUSALS[outcome], outcome.value)
    return Response(200, _ONE if outcome == _FIRST else b'{"accepted":%d,"repeated":%d}' % (outcome.accepted, outcome.repeated))


async def problem(collector: Collector, request: Request) -> Problem:
    """What a kind of problem means."""
    found = PROBLEMS.get(request.name)
    if found is None:
        raise RequestError("not-found", "There is no such kind of problem.")
    return Problem(type=f"/problems/{request.name}", title=found.title, status=found.status, remedy=found.remedy)


async def health(collector: Collector, request: Request) -> Health:
    """Whether the collector is running."""
    return Health(status="ok")


async def ready(collector: Collector, request: Request) -> Health:
    """Whether the collector can write reports: one was written a moment ago, or something is written now."""
    await collector.writer.check()
    return Health(status="ok")
