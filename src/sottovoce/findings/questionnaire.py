"""The findings of a questionnaire: for each question its shares with intervals, those among the people who answered, and cross-tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.errors import StudyError, UnsupportedError
from sottovoce.estimators import Estimate, Interval
from sottovoce.estimators.answered import Answered, mean_among
from sottovoce.estimators.numbers import Quantity
from sottovoce.findings.cross_tables import is_crossing, within
from sottovoce.findings.figures import SHARE, Figure, UpTo, cumulative_among, figure_of, rounded_alike
from sottovoce.findings.headlines import Headline, Told
from sottovoce.findings.results import Findings, said_of
from sottovoce.findings.shares import Shares
from sottovoce.findings.whom import ANSWERED, EVERYONE, asked, whom
from sottovoce.labels import labels_of
from sottovoce.printable import Plottable, Tabular
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.questions import Question
from sottovoce.tallies import Tally

#: What cautions call those who are asked a question: not all people are.
_WHOM = "answers to this question"


@dataclass(frozen=True)
class QuestionFindings:
    """The findings of a question. `n` people reported about it, and `shares` are those of all people.

    `among` has the shares among those who answered, if some refuse or aren't asked, and `mean_among` the mean among them. `whom` names
    them. The boxes of a multiple-choice question have a share each, which don't sum to one. `mean()` and `quantile(q)` are about numbers
    and scales.
    """

    question: Question
    n: int
    method: str
    shares: Shares
    findings: Findings | None = None
    among: Shares | None = None
    mean_among: Quantity | None = None
    cumulative: Sequence[UpTo] = ()
    #: Those who answered, for a phrase, and a sentence about who was asked.
    whom: str = ANSWERED
    asked: str = ""

    @property
    def headline(self) -> Headline:
        """What was found, in a sentence."""
        unanswered, alone = bool(self.question.unanswered), None if self.findings is None or self.among is not None else self.findings
        told = Told(self.main, self.question.answers, self.figures, self.question.choices, unanswered, self.whom, self.question.other)
        return (told if alone is None else replace(told, axes=alone.margins)).headline

    @property
    def main(self) -> Shares:
        """The shares to show first: those among the people who answered, if some didn't."""
        if self.among is not None:
            return self.among
        return self.shares if self.findings is None else self.findings.shares

    @property
    def apart(self) -> Shares | None:
        """Those who gave none of the answers: they refused, or the question didn't apply to them."""
        if not self.question.unanswered:
            return None
        places = range(len(self.shares.p) - len(self.question.unanswered), len(self.shares.p))  # the last ones
        return replace(self.shares.take(list(places)), name="no answer")

    @property
    def figures(self) -> Sequence[Figure]:
        """The mean, and the quartiles of numbers: of all people, or of those who answered if some didn't."""
        if self.mean_among is not None:
            return rounded_alike([figure_of("mean", self.mean_among)])
        return () if self.findings is None else self.findings.figures

    def mean(self, level: float = 0.95) -> Quantity:
        """The mean of numbers or of a scale, with its interval: of those who answered, if some didn't."""
        estimate = self._ordered("mean")
        if not self.question.extras:
            return estimate.mean(level)
        return mean_among(estimate, np.arange(len(estimate.domain)) < len(self.question.answers), self.question.answers, level)

    def quantile(self, q: float, level: float = 0.95) -> Quantity:
        """The number that a part q of the answers doesn't exceed, with its interval: `quantile(0.9)` for the ninetieth percentile."""
        estimate = self._ordered("quantiles")
        if self.question.extras:
            raise UnsupportedError(f"{self.question.name!r} has no quantiles, because people could leave out a number. Use its mean().")
        return estimate.quantile(q, level)

    def _ordered(self, what: str) -> Estimate:
        """The estimate of a question about numbers or a scale."""
        if self.findings is None or not self.question.answers.ordered:
            raise UnsupportedError(f"{self.question.name!r} has no {what}, because its answers have no order. Read its shares.")
        return self.findings.estimate

    @property
    def cautions(self) -> Sequence[str]:
        return () if self.findings is None else self.findings.cautions

    def to_dict(self) -> dict[str, Any]:
        headline = self.headline
        found: dict[str, Any] = {"text": self.question.text, "headline": str(headline), "claim": headline.claim}
        found |= {"asked": self.asked, "whom": self.whom, "n": self.n, "method": self.method}
        found["items"] = self.shares.to_dicts()
        if self.among is not None:
            found["answered"] = self.among.to_dicts()
        if self.findings is not None:
            whole = self.findings.to_dict()
            found |= {key: whole[key] for key in ("mean", "quantiles", "margins", "note") if whole.get(key)}
        if self.cumulative:
            found["cumulative"] = [each.to_dict() for each in self.cumulative]
        if self.mean_among is not None:
            found["mean"] = self.figures[0].to_dict()
        return found | {"cautions": [str(each) for each in self.cautions]}


