"""Checks of compiled questionnaires. A file may have been written by anyone, so nothing in it is trusted.

Study files are read with the same rules, by `questionnaire_files` and `question_files`, which can name the line.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from sottovoce.errors import ParameterError, StudyError, capital
from sottovoce.labels import labels_of
from sottovoce.names import checked_text
from sottovoce.policy import positive_epsilon
from sottovoce.study.privacy import MOST_MINIMUM
from sottovoce.study.question_files import MOST_ANSWERS, MOST_CHOICES, WEIGHTS, is_plain, reserved
from sottovoce.study.question_labels import Labels, level_problems, problems
from sottovoce.study.questionnaire_files import MOST_QUESTIONS
from sottovoce.study.questions import Question, to_be_hidden

Texts = dict[str, str]


class _Shape(Struct, forbid_unknown_fields=True):
    """An object of a compiled questionnaire. An unknown key is refused: the fingerprint wouldn't cover it."""


class LevelShape(_Shape):
    level: str
    epsilon: str


class PrivacyShape(_Shape):
    notion: Literal["ldp", "uldp"]
    epsilon: str | UnsetType = UNSET
    levels: list[LevelShape] | UnsetType = UNSET
    labels: dict[str, Texts] | UnsetType = UNSET


class QuestionTexts(_Shape):
    text: Texts
    help: Texts | UnsetType = UNSET


class QuestionShape(_Shape, kw_only=True):
    name: str
    texts: QuestionTexts
    answers: dict[str, Any]
    weight: str
    other: str | UnsetType = UNSET
    refusal: str | UnsetType = UNSET
    skipped: str | UnsetType = UNSET
    together: str | UnsetType = UNSET
    choices: Literal[1] | UnsetType = UNSET
    at_most: int | UnsetType = UNSET
    sensitive: list[int] | UnsetType = UNSET
    after: dict[str, list[str | int]] | UnsetType = UNSET
    labels: dict[str, Texts] | UnsetType = UNSET


class PartShape(_Shape):
    fields: list[str]
    mechanism: str
    epsilon: str
    channel: dict[str, Any]
    at_most: int | UnsetType = UNSET


class FormShape(_Shape):
    form: str
    weight: str
    parts: list[int]
    level: str | UnsetType = UNSET


class TextsShape(_Shape):
    title: Texts
    introduction: Texts | UnsetType = UNSET
    organisation: Texts | UnsetType = UNSET
    contact: Texts | UnsetType = UNSET
    consent: Texts | UnsetType = UNSET
    thanks: Texts | UnsetType = UNSET


class DatesShape(_Shape):
    opens: str | UnsetType = UNSET
    closes: str | UnsetType = UNSET


class QuestionnaireShape(_Shape):
    sottovoce: Literal[2]
    name: str
    texts: TextsShape
    dates: DatesShape
    languages: list[str]
    privacy: PrivacyShape
    minimum: int
    questions: list[QuestionShape]
    parts: list[PartShape]
    forms: list[FormShape]
    promise: str
    fingerprint: str
    ask: Literal["all"] | UnsetType = UNSET
    paged: Literal[0] | UnsetType = UNSET


def check_shape(form: Mapping[str, Any]) -> None:
    """Check that all keys and types are those of a compiled questionnaire, and that numbers and texts are valid."""
    try:
        found = msgspec.convert(dict(form), QuestionnaireShape)
    except msgspec.ValidationError as error:
        raise StudyError(f"This compiled study is damaged ({error}). Compile it again.") from None
    if not 1 <= found.minimum <= MOST_MINIMUM:
        raise StudyError(f"minimum is {found.minimum!r}. Give a whole number from 1 to {MOST_MINIMUM:,}.")
    if not 1 <= len(found.questions) <= MOST_QUESTIONS:
        raise StudyError(f"There are {len(found.questions)} questions. Give between 1 and {MOST_QUESTIONS}.")
    if isinstance(found.privacy.epsilon, UnsetType) == isinstance(found.privacy.levels, UnsetType):
        raise StudyError("The privacy needs either an epsilon or levels. Give one of them.")
    budgets = [found.privacy.epsilon] if isinstance(found.privacy.epsilon, str) else [each.epsilon for each in found.privacy.levels or ()]
    for budget in budgets:
        positive_epsilon(float(budget))
    days = {key: date.fromisoformat(value) for key in ("opens", "closes") if isinstance(value := getattr(found.dates, key), str)}
    if len(days) == 2 and days["opens"] > days["closes"]:
        raise StudyError(f"The study closes on {days['closes']}, before it opens. Give a later date.")
    for key, texts in msgspec.structs.asdict(found.texts).items():
        _check_texts(f"the {key}", texts)
    for question in found.questions:
        for key in ("text", "help"):
            _check_texts(f"the {key} of {question.name!r}", getattr(question.texts, key))
        for labels in [] if isinstance(question.labels, UnsetType) else question.labels.values():
            _check_texts(f"the label of an answer to {question.name!r}", labels)
        least, most = WEIGHTS
        if not least <= float(question.weight) <= most:
            raise StudyError(f"The weight of {question.name!r} is {question.weight}. Give a number from {least:g} to {most:g}.")
    for each in found.forms:
        _check_texts("the form", {"": each.form})


