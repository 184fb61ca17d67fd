"""The precision of a questionnaire: how wide the intervals of each question are, and how many people make them narrower."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sottovoce.arithmetic import ONE
from sottovoce.estimators import estimate
from sottovoce.estimators.answered import widest_among
from sottovoce.estimators.intervals import deviate
from sottovoce.findings.precision import TARGET, Precision
from sottovoce.findings.questionnaire import QuestionFindings, QuestionnaireFindings
from sottovoce.findings.shares import Shares
from sottovoce.findings.widths import Widths, cumulative_shares
from sottovoce.mechanisms import Forms
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.questions import Question
from sottovoce.tallies import Tally


@dataclass(frozen=True)
class QuestionnairePrecision:
    """The precision of each question with more people, who answer the questionnaire. Some of them are asked each field (`asked`).

    `shown` has the intervals that pages show of the questions that someone was asked. If some refuse a question or aren't asked, these
    are the shares among the people who answered it. `early` has the expected precision of the fields of the others. Of questions that
    are asked together nothing is known before someone has answered them.
    """

    study: Questionnaire
    people: int
    level: float
    shown: Mapping[str, Widths | None]
    early: Mapping[str, Precision | None]
    asked: Mapping[str, float]
    #: How far the interval of the mean reaches to either side, of numbers, and how many people were asked each question.
    means: Mapping[str, float | None]
    reached: Mapping[str, int]

    @classmethod
    def of(cls, study: Questionnaire, tally: Tally, findings: QuestionnaireFindings) -> QuestionnairePrecision:
        """The precision according to a tally and its findings. Where there are none, all answers count as equally frequent."""
        found, early = {each.question.name: each for each in findings.questions}, dict[str, Precision | None]()
        themes, tallies = {theme.name: theme for theme in study.asking.themes}, study.tallies(tally)
        asked = {field: _chance(field, study.mechanism, tally) for theme in themes.values() for field in theme.fields}
        for name in (name for question in study.questions if question.name not in found for name in question.fields):
            alone = name in themes and len(themes[name].fields) == 1
            early[name] = Precision.of(study.view(name), estimate(tallies[name], "uniform"), findings.level) if alone else None
        return cls(
            study,
            tally.n,
            findings.level,
            {name: Widths.of(_tables(each)) or _expected(each, findings.level) for name, each in found.items()},
            early,
            asked,
            {name: _mean(each) for name, each in found.items()},
            {name: each.n for name, each in found.items()},
        )

    def needed(self, question: Question, target: float = TARGET) -> int | None:
        """How many people answer the questionnaire until the widest interval of this question is ± target. None if that's unknown."""
        if question.name in self.shown:
            widths = self.shown[question.name]
            return None if widths is None else widths.needed(target, self.people)
        found = [(each and each.needed(target), self.asked[name]) for name in question.fields for each in [self.early[name]]]
        return None if any(alone is None for alone, _ in found) else max(math.ceil(alone / chance) for alone, chance in found if alone)

    def to_dict(self, target: float = TARGET) -> dict[str, Any]:
        """The precision as plain data, for JSON."""
        questions = {}
        for question in self.study.questions:
            widths, needed = self.shown.get(question.name), self.needed(question, target)
            questions[question.name] = {
                "text": question.text,
                "people": self.reached.get(question.name, 0),
                "ranges": question.answers.edges is not None,
                "answered": bool(question.unanswered),
                "mean": self.means.get(question.name),
                "margin": None if widths is None else widths.half(),
                "needed": needed,
                "more": None if needed is None else max(0, needed - self.people),
            }
        return {
            "study": self.study.name,
            "fingerprint": self.study.fingerprint,
            "people": self.people,
            "level": self.level,
            "target": target,
            "questions": questions,
        }


def _tables(found: QuestionFindings) -> list[Shares]:
    """The shares that a page shows of a question."""
    alone = () if found.findings is None or found.among is not None else found.findings.margins
    apart = [] if found.apart is None else [found.apart]
    return [found.main, *apart, *alone, *cumulative_shares(found.cumulative)]


def _expected(found: QuestionFindings, level: float) -> Widths | None:
    """The widths by the law of large numbers, if an interval covers everything. None if it isn't known that anyone answered."""
    if found.findings is None:
        return None
    made = found.findings.estimate
    error = float(made.stderr.max()) if found.among is None else widest_among(made, found.question.answered)
    return None if error is None else Widths.expected(deviate(level) * error)


def _mean(found: QuestionFindings) -> float | None:
    """Half the interval of the mean of numbers, as pages show it. None if there is none."""
    mean = next((each for each in found.figures if each.q is None), None)
    if found.question.answers.edges is None or mean is None or mean.low is None or mean.high is None:
        return None
    return (mean.high - mean.low) / 2


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
