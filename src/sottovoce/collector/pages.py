"""Pages for people: which studies there are and what is kept, a study's questions, and what an analyst reads."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files
from string import Template

from sottovoce._version import __version__
from sottovoce.collector.assets import assets
from sottovoce.collector.http import PRIVATE, Answer
from sottovoce.store import Entry

#: What a page may do: nothing but what is named here. Scripts, styles and requests stay with this collector.
_NOTHING = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
_OWN = f"{_NOTHING}; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'"


def page(html: str, policy: str = _OWN) -> Answer:
    """A page, with what it may do."""
    headers = [
        (b"content-security-policy", policy.encode()),
        (b"referrer-policy", b"no-referrer"),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
        PRIVATE,
    ]
    return Answer(200, html.encode(), b"text/html; charset=utf-8", headers)


def _template(name: str) -> Template:
    return Template(files("sottovoce.collector").joinpath(name).read_text(encoding="utf-8"))


def front_page(entries: Sequence[Entry]) -> Answer:
    """Which studies there are, and what is kept of those who answer."""
    listed = "\n".join(_study(entry) for entry in entries) or "<p>There are no studies here yet.</p>"
    html = _template("front.html").substitute(studies=listed, version=__version__)
    return page(html, f"{_NOTHING}; style-src 'unsafe-inline'")


def _study(entry: Entry) -> str:
    name = escape(entry.name)
    state = (
        f'<p><a class=go href="/s/{name}">Answer this study</a></p>'
        if entry.state == "open"
        else "<p class=state>This study is closed.</p>"
    )
    prose = "".join(f"<p>{escape(part)}</p>" for part in entry.study.explain().split("\n\n"))
    return (
        f"<article><h3>{escape(entry.study.question)}</h3><p class=name>{name} · "
        f'<a href="/studies/{name}">as clients read it</a> · <a href="/d/{name}">for analysts</a></p>{state}'
        f"<details><summary>What is promised</summary>{prose}</details></article>"
    )


def survey_page(entry: Entry) -> Answer:
    """Where people answer a study."""
    trusted = "require-trusted-types-for 'script'; trusted-types 'none'"  # no script is ever made of text
    return page(_shell("survey", entry), f"{_OWN}; {trusted}")


def dashboard_page(entry: Entry) -> Answer:
    """Where analysts read a study; what it shows is fetched with their token."""
    return page(_shell("dashboard", entry))


def _shell(name: str, entry: Entry) -> str:
    """The frame of a page: its script fetches the study."""
    found = assets()
    return _template(f"{name}.html").substitute(
        name=escape(entry.name),
        question=escape(entry.study.question),
        state=entry.state,
        respondents=entry.respondents,
        script=found[f"{name}.js"].digest,
        style=found[f"{name}.css"].digest,
        version=__version__,
    )
