"""Answers as programs give them, and the codes that enter a study's channels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.domain import Domain
from sottovoce.errors import DomainError
from sottovoce.labels import labels_of
from sottovoce.mechanisms import Form
from sottovoce.study import Study
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.questions import Question, shown_to
from sottovoce.study.taking_part import needed

Codes = dict[str, NDArray[Any]]


def input_of(study: Study, answer: Any, marks: Mapping[str, Iterable[Any]] | None = None) -> int:
    """What enters the channel of a study of one question: the item's code, or that of the tag under which its person marked it."""
    code, found = code_of(study.domain, answer), set[int]()
    if marks is not None and not isinstance(marks, Mapping):
        raise DomainError(f"The marks are {marks!r}. Give the marked items of each tag, for example {{'home': [...]}}.")
    for tag, items in (marks or {}).items():
        if tag not in study.tags:
            raise DomainError(f"{tag!r} isn't a tag of this study. Its tags: {', '.join(study.tags) or 'none'}.")
        if code in {code_of(study.domain, item) for item in ([items] if isinstance(items, str) else items)}:
            found.add(len(study.domain) + study.tags.index(tag))
    if len(found) > 1:
        raise DomainError(f"{answer!r} is marked with two tags. Mark each item once.")
    return next(iter(found), code)


def code_of(domain: Domain, answer: Any) -> int:
    """The code of an item: its label or text, a number, its labels on all axes, or a point of a grid.

    >>> domain = Domain.product(sex=["f", "m"], age=["young", "old"])
    >>> code_of(domain, "f / old"), code_of(domain, {"age": "old", "sex": "f"}), code_of(domain, ["f", "old"])
    (1, 1, 1)
    """
    item = item_of(domain, answer)
    return domain.code(item) if domain.edges is not None else int(domain.encode([item])[0])


def item_of(domain: Domain, answer: Any) -> Any:
    """An answer as the domain writes it."""
    names = [axis.name for axis in domain.axes]
    if isinstance(answer, Mapping):
        if set(answer) != set(names):
            wanted = "a single answer" if names == [None] else f"one for each of {', '.join(map(str, names))}"
            raise DomainError(f"Got values for {', '.join(map(repr, answer)) or 'nothing'}. Give {wanted}.")
        if all(axis.bounds for axis in domain.axes):
            return domain.item(int(domain.locate(**{name: [value] for name, value in answer.items()})[0]))
        return tuple(domain.axes[place].labels[domain.axes[place].code(answer[name])] for place, name in enumerate(names))
    if isinstance(answer, str):
        code = labels_of(domain).code(answer)
        return answer if code is None else domain.item(code)
    return tuple(answer) if isinstance(answer, list) else answer


def codes_of(questions: Sequence[Question], given: Mapping[str, Any]) -> Codes:
    """The codes of the fields whose answers are known. Every answer that is given is checked, whatever the person reports about.

    None stands for no answer. A question that doesn't apply, by the answers to earlier ones, is answered by its own item.
    """
    names = [question.name for question in questions]
    if wrong := [name for name in given if name not in names]:
        raise DomainError(f"{wrong[0]!r} isn't a question. Choose from {', '.join(names)}.")
    found: Codes = {}
    for question in questions:
        answer = given.get(question.name)
        own = {} if answer is None else _encoded(question, answer)
        applies = _applies(question, questions, found)
        if applies:
            found |= own
        elif applies is False:
            found |= {name: np.array([domain.code(question.skipped)]) for name, domain in question.fields.items()}
    return found


def _encoded(question: Question, answer: Any) -> Codes:
    if question.choices:
        return question.encode([answer if isinstance(answer, str) else list(answer) if isinstance(answer, Iterable) else [answer]])
    if question.skipped is not None and isinstance(answer, str) and answer == question.skipped:
        raise DomainError(f"{question.name!r}: {answer!r} isn't a possible answer. Leave the question out if it doesn't apply.")
    number = question.answers.edges is not None and answer not in question.extras
    try:
        return {question.name: np.array([code_of(question.answers if number else question.domain, answer)])}
    except DomainError as error:
        raise DomainError(f"{question.name!r}: {error}") from None


def _applies(question: Question, questions: Sequence[Question], codes: Codes) -> bool | None:
    """Whether a person is asked a question. None if that depends on an answer that isn't known."""
    known = {name: answers for name, answers in question.after.items() if name in codes}
    shown = shown_to(replace(question, after=known), questions, codes)
    if shown is not None and not shown[0]:
        return False
    return True if len(known) == len(question.after) else None


def form_fields(form: Form) -> set[str]:
    return set(form.questions)


def missing(study: Questionnaire, form: Form, codes: Codes) -> list[str]:
    """The questions without whose answers a form can't be reported. One whose answer depends on a missing one isn't named."""
    if form_fields(form) <= codes.keys():
        return []
    return [
        question.name
        for question in needed(study, form)
        if not codes.keys() >= question.fields.keys() and _applies(question, study.questions, codes)
    ]
