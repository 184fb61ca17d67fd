"""The findings of a questionnaire as one page: what was found in short, then a section for each question and for those asked together."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

import numpy as np

from sottovoce._version import __version__
from sottovoce.catalogue import METHODS
from sottovoce.findings.cautions import grouped
from sottovoce.findings.formatting import as_percent, counted
from sottovoce.findings.guarantee import guarantees_of
from sottovoce.findings.pages.parts import Table, day, illustrated, paragraphs, period
from sottovoce.findings.pages.questionnaire_sections import Sections
from sottovoce.findings.questionnaire import QuestionnaireFindings
from sottovoce.policy.wording import factor, shown
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.taking_part import TakingPart
from sottovoce.templates import template


def questionnaire_page(findings: QuestionnaireFindings, made: date | None = None) -> str:
    """The page as HTML. It shows when it was `made`: today."""
    study = findings.study
    several = _several(findings)
    sections = Sections(findings, frozenset(shared for shared, _, _ in several))
    people = counted(findings.n, "person", "people")
    return template("sottovoce.findings", "pages/questionnaire.html").render(
        study=study,
        language=next(iter(study.written.languages), "en"),
        texts={key: next(iter(study.written.texts.get(key, {"": ""}).values())) for key in ("organisation", "contact")},
        people=people,
        asked=TakingPart.of(study).reported,
        made=day(made),
        open=period(study.written.dates, made),
        plainly=_plainly(findings),
        key=sections.key,
        cautions=[*(([], each) for each in dict.fromkeys(findings.cautions)), *((names, text) for _, names, text in several)],
        sections=[sections.question(number, each) for number, each in enumerate(findings.questions, 1)],
        crossings=[sections.crossing(number, name) for number, name in enumerate(findings.together, 1)],
        guarantees=illustrated(guarantees_of(study)),
        facts=[
            ("fingerprint", study.fingerprint),
            ("answered by", people),
            ("intervals", as_percent(findings.level)),
            ("guarantee", f"{study.mechanism.claim.title}, {_promised(study)} for all answers together"),
        ],
        certificate=_certificate(study),
        parts_asked=_parts(findings),
        methods=_methods(findings),
        promise=list(paragraphs(study.explain())),
        version=__version__,
    )


def _several(findings: QuestionnaireFindings) -> list[tuple[str, Sequence[str], str]]:
    """The cautions of several questions, each once: what they share, the questions, and the text."""
    said = [(each.question.text, caution) for each in findings.questions for caution in each.cautions]
    said += [(name.replace("+", " and "), caution) for name, each in findings.together.items() for caution in each.cautions]
    return [(getattr(text, "shared", text), names, text) for names, text in grouped(said) if len(names) > 1]


def _methods(findings: QuestionnaireFindings) -> list[tuple[str, str]]:
    """What the methods do, with the questions of each if there are several."""
    methods: dict[str, list[str]] = {}
    for each in findings.questions:
        methods.setdefault(each.method, []).append(each.question.name)
    if len(methods) == 1:
        return [(method, METHODS[method].about) for method in methods]
    return [(f"{method} ({', '.join(names)})", METHODS[method].about) for method, names in methods.items()]


def _promised(study: Questionnaire) -> str:
    """The ε of all people, or of each level that they can choose."""
    levels = [f"ε = {shown(epsilon)}{f' ({level})' if level else ''}" for level, epsilon in study.written.levels.items()]
    return " or ".join(levels)


def _forms(study: Questionnaire) -> Sequence[Any]:
    return list(study.mechanism.groups.values())


def _plainly(findings: QuestionnaireFindings) -> str:
    """Where the numbers come from, in plain words."""
    changed = "Every device drew by chance what it sent, so that no report shows for certain what a person answered."
    if findings.study.written.notion != "ldp":
        changed = "No report proves a sensitive answer: others lead to it too, by chance. The other answers can be sent as they are."
    of_hundred = as_percent(findings.level).rstrip("%")
    ends = "So each share is known only up to an interval. "
    ends += f"In about {of_hundred} of 100 studies like this one, an interval contains the true share."
    return f"{changed} {ends}"


def _certificate(study: Questionnaire) -> list[tuple[str, str]]:
    """The certificate of the whole record: that of the form that reveals most."""
    certificate = max((form.certify() for form in _forms(study)), key=lambda each: each.level)
    levels = study.mechanism.claims.items() if study.levels else [("", certificate.notion)]
    return [
        ("notion", certificate.notion.title),
        *((f"guarantee, level {level!r}" if level else "guarantee", claim.promise()) for level, claim in levels),
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
    return Table(
        ["question", "mechanism", "ε"], [(name, list(cells)) for name, cells in dict.fromkeys((name, tuple(cells)) for name, cells in rows)]
    )
