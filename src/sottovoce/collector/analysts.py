"""What analysts can read: the tally, the estimate and the reports of their studies. What monitors can read: the metrics."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Hashable
from functools import partial
from typing import IO, Annotated

import msgspec

from sottovoce import estimators
from sottovoce.batch.tally_files import tally_bytes
from sottovoce.catalogue import METHODS
from sottovoce.collector import models, questionnaires, result_models
from sottovoce.collector.app import Collector
from sottovoce.collector.content_types import ARROW, JSON, METRICS, PARQUET
from sottovoce.collector.estimating import Estimates, state_of
from sottovoce.collector.exporting import exported
from sottovoce.collector.http import PRIVATE, Request, Response, json_response
from sottovoce.collector.models import EstimateQuery, OutlookQuery
from sottovoce.collector.pages import Page, dashboard_page
from sottovoce.collector.routing import Content
from sottovoce.errors import UnsupportedError
from sottovoce.findings.precision import Precision
from sottovoce.findings.results import Findings
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
    return await collector.in_thread(_tally_response, found, entry, collector.settings.reread_bytes)


def _tally_response(found: Tally, entry: Entry, most: int) -> Response:
    """The tally as JSON. With very many items, writing it takes a while, so it's done outside the event loop."""
    blocks = [models.Block(level=block.name, n=block.n, counts=block.counts.tolist()) for block in found.blocks]
    forms = questionnaires.forms_of(entry.study, found) if isinstance(entry.study, Questionnaire) else msgspec.UNSET
    methods = [models.Method(method=name, about=METHODS[name].about) for name in methods_for(entry, found, most)]
    return json_response(models.Tally(entry.name, entry.fingerprint, found.n, blocks, methods, forms))


def methods_for(entry: Entry, found: Tally, most: int) -> list[str]:
    """The methods that work for a study: those that its tally supports, directly or because its reports can be read again."""
    reread = _room(entry, found) <= most
    prior = all(promise is not None and promise.prior is not None for promise in entry.study.promises.values())
    supported = partial(questionnaires.supports, entry.study, found)
    return [
        name for name in estimators.METHODS if (supported(name) or (METHODS[name].needs_reports and reread)) and (name != "mmse" or prior)
    ]


async def estimate(
    collector: Collector, request: Request, query: EstimateQuery
) -> Annotated[Response, Content((JSON,), (result_models.Estimate, result_models.QuestionnaireEstimate))]:
    """The estimate, with intervals and cautions. That of a questionnaire has one for each question."""
    entry = await collector.entry(request.name)
    found, state = await collector.in_thread(_counted, collector.store, entry)
    return await _answered(
        collector,
        (entry.key, entry.fingerprint, state, *msgspec.structs.astuple(query)),
        lambda: estimated(collector.store, entry, found, query, collector.settings.reread_bytes, collector.estimates, state),
    )


def _counted(store: Store, entry: Entry) -> tuple[Tally, bytes]:
    """The tally of a study from stored counts, and a hash of its state."""
    found = store.tally(entry)
    return found, state_of(found)


async def _answered(collector: Collector, key: tuple[Hashable, ...], make: Callable[[], msgspec.Struct]) -> Response:
    """The response to a query about a tally, computed once."""
    return Response(200, await collector.estimates.answer(key, lambda: msgspec.json.encode(make())), JSON, [PRIVATE])


def estimated(
    store: Store, entry: Entry, found: Tally, query: EstimateQuery, most: int, estimates: Estimates, state: bytes
) -> result_models.Estimate | result_models.QuestionnaireEstimate:
    """The findings of a study: from stored counts, or from the reports if the method needs them."""
    method, note = None if query.method is msgspec.UNSET else query.method, ""
    entry.study.check_minimum(found.n)
    supported = partial(questionnaires.supports, entry.study, found)
    reread = method is not None and found.n > 0 and not supported(method) and METHODS[method].needs_reports
    if method is None and found.n and not supported("mle"):
        note = "The estimate uses the totals of the reports. Maximum likelihood (method 'mle') uses more information, and takes longer."
    if isinstance(entry.study, Questionnaire):
        return questionnaires.estimated(entry.study, _with_reports(store, entry, found, most) if reread else found, query, note)
    made = estimates.shared(
        (entry.key, entry.fingerprint, state, method),
        lambda: estimators.estimate(_with_reports(store, entry, found, most) if reread else found, method),
    )
    plain = Findings.of(entry.study, made, level=query.level, simultaneous=query.simultaneous).to_dict()
    plain["note"] = " ".join(filter(None, [plain["note"], note]))
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
        lambda: _outlook(entry, found, query, collector.estimates, state),
    )


def _outlook(
    entry: Entry, found: Tally, query: OutlookQuery, estimates: Estimates, state: bytes
) -> result_models.Outlook | result_models.QuestionnaireOutlook:
    if isinstance(entry.study, Questionnaire):
        return questionnaires.outlook(entry.study, found, query)
    method = None if found.n >= entry.study.minimum and (found.supports("mle") or found.supports("projected")) else "uniform"
    made = estimates.shared((entry.key, entry.fingerprint, state, method), lambda: estimators.estimate(found, method))
    return msgspec.convert(Precision.of(entry.study, made, query.level).to_dict(query.target), result_models.Outlook)


def _room(entry: Entry, found: Tally) -> int:
    """The bytes of all reports."""
    sizes = {name: each.channel.reports_from_bytes(b"").records().shape[1] for name, each in entry.study.blocks.items()}
    return sum(block.n * sizes[block.name] for block in found.blocks)


def _with_reports(store: Store, entry: Entry, found: Tally, most: int) -> Tally:
    room = _room(entry, found)
    if room > most:
        raise UnsupportedError(
            f"This method reads all reports ({room:,} bytes), more than the limit of {most:,} bytes (reread_bytes). "
            "Export the reports and run: sottovoce estimate study.json reports.parquet"
        )
    return store.tally(entry, keep_reports=True)


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
