"""What anybody may do: read the studies, and send reports."""

from __future__ import annotations

from sottovoce.collector.app import Collector
from sottovoce.collector.assets import asset_answer
from sottovoce.collector.http import JSON, Answer, Request, answer
from sottovoce.collector.pages import front_page, survey_page
from sottovoce.errors import PROBLEMS, RequestError
from sottovoce.store import Entry, Receipt, Refusal
from sottovoce.store.keys import ticket_hash

#: Bytes of a body that is read where it is, and not in a thread.
_SMALL = 16 << 10
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


async def front(collector: Collector, request: Request) -> Answer:
    """A page for people: which studies there are, and what is kept."""
    request.query()
    return await collector.in_thread(lambda: front_page(collector.store.studies()))


async def survey(collector: Collector, request: Request) -> Answer:
    """A page on which people answer a study. What mailers put behind a link is left alone."""
    return survey_page(await collector.entry(request.name))


async def asset(collector: Collector, request: Request) -> Answer:
    """The client, and the scripts and styles of the pages."""
    request.query()
    return asset_answer(request)


async def studies(collector: Collector, request: Request) -> Answer:
    """The studies."""
    request.query()
    found = await collector.in_thread(collector.store.studies)
    return answer({"studies": [shown(each) | {"question": each.study.question} for each in found]})


def shown(entry: Entry) -> dict[str, str]:
    """A study in short."""
    return {"name": entry.name, "fingerprint": entry.fingerprint, "state": entry.state, "respondents": entry.respondents}


async def study(collector: Collector, request: Request) -> Answer:
    """A compiled study, which may be kept by whoever fetches it: its fingerprint says whether it is still the same."""
    request.query()
    intake = await collector.intake(request.name, _FRESH)
    tag = f'"{intake.entry.fingerprint}"'
    headers = [(b"etag", tag.encode()), (b"cache-control", b"public, max-age=60")]
    asked = [each.strip().removeprefix("W/") for each in request.header(b"if-none-match").split(",")]
    if tag in asked or "*" in asked:
        return Answer(304, b"", b"", headers)
    return Answer(200, intake.compiled, JSON, headers)


async def reports(collector: Collector, request: Request) -> Answer:
    """Take reports in, and answer when they are on disk."""
    request.query()
    intake = await collector.intake(request.name)
    if request.header(b"content-encoding").lower() not in {"", "identity"}:
        raise RequestError("media-type", "the body is compressed; send it as it is", value=request.header(b"content-encoding"))
    kind = request.header(b"content-type").partition(";")[0].strip().lower()
    scheme, _, ticket = request.header(b"authorization").partition(" ")
    shown = (ticket_hash(ticket.strip()) or b"?") if scheme.lower() == "ticket" else None
    try:
        data = await request.body(collector.settings.body_bytes, collector.hold)
        try:
            arrival = (
                intake.arrival(kind, data, shown) if len(data) <= _SMALL else await collector.in_thread(intake.arrival, kind, data, shown)
            )
        except RequestError as error:
            newer = await collector.intake(request.name, _FRESH / 10) if error.kind == "another-study" else intake
            if newer.entry.key == intake.entry.key:
                raise
            arrival = await collector.in_thread(newer.arrival, kind, data, shown)  # the study was replaced behind our back
        outcome = await collector.writer.write(arrival)
        if outcome is Refusal.GONE:  # deleted, and perhaps added anew, behind our back
            collector.forget(request.name)
            intake = await collector.intake(request.name)
            outcome = await collector.writer.write(await collector.in_thread(intake.arrival, kind, data, shown))
    finally:
        collector.held -= request.held
    if isinstance(outcome, Refusal):
        raise RequestError(_REFUSALS[outcome], outcome.value)
    return Answer(200, _ONE if outcome == _FIRST else b'{"accepted":%d,"repeated":%d}' % (outcome.accepted, outcome.repeated))


async def problem(collector: Collector, request: Request) -> Answer:
    """What a kind of problem means."""
    found = PROBLEMS.get(request.name)
    if found is None:
        raise RequestError("not-found", "there is no such kind of problem")
    return answer({"type": f"/problems/{request.name}", "title": found.rule, "status": found.status, "remedy": found.remedy})


async def health(collector: Collector, request: Request) -> Answer:
    """Whether reports can be taken in: the store answers."""
    request.query()
    await collector.in_thread(lambda: collector.store.version)
    return answer({"status": "ok"})
