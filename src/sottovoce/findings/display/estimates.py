"""How estimates and findings are displayed: the shares, their precision, and the cautions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from sottovoce.catalogue import METHODS
from sottovoce.domain import Domain
from sottovoce.estimators import Estimate
from sottovoce.findings.display.parts import Caution, FiguresTable, GridMap, Line, Part, SharesTable, Title
from sottovoce.findings.display.terminal import grid_map
from sottovoce.findings.figures import notes_of
from sottovoce.findings.formatting import as_percent, counted, percent_about
from sottovoce.findings.guarantee import guarantee_lines
from sottovoce.findings.questionnaire import QuestionFindings, QuestionnaireFindings
from sottovoce.findings.results import Findings
from sottovoce.findings.shares import Shares
from sottovoce.mechanisms import Population, identity
from sottovoce.notions import Certificate
from sottovoce.policy import Promise
from sottovoce.study import Study

#: Items of a table, and below a map.
_MOST, _BESIDE_MAP = 40, 12
#: Where the items are that a table leaves out: for commands, and for programs.
COMMAND, PROGRAM = "--output writes", "to_frame() has"


def findings_of(estimate: Estimate, level: float = 0.95) -> Findings:
    """The findings of an estimate: of its study if that is known, otherwise of the mechanisms whose reports were counted."""
    return Findings.of(_study_of(estimate), estimate, level=level, notes=estimate.notes)


def _study_of(estimate: Estimate) -> Study:
    study, blocks = estimate.study, estimate.blocks
    if study is not None and study.inputs == estimate.domain:
        return study
    if blocks and blocks[0].mechanism.inputs == estimate.domain:
        mechanisms = {block.name: block.mechanism for block in blocks}
        whole = Population(mechanisms) if len(mechanisms) > 1 else blocks[0].mechanism
        promises = {block.name: _promise_of(block.mechanism.certify(), whole.domain) for block in blocks}
        return Study("", "", whole.domain, promises, whole)
    reports = 1 if study is None else study.reports  # of a margin
    promises = {"": Promise(estimate.domain, "ldp", 1.0)}  # which isn't shown: it stands for that of the whole
    return Study("", "", estimate.domain, promises, identity(estimate.domain), reports)


def _promise_of(certificate: Certificate, domain: Domain) -> Promise | None:
    """A guarantee of a mechanism, for charts and cautions: which items are sensitive, or that nothing is protected."""
    sensitive: Any = getattr(certificate.notion, "budgets", None) or getattr(certificate.notion, "sensitive", ())
    known = tuple(sorted((item for item in sensitive if item in domain), key=domain.code))  # a set has no order of its own
    return None if math.isinf(certificate.level) else Promise(domain, "uldp" if known else "ldp", certificate.level, known)


def findings_parts(findings: Findings, rest: str = PROGRAM) -> Iterator[Part]:
    """The findings of a question. `rest` names where to find the items that a table leaves out."""
    study, estimate = findings.study, findings.estimate
    many = f"{len(findings.p):,} {'ranges' if study.domain.edges is not None else 'items'}"
    yield Title(study.name, study.question) if study.name else Title("Estimate", many)
    people, intervals = counted(findings.people, "person", "people"), f"{as_percent(findings.level)} intervals"
    intervals += " for all items at once" * findings.simultaneous
    yield Line(f"{people}, method {estimate.method}, {intervals}", "facts", "text")
    yield Line(f"{people}, {intervals}", "facts", "html")
    if findings.figures:
        yield FiguresTable(findings.figures)
        for note in notes_of(findings.figures):
            yield Line(note)
    if findings.words:
        yield Line(findings.words)
    if grid_map(findings):
        yield GridMap(findings)
    if findings.margins:
        yield SharesTable(findings.margins, axes=True)
    listed = listed_items(findings)
    if len(listed.p) < len(findings.p):
        yield Line(_left_out(findings, len(listed.p), rest), "facts")
    if len(listed.p):
        yield SharesTable([listed])
    if findings.low is not None:
        truth = ", │ truth" if "truth" in findings.beside else ""
        yield Line(f"█ to the low end of the interval, ▒ to the estimate, ░ to the high end{truth}", "facts", "text")
    for tag in findings.tags:
        yield Line(f"marked as {tag.name!r}: {percent_about(tag.p, tag.low, tag.high)}", "facts")
    if findings.marked:
        yield Line(findings.marked)
    if findings.note:
        yield Line(f"Method {estimate.method}: {findings.note}", where="text")
    yield from (Caution(text) for text in findings.cautions)
    known = study if estimate.blocks else estimate.study
    if known is not None:
        yield from (Line(text, "guarantee", "html", folded) for text, folded in guarantee_lines(known))
    about = METHODS[estimate.method].about if estimate.method in METHODS else ""
    missing = "" if estimate.gap is None else f"At most {estimate.gap:.1g} nats of log-likelihood are missing to the maximum."
    yield Line(" ".join(filter(None, (f"Method {estimate.method}.", about, findings.note, missing))), where="html", folded=True)


def listed_items(findings: Findings) -> Shares:
    """The items in the table: all, or of many the largest of those found (see `Findings.order`)."""
    return findings.shares.take(findings.order(_BESIDE_MAP if grid_map(findings) else _MOST))


def _left_out(findings: Findings, shown: int, rest: str) -> str:
    """Which items a table leaves out, if any."""
    count = len(findings.p)
    if findings.study.domain.ordered:
        return f"{rest} all {count:,} items."
    if findings.counts is None:
        return f"The {shown} largest of {count:,} items. {rest} them all."
    found = findings.counts.count
    which = f"The {shown} largest of the {found:,} items" if shown < found else f"The {found:,} of {count:,} items"
    return f"{which} that are clearly above zero. {rest} all {count:,}." if found else f"{rest} all {count:,} items."


def questionnaire_parts(findings: QuestionnaireFindings, rest: str = PROGRAM) -> Iterator[Part]:
    """The findings of a questionnaire: a section for each question."""
    yield Title(findings.study.name, findings.study.question)
    yield Line(f"{counted(findings.n, 'person', 'people')}, {as_percent(findings.level)} intervals", "facts")
    for each in findings.questions:
        yield from _question_parts(each, rest)
    for name, joint in findings.together.items():
        yield Title(name, "asked together", section=True)
        yield SharesTable([joint.shares.take(joint.order(_MOST))])
    yield from (Caution(text) for text in findings.cautions)
    yield from (Line(text, "guarantee", "html", folded) for text, folded in guarantee_lines(findings.study))


def _question_parts(each: QuestionFindings, rest: str) -> Iterator[Part]:
    yield Title(each.question.name, each.question.text, section=True)
    yield Line(each.headline, "headline")
    yield Line(f"{each.asked} Method {each.method}.", "facts")
    numbers = each.question.answers.edges is not None
    if each.figures:
        yield FiguresTable(each.figures)
        for note in notes_of(each.figures):
            yield Line(note)
    if not numbers:
        shares = each.shares if each.findings is None else each.findings.shares
        yield SharesTable([shares.take(_largest(shares))])
    if numbers or len(each.shares.p) > _MOST:
        yield Line(f"{rest} all {len(each.shares.p):,} items.", "facts")
    if each.question.choices:
        yield Line("Several answers were possible, so the shares don't sum to 100%.", "facts")
    if each.among is not None:
        yield Line(f"Among {each.whom}:", "facts")
        yield SharesTable([each.among])
    if each.apart is not None and numbers:
        yield Line("Apart from these answers, of everyone:", "facts")
        yield SharesTable([each.apart])
    yield from (Caution(text) for text in each.cautions)


def _largest(shares: Shares) -> list[int]:
    """The items in a table: all in their order, or the largest."""
    if len(shares.p) <= _MOST:
        return list(range(len(shares.p)))
    return [int(k) for k in (-shares.p).argsort(kind="stable")[:_MOST]]
