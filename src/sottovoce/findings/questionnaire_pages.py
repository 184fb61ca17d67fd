"""The findings of a questionnaire as one page: what was found in short, then a section for each question and for those asked together."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sottovoce._version import __version__
from sottovoce.catalogue import METHODS
from sottovoce.findings.crossing import is_crossing, within
from sottovoce.findings.figures import Figure, notes_of
from sottovoce.findings.formatting import as_percent, counted, percent, percent_about
from sottovoce.findings.page_parts import WIDTHS, Table, paragraphs, svg_of, table_of
from sottovoce.findings.questionnaire import QuestionFindings, QuestionnaireFindings
from sottovoce.findings.questionnaire_charts import question_chart
from sottovoce.findings.results import Findings
from sottovoce.findings.share_charts import findings_chart
from sottovoce.findings.shares import Shares
from sottovoce.policy.wording import factor, shown
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.templates import template

#: Rows that a table holds.
_ROWS = 200


@dataclass(frozen=True)
class QuestionSection:
    """What the page shows of a question."""

    anchor: str
    text: str
    help: str
    headline: str
    figures: Sequence[Figure]
    notes: Sequence[str]
    words: str
    drawn: Sequence[Any]
    about: str
    margins: Sequence[Table]
    table: Table
    rest: str
    ranges: bool
    others: Table | None
    cautions: Sequence[str]


@dataclass(frozen=True)
class CrossingSection:
    """What the page shows of questions that were asked together: a table of two, or a list of the combinations."""

    anchor: str
    name: str
    people: str
    texts: Sequence[str]
    drawn: Sequence[Any]
    whole: Table | None
    rows: Table | None
    listed: Table | None
    rest: str
    cautions: Sequence[str]


def questionnaire_page(findings: QuestionnaireFindings) -> str:
    """The page as HTML."""
    study = findings.study
    methods = dict.fromkeys([each.method for each in findings.questions])
    return template("sottovoce.findings", "questionnaire.html").render(
        study=study,
        language=next(iter(study.written.languages), "en"),
        texts={key: next(iter(study.written.texts.get(key, {"": ""}).values())) for key in ("introduction", "organisation", "contact")},
        people=counted(findings.n, "person", "people"),
        asked=_asked(study),
        level=as_percent(findings.level),
        promised=f"{study.mechanism.claim.title}, {_promised(study)} for all answers together",
        plainly=_plainly(findings),
        sections=[_section(findings, number, each) for number, each in enumerate(findings.questions, 1)],
        crossings=[_crossing(findings, number, name) for number, name in enumerate(findings.together, 1)],
        cautions=findings.cautions,
        promise=list(paragraphs(study.explain())),
        certificate=_certificate(study),
        parts_asked=_parts(findings),
        methods=[(method, METHODS[method].about) for method in methods],
        version=__version__,
    )


def _promised(study: Questionnaire) -> str:
    """The ε of all people, or of each level that they can choose."""
    levels = [f"ε = {shown(epsilon)}{f' ({level})' if level else ''}" for level, epsilon in study.written.levels.items()]
    return " or ".join(levels)


def _asked(study: Questionnaire) -> str:
    """How many of the questions a person reports on."""
    counts = sorted({sum(any(name in form.questions for name in each.fields) for each in study.questions) for form in _forms(study)})
    total = len(study.questions)
    if counts == [total]:
        return counted(total, "question", "questions")
    return f"{counts[0]} of {total} questions" if len(counts) == 1 else f"{counts[0]} to {counts[-1]} of {total} questions"


def _forms(study: Questionnaire) -> Sequence[Any]:
    return list(study.mechanism.groups.values())


def _plainly(findings: QuestionnaireFindings) -> str:
    """Where the numbers come from, in plain words."""
    changed = "Every device changed the answers at random before it sent them, so that no report shows for certain what a person answered."
    if findings.study.written.notion != "ldp":
        changed = (
            "Every device changed sensitive answers at random before it sent them. Answers that aren't sensitive may be sent as they are."
        )
    ends = f"The numbers in brackets are the ends of {as_percent(findings.level)} intervals."
    return f"{changed} What the answers have in common can still be estimated. {ends}"


def _anchor(number: int, name: str, kind: str) -> str:
    """An address within the page, which is safe whatever the name is."""
    return f"{kind}{number}-{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-') or kind}"


def _section(findings: QuestionnaireFindings, number: int, found: QuestionFindings) -> QuestionSection:
    question, alone = found.question, found.findings if found.among is None else None
    order, rest = _listed(alone, found.main)
    return QuestionSection(
        _anchor(number, question.name, "q"),
        question.text,
        question.help,
        found.headline,
        found.figures,
        notes_of(found.figures),
        "" if alone is None else alone.words,
        [svg_of(question_chart(found, findings.level, width), width) for width in WIDTHS],
        _about(found),
        [] if alone is None else [table_of(each) for each in alone.margins],
        table_of(replace(found.main.take(order), name="answer")),
        rest,
        question.answers.edges is not None,
        None if found.apart is None else table_of(found.apart),
        found.cautions,
    )


def _listed(alone: Findings | None, shares: Shares) -> tuple[list[int], str]:
    """The answers of a table, and what it leaves out."""
    order = list(range(len(shares.p))) if alone is None else alone.order(_ROWS)
    if len(order) == len(shares.p):
        return order, ""
    rest = np.ones(len(shares.p), dtype=np.bool_)
    rest[order] = False
    return order, f"The other {rest.sum():,} answers share {percent(float(shares.p[rest].sum()))}. The option --output writes them all."


def _about(found: QuestionFindings) -> str:
    """Who was asked, and what the shares are of."""
    said = [f"{counted(found.n, 'person was', 'people were')} asked."]
    if found.question.choices:
        said.append("Several answers were possible, so the shares don't sum to 100%.")
    if found.question.unanswered:
        said.append("The shares are those among the people who answered.")
    return " ".join([*said, f"Method: {found.method}."])


def _crossing(findings: QuestionnaireFindings, number: int, name: str) -> CrossingSection:
    found, fields = findings.together[name], name.split("+")
    two = is_crossing(found)
    texts: Mapping[str, str] = {each.name: each.text for each in findings.study.questions}
    order, rest = ([], "") if two else _listed(found, found.shares)
    plain = replace(found, margins=())
    return CrossingSection(
        _anchor(number, name, "together"),
        f"{', '.join(fields[:-1])} and {fields[-1]}",
        counted(found.n, "person", "people"),
        [texts[field] for field in fields],
        [svg_of(findings_chart(plain, width), width) for width in WIDTHS],
        _across(found, found.shares) if two else None,
        _across(found, within(found)) if two else None,
        None if two else table_of(replace(found.shares.take(order), name=" / ".join(fields))),
        rest,
        found.cautions,
    )


def _across(found: Findings, shares: Shares) -> Table:
    """A table of two questions: a row for each answer to the first one, a column for each answer to the second."""
    down, over = found.study.domain.axes
    ends = [None] * len(shares.p), [None] * len(shares.p)
    low, high = ends if shares.interval is None else (end.tolist() for end in shares.interval)
    cells = [percent_about(*each, digits=shares.digits) for each in zip(shares.p.tolist(), low, high, strict=True)]
    columns = len(over.labels)
    rows = [(str(label), cells[k * columns : (k + 1) * columns]) for k, label in enumerate(down.labels)]
    return Table([f"{down.name} \\ {over.name}", *map(str, over.labels)], rows)


def _certificate(study: Questionnaire) -> list[tuple[str, str]]:
    """The certificate of the whole record: that of the form that tells most."""
    certificate = max((form.certify() for form in _forms(study)), key=lambda each: each.level)
    levels = study.mechanism.claims.items() if study.levels else [("", certificate.notion)]
    return [
        ("notion", certificate.notion.title),
        *((f"promise, level {level!r}" if level else "promise", claim.promise()) for level, claim in levels),
        ("verdict", "kept" if all(form.certify().holds for form in _forms(study)) else "BROKEN"),
        ("tightest level", f"ε = {shown(certificate.level)}, a factor of {factor(certificate.level)}"),
        ("forms", f"{len(_forms(study)):,}, each certified by itself"),
    ]


def _parts(findings: QuestionnaireFindings) -> Table:
    """A row for each part of the forms: the questions, how they were asked, and with which budget."""
    rows = [
        (findings.study.about(part), [part.name, "none" if not part.claim.epsilon < np.inf else shown(part.claim.epsilon)])  # type: ignore[attr-defined]  # LDP or ULDP
        for part in findings.study.mechanism.parts
    ]
    return Table(["question", "mechanism", "ε"], rows)
