"""Routes: who may call them, and their handlers. A handler's signature has the types of its input and output, also for OpenAPI."""

from __future__ import annotations

import json
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from sottovoce.collector.content_types import JSON, media_type
from sottovoce.collector.http import Request, Response, json_response
from sottovoce.errors import ParameterError, RequestError
from sottovoce.store import Role

Wanted = TypeVar("Wanted", bound=msgspec.Struct)


@dataclass(frozen=True)
class Content:
    """Annotates a body that the handler reads or writes itself: its content types, and the type or types of its JSON."""

    kinds: tuple[str, ...]
    json: Any = None


@dataclass(frozen=True)
class Header:
    """Annotates an argument that has the value of a header ("" if it's missing)."""

    name: str
    what: str
    required: bool = False


@dataclass(frozen=True)
class Route:
    """A method and a path, who may call it (None for everyone), its handler, and its description.

    A handler takes the collector and the request. It can also take `query` and `body`, converted to the annotated types from the query and
    the JSON body, and arguments annotated with `Header`. What it returns is sent as JSON, unless it is a response.
    """

    method: str
    path: str
    handler: Callable[..., Awaitable[Any]]
    role: Role | None
    summary: str
    status: int = 200
    refuses: tuple[str, ...] = ()
    #: Whether pages of other origins may use it, where the settings name them.
    shared: bool = False
    #: Whether the query is left alone, whatever it is.
    any_query: bool = False

    @cached_property
    def _hints(self) -> dict[str, Any]:
        return get_type_hints(self.handler, include_extras=True)

    @cached_property
    def query(self) -> Any:
        """The type of the query, or None."""
        return self._hints.get("query")

    @cached_property
    def body(self) -> Any:
        """The type of the body, or None if there is none, or the handler reads it by itself."""
        return self._hints.get("body")

    @cached_property
    def headers(self) -> Mapping[str, Header]:
        """The headers that the handler takes, by argument."""
        notes = {name: get_args(hint)[-1] for name, hint in self._hints.items() if get_origin(hint) is Annotated}
        return {name: note for name, note in notes.items() if isinstance(note, Header)}

    @cached_property
    def takes(self) -> Mapping[str, Any]:
        """The content types that the body may have, and the type of its content (None if it isn't JSON)."""
        request = self._hints["request"]
        return {JSON: self.body} if self.body else {} if request is Request else _contents(request)

    @cached_property
    def gives(self) -> Mapping[str, Any]:
        """The content types that the response may have, and the type of its content (None if it isn't JSON)."""
        return _contents(self._hints["return"])

    async def respond(self, collector: object, request: Request, limit: int) -> Response:
        """Call the handler and return its response. `limit` is the largest body in bytes."""
        arguments: dict[str, Any] = {}
        if self.query:
            arguments["query"] = _parsed(self.query, request.query(*self.query.__struct_fields__))
        elif not self.any_query:
            request.query()
        for name, header in self.headers.items():
            arguments[name] = request.header(header.name.lower().encode())
        if self.body:
            arguments["body"] = _decoded(self.body, await json_body(request, limit))
        found = await self.handler(collector, request, **arguments)
        return found if isinstance(found, Response) else json_response(found, self.status)


def _contents(hint: Any) -> dict[str, Any]:
    if get_origin(hint) in {Union, UnionType}:
        return {kind: of for each in get_args(hint) for kind, of in _contents(each).items()}
    note = get_args(hint)[-1] if get_origin(hint) is Annotated else None
    if isinstance(note, Content):
        return {kind: note.json if kind == JSON else None for kind in note.kinds}
    return {JSON: hint}


def _parsed(wanted: type[Wanted], given: Mapping[str, str]) -> Wanted:
    """Convert the parameters of a query to their types: text, a number within bounds, or a boolean."""
    values: dict[str, Any] = {}
    for field in msgspec.structs.fields(wanted):
        if field.name in given:
            text, info = given[field.name], msgspec.inspect.type_info(field.type)
            kind = info.type if isinstance(info, msgspec.inspect.Metadata) else info
            number, flag = (isinstance(kind, each) for each in (msgspec.inspect.FloatType, msgspec.inspect.BoolType))
            values[field.name] = _number(field, text, info) if number else _flag(field, text) if flag else text
    return wanted(**values)


def _number(field: Any, text: str, info: Any) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not info.type.gt < value < info.type.lt:
        bounds = f"Use a number between {info.type.gt:g} and {info.type.lt:g}"
        raise ParameterError(f"{field.name} is {text[:40]!r}. {bounds}, for example {field.default}.")
    return value


def _flag(field: Any, text: str) -> bool:
    if text not in {"true", "false"}:
        raise ParameterError(f"{field.name} is {text[:40]!r}. Write true or false.")
    return text == "true"


async def json_body(request: Request, limit: int) -> bytes:
    """The body of a request, which must be JSON."""
    kind = media_type(request.header(b"content-type"))
    if kind != JSON or request.header(b"content-encoding").lower() not in {"", "identity"}:
        raise RequestError(
            "media-type", f"The body has {f'the type {kind}' if kind else 'no content type'}. Send it as {JSON}, uncompressed.", value=kind
        )
    return bytes(await request.body(limit))


def _decoded(wanted: type[Wanted], data: bytes) -> Wanted:
    try:
        found = msgspec.json.decode(data, type=wanted)
        check_keys(data)
    except msgspec.ValidationError as error:
        raise ParameterError(f"The body doesn't have the expected form: {error}") from None
    except (msgspec.DecodeError, ValueError, RecursionError):
        raise RequestError("malformed", "The body isn't valid JSON.") from None
    return found


def check_keys(data: bytes | str) -> None:
    """Refuse JSON with a repeated key: msgspec takes the last value, and a proxy may take the first."""
    json.loads(data, object_pairs_hook=_each_once)


def _each_once(pairs: list[tuple[str, Any]]) -> None:
    if len(dict(pairs)) < len(pairs):
        raise RequestError("malformed", "A key occurs more than once in the body. Send each key once.")
