"""The findings as one page: self-contained, without scripts, for the screen (wide or narrow, light or dark) and for print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from sottovoce._version import __version__
from sottovoce.catalogue import METHODS
from sottovoce.estimators import Interval
from sottovoce.findings.cautions import grouped
from sottovoce.findings.figures import notes_of
from sottovoce.findings.formatting import as_percent, counted, percent
from sottovoce.findings.grids import is_map
from sottovoce.findings.guarantee import guarantees_of
from sottovoce.findings.page_parts import Table, day, drawn_of, gap_of, illustrated, paragraphs, table_of
from sottovoce.findings.results import Findings
from sottovoce.findings.share_charts import findings_chart
from sottovoce.findings.share_table import Scale, share_key, share_table
from sottovoce.findings.shares import Shares
from sottovoce.labels import text_of
from sottovoce.policy.wording import factor, shown
from sottovoce.templates import template

#: Rows that are shown at once, and below a map; the others can be unfolded.
_ROWS, _BESIDE_MAP = 30, 12
#: Rows that a page holds at all.
_MOST = 5000


@dataclass(frozen=True)
class CertificateFacts:
    """The certificate of a mechanism: facts by name, the budgets of items, and how many more of those there are."""

    facts: Sequence[tuple[str, str]]
    budgets: Table | None = None
    more: str = ""


def findings_page(findings: Findings, made: date | None = None) -> str:
    """The page as HTML. It shows when it was `made`: today."""
    study, numbers = findings.study, findings.study.domain.edges is not None
    order, count = findings.order(_BESIDE_MAP if is_map(findings) else _ROWS), len(findings.p)
    shortened, too_many = len(order) < count, count > _MOST
    drawn = drawn_of(lambda width, text: findings_chart(findings, width, text)) if numbers or is_map(findings) else []
    return template("sottovoce.findings", "page.html").render(
        study=study,
        headline=findings.headline,
        people=counted(findings.people, "person", "people"),
        made=day(made),
        cautions=[([], text) for _, text in grouped(("", caution) for caution in findings.cautions)],
        words=findings.words,
        figures=findings.figures,
        figure_notes=notes_of(findings.figures),
        drawn=drawn,
        **_tables(findings, order),
        rest=_rest(findings, order),
        items=f"{count:,}",
        all_shares=table_of(findings.shares) if shortened and not too_many else None,
        too_many=too_many,
        found_only=shortened and findings.found is not None and not numbers,
        intervals=findings.low is not None,
        level=as_percent(findings.level),
        simultaneous=findings.simultaneous,
        tags=_tags(findings),
        guarantees=illustrated(guarantees_of(study)),
        facts=_facts(findings),
        method=" ".join(filter(None, (METHODS[findings.estimate.method].about, findings.note))),
        method_name=findings.estimate.method,
        gap=gap_of(findings.estimate.gap),
        certificates=[_certificate(findings, level) for level in study.blocks],
        promise=list(paragraphs(study.explain())),
        reports=f"{findings.n:,}",
        version=__version__,
    )


def _tables(findings: Findings, order: Sequence[int]) -> dict[str, Any]:
    """The tables of shares, all on one scale. Those of numbers stand below the chart, folded."""
    level, items = findings.level, findings.shares.take(order)
    parts = [*findings.margins, *([items] if order else [])]
    scale = Scale.of(parts) if parts else None
    numbers, shortened = findings.study.domain.edges is not None, len(order) < len(findings.p)
    found_only = shortened and findings.found is not None and not numbers
    title = "Items that can be told from zero" if found_only else "All together" if findings.margins and order else ""
    listed = (
        share_table(items, scale, level=level, head="Range" if numbers else "Place" if is_map(findings) else "Answer") if order else None
    )
    return {
        "key": share_key(parts, level, simultaneous=findings.simultaneous) if parts and not numbers else None,
        "margins": [share_table(each, scale, level=level) for each in findings.margins],
        "title": title,
        "shares": None if numbers else listed,
        "ranges": listed if numbers else None,
    }


def _rest(findings: Findings, order: Sequence[int]) -> str:
    """What the table leaves out, in a line."""
    others = np.ones(len(findings.p), dtype=np.bool_)
    others[list(order)] = False
    if not order or not others.any():
        return ""
    if findings.found is None or not (more := others & findings.found).any():
        return f"The other {others.sum():,} items share {percent(float(findings.p[others].sum()))}."
    rest = others & ~findings.found
    found = f"{more.sum():,} more items can be told from zero and share {percent(float(findings.p[more].sum()))}."
    return f"{found} The other {rest.sum():,} share {percent(float(findings.p[rest].sum()))}." if rest.any() else found


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
        ("fingerprint", study.fingerprint),
        ("answered by", counted(findings.people, "person", "people") + each),
        ("intervals", as_percent(findings.level) + kind + axes),
        ("answers changed by", ", ".join(dict.fromkeys(block.name for block in study.blocks.values()))),
        *((f"guarantee{f', level {level}' if level else ''}", _verdict(findings, level)) for level in study.blocks),
    ]


def _verdict(findings: Findings, level: str) -> str:
    """What a level guarantees a person in all, in a few words."""
    promise = findings.study.promises[level]
    if promise is None:
        return "nothing"
    least, most = (pick(promise.budgets.values()) if promise.budgets else promise.epsilon or 0.0 for pick in (min, max))
    budget = f"ε = {shown(most)}" if least == most else f"ε from {shown(least)} to {shown(most)}"
    return f"{findings.study.blocks[level].certify().notion.title}, {budget}"


def _certificate(findings: Findings, level: str) -> CertificateFacts:
    mechanism, promise = findings.study.blocks[level], findings.study.promises[level]
    facts = [*([("level", level)] if level else []), ("mechanism", mechanism.name)]
    if promise is None:
        return CertificateFacts([*facts, ("guarantee", "none: reports show answers as they are")])
    certificate, one = mechanism.certify(), " of one report" if findings.study.reports > 1 else ""
    facts += [
        ("notion", certificate.notion.title),
        ("promise", certificate.notion.promise()),
        ("verdict", "kept" if certificate.holds else "BROKEN"),
        (f"tightest level{one}", f"ε = {shown(certificate.level)}"),
    ]
    if promise.budgets is None:
        return CertificateFacts(facts)
    listed = list(promise.budgets.items())[:_ROWS]
    rows = [(text_of(item), [f"{budget:g}", factor(budget)]) for item, budget in listed]
    more = len(promise.budgets) - len(listed)
    return CertificateFacts(facts, Table(["item", "budget ε", "factor e^ε"], rows), f"{more:,}" if more else "")
