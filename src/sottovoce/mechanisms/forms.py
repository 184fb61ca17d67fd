"""Questionnaires: each person draws a form, which defines what she reports and how."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arithmetic import ONE
from sottovoce.arrays import Counts
from sottovoce.channels import Channel, ProductChannel
from sottovoce.channels.columns import Ratio
from sottovoce.domain import Domain
from sottovoce.errors import ClaimError, DomainError, ParameterError
from sottovoce.mechanisms.base import Mechanism, broken, chosen_source
from sottovoce.mechanisms.population import Population
from sottovoce.notions import Certificate, Notion
from sottovoce.notions.record import together
from sottovoce.policy import FrozenMap
from sottovoce.reports import PopulationReports, ProductReports
from sottovoce.sources import Source

#: The most forms of a questionnaire: the number of a form takes a byte, as that of a tier does.
MOST_FORMS = 128


@dataclass(frozen=True)
class Part(Mechanism):
    """A mechanism for the answers to one question, for all combinations of the answers to several, or for the boxes of several choices."""

    questions: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    #: How many boxes of several choices can be chosen, if the part is about all of them.
    cap: int | None = None

    @classmethod
    def of(cls, mechanism: Mechanism, questions: Mapping[str, int]) -> Part:
        """A mechanism for questions that have so many answers each."""
        return cls(mechanism.domain, mechanism.channel, mechanism.claim, mechanism.name, tuple(questions), tuple(questions.values()))

    def codes(self, answers: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
        """The codes of the combinations of answers, the last question counted fastest."""
        return self.channel.combined([answers[question] for question in self.questions], self.sizes)

    def margin(self, questions: Sequence[str]) -> Channel | None:
        """The channel of a report about some of the questions, in their order here."""
        return self.channel.margin_of(self._places(questions), self.sizes)

    def margin_counts(self, counts: Counts, questions: Sequence[str]) -> Counts:
        """The counts of that channel, from those of this one."""
        return self.channel.statistic.margin(counts, self._places(questions), self.sizes)

    def _places(self, questions: Sequence[str]) -> list[int]:
        return [place for place, question in enumerate(self.questions) if question in questions]


@dataclass(frozen=True)
class Form(Mechanism):
    """The parts that a person reports, each through its own mechanism. The claim holds for all of them together."""

    parts: tuple[Part, ...] = ()

    @classmethod
    def of(cls, parts: Sequence[Part], claim: Notion, name: str = "form") -> Form:
        """A form of some parts, judged on their integers."""
        domain = Domain.joined({"+".join(part.questions): part.domain for part in parts})
        return cls(domain, ProductChannel(tuple(part.channel for part in parts)), claim, name, tuple(parts))

    def __post_init__(self) -> None:
        asked = [question for part in self.parts for question in part.questions]
        if len(set(asked)) < len(asked):
            raise ParameterError(f"Form {self.name!r} asks a question twice. Ask each question once.")
        certificate = self.certify()
        if not certificate.holds:
            raise ClaimError(broken(self.name, certificate), certificate.level)

    @cached_property
    def _certificate(self) -> Certificate:
        return together(self.claim, self.parts)

    @property
    def questions(self) -> tuple[str, ...]:
        return tuple(question for part in self.parts for question in part.questions)

    def sample(self, answers: Mapping[str, NDArray[Any]], source: Source) -> ProductReports:
        """Reports from the codes of the answers to each question. Words are read part by part."""
        return ProductReports(tuple(part.channel.sample(part.codes(answers), source) for part in self.parts))


@dataclass(unsafe_hash=True)
class Forms(Population):
    """The forms of a questionnaire. A person draws one of them before she answers, once, with the chances weights/2^64.

    The form doesn't depend on her answers, so all reports together keep the claim of each form. If people choose a level, `tiers` has
    the names of the forms of each: a person draws one of her level, and keeps what it claims.

    >>> from sottovoce import LDP, krr
    >>> asked = [krr(Domain("ab"), 1.0), krr(Domain("xyz"), 1.0)]
    >>> parts = [Part.of(m, {name: len(m.domain)}) for name, m in zip(("one", "two"), asked)]
    >>> forms = Forms({str(k): Form.of([part], LDP(1.0)) for k, part in enumerate(parts)}, [1 << 63, 1 << 63])
    >>> forms.level
    1.0
    """

    groups: Mapping[str, Form]
    weights: tuple[int, ...] = field(default=())
    #: The names of the forms of each level, in the order of `groups`; all of them under "" if people choose none.
    tiers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __init__(self, groups: Mapping[str, Form], weights: Sequence[int], tiers: Mapping[str, Sequence[str]] | None = None) -> None:
        if not isinstance(groups, Mapping) or not groups or not all(isinstance(each, Form) for each in groups.values()):
            raise DomainError("The forms aren't a mapping. Give a mapping from the name of each form to the form.")
        if len(groups) > MOST_FORMS:
            raise DomainError(f"The questionnaire has {len(groups)} forms. Use at most {MOST_FORMS}.")
        named = {"": tuple(groups)} if tiers is None else {tier: tuple(names) for tier, names in tiers.items()}
        if [name for names in named.values() for name in names] != list(groups) or not all(named.values()):
            raise DomainError("The forms don't match the levels. List each form under one level, in the order of the forms.")
        if len(weights) != len(groups) or any(type(each) is not int or each < 1 for each in weights) or not _whole(named, groups, weights):
            raise ParameterError("A weight isn't a positive integer, or the weights don't sum to exactly 2^64. Correct them.")
        kinds = {type(form.claim) for form in groups.values()}
        if len(kinds) > 1 or any(len({groups[name].claim for name in names}) > 1 for names in named.values()):
            raise ParameterError("The forms have different claims. Give all forms the same claim.")
        self.groups = FrozenMap(groups)
        self.weights = tuple(weights)
        self.tiers = FrozenMap(named)

    @classmethod
    def of_levels(cls, levels: Mapping[str, Forms]) -> Forms:
        """The forms of people who choose one of several levels, each of which has forms of its own."""
        groups = {name: form for forms in levels.values() for name, form in forms.groups.items()}
        tiers = {tier: forms.names for tier, forms in levels.items()}
        if len(groups) < sum(map(len, tiers.values())):
            raise DomainError("Two levels have a form with the same name. Rename one of them.")
        if len(groups) > MOST_FORMS:
            raise ParameterError(
                f"The plans of the {len(tiers)} levels have {len(groups)} forms together, and at most {MOST_FORMS} are possible. "
                "Offer fewer levels, or ask fewer questions."
            )
        return cls(groups, [weight for forms in levels.values() for weight in forms.weights], tiers)

    @property
    def claims(self) -> dict[str, Notion]:
        """What each level claims for the whole record."""
        return {tier: self.groups[names[0]].claim for tier, names in self.tiers.items()}

    @property
    def claim(self) -> Notion:
        """The claim that is true for all respondents: that of the level that reveals most."""
        return max(self.claims.values(), key=lambda claim: claim.epsilon)  # type: ignore[attr-defined]  # LDP or RecordULDP

    @property
    def levels(self) -> dict[str, float]:
        """The certified level of the whole record under each tier: that of its most revealing form."""
        return {tier: max(self.groups[name].certify().level for name in names) for tier, names in self.tiers.items()}

    def raised(self, tier: str) -> Ratio:
        """The factor by which all reports of a person can change odds at a level at most: that of its most revealing form."""
        ratios = [self.groups[name].certify().ratio for name in self.tiers[tier]]
        return max(math.inf if ratio is None else ratio for ratio in ratios)

    @property
    def level(self) -> float:
        """The certified level of the whole record: that of the most revealing form."""
        return max(self.levels.values())

    @property
    def domain(self) -> Domain:
        raise DomainError("A questionnaire has no single domain. Use the domains of its questions.")

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """All different parts, in the order in which forms name them. A question can be in several, at different budgets."""
        return tuple(dict.fromkeys(part for form in self.groups.values() for part in form.parts))

    @cached_property
    def _thresholds(self) -> list[NDArray[np.uint64]]:
        """For each tier the sums of its weights up to each form but the last."""
        weight = dict(zip(self.groups, self.weights, strict=True))
        sums = [np.cumsum(np.array([weight[name] for name in names], dtype=object)) for names in self.tiers.values()]
        return [np.array(each[:-1], dtype=np.uint64) for each in sums]

    def draw(self, people: int, source: Source | None = None, levels: NDArray[Any] | None = None) -> NDArray[np.uint8]:
        """The number of each person's form: one word decides. It is drawn before the answers are known, and once for a person.

        `levels[i]` is the number of the level that person i chose, if there are several. Her form is one of that level.
        """
        if levels is None:
            if "" not in self.tiers:
                raise DomainError(f"The levels are missing. Give each person one of {', '.join(self.tiers)}.")
            return np.searchsorted(self._thresholds[0], chosen_source(source).take(people), side="right").astype(np.uint8)
        chosen = np.asarray(levels)
        if len(chosen) != people or not np.isin(chosen, np.arange(len(self.tiers))).all():
            raise DomainError(f"The levels don't fit the {people} people. Give each person the number of a level below {len(self.tiers)}.")
        words = chosen_source(source).take(people)
        drawn, first = np.zeros(people, dtype=np.uint8), 0
        for tier, thresholds in enumerate(self._thresholds):
            mine = chosen == tier
            drawn[mine] = first + np.searchsorted(thresholds, words[mine], side="right")
            first += len(thresholds) + 1
        return drawn

    def perturb(  # type: ignore[override]  # a form is drawn where a tier is chosen
        self,
        answers: Mapping[str, NDArray[Any]],
        drawn: NDArray[np.uint8] | None = None,
        source: Source | None = None,
        levels: NDArray[Any] | None = None,
    ) -> PopulationReports:
        """The reports of many people. `answers` has the codes of the answers to each question, `drawn` the forms if they are drawn already.

        Otherwise `levels` has the numbers of the levels that people chose, if there are several. Words are read form by form, and within
        a form part by part.
        """
        asked = {question for form in self.groups.values() for question in form.questions}
        if missing := sorted(asked - answers.keys()):
            raise DomainError(f"The answers to {missing[0]!r} are missing. Give the codes of every question.")
        people = len(next(iter(answers.values())))
        ranks = self.draw(people, source, levels) if drawn is None else drawn
        parts = {}
        for rank, (name, form) in enumerate(self.groups.items()):
            mine = {question: answers[question][ranks == rank] for question in form.questions}
            parts[name] = form.sample(mine, chosen_source(source))
        return PopulationReports(ranks, self.names, parts)


def _whole(tiers: Mapping[str, Sequence[str]], groups: Mapping[str, Form], weights: Sequence[int]) -> bool:
    """Whether the weights of each level sum to one."""
    weight = dict(zip(groups, weights, strict=True))
    return all(sum(weight[name] for name in names) == ONE for names in tiers.values())
