"""The questions of a study: what is asked, what can be answered, and what goes along with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.domain import Domain, Item
from sottovoce.errors import DomainError
from sottovoce.labels import labels_of

#: What stands for a box of several choices: ticked, or not.
BOX = Domain(["yes", "no"])


@dataclass(frozen=True)
class Question:
    """A question of a study.

    `answers` are those that a person can choose. `domain` also has the items that stand for `other`, for a `refusal` ("prefer not to say")
    and for a question that a person is not asked (`skipped`), if there are any. Under `after` stand the answers to earlier questions upon
    which this one is asked; it always is if there are none. With `choices` several answers can be given.
    """

    name: str
    text: str
    answers: Domain = field(repr=False)
    help: str = ""
    other: str | None = None
    refusal: str | None = None
    skipped: str | None = None
    choices: bool = False
    sensitive: tuple[Item, ...] = ()
    after: Mapping[str, tuple[Item, ...]] = field(default_factory=dict)
    together: str | None = None
    weight: float = 1.0
    translations: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)

    @cached_property
    def domain(self) -> Domain:
        """All that an answer can be. The boxes of several choices are domains of their own."""
        extras = self.extras
        return self.answers if not extras else Domain([*self.answers, *extras])

    @property
    def extras(self) -> tuple[str, ...]:
        """The items behind the answers, in their order."""
        return tuple(extra for extra in (self.other, self.refusal, self.skipped) if extra is not None)

    @cached_property
    def fields(self) -> Mapping[str, Domain]:
        """What is reported about the question: its answer, or each box by itself."""
        if not self.choices:
            return {self.name: self.domain}
        return {f"{self.name}: {label}": BOX for label in labels_of(self.answers).texts}

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Which items are answers: not a refusal, and not that the question was skipped."""
        mask = np.ones(len(self.domain), dtype=np.bool_)
        for extra in (self.refusal, self.skipped):
            if extra is not None:
                mask[self.domain.code(extra)] = False
        return mask

    def boxes(self, chosen: Sequence[Sequence[Item]]) -> dict[str, NDArray[np.int64]]:
        """The codes of the boxes of several choices, from the labels that each person chose."""
        ticked = np.ones((len(chosen), len(self.answers)), dtype=np.int64)
        for row, labels in enumerate(chosen):
            for label in labels:
                ticked[row, self.answers.code(label)] = 0
        return {name: ticked[:, place] for place, name in enumerate(self.fields)}


def encoded(questions: Sequence[Question], table: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """The codes of every field, from a column of labels for each question. A question that isn't asked is answered by its own item."""
    names = [question.name for question in questions]
    if wrong := [name for name in table if name not in names]:
        raise DomainError(f"{wrong[0]!r} is not a question; the questions are {', '.join(names)}")
    if missing := [name for name in names if name not in table]:
        raise DomainError(f"the table has no column {missing[0]!r}; give a column for each question")
    columns = {name: list(table[name]) for name in names}
    if len({len(column) for column in columns.values()}) > 1:
        raise DomainError("the columns differ in length; give each person an answer to every question")
    found: dict[str, NDArray[Any]] = {}
    for question in questions:
        column, shown = columns[question.name], shown_to(question, questions, found)
        if question.choices:
            found |= question.boxes(column)
        elif shown is None:
            found[question.name] = question.domain.encode(column)
        else:
            skip = question.domain.code(question.skipped)
            codes = np.full(len(column), skip, dtype=np.int64)
            codes[shown] = question.domain.encode([each for each, asked in zip(column, shown.tolist(), strict=True) if asked])
            found[question.name] = codes
    return found


def shown_to(question: Question, questions: Sequence[Question], codes: Mapping[str, NDArray[Any]]) -> NDArray[np.bool_] | None:
    """Who is asked a question, by the answers to earlier ones; None if everybody is."""
    if not question.after:
        return None
    domains = {each.name: each.domain for each in questions}
    asked: NDArray[np.bool_] | None = None
    for name, answers in question.after.items():
        fits = np.isin(codes[name], [domains[name].code(answer) for answer in answers])
        asked = fits if asked is None else asked & fits
    return asked


def sensitive_items(questions: Sequence[Question]) -> tuple[Item, ...]:
    """The sensitive items of questions that are asked together: combinations with a sensitive answer to one of them.

    The boxes of several choices are sensitive as a whole.
    """
    if len(questions) == 1:
        return tuple(BOX) if questions[0].choices else questions[0].sensitive
    domain = Domain.joined({question.name: question.domain for question in questions})
    places = np.unravel_index(np.arange(domain.size), [len(question.domain) for question in questions])
    marked = np.zeros(domain.size, dtype=np.bool_)
    for question, codes in zip(questions, places, strict=True):
        marked |= np.isin(codes, [question.domain.code(item) for item in question.sensitive])
    return tuple(domain.decode(np.flatnonzero(marked)))