@dataclass(frozen=True)
class QuestionnaireFindings(Plottable, Tabular):
    """The findings of all questions in order, and of those asked together. `study.estimate` returns them for a questionnaire.

    `findings[name]` are those of one question. `cautions` begin with how many rows of the files were skipped.
    """

    study: Questionnaire
    n: int
    level: float
    questions: Sequence[QuestionFindings]
    together: Mapping[str, Findings]
    cautions: Sequence[str] = ()

    def __repr__(self) -> str:
        names = ", ".join(each.question.name for each in self.questions)
        return f"QuestionnaireFindings({self.study.name!r}: {names}; n={self.n:,})"

    @classmethod
    def of(
        cls, study: Questionnaire, tally: Tally, *, method: str | None = None, level: float = 0.95, notes: Sequence[str] = ()
    ) -> QuestionnaireFindings:
        """Make the findings from a tally of submissions."""
        made = study.estimates(tally, method)
        asked = _Asked(study, made, level, tally)
        themes = {theme.name: theme for theme in study.asking.themes if len(theme.fields) > 1}
        together = {name: Findings.of(study.view(name), made[name], level=level, whom=_WHOM) for name in themes if name in made}
        found = [asked.question(question) for question in study.questions if all(name in made for name in question.fields)]
        missing = [question.name for question in study.questions if not all(name in made for name in question.fields)]
        missed = [f"No one has been asked {name!r} yet." for name in missing]
        return cls(study, tally.n, level, found, together, [*notes, *missed])

    def __getitem__(self, name: str) -> QuestionFindings:
        """The findings of a question, by its name. An unknown name raises an error."""
        found = next((each for each in self.questions if each.question.name == name), None)
        if found is None:
            known = ", ".join(repr(each.question.name) for each in self.questions)
            raise StudyError(f"No one answered a question {name!r}. Choose one of {known}.")
        return found

    def to_dict(self) -> dict[str, Any]:
        """The findings as plain data, for JSON."""
        found: dict[str, Any] = {
            "study": self.study.name,
            "fingerprint": self.study.fingerprint,
            "n": self.n,
            "level": self.level,
            "questions": {each.question.name: each.to_dict() for each in self.questions},
        }
        if self.together:
            found["together"] = {name: _together(each) for name, each in self.together.items()}
        return found | {"cautions": [str(each) for each in self.cautions]}

    def _columns(self) -> Mapping[str, Any]:
        """A row for each item of each question, of everyone. If some didn't answer, then a row of those who answered. Then the figures."""
        rows = [
            {"question": each.question.name, **row, "n": each.n, "method": each.method}
            for each in self.questions
            for row in [*_rows(each.shares, EVERYONE), *_rows(each.among, ANSWERED), *_figure_rows(each)]
        ]
        names = ("question", "of", "item", "p", "low", "high", "quantity", "value", "remark", "n", "method")
        return {name: [row.get(name, "") for row in rows] for name in names} | said_of(self.study, self.level, len(rows))


def _rows(shares: Shares | None, of: str) -> list[dict[str, Any]]:
    return [] if shares is None else [{"of": of, **row, "quantity": SHARE, "value": row["p"]} for row in shares.to_dicts()]


