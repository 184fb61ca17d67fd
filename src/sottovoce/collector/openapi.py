"""The interface as an OpenAPI document, made of the routes and the table of problems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sottovoce._version import __version__
from sottovoce.collector.app import Route
from sottovoce.errors import PROBLEMS

_TEXT: dict[str, Any] = {"type": "string"}
_WHOLE: dict[str, Any] = {"type": "integer", "minimum": 0}


def _object(required: dict[str, Any], **optional: Any) -> dict[str, Any]:
    return {"type": "object", "properties": required | optional, "required": list(required), "additionalProperties": False}


def _list(of: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": of}


_REPORT = _object(
    {
        "study": {
            "type": "string",
            "pattern": "^[0-9a-f]{64}$",
            "description": "The fingerprint of the study.",
        },
        "id": {"type": "string", "pattern": "^[0-9a-f]{32}$", "description": "128 random bits of the device; a retry has the same."},
        "report": {"oneOf": [_WHOLE, _TEXT], "description": "A code, or the bytes of a record in base64."},
    },
    level={"type": "string", "description": "The level that the person chose, where the study has levels."},
)
_SHORT = {"name": _TEXT, "fingerprint": _TEXT, "state": {"enum": ["open", "closed"]}, "respondents": {"enum": ["open", "tickets"]}}
_NUMBER: dict[str, Any] = {"type": ["number", "null"]}
_COUNT: dict[str, Any] = {"type": ["integer", "null"], "minimum": 0}
_BLOCK = _object({"level": _TEXT, "n": _WHOLE, "counts": _list(_WHOLE)})
_ITEM = _object({"item": _TEXT, "p": _NUMBER, "low": _NUMBER, "high": _NUMBER})
SCHEMAS: dict[str, dict[str, Any]] = {
    "Report": _REPORT,
    "Reports": {"oneOf": [{"$ref": "#/components/schemas/Report"}, _list({"$ref": "#/components/schemas/Report"})]},
    "Receipt": _object({"accepted": _WHOLE, "repeated": _WHOLE}),
    "Problem": {
        "type": "object",
        "properties": {"type": _TEXT, "title": _TEXT, "status": {"type": "integer"}, "detail": _TEXT, "remedy": _TEXT},
        "required": ["type", "title", "status", "remedy"],
    },
    "Studies": _object({"studies": _list(_object({**_SHORT, "question": _TEXT}))}),
    "Study": {"type": "object", "description": "A compiled study, as spec/study.schema.json describes it."},
    "StudyState": _object(_SHORT),
    "Change": _object({}, state={"enum": ["open", "closed"]}, respondents={"enum": ["open", "tickets"]}),
    "TicketCount": _object({"count": {"type": "integer", "minimum": 1, "maximum": 10_000}}),
    "TicketList": _object({"tickets": _list(_TEXT)}),
    "Tally": _object(
        {
            "study": _TEXT,
            "fingerprint": _TEXT,
            "n": _WHOLE,
            "blocks": _list(_BLOCK),
            "methods": _list(_object({"method": _TEXT, "about": _TEXT})),
        }
    ),
    "Estimate": _object(
        {
            "study": _TEXT,
            "fingerprint": _TEXT,
            "n": _WHOLE,
            "people": _WHOLE,
            "method": _TEXT,
            "gap": _NUMBER,
            "level": {"type": "number"},
            "items": _list(_ITEM),
            "cautions": _list(_TEXT),
        },
        tags=_list(_object({"tag": _TEXT, "p": _NUMBER, "low": _NUMBER, "high": _NUMBER})),
    ),
    "Outlook": _object(
        {
            "study": _TEXT,
            "fingerprint": _TEXT,
            "people": _WHOLE,
            "level": {"type": "number"},
            "margin": _NUMBER | {"description": "How far the widest interval to expect reaches to either side, with the people so far."},
            "tv": _NUMBER | {"description": "The total variation to expect of the unbiased estimate, with the people so far."},
            "target": {"type": "number", "description": "The margin that is aimed for."},
            "needed": _COUNT | {"description": "The people that it takes in all."},
            "more": _COUNT | {"description": "The people that are still missing."},
            "curve": _list(_object({"people": _WHOLE, "margin": {"type": "number"}, "tv": {"type": "number"}})),
            "note": {"type": ["string", "null"], "description": "What the numbers rest on, or why there are none."},
        }
    ),
    "Recount": _object({"study": _TEXT, "holds": {"type": "boolean"}, "reports": _WHOLE, "identifiers": _WHOLE, "wrong": _list(_TEXT)}),
    "Deleted": _object({"deleted": _TEXT}),
    "Health": _object({"status": {"const": "ok"}}),
    "Audit": _object({"audit": _list(_object({"at": _TEXT, "actor": _TEXT, "action": _TEXT, "study": _TEXT, "detail": _TEXT}))}),
    "Interface": {"type": "object"},
}
#: The schema of what each route takes as JSON, and of what it gives.
_BODIES = {("POST", "reports"): "Reports", ("POST", "studies"): "Study", ("PATCH", "{name}"): "Change", ("POST", "tickets"): "TicketCount"}
_ANSWERS = {
    ("GET", "health"): "Health",
    ("GET", "openapi.json"): "Interface",
    ("GET", "{kind}"): "Problem",
    ("GET", "studies"): "Studies",
    ("POST", "studies"): "StudyState",
    ("GET", "{name}"): "Study",
    ("PATCH", "{name}"): "StudyState",
    ("DELETE", "{name}"): "Deleted",
    ("POST", "reports"): "Receipt",
    ("GET", "tally"): "Tally",
    ("GET", "estimate"): "Estimate",
    ("GET", "outlook"): "Outlook",
    ("POST", "tickets"): "TicketList",
    ("POST", "recount"): "Recount",
    ("GET", "audit"): "Audit",
}
_CREATED = frozenset({("POST", "studies"), ("POST", "tickets")})
_QUERIES: dict[str, dict[str, Any]] = {
    "method": {
        "description": "The method; by default mle where the counts suffice, otherwise projected.",
        "schema": _TEXT,
    },
    "level": {"description": "The level of the intervals.", "schema": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}},
    "target": {
        "description": "The margin that is aimed for: a half-width of 0.01 is one percentage point.",
        "schema": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1, "default": 0.01},
    },
    "respondents": {"description": "Who may answer.", "schema": {"enum": ["open", "tickets"], "default": "open"}},
}


def document(routes: Sequence[Route]) -> dict[str, Any]:
    """The OpenAPI document."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "sottovoce collector",
            "version": __version__,
            "description": "Receives reports, loses none, counts none twice, and knows as little as possible.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "A token of an analyst, an administrator or a monitor."},
                "ticket": {"type": "http", "scheme": "ticket", "description": "A ticket, where the study asks for one."},
            },
        },
    }


