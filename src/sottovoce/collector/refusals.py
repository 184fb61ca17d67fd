"""Refused requests: problem+json for programs, a page in plain words for people. The Accept header decides."""

from __future__ import annotations

from sottovoce.collector.content_types import JSON, PROBLEM
from sottovoce.collector.http import Headers, Response, problem_response
from sottovoce.collector.pages import error_page
from sottovoce.errors import SottovoceError

#: The most characters of an Accept header that are read, and the most types in it.
_MOST_CHARACTERS, _MOST_TYPES = 1000, 50


def wants_page(accept: str) -> bool:
    """Whether an Accept header prefers HTML to JSON. Browsers name HTML, programs don't.

    >>> wants_page("text/html,application/xhtml+xml,*/*;q=0.8"), wants_page("*/*"), wants_page("application/json, text/html;q=0.9")
    (True, False, False)
    """
    found: dict[str, float] = {}
    for part in accept[:_MOST_CHARACTERS].lower().split(",")[:_MOST_TYPES]:
        kind, *parameters = (each.strip() for each in part.split(";"))
        found[kind] = max(found.get(kind, 0.0), next((_quality(each) for each in parameters if each.startswith("q=")), 1.0))
    html = found.get("text/html", 0.0)
    return html > 0 and html >= max(found.get(JSON, 0.0), found.get(PROBLEM, 0.0))


def _quality(parameter: str) -> float:
    try:
        value = float(parameter.removeprefix("q="))
    except ValueError:
        return 0.0
    return value if 0 <= value <= 1 else 0.0


def refusal(error: SottovoceError, headers: Headers) -> Response:
    """The response to a refused request with these headers, as its reader wants it. Status and headers are the same for both."""
    found = problem_response(error)
    found.headers.append((b"vary", b"accept"))
    accept = None
    for name, value in headers:
        if name == b"accept":
            if accept is not None:
                return found
            accept = value
    # most programs don't name HTML at all, and then nothing has to be weighed
    return error_page(error, found) if accept and b"html" in accept.lower() and wants_page(accept.decode("latin-1")) else found