def _check_texts(what: str, texts: Texts | UnsetType) -> None:
    if isinstance(texts, UnsetType):
        return
    if not texts:
        raise StudyError(f"{capital(what)} has no text. Add one.")
    for text in texts.values():
        if not text.strip():
            raise StudyError(f"{capital(what)} is empty. Write some text.")
        checked_text(text, what)
        text.encode()  # half a character can't be written


def check_questions(questions: Sequence[Question], notion: str, languages: Sequence[str]) -> None:
    """Check that names differ, that questions depend on earlier ones, and that no unprotected answer reveals a sensitive one."""
    earlier: dict[str, Question] = {}
    for question in questions:
        if question.name in earlier or reserved(question.name):
            raise StudyError(f"The name {question.name!r} is reserved or used twice. Rename the question.")
        _check_after(question, earlier)
        if question.choices and len(question.fields) > MOST_CHOICES:
            raise StudyError(f"{question.name!r} has {len(question.fields):,} choices. Use at most {MOST_CHOICES}.")
        _check_answers(question)
        if problem := next(problems(question, question.labels, languages), None):
            raise StudyError(problem)
        if notion == "ldp" and question.sensitive:
            raise StudyError(f"{question.name!r} names sensitive answers, but 'ldp' protects all answers alike. Leave them out.")
        hidden = to_be_hidden(question, earlier) if notion == "uldp" and not question.choices else ()
        if shown := [item for item in hidden if item not in question.sensitive]:
            raise StudyError(f"{shown[0]!r} of {question.name!r} isn't sensitive, but it reveals a sensitive answer. Mark it as sensitive.")
        earlier[question.name] = question
    fields = [name for question in questions for name in question.fields]
    if len(set(fields)) < len(fields):
        raise StudyError("Two questions or choices have the same name. Rename one of them.")


def check_level_labels(privacy: Mapping[str, Any], languages: Sequence[str]) -> Labels:
    """Check that the labels of levels are for existing levels, and that no two look alike."""
    labels: Labels = privacy.get("labels", {})
    for names in labels.values():
        _check_texts("the label of a level", dict(names))
    levels = [each["level"] for each in privacy.get("levels", ())]
    if problem := next(level_problems(levels, labels, languages), None):
        raise StudyError(problem)
    return labels


def _check_answers(question: Question) -> None:
    """See that no sensitive answer is listed twice, and that no two items are written alike, such as 1 and "1"."""
    if len(set(question.sensitive)) < len(question.sensitive):
        raise StudyError(f"A sensitive answer to {question.name!r} is listed twice. List it once.")
    for domain in question.fields.values():
        if domain.size <= MOST_ANSWERS:
            labels_of(domain)


def _check_after(question: Question, earlier: Mapping[str, Question]) -> None:
    if bool(question.after) != (question.skipped is not None):
        raise StudyError(f"{question.name!r} lacks an item for people who aren't asked, or has one without need. Compile the study again.")
    for name, answers in question.after.items():
        if name not in earlier or not is_plain(earlier[name]):
            raise StudyError(
                f"{question.name!r} depends on {name!r}, which isn't an earlier question with plain answers. Name such a question."
            )
        if not answers or any(answer not in earlier[name].domain for answer in answers):
            raise StudyError(f"{question.name!r} depends on answers that {name!r} doesn't have. Name answers of that question.")


def check_fields(names: Sequence[str], questions: Sequence[Question], *, capped: bool) -> None:
    """Check that a report is about whole questions and boxes, and that questions asked together are complete and in order."""
    groups: dict[tuple[str, str], list[str]] = {}
    for question in questions:
        for name in question.fields:
            key = ("", name) if question.choices or question.together is None else ("together", question.together)
            groups.setdefault(key, []).append(name)
    known = {name for group in groups.values() for name in group}
    if len(set(names)) < len(names) or not names or not known.issuperset(names):
        raise StudyError(
            f"A part reports about [{', '.join(map(repr, names))}]. Name known questions, each once, or compile the study again."
        )
    for group in groups.values():
        if (own := [name for name in names if name in group]) and own != group:
            raise StudyError(f"A part reports about {own}, but {group} are asked together, in this order. Compile the study again.")
    sizes = {name: len(domain) for question in questions for name, domain in question.fields.items()}
    if len(names) > 1 and not capped and math.prod(sizes[name] for name in names) > MOST_ANSWERS:
        raise StudyError(f"A part has more than {MOST_ANSWERS:,} combinations of answers. Ask fewer questions together.")


def check_budget(epsilon: float, *, shown: bool) -> None:
    """Check that only answers that aren't sensitive are reported without a budget."""
    if shown != math.isinf(epsilon):
        what = "has a budget, although nothing about it is sensitive" if shown else "has sensitive answers but no budget"
        raise ParameterError(f"A part {what}. Compile the study again.")
    positive_epsilon(1.0 if shown else epsilon)
