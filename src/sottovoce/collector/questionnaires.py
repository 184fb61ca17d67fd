"""Responses to analysts about a questionnaire: its counts by form, and the estimate and the expected precision of each question."""

from __future__ import annotations

from typing import Any

import msgspec

from sottovoce.collector import models, result_models
from sottovoce.errors import UnsupportedError
from sottovoce.findings.questionnaire import QuestionnaireFindings
from sottovoce.findings.questionnaire_precision import QuestionnairePrecision
from sottovoce.study import Study
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.tallies import Block, Tally


def forms_of(study: Questionnaire, found: Tally) -> list[models.Form]:
    """The counts of each form, part by part."""
    return [
        models.Form(
            block.name,
            block.n,
            [
                models.Part(list(part.questions), counts.tolist())
                for part, counts in zip(study.mechanism.groups[block.name].parts, _split(block), strict=True)
            ],
        )
        for block in found.blocks
    ]


def supports(study: Study, found: Tally, method: str) -> bool:
    """Whether a tally suffices for a method. For a questionnaire, it must suffice for each question."""
    if not isinstance(study, Questionnaire):
        return found.supports(method)
    return all(each.supports(method) for each in study.tallies(found).values())


def estimated(study: Questionnaire, found: Tally, query: models.EstimateQuery, note: str) -> result_models.QuestionnaireEstimate:
    """The findings of all questions."""
    if query.simultaneous:
        raise UnsupportedError("Simultaneous intervals work only for studies of one question. Leave out 'simultaneous'.")
    method = None if query.method is msgspec.UNSET else query.method
    findings = QuestionnaireFindings.of(study, found, method=method, level=query.level)
    return msgspec.convert(findings.to_dict() | ({"note": note} if note else {}), result_models.QuestionnaireEstimate)


def outlook(study: Questionnaire, found: Tally, query: models.OutlookQuery) -> result_models.QuestionnaireOutlook:
    """The expected precision of all questions."""
    precision = QuestionnairePrecision.of(study, found, query.level)
    return msgspec.convert(precision.to_dict(query.target), result_models.QuestionnaireOutlook)


def _split(block: Block) -> Any:
    return block.channel.statistic.split(block.counts)  # type: ignore[attr-defined]  # side by side
