"""Pages for people: which studies there are and what is kept, a study's questions, and what an analyst reads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Annotated, Any

from sottovoce._version import __version__
from sottovoce.collector.assets import assets
from sottovoce.collector.content_types import HTML
from sottovoce.collector.http import PRIVATE, Headers, Response
from sottovoce.collector.languages import chosen, wordings
from sottovoce.collector.routing import Content
from sottovoce.store import Entry
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.templates import template

#: What a page may do: nothing but what is named here. Scripts, styles and requests stay with this collector.
_NOTHING = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
_OWN = f"{_NOTHING}; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'"


Page = Annotated[Response, Content((HTML,))]


def page(html: str, policy: str = _OWN, more: Headers | None = None) -> Page:
    """A page, with what it may do."""
    headers = [
        (b"content-security-policy", policy.encode()),
        (b"referrer-policy", b"no-referrer"),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
        PRIVATE,
        *(more or []),
    ]
    return Response(200, html.encode(), HTML, headers)


def _rendered(name: str, **values: Any) -> str:
    return template("sottovoce.collector", name).render(version=__version__, **values)


def front_page(entries: Sequence[Entry]) -> Page:
    """Which studies there are, and what is kept of those who answer."""
    return page(_rendered("front.html", entries=entries), f"{_NOTHING}; style-src 'unsafe-inline'")


def survey_page(entry: Entry, cap: float, wanted: Sequence[str]) -> Page:
    """Where people answer a study, in the language that they want most. A browser gives the studies of this collector at most `cap` in
    all, as epsilon.
    """
    trusted = "require-trusted-types-for 'script'; trusted-types 'none'"  # no script is ever made of text
    languages, titles = _languages(entry)
    language = chosen(languages, wanted)
    shown = {
        "cap": cap,
        "wording": language.page,
        "language": language.study if languages else "",
        "title": titles.get(language.study) or next(iter(titles.values())),
        "languages": json.dumps([[each.language, each.name] for each in wordings().values()], ensure_ascii=False),
        "state": _state(entry, datetime.now(UTC).date()),
    }
    more = [(b"vary", b"accept-language"), (b"content-language", language.page.language.encode())]
    return page(_shell("survey", entry, **shown), f"{_OWN}; {trusted}", more)


def _languages(entry: Entry) -> tuple[Sequence[str], dict[str, str]]:
    """The languages of a study's texts, if it names any, and its title in each."""
    if isinstance(entry.study, Questionnaire):
        return entry.study.written.languages, dict(entry.study.written.texts["title"])
    return (), {"": entry.study.question}


def _state(entry: Entry, today: date) -> str:
    """Whether a study takes reports: it is "open", "closed", or "early" before its first day."""
    if entry.state != "open" or entry.study.closed_on(today) is None:
        return entry.state
    opens = entry.study.written.dates.get("opens", "") if isinstance(entry.study, Questionnaire) else ""
    return "early" if today.isoformat() < opens else "closed"


def dashboard_page(entry: Entry) -> Page:
    """Where analysts read a study; what it shows is fetched with their token."""
    return page(_shell("dashboard", entry))


def _shell(name: str, entry: Entry, **values: Any) -> str:
    """The frame of a page: its script fetches the study."""
    found = assets()
    style, script = (found[f"{name}.{kind}"].digest for kind in ("css", "js"))
    return _rendered(f"{name}.html", entry=entry, style=style, script=script, **values)
