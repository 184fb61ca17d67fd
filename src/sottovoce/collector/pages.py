"""HTML pages: the home page, a study's survey, and the dashboard."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any

from sottovoce._version import __version__
from sottovoce.collector.assets import assets
from sottovoce.collector.cards import cards, languages_of, state_of, title_of
from sottovoce.collector.content_types import HTML
from sottovoce.collector.http import PRIVATE, Headers, Response
from sottovoce.collector.languages import Wording, chosen, wordings
from sottovoce.collector.operator import Operator
from sottovoce.collector.problem_words import words_of
from sottovoce.collector.routing import Content
from sottovoce.errors import SottovoceError
from sottovoce.store import Entry
from sottovoce.templates import template

#: What a page may do: nothing but what is named here. Scripts, styles and requests stay with this collector.
_NOTHING = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
_OWN = f"{_NOTHING}; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'"


#: The same for pages without scripts.
_STILL = f"{_NOTHING}; style-src 'self'; img-src 'self'"

Page = Annotated[Response, Content((HTML,))]


def page(html: str, policy: str = _OWN, more: Headers | None = None) -> Page:
    """A page with its security headers."""
    return Response(200, html.encode(), HTML, [*_limits(policy), PRIVATE, *(more or [])])


def _limits(policy: str) -> Headers:
    """The headers that limit what a page can do in a browser."""
    return [
        (b"content-security-policy", policy.encode()),
        (b"referrer-policy", b"no-referrer"),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
    ]


def error_page(error: SottovoceError, found: Response) -> Response:
    """The error page of a refused request, with the status and headers that the problem document would have."""
    shown = {"words": words_of(error, found.status), "status": found.status, "kind": error.kind, "detail": str(error)}
    html = _rendered("error.html", style=assets()["front.css"].digest, **shown)
    return Response(found.status, html.encode(), HTML, [*_limits(_STILL), *found.headers])


def _rendered(name: str, **values: Any) -> str:
    return template("sottovoce.collector", name).render(version=__version__, **values)


def front_page(entries: Sequence[Entry], operator: Operator, wanted: Sequence[str], asked: Sequence[str] = ()) -> Page:
    """The home page: who runs the collector, what it stores about respondents, and the studies, in their preferred language.

    Links to studies keep a language that was `asked` for.
    """
    today = datetime.now(UTC).date()
    wanted = [*asked, *wanted]
    wording = chosen((), wanted).page
    shown = {
        "cards": cards([entry for entry in entries if entry.listed], wanted, wording, today),
        "wording": wording,
        "texts": wording.texts,
        "query": f"?lang={wording.language}" if asked else "",
        "languages": list(wordings().values()),
        "operator": operator,
        "style": assets()["front.css"].digest,
    }
    return page(_rendered("front.html", **shown), _STILL, _in_language(wording))


def survey_page(entry: Entry, operator: Operator, cap: float, wanted: Sequence[str]) -> Page:
    """The survey page of a study, in the respondent's preferred language, with the name and contact of those who run the collector.

    A browser reveals at most `cap` in all, as epsilon, to the studies of this collector.
    """
    trusted = "require-trusted-types-for 'script'; trusted-types 'none'"  # no script is ever made of text
    wording = chosen(languages_of(entry), wanted).page
    language, title = title_of(entry, wanted)
    shown = {
        "cap": cap,
        "wording": wording,
        "language": language,
        "title": title,
        "operator": operator,
        "state": state_of(entry, datetime.now(UTC).date()),
    }
    return page(_shell("survey", entry, **shown), f"{_OWN}; {trusted}", _in_language(wording))


def _in_language(wording: Wording) -> Headers:
    """The headers of a page that exists in several languages."""
    return [(b"vary", b"accept-language"), (b"content-language", wording.language.encode())]


def dashboard_page(entry: Entry) -> Page:
    """The dashboard of a study. Its script fetches the contents with the analyst's token."""
    return page(_shell("dashboard", entry))


def _shell(name: str, entry: Entry, **values: Any) -> str:
    """The frame of a page, whose script fetches the study."""
    found = assets()
    style, script = (found[f"{name}.{kind}"].digest for kind in ("css", "js"))
    return _rendered(f"{name}.html", entry=entry, style=style, script=script, **values)
