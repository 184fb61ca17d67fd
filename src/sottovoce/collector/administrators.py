"""What administrators may do; all of it is written down."""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

import msgspec

from sottovoce.collector.app import Collector
from sottovoce.collector.http import Answer, Request, answer
from sottovoce.collector.intake import JSON
from sottovoce.collector.respondents import shown
from sottovoce.errors import ParameterError, RequestError
from sottovoce.study import Study

Wanted = TypeVar("Wanted", bound=msgspec.Struct)


class Change(msgspec.Struct, forbid_unknown_fields=True):
    """What of a study is to change."""

    state: Literal["open", "closed"] | None = None
    respondents: Literal["open", "tickets"] | None = None


class Tickets(msgspec.Struct, forbid_unknown_fields=True):
    """How many tickets are wanted."""

    count: Annotated[int, msgspec.Meta(ge=1, le=10_000)]


async def add(collector: Collector, request: Request) -> Answer:
    """Take in a compiled study; its promise is judged anew."""
    respondents = request.query("respondents").get("respondents", "open")
    data = await _json(collector, request)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise RequestError("malformed", "the body is not UTF-8 text") from None
    entry = await collector.in_thread(lambda: collector.store.add(Study.from_json(text, "the body"), text, respondents, request.actor))
    return answer(shown(entry), 201)


async def change(collector: Collector, request: Request) -> Answer:
    """Close a study or open it again; ask respondents for tickets, or not."""
    request.query()
    wanted = _decoded(Change, await _json(collector, request))
    change_to = msgspec.structs.asdict(wanted)
    entry = await collector.in_thread(lambda: collector.store.change(request.name, request.actor, **change_to))
    collector.forget(request.name)
    return answer(shown(entry))


async def delete(collector: Collector, request: Request) -> Answer:
    """Delete a study for good, if If-Match names its fingerprint."""
    request.query()
    entry = await collector.entry(request.name)
    confirmed = request.header(b"if-match").strip()
    if not confirmed:
        raise RequestError("unconfirmed", "deleting a study cannot be undone, and nothing confirms it", fingerprint=entry.fingerprint)
    if confirmed.strip('"') != entry.fingerprint:
        raise RequestError("changed", "If-Match names another fingerprint", fingerprint=entry.fingerprint)
    await collector.in_thread(collector.store.delete, entry.name, request.actor, entry.fingerprint)
    collector.forget(request.name)
    return answer({"deleted": entry.name})


async def tickets(collector: Collector, request: Request) -> Answer:
    """Issue tickets; they are told in this answer, and never again."""
    request.query()
    wanted = _decoded(Tickets, await _json(collector, request))
    entry = await collector.entry(request.name)
    made = await collector.in_thread(collector.store.access.new_tickets, entry.name, wanted.count, request.actor)
    return answer({"tickets": made}, 201)


async def recount(collector: Collector, request: Request) -> Answer:
    """Compare the tally of a study with its reports."""
    request.query()
    entry = await collector.entry(request.name)
    found = await collector.recount(entry)
    await collector.in_thread(collector.store.access.note, request.actor, "recount", entry.name, "fits" if found["holds"] else "differs")
    return answer(found)


async def audit(collector: Collector, request: Request) -> Answer:
    """What administrators did, the latest first."""
    request.query()
    return answer({"audit": await collector.in_thread(collector.store.access.audit)})


async def _json(collector: Collector, request: Request) -> bytes:
    kind = request.header(b"content-type").partition(";")[0].strip().lower()
    if kind != JSON or request.header(b"content-encoding").lower() not in {"", "identity"}:
        raise RequestError("media-type", f"the body is {kind or 'of no type'}; it is taken as {JSON}, not compressed", value=kind)
    return await request.body(collector.settings.body_bytes)


def _decoded(kind: type[Wanted], data: bytes) -> Wanted:
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        raise ParameterError(f"the body is not what is asked for: {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise RequestError("malformed", "the body is not JSON") from None
