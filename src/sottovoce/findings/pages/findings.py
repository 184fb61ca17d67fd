"""The findings as one page: self-contained, without scripts, for the screen (wide or narrow, light or dark) and for print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import numpy as np

from sottovoce._version import __version__
from sottovoce.catalogue import METHODS
from sottovoce.estimators import Interval
from sottovoce.findings.cautions import are_ranges_uncertain, grouped
from sottovoce.findings.charts.numbers import numbers_charts
from sottovoce.findings.charts.style import styled
from sottovoce.findings.figures import notes_of
from sottovoce.findings.formatting import as_percent, counted, percent
from sottovoce.findings.guarantee import guarantees_of
from sottovoce.findings.pages.map_sections import listed_places, map_section
from sottovoce.findings.pages.parts import Table, all_of, day, drawn_of, gap_of, illustrated, paragraphs, table_of
from sottovoce.findings.place_names import in_text
from sottovoce.findings.results import Findings
from sottovoce.findings.share_table import Scale, share_key, share_table
from sottovoce.findings.shares import Shares
from sottovoce.labels import text_of
from sottovoce.policy.wording import factor, shown
from sottovoce.templates import template

#: Budgets of items that are listed.
_ROWS = 30
#: Rows that can be unfolded: a longer table belongs in a file.
_MOST = 100


@dataclass(frozen=True)
class CertificateFacts:
    """The certificate of a mechanism: facts by name, the budgets of items, and how many more of those there are."""

    facts: Sequence[tuple[str, str]]
    budgets: Table | None = None
    more: str = ""


def findings_page(findings: Findings, made: date | None = None, remarks: Sequence[str] = (), notice: str = "") -> str:
    """The page as HTML. It shows when it was `made`: today.

    A `notice` stands above the headline: what a reader must know first. `remarks` explain what the shares are compared with.
    """
    study, numbers = findings.study, findings.study.domain.edges is not None
    order, count = findings.listed, len(findings.p)
    shortened, more = len(order) < count, findings.order(_MOST)
    drawn = drawn_of(lambda width, size: _charts(findings, width, size)) if numbers else []
    maps = map_section(findings) if findings.mapped else None
    return template("sottovoce.findings", "pages/findings.html").render(
        study=study,
        headline=findings.headline,
        people=counted(findings.people, "person", "people"),
        made=day(made),
        cautions=[([], text) for _, text in grouped(("", caution) for caution in findings.cautions)],
        notice=notice,
        remarks=remarks,
        map=maps,
        words=findings.words,
        figures=findings.figures,
        figure_notes=notes_of(findings.figures),
        drawn=drawn,
        uncertain=are_ranges_uncertain(findings.cautions),
        **_tables(findings, order, 0 if maps is None else maps.numbered),
        rest="" if findings.mapped and findings.words else _rest(findings, order),
        items=f"{count:,}",
        more_shares=table_of(findings.shares.take(more)) if len(order) < len(more) else None,
        more=all_of(len(more), count if findings.found is None else int(findings.found.sum())),
        shortened=shortened,
        intervals=findings.low is not None,
        level=as_percent(findings.level),
        simultaneous=findings.simultaneous,
        tags=_tags(findings),
        marked=findings.marked,
        guarantees=illustrated(guarantees_of(study)),
        facts=_facts(findings),
        method=" ".join(filter(None, (METHODS[findings.estimate.method].about, findings.note))),
        method_name=findings.estimate.method,
        gap=gap_of(findings.estimate.gap),
        certificates=[_certificate(findings, level) for level in study.blocks],
        promise=list(paragraphs(in_text(study.explain(), _places(findings)))),
        reports=f"{findings.n:,}",
        version=__version__,
    )


def _charts(findings: Findings, width: int, size: int) -> list[Any]:
    """The charts of numbers, in the style of the page."""
    return [styled(each, size=size) for each in numbers_charts(findings, width, size=size)]


def _places(findings: Findings) -> dict[str, str]:
    """The names of the cells of a map by the codes that files have for them."""
    return dict(zip(findings.texts, findings.shown, strict=True)) if findings.mapped else {}


def _tables(findings: Findings, order: Sequence[int], numbered: int) -> dict[str, Any]:
    """The tables of shares, all on one scale. Those of numbers stand below the chart, folded. So many rows have numbers on a map."""
    level, items = findings.level, findings.shares.take(order)
    if findings.mapped:
        items = replace(items, labels=listed_places(findings, items.labels, order, numbered))
    parts = [*findings.margins, *([items] if order else [])]
    scale = Scale.of(parts) if parts else None
    numbers, shortened = findings.study.domain.edges is not None, len(order) < len(findings.p)
    title = ("The largest shares" if shortened and not numbers else "All together" if findings.margins else "") if order else ""
    listed = (
        share_table(
            items,
            scale,
            level=level,
            head="Range" if numbers else "Place" if findings.mapped else "Answer",
            enlarged=not (findings.study.domain.ordered or findings.mapped or findings.margins),
        )
        if order
        else None
    )
    return {
        "key": share_key(parts, level, simultaneous=findings.simultaneous) if parts else None,
        "margins": [share_table(each, scale, level=level) for each in findings.margins],
        "title": title,
        "shares": None if numbers else listed,
        "ranges": listed if numbers else None,
    }


def _rest(findings: Findings, order: Sequence[int]) -> str:
    """What the table leaves out, in a line: of those that are clearly above zero, if that's known. The words have the others."""
    others = np.ones(len(findings.p), dtype=np.bool_)
    others[list(order)] = False
    if not order or not others.any():
        return ""
    if findings.found is None:
        return f"The other {others.sum():,} {findings.what}s have {percent(float(findings.p[others].sum()))} together."
    more = others & findings.found
    if not more.any():
        return ""
    some = counted(int(more.sum()), f"more {findings.what}", f"more {findings.what}s")
    return f"{some} {'are' if more.sum() > 1 else 'is'} clearly above zero, with {percent(float(findings.p[more].sum()))} together."


