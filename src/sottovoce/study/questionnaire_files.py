"""Study files with several questions: the texts around them, their privacy and their strategy, read strictly."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sottovoce.catalogue import promisable
from sottovoce.names import checked_name
from sottovoce.policy import positive_epsilon
from sottovoce.study.privacy import read_levels, read_minimum
from sottovoce.study.question_files import MOST_ANSWERS, read_question, read_texts
from sottovoce.study.question_labels import Labels, read_level_labels
from sottovoce.study.questions import Question
from sottovoce.study.sections import LISTED, Section
from sottovoce.utility.strategies import KINDS

#: Texts around the questions, with an example of each.
TEXTS = {
    "title": "How are you?",
    "introduction": "We'd like to know how people in our town feel.",
    "organisation": "City of Example",
    "contact": "survey@example.org",
    "consent": "I take part of my own will.",
    "thanks": "Thank you.",
}
KEYS = ("name", *TEXTS, "opens", "closes", "languages", "ask", "paged", "people", "listed", "privacy", "questions", "strategy")
#: Which questions a page shows: those that were drawn, or all of them, although only the drawn ones count.
ASKED = ("drawn", "all")
#: The most questions.
MOST_QUESTIONS = 128


@dataclass(frozen=True)
class Pinned:
    """The strategy in a study file: its kind ("auto": planned), and how many questions are asked at a time."""

    kind: str = "auto"
    questions: int | None = None


@dataclass(frozen=True)
class Written:
    """A questionnaire as its file has it."""

    name: str
    texts: Mapping[str, Mapping[str, str]]
    dates: Mapping[str, str]
    languages: tuple[str, ...]
    people: int | None
    notion: str
    #: The ε of each level that people can choose, by its name; "" if they choose none.
    levels: Mapping[str, float]
    minimum: int
    questions: tuple[Question, ...]
    strategy: Pinned
    #: Whether this is a compiled questionnaire, whose strategy is fixed.
    compiled: bool = False
    #: Which questions people see: "drawn" or "all".
    ask: str = "drawn"
    #: Whether each question has a screen of its own.
    paged: bool = True
    #: Whether collectors name it on their home page, if the file says so.
    listed: bool | None = None
    #: What the levels are called, by language.
    labels: Labels = field(default_factory=dict)

    @property
    def epsilon(self) -> float:
        """The ε that covers all respondents: that of the level that reveals most."""
        return max(self.levels.values())


def read_questionnaire(file: Section, minimum: int) -> Written:
    """Read a study file with several questions."""
    _refuse_single(file)
    file.only(*KEYS)
    name = file.text("name", "wellbeing-2027")
    with file.at("name"):
        checked_name(name)
    languages = _languages(file)
    texts = {key: read_texts(file, key, example, languages) for key, example in TEXTS.items() if file.has(key)}
    if "title" not in texts:
        file.text("title", TEXTS["title"])  # says that it is missing
    notion, levels, labels = _privacy(file, languages)
    return Written(
        name,
        texts,
        _dates(file),
        languages,
        file.whole_number("people", 0, 0, 10**12) or None,
        notion,
        levels,
        read_minimum(file, minimum),
        _questions(file, languages, notion),
        _strategy(file),
        ask=_ask(file),
        paged=_paged(file),
        listed=file.flag("listed", LISTED),
        labels=labels,
    )


def _refuse_single(file: Section) -> None:
    """Keys of a study with one question, which stand with the questions here."""
    for key in ("question", "items", "axes", "grid", "numbers", "scale"):
        if file.has(key):
            file.fail(f"In a file with [[questions]], {key!r} belongs to a question. Move it to one of them.", key)
    for key in ("reports", "mechanism"):
        if file.has(key):
            file.fail(
                f"A questionnaire has no {key!r}, because its reports are planned automatically. Leave it out, or write [strategy].", key
            )


def _privacy(file: Section, languages: Sequence[str]) -> tuple[str, dict[str, float], Labels]:
    """The notion, the ε of each level, and what the levels are called."""
    if not file.has("privacy"):
        file.fail('The study has no privacy guarantee. Add a table [privacy] with notion = "ldp" and epsilon = 2.0, for example.')
    privacy = file.table("privacy", '[privacy] then notion = "ldp" and epsilon = 2.0')
    for key in ("sensitive", "budgets"):
        if privacy.has(key):
            privacy.fail(f"It belongs to a question. Move {key!r} to the [[questions]] that it is about.", key)
    if privacy.has("tags"):
        privacy.fail("'tags' are for a study of one question. Leave them out.", "tags")
    notion = privacy.text("notion", "ldp")
    if notion == "lip":
        privacy.fail(
            "'lip' doesn't work for questionnaires, because guarantees for single questions don't add up to one for all of "
            "them. Use 'ldp'.",
            "notion",
        )
    if notion not in {"ldp", "uldp"}:
        reason = f"{notion!r} isn't a notion for studies."
        if notion in promisable():
            reason = f"A questionnaire can't use {notion!r}, because budgets of items don't add up over questions."
        privacy.fail(f"{reason} Use 'ldp' or 'uldp'.", "notion")
    privacy.only("notion", "epsilon", "levels", "labels", "minimum")
    if privacy.has("levels"):
        levels = _levels(privacy)
        return notion, levels, read_level_labels(privacy, list(levels), languages)
    if privacy.has("labels"):
        privacy.fail(
            "Labels are for levels, but there are no levels. Leave them out, or write levels = {careful = 1.0, usual = 3.0}.", "labels"
        )
    if not privacy.has("epsilon"):
        privacy.fail("'epsilon' is missing. Add it to [privacy], for all questions together: epsilon = 2.0.")
    with privacy.at("epsilon"):
        return notion, {"": positive_epsilon(privacy.values["epsilon"])}, {}


def _levels(privacy: Section) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, epsilon in read_levels(privacy).items():
        if epsilon is None:
            privacy.fail(
                "It is infinite, and a whole record of unchanged answers can identify a person. Give every level an epsilon.",
                "levels",
                name,
            )
        found[name] = epsilon
    return found


def _languages(file: Section) -> tuple[str, ...]:
    found = file.listed("languages", '["en", "de"]')
    for place, each in enumerate(found):
        if not isinstance(each, str) or not each or not each.replace("-", "").isalnum():
            file.fail(f'It is {each!r}. Write the code of a language, such as "en".', "languages", place)
        if each in found[:place]:
            file.fail(f"{each!r} is listed twice. Name each language once.", "languages", place)
    return tuple(found)


def _dates(file: Section) -> dict[str, str]:
    found: dict[str, str] = {}
    for key in ("opens", "closes"):
        value = file.values.get(key)
        if value is None:
            continue
        if not isinstance(value, datetime.date) or isinstance(value, datetime.datetime):
            file.fail(f"It is {str(value)!r}. Write a date without quotes and without a time: {key} = 2027-03-01.", key)
        found[key] = value.isoformat()
    if len(found) == 2 and file.values["opens"] > file.values["closes"]:
        file.fail(f"The study closes on {found['closes']}, before it opens. Give a later date.", "closes")
    return found


def _ask(file: Section) -> str:
    found = file.text("ask", "all") if file.has("ask") else "drawn"
    if found not in ASKED:
        file.fail(
            f'It is {found!r}. Write "drawn" to show people only the questions that they report about, or "all" to show every question.',
            "ask",
        )
    return found


def _paged(file: Section) -> bool:
    return file.flag("paged", "true for one question on each screen, or false for all of them on one") is not False


def _strategy(file: Section) -> Pinned:
    table = file.table("strategy", '[strategy] then kind = "auto"')
    table.only("kind", "questions")
    kind = table.text("kind", "auto") if table.has("kind") else "auto"
    if kind not in {"auto", *KINDS}:
        table.fail(f'{kind!r} is an unknown strategy. Write "auto", or one of {", ".join(KINDS)}.', "kind")
    if not table.has("questions"):
        return Pinned(kind)
    if kind not in {"sample", "block"}:
        table.fail('It only works with kind = "sample" or "block". Leave it out, or choose one of these.', "questions")
    return Pinned(kind, table.whole_number("questions", 1, 1, MOST_QUESTIONS))


def _questions(file: Section, languages: Sequence[str], notion: str) -> tuple[Question, ...]:
    listed = file.values["questions"]
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed) or not listed:
        file.fail("It isn't a list of questions. Begin each with a line [[questions]].", "questions")
    if len(listed) > MOST_QUESTIONS:
        file.fail(f"There are {len(listed)} questions. Ask at most {MOST_QUESTIONS}.", "questions")
    found: list[Question] = []
    for place, values in enumerate(listed):
        found.append(read_question(Section(file.document, ("questions", place), values), languages, notion, found))
    names = [field for question in found for field in question.fields]
    if repeated := next((name for name in names if names.count(name) > 1), None):
        file.fail(f"The name {repeated!r} is used twice. Rename one of the questions.", "questions")
    for place, question in enumerate(found):
        _check_answers(Section(file.document, ("questions", place), listed[place]), question, found)
    return tuple(found)


def _check_answers(section: Section, question: Question, questions: Sequence[Question]) -> None:
    """See that a question can be reported, alone or with those that are asked together with it."""
    if question.choices:
        return
    if question.together is None:
        if len(question.domain) > MOST_ANSWERS:
            section.fail(f"{question.name!r} has {len(question.domain):,} answers. Use at most {MOST_ANSWERS:,}.")
        return
    group = [each for each in questions if each.together == question.together]
    if len(group) == 1:
        section.fail(
            f"{question.name!r} is the only question with together = {question.together!r}. Add it to another question.", "together"
        )
    if (size := math.prod(len(each.domain) for each in group)) > MOST_ANSWERS:
        section.fail(
            f"The questions asked together under {question.together!r} have {size:,} combinations. Use at most {MOST_ANSWERS:,}.",
            "together",
        )
