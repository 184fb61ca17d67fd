"""The expected precision of a study with more and with fewer people: half the width of an interval, or the error of all shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sottovoce.errors import SottovoceError
from sottovoce.findings.protection import sent_as_they_are
from sottovoce.policy import Promise
from sottovoce.study import Study
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.strategy_plan import StrategyPlan
from sottovoce.utility.asking import goal_of
from sottovoce.utility.goals import Goal

#: Numbers of people, and the share that the precision is given for.
PEOPLE, SHARE = (1_000, 10_000, 100_000, 1_000_000), 0.1


@dataclass(frozen=True)
class Precision:
    """Half-widths of 95% intervals, or errors of all shares, as text: a row for each number of people, or for each question."""

    said: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def precision_of(study: Study) -> Precision | None:
    """The expected precision of a study. None if its plans don't have its mechanism, or if it is compiled and has several questions.

    >>> from sottovoce import Domain, krr
    >>> study = Study("s", "q", Domain("abc"), {"": Promise(Domain("abc"), "ldp", 1.0)}, krr(Domain("abc"), 1.0))
    >>> precision_of(study).rows[1]
    ('10,000', '± 2.33 points')
    """
    if isinstance(study, Questionnaire):
        return _of_questions(study)
    levels = {level: promise for level, promise in study.promises.items() if promise is not None}
    if not levels:
        return None
    found: dict[str, list[str]] = {}
    try:
        for level, promise in levels.items():
            goal, what = _goal(study, promise)
            curve = goal.expectations(promise, [study.blocks[level]], None, PEOPLE[0], study.reports).curves[0]
            found[level] = [goal.short(curve.error(n)) for n in PEOPLE]
    except SottovoceError:  # a prior or tags, whose plans are made for all shares together
        return _of_all_shares(study, levels)
    rows = tuple((f"{n:,}", *(column[place] for column in found.values())) for place, n in enumerate(PEOPLE))
    said = f"The 95% interval of {what}, from the unbiased estimate. The default estimate is usually closer."
    return Precision(said, ("people", *(f"level “{level}”" if level else "95% interval" for level in found)), rows)


def _of_all_shares(study: Study, levels: Mapping[str, Promise]) -> Precision | None:
    """The error of all shares together, as `sottovoce plan` has it for the study's own mechanism. None if it plans without that one."""
    found: dict[str, list[str]] = {}
    for level in levels:
        try:
            plans = [study.plan(n, level=level) for n in PEOPLE]
        except SottovoceError:
            return None
        errors = [each.tv for plan in plans for each in plan.options if each.name == study.blocks[level].name]
        if len(errors) != len(PEOPLE) or None in errors:
            return None
        found[level] = [f"{100 * error:.3g}%" for error in errors if error is not None]
    rows = tuple((f"{n:,}", *(column[place] for column in found.values())) for place, n in enumerate(PEOPLE))
    whom = "for the worst population, with each mark as an answer of its own"
    if not study.tags:
        whom = "with method mmse, if the prior is true"
    said = f"How many people the result assigns to a wrong answer: the expected error of all shares together (total variation) {whom}."
    return Precision(said, ("people", *(f"level “{level}”" if level else "at a wrong answer" for level in found)), rows)


def _of_questions(study: Questionnaire) -> Precision | None:
    """A row for each question that isn't sent as it is, at each level. Of those the shares are exact."""
    people = sorted({*PEOPLE[:3], *([study.people] if study.people else [])})
    try:
        plans = [(level, replace(StrategyPlan.of(study, level=level or None), n=None)) for level in study.mechanism.tiers]
    except SottovoceError:
        return None
    texts = {question.name: question.text for question in study.questions}
    rows = tuple(
        (level, _in_words(theme.name, texts), *(plan.cell(plan.used, place, n) for n in people))
        for level, plan in plans
        for place, theme in enumerate(plan.themes)
    )
    vague = " “can’t tell” means that it covers half of all possible values or more." * ("can't tell" in str(rows))
    clear = [f"“{text}”" for text in sent_as_they_are(study)]
    exact = f" Answers to {' and '.join(clear)} are sent as they are, so their shares are those of the people who answered."
    said = f"{plans[0][1].legend}{vague}{exact * bool(clear)}"
    return Precision(said, ("level", "question", *(f"{n:,} people" for n in people)), rows)


def _in_words(name: str, texts: Mapping[str, str]) -> str:
    """A question by its text and its name: of several choices, the box."""
    question = name.partition(": ")[0]
    return f"“{texts[question]}” ({name})" if question in texts else name


def _goal(study: Study, promise: Promise) -> tuple[Goal, str]:
    """The mean of a number, or the share of an answer that is protected."""
    if len(study.domain.axes) == 1 and study.domain.axes[0].edges is not None:
        return goal_of(study.domain, about="mean"), "the mean, if all values are equally common"
    item = next(iter([*promise.sensitive, *(promise.budgets or ()), study.domain.item(0)]))
    return goal_of(study.domain, item=item, at_most=SHARE), f"the share of an answer that at most {SHARE:.0%} of people give"