def _tags(findings: Findings) -> Any:
    """The table of the tags, if people mark answers of their own."""
    if not findings.tags:
        return None
    ends = [(tag.low, tag.high) for tag in findings.tags if tag.low is not None and tag.high is not None]
    interval = Interval(*map(np.array, zip(*ends, strict=True))) if len(ends) == len(findings.tags) else None
    shares = Shares("Tag", [tag.name for tag in findings.tags], np.array([tag.p for tag in findings.tags]), interval)
    return share_table(shares, level=findings.level)


def _facts(findings: Findings) -> list[tuple[str, str]]:
    study = findings.study
    each = f", {findings.n:,} reports" if study.reports > 1 else ""
    kind = " for all items at once" if findings.simultaneous else " for each item by itself"
    axes = " (for an axis: for all its labels at once)" if findings.simultaneous and findings.margins else ""
    return [
        ("answered by", counted(findings.people, "person", "people") + each),
        ("intervals", as_percent(findings.level) + kind + axes),
    ]


def _certificate(findings: Findings, level: str) -> CertificateFacts:
    mechanism, promise = findings.study.blocks[level], findings.study.promises[level]
    facts = [*([("level", level)] if level else []), ("mechanism", mechanism.name)]
    if promise is None:
        return CertificateFacts([*facts, ("guarantee", "none: reports show answers as they are")])
    certificate, one = mechanism.certify(), " of one report" if findings.study.reports > 1 else ""
    facts += [
        ("notion", certificate.notion.title),
        ("verdict", "kept" if certificate.holds else "BROKEN"),
        (f"tightest level{one}", f"ε = {shown(certificate.level)}"),
    ]
    if promise.budgets is None:
        return CertificateFacts(facts)
    listed = list(promise.budgets.items())[:_ROWS]
    places = _places(findings)
    rows = [(places.get(text_of(item), text_of(item)), [f"{budget:g}", factor(budget)]) for item, budget in listed]
    more = len(promise.budgets) - len(listed)
    return CertificateFacts(facts, Table(["item", "budget ε", "factor e^ε"], rows), f"{more:,}" if more else "")
