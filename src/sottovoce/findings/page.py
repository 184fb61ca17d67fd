"""The findings as one page: self-contained, without scripts, for the screen (wide or narrow, light or dark) and for print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sottovoce._version import __version__
from sottovoce.catalogue import METHODS
from sottovoce.findings.figures import notes_of
from sottovoce.findings.formatting import as_percent, counted, percent, percent_down, percent_up
from sottovoce.findings.grids import is_map
from sottovoce.findings.page_parts import WIDTHS, Table, paragraphs, svg_of, table_of
from sottovoce.findings.results import Findings
from sottovoce.findings.share_charts import findings_chart
from sottovoce.labels import text_of
from sottovoce.policy.wording import factor, shown
from sottovoce.templates import template

#: Rows that are shown at once; the others can be unfolded.
_ROWS = 30
#: Rows that a page holds at all.
_MOST = 5000


@dataclass(frozen=True)
class CertificateFacts:
    """The certificate of a mechanism: facts by name, the budgets of items, and how many more of those there are."""

    facts: Sequence[tuple[str, str]]
    budgets: Table | None = None
    more: str = ""


def findings_page(findings: Findings) -> str:
    """The page as HTML."""
    study, estimate, shares = findings.study, findings.estimate, findings.shares
    gap = "" if estimate.gap is None else f"At most {estimate.gap:.2g} nats of log-likelihood are missing to the maximum."
    order, count = findings.order(_ROWS), len(findings.p)
    shortened, too_many = len(order) < count, count > _MOST
    largest = sorted((k for k in order if findings.found is None or findings.found[k]), key=lambda k: -findings.p[k])[:5]
    return template("sottovoce.findings", "page.html").render(
        study=study,
        people=counted(findings.people, "person", "people") + (f", {findings.n:,} reports" if study.reports > 1 else ""),
        reports=f"{findings.n:,}",
        level=as_percent(findings.level),
        simultaneous=findings.simultaneous,
        mechanisms=dict.fromkeys(each.name for each in study.blocks.values()),
        promised=[_verdict(findings, level) for level in study.blocks],
        drawn=[svg_of(findings_chart(findings, width), width) for width in WIDTHS]
        if order or findings.margins or findings.figures or is_map(findings)
        else [],
        largest=[(findings.shown[k], percent(float(findings.p[k]))) for k in largest],
        intervals=findings.low is not None,
        is_map=is_map(findings),
        figures=findings.figures,
        figure_notes=notes_of(findings.figures),
        words=findings.words,
        cautions=findings.cautions,
        items=f"{count:,}",
        shares=table_of(shares.take(order)) if order else None,
        found_only=shortened and findings.found is not None,
        rest=_rest(findings, order),
        all_shares=table_of(shares) if shortened and not too_many else None,
        too_many=too_many,
        margins=[table_of(each) for each in findings.margins],
        tags=_tags(findings),
        promise=list(paragraphs(study.explain())),
        certificates=[_certificate(findings, level) for level in study.blocks],
        method=" ".join(filter(None, (METHODS[estimate.method].about, findings.note, gap))),
        method_name=estimate.method,
        version=__version__,
    )


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


def _verdict(findings: Findings, level: str) -> str:
    """What a level promises to a person in all, in a few words."""
    named, promise = f"{level}: " if level else "", findings.study.promises[level]
    if promise is None:
        return f"{named}nothing"
    least, most = (pick(promise.budgets.values()) if promise.budgets else promise.epsilon or 0.0 for pick in (min, max))
    budget = f"ε = {shown(most)}" if least == most else f"ε from {shown(least)} to {shown(most)}"
    return f"{named}{findings.study.blocks[level].certify().notion.title}, {budget}"


def _tags(findings: Findings) -> Table | None:
    rows = [(tag.name, [percent(tag.p), percent_down(tag.low), percent_up(tag.high)]) for tag in findings.tags]
    return Table(["tag", "share", "from", "to"], rows) if rows else None


def _certificate(findings: Findings, level: str) -> CertificateFacts:
    mechanism, promise = findings.study.blocks[level], findings.study.promises[level]
    facts = [*([("level", level)] if level else []), ("mechanism", mechanism.name)]
    if promise is None:
        return CertificateFacts([*facts, ("promise", "nothing: reports show answers as they are")])
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
