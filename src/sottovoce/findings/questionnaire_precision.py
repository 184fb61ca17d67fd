"""The precision of a questionnaire: how wide the intervals of each question are, and how many people make them narrower."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sottovoce.arithmetic import ONE
from sottovoce.errors import SottovoceError
from sottovoce.estimators import Estimate, estimate
from sottovoce.estimators.answered import mean_among, widest_among
from sottovoce.estimators.intervals import deviate
from sottovoce.findings.precision import TARGET, Precision
from sottovoce.mechanisms import Forms
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.questions import Question
from sottovoce.tallies import Tally


@dataclass(frozen=True)
class QuestionnairePrecision:
    """The expected precision of each field with more people, of whom `asked` are asked it. People are those who answer the questionnaire.

    If some refuse a question or aren't asked, the shares are those among the people who answered it, as reports show them first. Of
    questions that are asked together nothing is known before someone has answered them.
    """

    study: Questionnaire
    people: int
    level: float
    fields: Mapping[str, Precision]
    asked: Mapping[str, float]
    #: How far the interval of the mean reaches to either side, of numbers.
    means: Mapping[str, float | None]

    @classmethod
    def of(cls, study: Questionnaire, tally: Tally, level: float = 0.95) -> QuestionnairePrecision:
        """The precision according to a tally. For a question that no one was asked yet, all answers count as equally frequent."""
        found, means = {}, {}
        questions = {field: question for question in study.questions for field in question.fields}
        for name, counted in study.tallies(tally).items():
            made = estimate(counted, "projected" if counted.n and counted.supports("projected") else "uniform")
            theme = next(each for each in study.asking.themes if each.name == name)
            if len(theme.fields) == 1:
                found[name] = _among(Precision.of(study.view(name), made, level), questions[name], made)
                means[name] = _mean(questions[name], made, level)
                continue
            for field, domain in theme.fields.items():
                axes = [field] if len(domain.axes) == 1 else [f"{field}.{axis.name}" for axis in domain.axes]
                widest = deviate(level) * float(made.margin(*axes).stderr.max()) if made.n else None
                found[field] = Precision(study.view(field), level, made.n, made.n, widest, None, made.n > 0)
        asked = {field: _chance(field, study.mechanism, tally) for field in found}
        return cls(study, tally.n, level, found, asked, means)

    def needed(self, field: str, target: float = TARGET) -> int | None:
        """How many people answer the questionnaire until the widest interval of this field is ± target.

        Once someone has answered, four times as many people halve the margin.
        """
        found = self.fields[field]
        alone = found.needed(target)
        if alone is None or found.margin is None:
            return None
        if found.answered:
            return max(1, math.ceil(self.people * (found.margin / target) ** 2))
        return math.ceil(alone / self.asked[field])

    def to_dict(self, target: float = TARGET) -> dict[str, Any]:
        """The precision as plain data, for JSON. For a multiple-choice question, that of the box with the widest interval."""
        questions = {}
        for question in self.study.questions:
            fields = [self.fields[name] for name in question.fields]
            margins = [each.margin for each in fields if each.margin is not None and each.answered]
            needed = [self.needed(name, target) for name in question.fields]
            most = None if None in needed else max(each for each in needed if each is not None)
            questions[question.name] = {
                "text": question.text,
                "people": min(each.people for each in fields),
                "ranges": question.answers.edges is not None,
                "answered": bool(question.unanswered),
                "mean": self.means.get(question.name),
                "margin": max(margins) if len(margins) == len(fields) else None,
                "needed": most,
                "more": None if most is None else max(0, most - self.people),
            }
        return {
            "study": self.study.name,
            "fingerprint": self.study.fingerprint,
            "people": self.people,
            "level": self.level,
            "target": target,
            "questions": questions,
        }


def _among(found: Precision, question: Question, made: Estimate) -> Precision:
    """The precision of the shares among those who answered, if some don't."""
    if not (question.unanswered and made.n):
        return found
    widest = widest_among(made, question.answered)
    return replace(found, reached=made.n, margin=None if widest is None else deviate(found.level) * widest, tv=None)


def _mean(question: Question, made: Estimate, level: float) -> float | None:
    """Half the interval of the mean of numbers, among those who answered; None if there is none yet."""
    answers = question.answers
    if answers.edges is None or not made.n:
        return None
    try:
        real = np.arange(len(question.domain)) < len(answers)
        found = mean_among(made, real, answers, level) if question.unanswered else made.mean(level)
    except SottovoceError:  # a range without an end has no mean
        return None
    return (found.high - found.low) / 2


def _chance(field: str, forms: Forms, tally: Tally) -> float:
    """How likely a person is asked a field, if people go on choosing their levels as they did. Before anyone has, all count alike."""
    people = {tier: sum(block.n for block in tally.blocks if block.name in names) for tier, names in forms.tiers.items()}
    weight = dict(zip(forms.names, forms.weights, strict=True))
    asking = {
        tier: sum(weight[name] for name in names if field in forms.groups[name].questions) / ONE for tier, names in forms.tiers.items()
    }
    if tally.n == 0:
        return math.fsum(asking.values()) / len(asking)
    return math.fsum(asking[tier] * (people[tier] / tally.n) for tier in asking)
