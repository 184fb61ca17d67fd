"""The HTTP interface as an OpenAPI document, generated from the routes, the types of their handlers and the table of problems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import msgspec

from sottovoce._version import __version__
from sottovoce.collector.content_types import PROBLEM, media_type
from sottovoce.collector.models import Problem
from sottovoce.collector.routing import Route
from sottovoce.errors import PROBLEMS

_REFERENCE = "#/components/schemas/{name}"
#: Problems that every route may answer with.
_ALWAYS = ("malformed", "parameter", "busy", "store")


@cache
def document(routes: tuple[Route, ...]) -> dict[str, Any]:
    """The OpenAPI document."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    types = [kind for route in routes for of in (*route.takes.values(), *route.gives.values()) for kind in _alternatives(of)]
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "sottovoce collector",
            "version": __version__,
            "description": "Receives perturbed reports, counts each one once, and keeps every report that it has confirmed.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": msgspec.json.schema_components([*types, Problem], ref_template=_REFERENCE)[1],
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "A token of an analyst, an administrator or a monitor."},
                "ticket": {"type": "http", "scheme": "ticket", "description": "A ticket, if the study requires one."},
            },
        },
    }


def _operation(route: Route) -> dict[str, Any]:
    operation: dict[str, Any] = {"summary": route.summary, "operationId": route.handler.__name__, "responses": _responses(route)}
    if parameters := list(_parameters(route)):
        operation["parameters"] = parameters
    if route.takes:
        operation["requestBody"] = {"required": True, "content": _content(route.takes)}
    if route.role:
        operation["security"] = [{"token": []}]
        operation["description"] = f"For {route.role.value}s and administrators." if route.role != "admin" else "For administrators."
    elif optional := [shown for kind, shown in (("no-token", "token"), ("no-ticket", "ticket")) if kind in route.refuses]:
        operation["security"] = [{}, *({each: []} for each in optional)]
    return operation


def _responses(route: Route) -> dict[str, Any]:
    found: dict[str, Any] = {str(route.status): {"description": route.summary, "content": _content(route.gives)}}
    for kind in dict.fromkeys([*_ALWAYS, *route.refuses, *(("no-token", "forbidden") if route.role else ())]):
        entry = found.setdefault(str(PROBLEMS[kind].status), {"description": "", "content": _content({PROBLEM: Problem})})
        entry["description"] = f"{entry['description']} {PROBLEMS[kind].title}".strip()
    if "if_none_match" in route.headers:
        found["304"] = {"description": "Not modified."}
    return found


def _parameters(route: Route) -> Iterator[dict[str, Any]]:
    for part in route.path.split("/"):
        if part.startswith("{"):
            yield {"name": part[1:-1], "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
    if route.query:
        for name, schema in _schema(route.query, inline=True)["properties"].items():
            described = {"description": schema.pop("description")}
            yield {"name": name, "in": "query", "required": False, "schema": schema} | described
    for header in route.headers.values():
        schema = {"type": "string"}
        yield {"name": header.name, "in": "header", "required": header.required, "description": header.what, "schema": schema}


def _content(contents: Mapping[str, Any]) -> dict[str, Any]:
    return {media_type(kind): {} if of is None else {"schema": _schema(of)} for kind, of in contents.items()}


def _alternatives(of: Any) -> tuple[Any, ...]:
    """The possible types of a body: one, several, or none if it isn't JSON."""
    return () if of is None else of if isinstance(of, tuple) else (of,)


def _schema(of: Any, *, inline: bool = False) -> dict[str, Any]:
    """The schema of a type: a reference to a component, or the schema itself for other types. Several types are alternatives."""
    if isinstance(of, tuple):
        return {"anyOf": [_schema(each) for each in of]}
    (schema,), components = msgspec.json.schema_components([of], ref_template=_REFERENCE)
    return components[of.__name__] if inline else schema
