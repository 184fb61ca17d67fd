"""Questionnaires: each person draws a form, which says about what she reports and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arithmetic import ONE
from sottovoce.arrays import Counts
from sottovoce.channels import Channel, ProductChannel
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
        """What a report says about some of the questions, in their order here, as a channel of its own."""
        return self.channel.margin_of(self._places(questions), self.sizes)

    def margin_counts(self, counts: Counts, questions: Sequence[str]) -> Counts:
        """The counts of that channel, from those of this one."""
        return self.channel.statistic.margin(counts, self._places(questions), self.sizes)

    def _places(self, questions: Sequence[str]) -> list[int]:
        return [place for place, question in enumerate(self.questions) if question in questions]


@dataclass(frozen=True)
class Form(Mechanism):
    """The parts about which a person reports, each through its own mechanism; what is claimed holds for all of them together."""

    parts: tuple[Part, ...] = ()

    @classmethod
    def of(cls, parts: Sequence[Part], claim: Notion, name: str = "form") -> Form:
        """A form of some parts, judged on their integers."""
        domain = Domain.joined({"+".join(part.questions): part.domain for part in parts})
        return cls(domain, ProductChannel(tuple(part.channel for part in parts)), claim, name, tuple(parts))

    def __post_init__(self) -> None:
        asked = [question for part in self.parts for question in part.questions]
        if len(set(asked)) < len(asked):
            raise ParameterError(f"form {self.name!r} asks a question twice; a form asks each question once")
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

    Which form a person has says nothing about her answers, so that the reports of all of them keep what each form claims.

    >>> from sottovoce import LDP, krr
    >>> asked = [krr(Domain("ab"), 1.0), krr(Domain("xyz"), 1.0)]
    >>> parts = [Part.of(m, {name: len(m.domain)}) for name, m in zip(("one", "two"), asked)]
    >>> forms = Forms({str(k): Form.of([part], LDP(1.0)) for k, part in enumerate(parts)}, [1 << 63, 1 << 63])
    >>> forms.level
    1.0
    """

    groups: Mapping[str, Form]
    weights: tuple[int, ...] = field(default=())

    def __init__(self, groups: Mapping[str, Form], weights: Sequence[int]) -> None:
        if not isinstance(groups, Mapping) or not groups or not all(isinstance(each, Form) for each in groups.values()):
            raise DomainError("a questionnaire is a mapping from the name of a form to the form")
        if len(groups) > MOST_FORMS:
            raise DomainError(f"a questionnaire has at most {MOST_FORMS} forms, not {len(groups)}")
        if len(weights) != len(groups) or any(type(each) is not int or each < 1 for each in weights) or sum(weights) != ONE:
            raise ParameterError("every form has a positive integer weight, and the weights sum to exactly 2^64")
        if len({each.claim for each in groups.values()}) > 1:
            raise ParameterError("the forms claim different things; what a questionnaire claims holds for all of its forms")
        self.groups = FrozenMap(groups)
        self.weights = tuple(weights)

    @property
    def claim(self) -> Notion:
        return next(iter(self.groups.values())).claim

    @property
    def level(self) -> float:
        """The certified level of the whole record: that of the form that tells most."""
        return max(form.certify().level for form in self.groups.values())

    @property
    def domain(self) -> Domain:
        raise DomainError("a questionnaire has a domain for each question, and none for all of them; ask its questions")

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """All different parts, in the order in which forms name them. A question can be in several, at different budgets."""
        return tuple(dict.fromkeys(part for form in self.groups.values() for part in form.parts))

    @cached_property
    def _thresholds(self) -> NDArray[np.uint64]:
        return np.array(np.cumsum(np.array(self.weights, dtype=object))[:-1], dtype=np.uint64)

    def draw(self, people: int, source: Source | None = None) -> NDArray[np.uint8]:
        """The number of each person's form: one word decides. It is drawn before the answers are known, and once for a person."""
        return np.searchsorted(self._thresholds, chosen_source(source).take(people), side="right").astype(np.uint8)

    def perturb(  # type: ignore[override]  # a form is drawn where a tier is chosen
        self, answers: Mapping[str, NDArray[Any]], drawn: NDArray[np.uint8] | None = None, source: Source | None = None
    ) -> PopulationReports:
        """The reports of many people. `answers` has the codes of the answers to each question, `drawn` the forms if they are drawn already.

        Words are read form by form, and within a form part by part.
        """
        asked = {question for form in self.groups.values() for question in form.questions}
        if missing := sorted(asked - answers.keys()):
            raise DomainError(f"the answers to {missing[0]!r} are missing. Give the codes of every question")
        people = len(next(iter(answers.values())))
        ranks = self.draw(people, source) if drawn is None else drawn
        parts = {}
        for rank, (name, form) in enumerate(self.groups.items()):
            mine = {question: answers[question][ranks == rank] for question in form.questions}
            parts[name] = form.sample(mine, chosen_source(source))
        return PopulationReports(ranks, self.names, parts)
