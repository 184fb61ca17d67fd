"""The questions of a study: what is asked, what can be answered, and what goes along with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.domain import Domain, Item
from sottovoce.domain.axis import listed
from sottovoce.errors import DomainError
from sottovoce.labels import labels_of

#: What stands for a box of several choices: ticked, or not.
BOX = Domain(["yes", "no"])


@dataclass(frozen=True)
class Question:
    """A question of a study.

    `answers` are those that a person can choose. `domain` also has the items that stand for `other`, for a `refusal` ("prefer not to say")
    and for a question that a person is not asked (`skipped`), if there are any. `after` has the answers to earlier questions upon
    which this one is asked. It always is if there are none. With `choices` several answers can be given, up to `at_most` if there
    is a cap. `labels` are what items are called in other languages.
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
    at_most: int | None = None
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)

    @cached_property
    def domain(self) -> Domain:
        """All that an answer can be. The boxes of several choices are domains of their own."""
        extras = self.extras
        return self.answers if not extras else Domain([*self.answers, *extras])

    @property
    def extras(self) -> tuple[str, ...]:
        """The items behind the answers, in their order."""
        return tuple(extra for extra in (self.other, self.refusal, self.skipped) if extra is not None)

    @property
    def unanswered(self) -> tuple[str, ...]:
        """The items that aren't answers: a refusal, and a skipped question."""
        return tuple(extra for extra in (self.refusal, self.skipped) if extra is not None)

    @cached_property
    def choosable(self) -> Domain:
        """What can be chosen: the answers, and "other"."""
        return self.answers if self.other is None else Domain([*self.answers, self.other])

    @cached_property
    def box(self) -> Domain:
        """The items of each box of several choices: ticked, not ticked, and what stands for no answer at all."""
        return Domain([*BOX, *self.unanswered]) if self.unanswered else BOX

    @cached_property
    def fields(self) -> Mapping[str, Domain]:
        """What people report about the question: its answer, or each box by itself."""
        if not self.choices:
            return {self.name: self.domain}
        return {f"{self.name}: {label}": self.box for label in labels_of(self.choosable).texts}

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Which items (of each box, if several can be chosen) are answers, and neither a refusal nor a skipped question."""
        domain = self.box if self.choices else self.domain
        mask = np.ones(len(domain), dtype=np.bool_)
        mask[[domain.code(extra) for extra in self.unanswered]] = False
        return mask

    def encode(self, column: Sequence[Any]) -> dict[str, NDArray[np.int64]]:
        """The codes of all fields from the answers of people who are asked. Several choices are lists of labels."""
        if not self.choices:
            if self.skipped is not None and any(isinstance(each, str) and each == self.skipped for each in column):
                raise DomainError(f"{self.name!r}: {self.skipped!r} is reserved for people who aren't asked. Give another answer.")
            return {self.name: self._numbers(column) if self.answers.edges is not None and self.extras else self.domain.encode(column)}
        table = np.array([self.boxes(row) for row in column], dtype=np.int64).reshape(len(column), len(self.fields))
        return {name: table[:, place] for place, name in enumerate(self.fields)}

    def _numbers(self, column: Sequence[Any]) -> NDArray[np.int64]:
        """Numbers among which other items stand."""
        codes = np.array(
            [self.domain.code(each) if isinstance(each, str) and each in self.extras else -1 for each in column], dtype=np.int64
        )
        codes[codes < 0] = self.answers.encode([each for each, code in zip(column, codes.tolist(), strict=True) if code < 0])
        return codes

    def boxes(self, chosen: Sequence[Item] | str) -> list[int]:
        """The codes of the boxes, from the labels that a person chose."""
        labels = [chosen] if isinstance(chosen, str) else list(chosen)
        if problem := self.problem(labels):
            raise DomainError(f"{self.name!r}: {' '.join(problem)}")
        if labels and labels[0] == self.refusal:
            return [self.box.code(self.refusal)] * len(self.fields)
        codes = {self.choosable.code(label) for label in labels}
        return [0 if place in codes else 1 for place in range(len(self.fields))]

    def problem(self, labels: Sequence[Item]) -> tuple[str, str] | None:
        """What is wrong with labels that are chosen together, if anything, and what to do."""
        if unknown := [label for label in labels if label not in self.choosable and label != self.refusal]:
            return f"{unknown[0]!r} isn't one of the choices.", f"Choose from {listed([*self.choosable], 9)}."
        if len(set(labels)) < len(labels):
            return f"{next(each for each in labels if [*labels].count(each) > 1)!r} is named twice.", "Name each choice once."
        if self.refusal is not None and self.refusal in labels and len(labels) > 1:
            return f"{self.refusal!r} comes with a choice.", "Give one or the other."
        if self.at_most is not None and len(labels) > self.at_most:
            return f"{len(labels)} choices are named, but at most {self.at_most} are possible.", "Name fewer."
        return None


def encoded_levels(levels: Sequence[str], table: Mapping[str, Any]) -> NDArray[np.uint8]:
    """The numbers of the levels that people chose, from the column `level`."""
    if "level" not in table:
        raise DomainError(f"The table has no column 'level'. Give each person one of the levels {', '.join(levels)}.")
    ranks = {name: rank for rank, name in enumerate(levels)}
    if unknown := [level for level in table["level"] if level not in ranks]:
        raise DomainError(f"{unknown[0]!r} isn't a level of this study. Choose from {', '.join(levels)}.")
    return np.array([ranks[level] for level in table["level"]], dtype=np.uint8)


def encoded(questions: Sequence[Question], table: Mapping[str, Any], people: int | None = None) -> dict[str, NDArray[Any]]:
    """The codes of every field, from a column of labels for each question. A question that isn't asked is answered by its own item.

    Each column must have as many answers as there are people, if their number is known.
    """
    names = [question.name for question in questions]
    if wrong := [name for name in table if name not in names]:
        raise DomainError(f"{wrong[0]!r} isn't a question. Choose from {', '.join(names)}.")
    if missing := [name for name in names if name not in table]:
        raise DomainError(f"The table has no column {missing[0]!r}. Give a column for each question.")
    columns = {name: list(table[name]) for name in names}
    if len({len(column) for column in columns.values()} | ({people} - {None})) > 1:
        raise DomainError("The columns differ in length. Give each person an answer to every question.")
    found: dict[str, NDArray[Any]] = {}
    for question in questions:
        column, shown = columns[question.name], shown_to(question, questions, found)
        if shown is None:
            found |= question.encode(column)
            continue
        asked = question.encode([each for each, mine in zip(column, shown.tolist(), strict=True) if mine])
        for name, codes in asked.items():
            found[name] = np.full(len(column), question.fields[name].code(question.skipped), dtype=np.int64)
            found[name][shown] = codes
    return found


def shown_to(question: Question, questions: Sequence[Question], codes: Mapping[str, NDArray[Any]]) -> NDArray[np.bool_] | None:
    """Who is asked a question, by the answers to earlier ones. None if all respondents are."""
    if not question.after:
        return None
    domains = {each.name: each.domain for each in questions}
    asked: NDArray[np.bool_] | None = None
    for name, answers in question.after.items():
        fits = np.isin(codes[name], [domains[name].code(answer) for answer in answers])
        asked = fits if asked is None else asked & fits
    return asked


def to_be_hidden(question: Question, others: Mapping[str, Question]) -> tuple[Item, ...]:
    """The items that must be sensitive under ULDP, because they reveal something sensitive: a refusal, or an answer to an earlier question.

    If people are asked because of a sensitive answer, all items reveal it. If people are left out because of one, only `skipped` does.
    """
    found = [] if question.refusal is None else [question.refusal]
    for name, answers in question.after.items():
        hidden = others[name].sensitive
        if any(answer in hidden for answer in answers):
            return tuple(question.domain)
        if hidden and question.skipped is not None:
            found.append(question.skipped)
    return tuple(item for item in question.domain if item in found)


def sensitive_items(questions: Sequence[Question]) -> tuple[Item, ...]:
    """The sensitive items of one field of each question, if these are reported as one: combinations with a sensitive answer to one.

    The boxes of several choices are sensitive as a whole.
    """
    domains = [question.box if question.choices else question.domain for question in questions]
    sensitive = [tuple(question.box) if question.choices else question.sensitive for question in questions]
    if len(questions) == 1:
        return sensitive[0]
    domain = Domain.joined({str(place): each for place, each in enumerate(domains)})
    places = np.unravel_index(np.arange(domain.size), [len(each) for each in domains])
    marked = np.zeros(domain.size, dtype=np.bool_)
    for each, items, codes in zip(domains, sensitive, places, strict=True):
        marked |= np.isin(codes, [each.code(item) for item in items])
    return tuple(domain.decode(np.flatnonzero(marked)))
