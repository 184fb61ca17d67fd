"""A page for people who come by: which studies there are, and what is kept of those who answer."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files
from string import Template

from sottovoce._version import __version__
from sottovoce.store import Entry


def front_page(entries: Sequence[Entry]) -> str:
    """The page as HTML."""
    listed = "\n".join(_study(entry) for entry in entries) or "<p>There are no studies here yet.</p>"
    template = files("sottovoce.collector").joinpath("front.html").read_text(encoding="utf-8")
    return Template(template).substitute(studies=listed, version=__version__)


def _study(entry: Entry) -> str:
    state = "" if entry.state == "open" else "<p class=state>This study is closed.</p>"
    prose = "".join(f"<p>{escape(part)}</p>" for part in entry.study.explain().split("\n\n"))
    return (
        f"<article><h3>{escape(entry.study.question)}</h3><p class=name>{escape(entry.name)} · "
        f'<a href="/studies/{escape(entry.name)}">as clients read it</a></p>{state}'
        f"<details><summary>What is promised</summary>{prose}</details></article>"
    )