def _figure_rows(found: QuestionFindings) -> list[dict[str, Any]]:
    """The mean and the quartiles, of those who answered if some didn't."""
    of = EVERYONE if found.among is None else ANSWERED
    return [{"of": of, "item": None, "p": math.nan, **each.to_row()} for each in found.figures]


def _together(found: Findings) -> dict[str, Any]:
    """Questions that were asked together: the labels of each, the shares of all combinations, and for two questions those within rows."""
    axes = {str(axis.name): [str(label) for label in axis.labels] for axis in found.study.domain.axes}
    plain = {"axes": axes, "n": found.n, "method": found.estimate.method, "items": found.to_dict()["items"]}
    if is_crossing(found):
        plain["within"] = within(found).to_dicts()
    return plain | {"cautions": [str(each) for each in found.cautions]}


@dataclass(frozen=True)
class _Asked:
    study: Questionnaire
    made: Mapping[str, Estimate]
    level: float
    tally: Tally

    def question(self, question: Question) -> QuestionFindings:
        if question.choices:
            return self._told(self._choices(question))
        return self._told(self._single(question))

    def _told(self, found: QuestionFindings) -> QuestionFindings:
        """The findings with whom they are about."""
        questions = self.study.questions
        if found.findings is not None and found.among is None:
            found = replace(found, cumulative=found.findings.cumulative)
        return replace(found, whom=whom(found.question, questions), asked=asked(found.question, questions, found.n, self.tally.n))

    def _single(self, question: Question) -> QuestionFindings:
        estimate = self.made[question.name]
        findings = Findings.of(self.study.view(question.name), estimate, level=self.level, whom=_WHOM)
        found = QuestionFindings(question, estimate.n, estimate.method, replace(findings.shares, labels=findings.texts), findings)
        if not question.extras:
            return found
        answered = question.answered
        among = Answered.of(estimate, answered, self.level)
        texts = [findings.texts[k] for k in np.flatnonzero(answered).tolist()]
        above = None if findings.found is None else findings.found[answered] & (among.interval.low > 0)
        mean, upto = None, tuple[UpTo, ...]()
        if question.answers.ordered:
            mean = found.mean(self.level)
            upto = tuple(cumulative_among(question.answers, estimate, np.arange(len(question.domain)) < len(question.answers), self.level))
        return replace(found, among=Shares("item", texts, among.p, among.interval, found=above), mean_among=mean, cumulative=upto)

    def _choices(self, question: Question) -> QuestionFindings:
        """A share for each box. Forms may ask about some of the boxes, and each person counts as asked if any was."""
        boxes = [self.made[name] for name in question.fields]
        texts = labels_of(question.choosable).texts
        shares = _ticked(texts, [each.p for each in boxes], [each.interval(self.level) for each in boxes])
        forms = self.study.mechanism.groups
        asked = sum(block.n for block in self.tally.blocks if set(question.fields) & set(forms[block.name].questions))
        found = QuestionFindings(question, asked, boxes[0].method, shares)
        if not question.unanswered:
            return found
        most = max(range(len(boxes)), key=lambda place: boxes[place].n)
        found = replace(found, shares=_with_unanswered(question, shares, boxes[most], self.level))
        among = [Answered.of(each, question.answered, self.level) for each in boxes]
        return replace(found, among=_ticked(texts, [each.p for each in among], [each.interval for each in among]))


def _with_unanswered(question: Question, shares: Shares, box: Estimate, level: float) -> Shares:
    """The shares of the boxes, and behind them those of refusals, as a box shows them."""
    limits, before = box.interval(level), shares.interval
    assert before is not None
    interval = Interval(np.concatenate([before.low, limits.low[2:]]), np.concatenate([before.high, limits.high[2:]]))
    return Shares("item", [*shares.labels, *question.unanswered], np.concatenate([shares.p, box.p[2:]]), interval)


def _ticked(texts: Sequence[str], shares: Sequence[Floats], limits: Sequence[Interval]) -> Shares:
    """The shares of those who ticked each box: the first item of each."""
    interval = Interval(np.array([each.low[0] for each in limits]), np.array([each.high[0] for each in limits]))
    return Shares("item", texts, np.array([each[0] for each in shares]), interval)
