"""Requests, responses and problems: the part of HTTP that the collector needs, on ASGI."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from sottovoce.collector.content_types import JSON, PROBLEM
from sottovoce.collector.large_bodies import LARGE, Body, LargeBodies
from sottovoce.errors import PROBLEMS, FewReportsError, RequestError, SottovoceError

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

#: The most digits of a Content-Length: what 64 bits hold.
LENGTH_DIGITS = 19
#: The most characters of a name that an answer repeats.
_NAMED = 64
#: What every response carries.
_ALWAYS: Headers = [(b"x-content-type-options", b"nosniff")]
#: Responses that only concern who asked are not kept on the way.
PRIVATE = (b"cache-control", b"no-store")
_encode = msgspec.json.Encoder().encode


class DisconnectedError(Exception):
    """The client disconnected before its request was complete."""


class Request:
    """A request. `name` is the variable part of its path, `actor` identifies the token (`administers` shows whether it's an
    administrator's), and `held` is the memory reserved for its body. `submits` marks submissions of reports.
    """

    __slots__ = (
        "_large",
        "_paced",
        "_receive",
        "actor",
        "administers",
        "complete",
        "headers",
        "held",
        "method",
        "name",
        "path",
        "query_string",
        "submits",
    )

    def __init__(self, scope: Scope, receive: Receive, large: LargeBodies) -> None:
        self._receive, self._large = receive, large
        self._paced: Body | None = None
        self.submits = False
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.query_string: bytes = scope["query_string"]
        self.headers: Headers = scope["headers"]
        self.name = self.actor = ""
        self.administers = False
        self.complete = False
        self.held = 0

    def header(self, name: bytes) -> str:
        """The value of a header, "" if it's missing. A repeated header raises an error."""
        found = None
        for each, value in self.headers:
            if each == name:
                if found is not None:
                    raise RequestError("malformed", f"The header {name.decode()} occurs more than once. Send it once.")
                found = value
        return "" if found is None else found.decode("latin-1")

    def query(self, *known: str) -> dict[str, str]:
        """The parameters of the query. Unknown or repeated ones raise an error."""
        if not self.query_string:
            return {}
        try:
            pairs = parse_qsl(self.query_string.decode("ascii"), keep_blank_values=True, strict_parsing=True, errors="strict")
        except ValueError:
            raise RequestError("malformed", "The query isn't pairs of key=value, percent-encoded as UTF-8.") from None
        values = dict(pairs)
        if len(values) < len(pairs) or (values.keys() - set(known)):
            unknown = [key for key, _ in pairs if key not in known]
            wrong = (unknown or [key for k, (key, _) in enumerate(pairs) if key in dict(pairs[:k])])[0]
            remedy = f"Use each of {', '.join(known)} at most once." if known else "This URL takes no parameters."
            raise RequestError("parameter", f"The query parameter {shortened(wrong)} is {'unknown' if unknown else 'repeated'}. {remedy}")
        return values

    async def body(self, limit: int, hold: Callable[[int], None] = lambda _: None) -> bytes | bytearray:
        """Read the body of at most `limit` bytes. `hold` is called with the size of every part before it's kept."""
        declared = self.header(b"content-length").strip()
        if len(declared) > LENGTH_DIGITS:
            raise RequestError("malformed", f"The header content-length has {len(declared):,} characters. Send a shorter number.")
        if declared.isdecimal() and int(declared) > limit:
            raise RequestError("too-large", f"The body has {int(declared):,} bytes, more than the limit of {limit:,}.", limit=limit)
        whole: bytes | bytearray = b""
        receive = self._receive
        if not declared.isdecimal() or int(declared) > LARGE:  # short ones never wait
            self._paced = Body(receive, self._large)
            receive = self._paced.receive
        while not self.complete:
            message = await receive()
            if message["type"] != "http.request":
                raise DisconnectedError
            part = message.get("body", b"")
            self.complete = not message.get("more_body", False)
            if len(whole) + len(part) > limit:
                raise RequestError("too-large", f"The body has more than the limit of {limit:,} bytes.", limit=limit)
            hold(len(part))
            self.held += len(part)
            if not whole:
                whole = part
            else:  # it grows in place, because joining all parts at the end would block other requests
                whole = bytearray(whole) if isinstance(whole, bytes) else whole
                whole += part
        return whole

    def end(self) -> None:
        """Let other large bodies go on."""
        if self._paced is not None:
            self._large.end(self._paced)


@dataclass
class Response:
    """A response: its status, its body (whole, or in parts), its content type and its headers."""

    status: int = 200
    body: bytes = b""
    kind: str = JSON
    headers: Headers = field(default_factory=list)
    parts: AsyncIterator[bytes] | None = None

    async def send(self, send: Send, *, close: bool) -> None:
        """Send the response. `close` ends the connection without reading the rest of the request."""
        headers = [(b"content-type", self.kind.encode()), *_ALWAYS, *self.headers] if self.kind else [*_ALWAYS, *self.headers]
        if self.parts is None and self.status != 304:
            headers.append((b"content-length", str(len(self.body)).encode()))
        if close:
            headers.append((b"connection", b"close"))
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        if self.parts is not None:
            async for part in self.parts:
                await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": self.body})


def shortened(text: str) -> str:
    """What a request named, as an answer may repeat it."""
    return repr(text if len(text) <= _NAMED else f"{text[:_NAMED]}…")


def json_response(data: Any, status: int = 200, headers: Iterable[tuple[bytes, bytes]] = (PRIVATE,)) -> Response:
    """Plain data as JSON."""
    return Response(status, _encode(data), JSON, list(headers))


def problem_document(error: SottovoceError) -> tuple[int, Mapping[str, Any]]:
    """An error as problem+json (RFC 9457): the rule, what is wrong, and how to fix it."""
    problem = PROBLEMS[error.kind]
    more = error.more if isinstance(error, (RequestError, FewReportsError)) else {}
    document: dict[str, Any] = {
        "type": f"/problems/{error.kind}",
        "title": problem.title,
        "status": problem.status,
        "detail": str(error),
        "remedy": problem.remedy,
    }
    if more:
        document |= {key: value for key, value in more.items() if key != "headers"}
    return problem.status, document


def problem_response(error: SottovoceError) -> Response:
    """The response to a refused request."""
    status, document = problem_document(error)
    headers: Headers = [PRIVATE]
    if status == 401:
        headers.append((b"www-authenticate", b"Ticket" if error.kind == "no-ticket" else b'Bearer realm="sottovoce"'))
    if status == 503:
        headers.append((b"retry-after", b"%d" % getattr(error, "more", {}).get("retry_after", 2)))
    if status == 415:
        headers.append((b"accept-encoding", b"identity"))
    if isinstance(error, RequestError):
        headers += error.more.get("headers", [])
    return Response(status, _encode(document), PROBLEM, headers)
