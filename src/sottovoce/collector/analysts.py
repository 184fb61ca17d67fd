"""What analysts can read: the tally, the estimate and the reports of their studies. What monitors can read: the metrics."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Hashable
from typing import IO, Annotated

import msgspec

from sottovoce.batch.tally_files import tally_bytes
from sottovoce.catalogue import METHODS, method_named
from sottovoce.collector import models, questionnaires, result_models
from sottovoce.collector.analysis import Analysis
from sottovoce.collector.app import Collector
from sottovoce.collector.content_types import ARROW, JSON, METRICS, PARQUET
from sottovoce.collector.estimating import state_of
from sottovoce.collector.exporting import exported
from sottovoce.collector.http import PRIVATE, Request, Response, json_response
from sottovoce.collector.models import EstimateQuery, OutlookQuery
from sottovoce.collector.pages import Page, dashboard_page
from sottovoce.collector.routing import Content
from sottovoce.errors import UnsupportedError
from sottovoce.findings.precision import Precision
from sottovoce.store import Entry, Store
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.tallies import Tally

#: Bytes that are read of a file at a time.
_PART = 1 << 18


async def dashboard(collector: Collector, request: Request) -> Page:
    """The dashboard of a study, which asks analysts for their token."""
    return dashboard_page(await collector.entry(request.name))


async def tally(collector: Collector, request: Request) -> Annotated[Response, Content((JSON, ARROW), models.Tally)]:
    """The tally: as JSON, or as the Arrow file that `sottovoce estimate` reads."""
    entry = await collector.entry(request.name)
    found = await collector.in_thread(collector.store.tally, entry)
    if not request.administers:
        entry.study.check_minimum(found.n)
    if ARROW in request.header(b"accept"):
        return Response(200, await collector.in_thread(tally_bytes, entry.study, found), ARROW, [PRIVATE])
    return await collector.in_thread(_tally_response, _analysis(collector, entry, found, b""))


def _tally_response(analysis: Analysis) -> Response:
    """The tally as JSON. With very many items, writing it takes a while, so it's done outside the event loop."""
    found, entry = analysis.found, analysis.entry
    blocks = [models.Block(level=block.name, n=block.n, counts=block.counts.tolist()) for block in found.blocks]
    forms = questionnaires.forms_of(entry.study, found) if isinstance(entry.study, Questionnaire) else msgspec.UNSET
    methods = [models.Method(method=name, about=METHODS[name].about) for name in analysis.methods]
    return json_response(models.Tally(entry.name, entry.fingerprint, found.n, blocks, methods, forms))


async def estimate(
    collector: Collector, request: Request, query: EstimateQuery
) -> Annotated[Response, Content((JSON,), (result_models.Estimate, result_models.QuestionnaireEstimate))]:
    """The estimate, with intervals and cautions. That of a questionnaire has one for each question."""
    entry = await collector.entry(request.name)
    found, state = await collector.in_thread(_counted, collector.store, entry)
    return await _answered(
        collector,
        (entry.key, entry.fingerprint, state, *msgspec.structs.astuple(query)),
        lambda: estimated(_analysis(collector, entry, found, state), query),
    )


def _counted(store: Store, entry: Entry) -> tuple[Tally, bytes]:
    """The tally of a study from stored counts, and a hash of its state."""
    found = store.tally(entry)
    return found, state_of(found)


async def _answered(collector: Collector, key: tuple[Hashable, ...], make: Callable[[], msgspec.Struct]) -> Response:
    """The response to a query about a tally, computed once."""
    return Response(200, await collector.estimates.answer(key, lambda: msgspec.json.encode(make())), JSON, [PRIVATE])


def _analysis(collector: Collector, entry: Entry, found: Tally, state: bytes) -> Analysis:
    return Analysis(collector.store, entry, found, state, collector.settings.reread_bytes, collector.estimates)


def _named(method: str | msgspec.UnsetType) -> str | None:
    """The method that a query names, if it names one."""
    return None if method is msgspec.UNSET else method_named(method).name


def estimated(analysis: Analysis, query: EstimateQuery) -> result_models.Estimate | result_models.QuestionnaireEstimate:
    """The findings of a study: from stored counts, or from the reports if the method needs them or they are few."""
    study, method = analysis.entry.study, _named(query.method)
    study.check_minimum(analysis.found.n)
    if isinstance(study, Questionnaire):
        if query.simultaneous:
            raise UnsupportedError("Simultaneous intervals work only for studies of one question. Leave out 'simultaneous'.")
        return questionnaires.estimated(analysis.questions(method, query.level), analysis.note(method))
    plain = analysis.findings(method, query.level, simultaneous=query.simultaneous).to_dict()
    plain["note"] = " ".join(filter(None, [plain["note"], analysis.note(method)]))
    return msgspec.convert(plain, result_models.Estimate)


async def outlook(
    collector: Collector, request: Request, query: OutlookQuery
) -> Annotated[Response, Content((JSON,), (result_models.Outlook, result_models.QuestionnaireOutlook))]:
    """How wide the intervals are, and how many people make them as narrow as they should be."""
    entry = await collector.entry(request.name)
    found, state = await collector.in_thread(_counted, collector.store, entry)
    return await _answered(
        collector,
        (entry.key, entry.fingerprint, state, "outlook", *msgspec.structs.astuple(query)),
        lambda: _outlook(_analysis(collector, entry, found, state), query),
    )


def _outlook(analysis: Analysis, query: OutlookQuery) -> result_models.Outlook | result_models.QuestionnaireOutlook:
    """The precision of what pages show. Nothing is shown below the minimum, so until then all answers count as equally frequent."""
    study, method = analysis.entry.study, _named(query.method)
    shown = analysis.shows(method)
    if isinstance(study, Questionnaire):
        seen = analysis if shown else analysis.without()
        return questionnaires.outlook(study, seen.found, seen.questions(method, query.level), query.target)
    made = analysis.estimate(method if shown else "uniform")
    tables = analysis.findings(method, query.level).tables if shown else ()
    return msgspec.convert(Precision.of(study, made, query.level, tables).to_dict(query.target), result_models.Outlook)


async def export(collector: Collector, request: Request) -> Annotated[Response, Content((PARQUET,))]:
    """All reports as a Parquet file, in random order, without identifiers."""
    entry = await collector.entry(request.name)
    if not request.administers:
        entry.study.check_minimum(await collector.in_thread(collector.store.count, entry))
    file = await collector.in_thread(exported, collector.store, entry)
    await collector.in_thread(collector.store.access.note, request.actor, "export", entry.name)
    named = f'attachment; filename="{entry.name}.parquet"'
    return Response(200, b"", PARQUET, [PRIVATE, (b"content-disposition", named.encode())], _parts(collector, file))


async def _parts(collector: Collector, file: IO[bytes]) -> AsyncIterator[bytes]:
    with file:
        while part := await collector.in_thread(file.read, _PART):
            yield part


async def metrics(collector: Collector, request: Request) -> Annotated[Response, Content((METRICS,))]:
    """The metrics of the collector as Prometheus reads them. Those of several workers are added up."""
    shared = collector.shared_metrics
    text = (collector.figures if shared is None else shared.total(collector.figures)).text()
    return Response(200, text.encode(), METRICS, [PRIVATE])
