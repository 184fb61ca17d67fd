"""Pages for people: which studies there are and what is kept, a study's questions, and what an analyst reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from sottovoce._version import __version__
from sottovoce.collector.assets import assets
from sottovoce.collector.content_types import HTML
from sottovoce.collector.http import PRIVATE, Response
from sottovoce.collector.routing import Content
from sottovoce.store import Entry
from sottovoce.templates import template

#: What a page may do: nothing but what is named here. Scripts, styles and requests stay with this collector.
_NOTHING = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
_OWN = f"{_NOTHING}; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'"


Page = Annotated[Response, Content((HTML,))]


def page(html: str, policy: str = _OWN) -> Page:
    """A page, with what it may do."""
    headers = [
        (b"content-security-policy", policy.encode()),
        (b"referrer-policy", b"no-referrer"),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
        PRIVATE,
    ]
    return Response(200, html.encode(), HTML, headers)


def _rendered(name: str, **values: Any) -> str:
    return template("sottovoce.collector", name).render(version=__version__, **values)


def front_page(entries: Sequence[Entry]) -> Page:
    """Which studies there are, and what is kept of those who answer."""
    return page(_rendered("front.html", entries=entries), f"{_NOTHING}; style-src 'unsafe-inline'")


def survey_page(entry: Entry, cap: float) -> Page:
    """Where people answer a study. A browser gives the studies of this collector at most `cap` in all, as epsilon."""
    trusted = "require-trusted-types-for 'script'; trusted-types 'none'"  # no script is ever made of text
    return page(_shell("survey", entry, cap=cap), f"{_OWN}; {trusted}")


def dashboard_page(entry: Entry) -> Page:
    """Where analysts read a study; what it shows is fetched with their token."""
    return page(_shell("dashboard", entry))


def _shell(name: str, entry: Entry, **values: Any) -> str:
    """The frame of a page: its script fetches the study."""
    found = assets()
    style, script = (found[f"{name}.{kind}"].digest for kind in ("css", "js"))
    return _rendered(f"{name}.html", entry=entry, style=style, script=script, **values)
