"""How a questionnaire is asked: topics, the strategies for them, and the certified forms of the chosen one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache, partial

import numpy as np

from sottovoce.arithmetic import apportion
from sottovoce.channels.capped.channel import MOST_SETS
from sottovoce.channels.capped.sets import CappedSets
from sottovoce.domain import Domain, Item
from sottovoce.errors import ParameterError
from sottovoce.mechanisms import Form, Forms, Mechanism, Part, identity, krr, ubd, urr, window
from sottovoce.mechanisms.capped import capped_subset
from sottovoce.mechanisms.forms import MOST_FORMS
from sottovoce.notions import LDP, Notion, RecordULDP
from sottovoce.optima.capped import best_capped
from sottovoce.policy import Promise
from sottovoce.study.questionnaire_files import Pinned
from sottovoce.study.questions import Question, sensitive_items
from sottovoce.study.recipes import promised
from sottovoce.utility.asking import goal_of
from sottovoce.utility.candidates import candidates_for
from sottovoce.utility.designs import truth
from sottovoce.utility.goals import TotalVariation
from sottovoce.utility.losses import losses
from sottovoce.utility.numbers import Sums
from sottovoce.utility.plan import planned
from sottovoce.utility.strategies import block, least_error, sample, split, strategies
from sottovoce.utility.strategy import Asked, PlannedPart, Strategy

#: Numbers with so many bins at most are planned at many budgets.
_FEW_BINS = 64
#: Chances of forms are multiples of one over this number: another processor, whose floating point differs, plans the same study.
_STEPS = 10**6


@dataclass(frozen=True)
class Theme:
    """What is asked as one, by name: a question, a box of several choices or all of them, or questions that are asked together."""

    name: str
    fields: Mapping[str, Domain]
    sensitive: tuple[Item, ...] = ()
    weight: float = 1.0
    #: How many boxes can be chosen, if the boxes of several choices are reported as a whole.
    cap: int | None = None

    @cached_property
    def domain(self) -> Domain:
        return Domain.joined(self.fields)

    def best_partial(self, budget: float) -> tuple[float, Mechanism]:
        """The best mechanism that protects the sensitive answers alone, after n times its squared error."""
        if self.domain.ordered:
            return least_sensitive(self.domain, self.sensitive, budget)
        return least_hidden(len(self.domain), len(self.sensitive), budget)

    @property
    def sizes(self) -> dict[str, int]:
        return {name: len(domain) for name, domain in self.fields.items()}

    @property
    def is_number(self) -> bool:
        """Whether it is a number, of which the mean is what counts."""
        return self.cap is None and self.domain.edges is not None

    @property
    def items(self) -> int:
        """How many shares are estimated: of all items, or of the items of every box."""
        return len(self.domain) if self.cap is None else sum(self.sizes.values())


@dataclass(frozen=True)
class Asking:
    """The questions of a record under one guarantee, and how they are asked.

    The boxes of several choices are themes by themselves. If there is a cap, they can be one theme: `sets` names the questions for which
    they are.
    """

    questions: tuple[Question, ...]
    notion: str
    epsilon: float
    people: int
    sets: frozenset[str] = frozenset()

    @cached_property
    def themes(self) -> tuple[Theme, ...]:
        return _themes(self.questions, self.notion, self.sets)

    @property
    def capped(self) -> list[str]:
        """The questions whose boxes can be reported as a whole."""
        return [each.name for each in self.questions if each.at_most is not None and _listable(each)]

    @property
    def hidden(self) -> list[Theme]:
        """The themes that are protected: all of them, or under ULDP those with sensitive answers."""
        return [theme for theme in self.themes if self.notion == "ldp" or theme.sensitive]

    @property
    def clear(self) -> list[Theme]:
        """The themes that are always asked as they are."""
        return [theme for theme in self.themes if not (self.notion == "ldp" or theme.sensitive)]

    @property
    def claim(self) -> Notion:
        return LDP(self.epsilon) if self.notion == "ldp" else RecordULDP(self.epsilon)

    @cached_property
    def asked(self) -> list[Asked]:
        """What is planned for."""
        if not self.hidden:
            raise ParameterError("No question has sensitive answers, so nothing is protected. Mark some with: sensitive = [...]")
        if len(self.hidden) > MOST_FORMS:
            raise ParameterError(
                f"There are {len(self.hidden)} questions and choices to plan for, more than {MOST_FORMS}. Ask fewer, "
                "or give questions with several choices a cap: at_most = 3."
            )
        return [
            Asked(theme.name, theme.items, partial(self._alone, theme), theme.weight, self._joins(theme), self._smooth(theme))
            for theme in self.hidden
        ]

    def _joins(self, theme: Theme) -> bool:
        return self.notion == "ldp" and theme.cap is None and theme.domain.edges is None

    def _smooth(self, theme: Theme) -> bool:
        """Whether the error has no jumps that matter. More bins have wider windows and smaller jumps, and take longer to compute."""
        return self.notion != "ldp" or theme.cap is not None or theme.domain.edges is None or len(theme.domain) > _FEW_BINS

    def promise(self, theme: Theme, budget: float) -> Promise:
        """The guarantee of a report about a theme alone."""
        if self.notion == "ldp":
            return Promise(theme.domain, "ldp", budget)
        return Promise.of(theme.domain, budget, list(theme.sensitive), None, None, None, None)

    def _alone(self, theme: Theme, budget: float) -> float:
        """n times the squared error of a theme that is asked alone. Of numbers it is twice that of the mean, in units of their range."""
        if theme.cap is not None:
            return _set_error(theme, budget)
        if self.notion == "ldp":
            return _number_error(theme.domain, budget) if theme.domain.edges is not None else least_error(len(theme.domain), budget)
        return theme.best_partial(budget)[0]

    def strategies(self, *, mixtures: bool = True) -> list[Strategy]:
        """The best strategy of each kind, least error first. Mixtures take longer to find than the others."""
        found = [self.at_shares(each) for each in strategies(self.asked, self.epsilon, mixtures=mixtures)]
        return sorted(found, key=lambda each: each.total)

    def chosen(self, pinned: Pinned) -> Strategy:
        """The strategy that a file names, or the best one."""
        if pinned.kind == "split":
            return self.at_shares(split(self.asked, self.epsilon))
        if pinned.kind == "sample":
            if pinned.questions is not None:
                return self.at_shares(sample(self.asked, self.epsilon, pinned.questions))
            return next(each for each in self.strategies() if each.kind == "sample")
        if pinned.kind == "block":
            return self.at_shares(block(self.asked, self.epsilon, pinned.questions))
        return self.strategies()[0]

    def at_shares(self, strategy: Strategy) -> Strategy:
        """The strategy with the errors of capped boxes as they are at the shares that a cap leaves them: far from one half."""
        owner = {name: each for each in self.questions if each.name in self.capped for name in each.fields}
        errors = list(strategy.errors)
        for place, theme in enumerate(self.hidden):
            if theme.name in owner:
                errors[place] = 1 / self._information(strategy, place, _share(owner[theme.name]))
        return replace(strategy, errors=tuple(errors))

    def _information(self, strategy: Strategy, place: int, share: float) -> float:
        """What all forms tell about a box: one over n times the squared error."""
        sizes = [theme.items for theme in self.hidden]
        return math.fsum(
            chance / _box_error(sizes[place], share, math.prod(sizes[q] for q in part.topics), part.epsilon)
            for form, chance in zip(strategy.forms, strategy.chances, strict=True)
            for part in form
            if place in part.topics
        )

    def forms(self, strategy: Strategy, level: str = "") -> Forms:
        """The forms of a strategy, certified for the whole record: "1", "2" and so on, or those of a level: "careful/1"."""
        if len(strategy.forms) > MOST_FORMS:
            raise ParameterError(
                f"The plan ({strategy.kind}) has {len(strategy.forms)} forms, more than {MOST_FORMS}. "
                "Ask fewer questions, or choose a larger epsilon."
            )
        made: dict[PlannedPart, Part] = {}
        clear = [Part.of(identity(theme.domain), theme.sizes) for theme in self.clear]
        inclusion = strategy.inclusion
        groups: dict[str, Form] = {}
        for number, form in enumerate(strategy.forms, 1):
            parts = []
            for part in _rounded(form, self.epsilon):
                if part not in made:
                    made[part] = self._part(part, inclusion)
                parts.append(made[part])
            name = f"{level}/{number}" if level else str(number)
            groups[name] = Form.of([*parts, *clear], self.claim, f"form {name}")
        return Forms(groups, apportion([Fraction(max(1, round(chance * _STEPS))) for chance in strategy.chances]), {level: tuple(groups)})

    def _part(self, part: PlannedPart, inclusion: Sequence[float]) -> Part:
        themes = [self.hidden[place] for place in part.topics]
        sizes = {name: size for theme in themes for name, size in theme.sizes.items()}
        if len(themes) > 1:
            domain = Domain.joined({name: domain for theme in themes for name, domain in theme.fields.items()})
            return Part.of(krr(domain, part.epsilon), sizes)
        if themes[0].cap is not None:
            return capped_subset(sizes, themes[0].cap, part.epsilon)
        return Part.of(self.mechanism_of(part, inclusion), sizes)

    def mechanism_of(self, part: PlannedPart, inclusion: Sequence[float]) -> Mechanism:
        """The mechanism of a theme that is reported alone, by those who are asked about it."""
        (place,) = part.topics
        return _mechanism(self.promise(self.hidden[place], part.epsilon), max(1, round(self.people * inclusion[place])))


def _share(question: Question) -> float:
    """The share of a box that plans assume: people choose half as many boxes as they may, and refusals count as boxes."""
    assert question.at_most is not None
    return question.at_most / (2 * (len(question.fields) + len(question.unanswered)))


def _box_error(size: int, share: float, combinations: int, epsilon: float) -> float:
    """n times the squared error of a box in a report about so many combinations. All its items but "no" have the same share."""
    certain = truth(combinations, epsilon)
    shares = np.full(size, share)
    shares[1] = 1 - (size - 1) * share
    seen = (1 - certain) / size + certain * shares
    return float((seen * (1 - seen)).sum()) / certain**2


def _set_error(theme: Theme, budget: float) -> float:
    """n times the squared error of all boxes that are reported as a whole: a share and its complement in each, and of every refusal."""
    assert theme.cap is not None
    marks = max(theme.sizes.values()) - 2
    variance = best_capped(len(theme.fields) + marks, theme.cap, budget)[1]
    return len(theme.fields) * 2 * (1 + marks) * variance


def _listable(question: Question) -> bool:
    """Whether the sets of boxes are few enough to have codes."""
    assert question.at_most is not None
    return CappedSets(len(question.fields), len(question.unanswered), question.at_most).count <= MOST_SETS


def _mechanism(promise: Promise, people: int) -> Mechanism:
    """The best mechanism for a theme alone: by the distance between distributions of numbers, and by the shares of all others."""
    goal = goal_of(promise.domain) if promise.domain.edges is not None else TotalVariation(None)
    return promised(promise, planned(promise, goal, people, usual_n=people).best)


def _rounded(form: Sequence[PlannedPart], epsilon: float) -> list[PlannedPart]:
    """The parts with budgets that never sum to more than ε."""
    total = sum(Fraction(part.epsilon) for part in form)
    if total <= Fraction(epsilon):
        return list(form)
    ratio = Fraction(epsilon) / total
    budgets = [float(Fraction(part.epsilon) * ratio) for part in form]
    while sum(map(Fraction, budgets)) > Fraction(epsilon):
        budgets = [math.nextafter(budget, 0.0) for budget in budgets]
    return [PlannedPart(part.topics, budget) for part, budget in zip(form, budgets, strict=True)]


@lru_cache(maxsize=512)
def _number_error(domain: Domain, budget: float) -> float:
    centres = domain.centres / (domain.centres[-1] - domain.centres[0])
    equal = np.full(len(domain), 1 / len(domain))
    return 2 * Sums(window(domain, budget), equal, 1).deviation(centres) ** 2


@lru_cache(maxsize=4096)
def least_sensitive(domain: Domain, sensitive: tuple[Item, ...], budget: float) -> tuple[float, Mechanism]:
    """The best mechanism that protects some items of an ordered domain, after n times its squared error, if all are equally frequent."""
    promise = Promise.of(domain, budget, list(sensitive), None, None, None, None)
    return _least([each for each in candidates_for(promise) if each.channel.inversion is not None])


@lru_cache(maxsize=4096)
def least_hidden(items: int, sensitive: int, budget: float) -> tuple[float, Mechanism]:
    """The best mechanism that protects some of so many items, after n times its squared error, if all are equally frequent.

    That is `urr` for few sensitive items or a large budget, and `ubd` otherwise. No other mechanism of the catalogue is better than both.
    """
    return _least([each(Domain(items), budget, range(sensitive)) for each in (urr, ubd)])


def _least(tried: Sequence[Mechanism]) -> tuple[float, Mechanism]:
    equal = np.full(len(tried[0].inputs), 1 / len(tried[0].inputs))
    return min(((losses(each, equal, 1).l2, each) for each in tried), key=lambda found: found[0])


def _themes(questions: Sequence[Question], notion: str, sets: frozenset[str]) -> tuple[Theme, ...]:
    groups: dict[str, list[Question]] = {}
    for question in questions:
        groups.setdefault(f"together {question.together}" if question.together else f"question {question.name}", []).append(question)
    found: list[Theme] = []
    for members in groups.values():
        first = members[0]
        if first.name in sets:
            found.append(Theme(first.name, first.fields, sensitive_items(members) if notion == "uldp" else (), first.weight, first.at_most))
            continue
        if first.choices:
            found += [
                Theme(name, {name: domain}, sensitive_items(members) if notion == "uldp" else (), first.weight)
                for name, domain in first.fields.items()
            ]
            continue
        fields = {question.name: question.domain for question in members}
        name = "+".join(fields)
        found.append(
            Theme(name, fields, sensitive_items(members) if notion == "uldp" else (), sum(question.weight for question in members))
        )
    return tuple(found)
