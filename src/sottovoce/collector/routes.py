"""All routes of the collector."""

from __future__ import annotations

from typing import Annotated, Any

from sottovoce.collector import administrators, analysts, respondents
from sottovoce.collector.app import Collector
from sottovoce.collector.content_types import JSON
from sottovoce.collector.http import Request, Response, json_response
from sottovoce.collector.openapi import document
from sottovoce.collector.routing import Content, Route
from sottovoce.store import Role


async def interface(collector: Collector, request: Request) -> Annotated[Response, Content((JSON,), dict[str, Any])]:
    """This collector's interface, as OpenAPI."""
    return json_response(document(collector.routes), headers=[(b"cache-control", b"public, max-age=60")])


_STUDY = ("not-found",)
_SHOWN = (*_STUDY, "few-reports")
_BODY = ("too-large", "media-type", "malformed", "parameter")
_CHANGE = (*_STUDY, *_BODY)
_CONFIRM = ("unconfirmed", "changed")
ROUTES: tuple[Route, ...] = (
    Route("GET", "/", respondents.front, None, "The home page: the open studies, and what the collector stores.", any_query=True),
    Route("GET", "/s/{name}", respondents.survey, None, "The survey page of a study.", refuses=_STUDY, any_query=True),
    Route("GET", "/d/{name}", analysts.dashboard, None, "The dashboard of a study.", refuses=_STUDY, any_query=True),
    Route("GET", "/static/{name}", respondents.asset, None, "The client and the scripts of the pages.", refuses=_STUDY, shared=True),
    Route("GET", "/health", respondents.health, None, "Check that the collector is running."),
    Route("GET", "/ready", respondents.ready, None, "Check that the collector can write reports to its store."),
    Route("GET", "/openapi.json", interface, None, "This document."),
    Route("GET", "/problems/{kind}", respondents.problem, None, "Explain a kind of problem.", refuses=("not-found",), any_query=True),
    Route(
        "GET",
        "/studies",
        respondents.studies,
        None,
        "List the studies that ask for it, those that a token opens, or the one with a name.",
        refuses=("no-token",),
        shared=True,
    ),
    Route("GET", "/studies/{name}", respondents.study, None, "A compiled study. Its fingerprint is the ETag.", refuses=_STUDY, shared=True),
    Route(
        "POST",
        "/studies/{name}/reports",
        respondents.reports,
        None,
        "Send one report or many. The collector accepts all of them or none, and responds when they are on disk.",
        refuses=(*_STUDY, *_BODY, "report", "another-study", "closed", "no-ticket", "used-ticket"),
        shared=True,
    ),
    Route("GET", "/studies/{name}/tally", analysts.tally, Role.ANALYST, "The tally, as JSON or (by Accept) as Arrow.", refuses=_SHOWN),
    Route(
        "GET",
        "/studies/{name}/estimate",
        analysts.estimate,
        Role.ANALYST,
        "The estimate, with intervals and cautions.",
        refuses=(*_SHOWN, "parameter", "unsupported", "too-long"),
    ),
    Route(
        "GET",
        "/studies/{name}/outlook",
        analysts.outlook,
        Role.ANALYST,
        "The precision so far, and how many people more precision needs.",
        refuses=(*_STUDY, "parameter", "too-long"),
    ),
    Route("GET", "/studies/{name}/export", analysts.export, Role.ANALYST, "All reports as Parquet.", refuses=_SHOWN),
    Route("GET", "/metrics", analysts.metrics, Role.MONITOR, "Metrics in the format of Prometheus."),
    Route(
        "POST",
        "/studies",
        administrators.add,
        Role.ADMIN,
        "Add a compiled study.",
        status=201,
        refuses=(*_BODY, "study", "exists"),
    ),
    Route(
        "PATCH",
        "/studies/{name}",
        administrators.change,
        Role.ADMIN,
        "Close or reopen a study, require tickets, list it on the home page.",
        refuses=_CHANGE,
    ),
    Route("DELETE", "/studies/{name}", administrators.delete, Role.ADMIN, "Delete a study permanently.", refuses=(*_STUDY, *_CONFIRM)),
    Route("POST", "/studies/{name}/tickets", administrators.tickets, Role.ADMIN, "Issue tickets.", 201, refuses=_CHANGE),
    Route("POST", "/studies/{name}/recount", administrators.recount, Role.ADMIN, "Compare the tally with the reports.", refuses=_STUDY),
    Route("GET", "/audit", administrators.audit, Role.ADMIN, "List the actions of administrators."),
)
