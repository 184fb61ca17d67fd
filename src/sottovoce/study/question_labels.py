"""What the answers to a question are called in other languages. What is reported doesn't depend on it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from sottovoce.names import checked_text
from sottovoce.study.questions import Question
from sottovoce.study.sections import Section

#: By language: the name of each item, or axis, that has one there. All others are called as they are written.
Labels = Mapping[str, Mapping[str, str]]
#: What pages call the usual items in their own languages (clients/js/pages/survey/texts).
USUAL: Mapping[str, Mapping[str, str]] = {
    "en": {"prefer not to say": "Prefer not to say", "other": "Something else"},
    "de": {"prefer not to say": "Möchte ich nicht sagen", "other": "Etwas anderes"},
    "es": {"prefer not to say": "Prefiero no decirlo", "other": "Otra cosa"},
    "fr": {"prefer not to say": "Je préfère ne pas répondre", "other": "Autre chose"},
    "ja": {"prefer not to say": "答えたくない", "other": "その他"},
}
#: Soft hyphens, spaces without width and joiners.
_INVISIBLE = dict.fromkeys([0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF])


def read_labels(section: Section, question: Question, languages: Sequence[str]) -> Labels:
    """The labels of a question in a study file."""
    table = section.table("labels", 'labels.de = {yes = "ja", no = "nein"}')
    if table.values and not languages:
        section.fail('it has labels by language, but the study names no languages. Add languages = ["en", "de"] at the top', "labels")
    table.only(*languages)
    found = {}
    for language in table.values:
        names = table.table(language, f'labels.{language} = {{yes = "ja"}}')
        found[language] = {item: names.text(item, item) for item in names.values}
        for item, name in found[language].items():
            with names.at(item):
                checked_text(name, "the label")
    if problem := next(problems(question, found, languages), None):
        section.fail(problem, "labels")
    return found


def problems(question: Question, labels: Labels, languages: Sequence[str]) -> Iterator[str]:
    """What is wrong with labels."""
    groups = list(_named(question)) if labels else []
    for language, names in labels.items():
        if language not in languages:
            yield f"{language!r} is not one of the languages of the study"
        if unknown := [item for item in names if not any(item in group for group in groups)]:
            yield f"{unknown[0]!r} is not an answer or an axis of {question.name!r}"
        for group in groups:
            yield from _confusing(question, language, {item: names.get(item, item) for item in group})
        yield from _reserved(question, language, names)


def _confusing(question: Question, language: str, shown: Mapping[str, str]) -> Iterator[str]:
    """Names in one group that people can't tell apart, or that belong to another item."""
    seen: dict[str, str] = {}
    own = {looks(item): item for item in shown}
    for item, name in shown.items():
        key = looks(name)
        if not key:
            yield f"{item!r} of {question.name!r} is called {name!r} in {language!r}, which can't be seen. Choose another label"
        elif key in seen:
            found = repr(name) if seen[key] == name else f"{seen[key]!r} and {name!r}, which look alike,"
            yield f"two answers to {question.name!r} are called {found} in {language!r}. Give each its own name"
        elif name != item and own.get(key, item) != item:
            yield f"{item!r} of {question.name!r} is called {name!r} in {language!r}, like another answer. Choose another label"
        seen[key] = name


def _reserved(question: Question, language: str, names: Mapping[str, str]) -> Iterator[str]:
    """Labels that read like the item of people who aren't asked, or like the words of pages for people who don't answer."""
    words = USUAL.get(language.partition("-")[0].lower(), {})
    extras = [extra for extra in (question.other, question.refusal) if extra is not None and extra in words and extra not in names]
    taken = {looks(words[extra]): extra for extra in extras}
    if question.skipped is not None:
        taken[looks(question.skipped)] = question.skipped
    for item, name in names.items():
        if (meant := taken.get(looks(name), item)) != item:
            yield f"{item!r} of {question.name!r} is called {name!r} in {language!r}, which reads like {meant!r}. Choose another label"


def looks(text: str) -> str:
    r"""What is left of a name for someone who doesn't look closely: no case, no variants of letters, nothing invisible.

    >>> looks(" J\u200ba") == looks("ja") == looks("\uff2aA\u00a0")
    True
    """
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(plain.translate(_INVISIBLE).split())


def _named(question: Question) -> Iterator[list[str]]:
    """What can have labels, in groups in which names have to differ: the items, or the labels of each axis and the axes."""
    plain = question.answers.axes[0].name is None
    for axis in question.answers.axes:
        items = [] if axis.edges or axis.bounds else [str(label) for label in axis.labels]
        yield items + [extra for extra in (question.other, question.refusal) if extra is not None]
    if not plain:
        yield [axis.name for axis in question.answers.axes if axis.name is not None]