def _operation(route: Route) -> dict[str, Any]:
    place = (route.method, route.path.rsplit("/", 1)[-1])
    answer: dict[str, Any] = {"description": route.summary}
    answer["content"] = {route.gives: {"schema": {"$ref": f"#/components/schemas/{_ANSWERS[place]}"}} if place in _ANSWERS else {}}
    if place == ("GET", "tally"):
        answer["content"]["application/vnd.apache.arrow.stream"] = {}
    kinds = ["malformed", "parameter", "busy", "store", *route.refuses, *(("no-token", "forbidden") if route.role else ())]
    answers: dict[str, Any] = {"201" if place in _CREATED else "200": answer}
    for kind in dict.fromkeys(kinds):
        nothing = {"description": "", "content": {"application/problem+json": {"schema": _PROBLEM}}}
        entry = answers.setdefault(str(PROBLEMS[kind].status), nothing)
        entry["description"] = f"{entry['description']} {PROBLEMS[kind].rule}".strip()
    if place == ("GET", "{name}"):
        answers["304"] = {"description": "The study is still the same."}
    operation: dict[str, Any] = {"summary": route.summary, "operationId": route.handler.__name__, "responses": answers}
    parameters = [
        {"name": part[1:-1], "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for part in route.path.split("/")
        if part.startswith("{")
    ]
    parameters += [{"name": name, "in": "query", "required": False} | _QUERIES[name] for name in route.query]
    if place == ("DELETE", "{name}"):
        parameters.append({"name": "If-Match", "in": "header", "required": True, "description": "The fingerprint.", "schema": _TEXT})
    if place == ("GET", "{name}"):
        parameters.append({"name": "If-None-Match", "in": "header", "required": False, "description": "A known ETag.", "schema": _TEXT})
    if parameters:
        operation["parameters"] = parameters
    if route.takes:
        content: dict[str, Any] = {kind: {} for kind in route.takes}
        content["application/json"] = {"schema": {"$ref": f"#/components/schemas/{_BODIES[place]}"}}
        operation["requestBody"] = {"required": True, "content": content}
    if route.role:
        operation["security"] = [{"token": []}]
        operation["description"] = f"For {route.role.value}s, and administrators." if route.role != "admin" else "For administrators."
    elif place == ("POST", "reports"):
        operation["security"] = [{}, {"ticket": []}]
    return operation


_PROBLEM = {"$ref": "#/components/schemas/Problem"}
