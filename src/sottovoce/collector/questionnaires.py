"""Responses to analysts about a questionnaire: its counts by form, and the estimate and the expected precision of each question."""

from __future__ import annotations

from typing import Any

import msgspec

from sottovoce.collector import models, result_models
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


def estimated(findings: QuestionnaireFindings, note: str) -> result_models.QuestionnaireEstimate:
    """The response with the findings of all questions."""
    return msgspec.convert(findings.to_dict() | ({"note": note} if note else {}), result_models.QuestionnaireEstimate)


def outlook(study: Questionnaire, found: Tally, findings: QuestionnaireFindings, target: float) -> result_models.QuestionnaireOutlook:
    """The response with the expected precision of all questions."""
    return msgspec.convert(QuestionnairePrecision.of(study, found, findings).to_dict(target), result_models.QuestionnaireOutlook)


def _split(block: Block) -> Any:
    return block.channel.statistic.split(block.counts)  # type: ignore[attr-defined]  # side by side
