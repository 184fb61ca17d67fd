"""One question of a study file: its texts, its answers, and what goes along with it, read strictly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sottovoce.domain import Domain, Item
from sottovoce.errors import DomainError
from sottovoce.labels import labels_of
from sottovoce.names import checked_text
from sottovoce.study.privacy import checked_names, read_domain, read_items, read_sensitive
from sottovoce.study.question_labels import read_labels
from sottovoce.study.questions import Question, to_be_hidden
from sottovoce.study.sections import Section

KEYS = (
    "name",
    "text",
    "help",
    "labels",
    "items",
    "scale",
    "numbers",
    "grid",
    "axes",
    "choices",
    "at_most",
    "sensitive",
    "prefer_not_to_say",
    "other",
    "after",
    "together",
    "weight",
)
_KINDS = ("items", "scale", "numbers", "grid", "axes", "choices")
_EXTRAS = {"other": "other", "prefer_not_to_say": "prefer not to say"}
SKIPPED = "does not apply"
#: Columns of files that a question can't be called by.
_TAKEN = frozenset({"level", "tag", "id", "study", "report", "form"})
#: The most choices of a question, and the least and the largest weight.
MOST_CHOICES, WEIGHTS = 200, (1e-3, 1e3)
#: The most answers to a question, and combinations of the answers to several questions in one report, unless these are choices with a cap.
MOST_ANSWERS = 1 << 14


def reserved(name: str) -> bool:
    """Whether a name is reserved: "+" joins names, ":" stands before choices, and some are columns of files."""
    return name in _TAKEN or name != name.strip() or not name or "+" in name or ":" in name


def is_plain(question: Question) -> bool:
    """Whether other questions can depend on its answers."""
    return not question.choices and len(question.answers.axes) == 1 and question.answers.edges is None


def read_question(section: Section, languages: Sequence[str], notion: str, earlier: Sequence[Question]) -> Question:
    section.only(*KEYS)
    name = section.text("name", "smokes")
    with section.at("name"):
        checked_text(name, "the name of the question")
    if reserved(name):
        section.fail(f"A question can't be called {name!r}, which is reserved in files. Rename it.", "name")
    if name in [each.name for each in earlier]:
        section.fail(f"A question {name!r} already exists. Rename one of them.", "name")
    texts = {key: read_texts(section, key, "Do you smoke?", languages) for key in ("text", "help") if section.has(key)}
    if "text" not in texts:
        section.text("text", "Do you smoke?")  # says that it is missing
    answers, choices = _answers(section), section.has("choices")
    crossed = len(answers.axes) > 1
    extras = _extras(section, crossed=crossed)
    after = _after(section, earlier)
    if after and crossed:
        section.fail(
            "Places and crossed answers have no item for people who aren't asked. Ask all respondents, or use plain items.", "after"
        )
    question = Question(
        name,
        next(iter(texts["text"].values())),
        answers,
        next(iter(texts.get("help", {"": ""}).values())),
        extras.get("other"),
        extras.get("prefer_not_to_say"),
        SKIPPED if after else None,
        choices,
        (),
        after,
        _together(section),
        _weight(section),
        texts,
        _cap(section, len(answers) + ("other" in extras)),
    )
    if answers.edges is not None and (confused := [extra for extra in question.extras if _is_number(extra)]):
        section.fail(f"The item {confused[0]!r} looks like a number, and this question is answered with numbers. Use words.", "numbers")
    with section.at("choices" if choices else "items"):
        _ = [labels_of(domain) for domain in question.fields.values()]
    if choices:
        _check_choices(section, question)
    question = replace(question, labels=read_labels(section, question, languages))
    return _with_sensitive(section, question, notion, earlier)


def _answers(section: Section) -> Domain:
    """The possible answers, from the one key that has them."""
    given = [key for key in _KINDS if section.has(key)]
    if not given:
        section.fail('The question has no answers. Write items = ["yes", "no"], choices = [...], a scale, numbers or a grid.')
    if len(given) > 1:
        section.fail(f"The question has both {given[0]!r} and {given[1]!r}. Keep one of them.", given[1])
    if given[0] != "choices":
        return read_domain(section)
    found = read_items(section, "choices")
    with section.at("choices"):
        return checked_names(found)


def _is_number(label: str) -> bool:
    try:
        float(label)
    except ValueError:
        return False
    return True


def _check_choices(section: Section, question: Question) -> None:
    if len(question.fields) > MOST_CHOICES:
        section.fail(f"There are {len(question.fields):,} choices. Use at most {MOST_CHOICES}.", "choices")
    for label in (*labels_of(question.answers).texts, *question.extras):
        if ";" in label:
            section.fail(f"The choice {label!r} contains a semicolon, which separates choices in files of answers. Remove it.", "choices")


def _with_sensitive(section: Section, question: Question, notion: str, earlier: Sequence[Question]) -> Question:
    given = section.has("sensitive")
    if given and notion == "ldp":
        section.fail("Under 'ldp' every answer is protected alike. Leave it out, or write notion = \"uldp\".", "sensitive")
    if given and question.choices:
        section.fail("Several choices are protected as a whole, so none can be marked. Ask yes-or-no questions instead.", "sensitive")
    if notion == "ldp" or question.choices:
        return question
    domain = question.domain if question.answers.edges is None else question.answers
    marked: list[Item] = list(read_sensitive(section, domain)) if given else []
    hidden = to_be_hidden(question, {each.name: each for each in earlier})
    if given and set(question.answers) <= set(hidden) and (shown := [item for item in question.answers if item not in marked]):
        section.fail(
            f"Only people with a sensitive answer to an earlier question are asked, and {shown[0]!r} would reveal it. Mark all answers as "
            "sensitive, or leave the key out.",
            "sensitive",
        )
    if given and question.skipped is not None:  # someone who isn't asked looks like those who are
        marked.append(question.skipped)
    return replace(question, sensitive=tuple(item for item in question.domain if item in {*marked, *hidden}))


def _cap(section: Section, choices: int) -> int | None:
    if not section.has("at_most"):
        return None
    if not section.has("choices"):
        section.fail("A cap only works with several choices. Leave it out, or write choices = [...] instead of items.", "at_most")
    cap = section.whole_number("at_most", 3, 1, 10**6)
    if cap >= choices:
        section.fail(f"It is {cap}, but there are only {choices} choices. Write a smaller number, or leave it out.", "at_most")
    return cap


def _extras(section: Section, *, crossed: bool) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, label in _EXTRAS.items():
        value = section.values.get(key, False)
        if value is False:
            continue
        if value is not True and (not isinstance(value, str) or not value.strip()):
            section.fail(f'It is {value!r}. Write {key} = true, or give the label: {key} = "{label}".', key)
        if crossed:
            section.fail("Places and crossed answers have no item for it. Leave it out, or use plain items.", key)
        found[key] = label if value is True else str(value)
        with section.at(key):
            checked_text(found[key], "the item")
    return found


def _after(section: Section, earlier: Sequence[Question]) -> dict[str, tuple[Item, ...]]:
    if not section.has("after"):
        return {}
    table = section.table("after", 'after = {smokes = "yes"}')
    if not table.values:
        section.fail('It names no question. Write for example after = {smokes = "yes"}.', "after")
    known = {each.name: each for each in earlier}
    found: dict[str, tuple[Item, ...]] = {}
    for name, value in table.values.items():
        if name not in known:
            table.fail(f"{name!r} isn't an earlier question. Move it before this one, or name another question.", name)
        question = known[name]
        if not is_plain(question):
            table.fail(f"{name!r} has numbers, places or several choices, so no question can depend on it. Name another question.", name)
        answers = value if isinstance(value, list) else [value]
        with table.at(name):
            if not answers:
                raise DomainError(f'No answer is named. Write for example after = {{{name} = "yes"}}.')
            found[name] = tuple(question.domain.item(question.domain.code(answer)) for answer in answers)
    return found


def _together(section: Section) -> str | None:
    if not section.has("together"):
        return None
    name = section.text("together", "home")
    if section.has("choices"):
        section.fail("Several choices can't be asked together with other questions. Leave it out.", "together")
    return name


def _weight(section: Section) -> float:
    value: Any = section.values.get("weight", 1.0)
    least, most = WEIGHTS
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
        section.fail(f"It is {value!r}. Write a number from {least:g} to {most:g}, for example weight = 2.", "weight")
    return float(value)


def read_texts(section: Section, key: str, example: str, languages: Sequence[str]) -> dict[str, str]:
    """A text, or one for each language: the first language is the default."""
    if not isinstance(section.values.get(key), dict):
        text = section.text(key, example)
        with section.at(key):
            return {"": checked_text(text, f"the {key}")}
    table = section.table(key, f'{key} = "{example}"')
    if not languages:
        section.fail('It has texts by language, but the study names no languages. Add languages = ["en", "de"] at the top.', key)
    table.only(*languages)
    if missing := [each for each in languages if not table.has(each)]:
        section.fail(f"The text in {missing[0]!r} is missing. Give one for each of {', '.join(languages)}.", key)
    found = {}
    for language in languages:
        text = table.text(language, example)
        with table.at(language):
            found[language] = checked_text(text, f"the {key}")
    return found
