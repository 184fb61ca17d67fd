"""What answers and levels are called in other languages. What is reported doesn't depend on it."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sottovoce.names import checked_text
from sottovoce.study.questions import Question
from sottovoce.study.sections import Section

#: By language: the name of each item, axis or level that has one there. All others are called as they are written.
Labels = Mapping[str, Mapping[str, str]]
#: What pages call the usual items and axes in their own languages (clients/js/pages/survey/texts).
USUAL: Mapping[str, Mapping[str, str]] = {
    "en": {"prefer not to say": "Prefer not to say", "other": "Something else", "latitude": "latitude", "longitude": "longitude"},
    "de": {"prefer not to say": "Möchte ich nicht sagen", "other": "Etwas anderes", "latitude": "Breitengrad", "longitude": "Längengrad"},
    "es": {"prefer not to say": "Prefiero no decirlo", "other": "Otra cosa", "latitude": "latitud", "longitude": "longitud"},
    "fr": {"prefer not to say": "Je préfère ne pas répondre", "other": "Autre chose", "latitude": "latitude", "longitude": "longitude"},
    "ja": {"prefer not to say": "答えたくない", "other": "その他", "latitude": "緯度", "longitude": "経度"},
}
#: Soft hyphens, spaces without width and joiners.
_INVISIBLE = dict.fromkeys([0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF])


class _Group(NamedTuple):
    """What has labels, in the words of errors: two "answers to 'q'", an item "of 'q'", another "answer"."""

    several: str
    of: str
    one: str


def read_labels(section: Section, question: Question, languages: Sequence[str]) -> Labels:
    """The labels of a question in a study file."""
    return _read(section, languages, 'labels.de = {yes = "ja", no = "nein"}', lambda found: problems(question, found, languages))


def read_level_labels(privacy: Section, levels: Sequence[str], languages: Sequence[str]) -> Labels:
    """The labels of levels in a study file."""
    return _read(privacy, languages, 'labels.de = {careful = "vorsichtig"}', lambda found: level_problems(levels, found, languages))


def _read(section: Section, languages: Sequence[str], example: str, wrong: Callable[[Labels], Iterator[str]]) -> Labels:
    table = section.table("labels", example)
    if table.values and not languages:
        section.fail('It has labels by language, but the study names no languages. Add languages = ["en", "de"] at the top.', "labels")
    table.only(*languages)
    found = {}
    for language in table.values:
        names = table.table(language, example.replace("de", language, 1))
        found[language] = {item: names.text(item, item) for item in names.values}
        for item, name in found[language].items():
            with names.at(item):
                checked_text(name, "the label")
    if problem := next(wrong(found), None):
        section.fail(problem, "labels")
    return found


def level_problems(levels: Sequence[str], labels: Labels, languages: Sequence[str]) -> Iterator[str]:
    """What is wrong with the labels of levels."""
    group = _Group("levels", "", "level")
    for language, names in labels.items():
        if language not in languages:
            yield f"{language!r} isn't one of the languages of the study. Add it to them, or leave the label out."
        if unknown := [name for name in names if name not in levels]:
            yield f"{unknown[0]!r} isn't one of the levels. Write their names as above."
        yield from _confusing(group, language, {level: names.get(level, level) for level in levels})


def problems(question: Question, labels: Labels, languages: Sequence[str]) -> Iterator[str]:
    """What is wrong with labels."""
    groups = list(named_items(question)) if labels else []
    called = _Group(f"answers to {question.name!r}", f" of {question.name!r}", "answer")
    for language, names in labels.items():
        if language not in languages:
            yield f"{language!r} isn't one of the languages of the study. Add it to them, or leave the label out."
        if unknown := [item for item in names if not any(item in group for group in groups)]:
            yield f"{unknown[0]!r} isn't an answer or an axis of {question.name!r}. Write it exactly as in the question."
        for group in groups:
            yield from _confusing(called, language, {item: names.get(item, item) for item in group})
        yield from _reserved(question, language, names)


def _confusing(group: _Group, language: str, shown: Mapping[str, str]) -> Iterator[str]:
    """Names in one group that people can't tell apart, or that belong to another item."""
    seen: dict[str, str] = {}
    own = {looks(item): item for item in shown}
    for item, name in shown.items():
        key = looks(name)
        if not key:
            yield f"{item!r}{group.of} is called {name!r} in {language!r}, which can't be seen. Choose another label."
        elif key in seen:
            found = repr(name) if seen[key] == name else f"{seen[key]!r} and {name!r}, which look alike,"
            yield f"Two {group.several} are called {found} in {language!r}. Give each its own name."
        elif name != item and own.get(key, item) != item:
            yield f"{item!r}{group.of} is called {name!r} in {language!r}, like another {group.one}. Choose another label."
        seen[key] = name


def _reserved(question: Question, language: str, names: Mapping[str, str]) -> Iterator[str]:
    """Labels that read like the item of people who aren't asked, or like the words of pages for people who don't answer."""
    words = USUAL.get(language.partition("-")[0].lower(), {})
    axes = [axis.name for axis in question.answers.axes if axis.bounds]
    extras = [extra for extra in (question.other, question.refusal, *axes) if extra is not None and extra in words and extra not in names]
    taken = {looks(words[extra]): extra for extra in extras}
    if question.skipped is not None:
        taken[looks(question.skipped)] = question.skipped
    for item, name in names.items():
        if (meant := taken.get(looks(name), item)) != item:
            yield f"{item!r} of {question.name!r} is called {name!r} in {language!r}, which reads like {meant!r}. Choose another label."


def looks(text: str) -> str:
    r"""What is left of a name for someone who doesn't look closely: no case, no variants of letters, nothing invisible.

    >>> looks(" J\u200ba") == looks("ja") == looks("\uff2aA\u00a0")
    True
    """
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(plain.translate(_INVISIBLE).split())


def named_items(question: Question) -> Iterator[list[str]]:
    """What can have labels, in groups in which names have to differ: the items, or the labels of each axis and the axes."""
    plain = question.answers.axes[0].name is None
    for axis in question.answers.axes:
        items = [] if axis.edges or axis.bounds else [str(label) for label in axis.labels]
        yield items + [extra for extra in (question.other, question.refusal) if extra is not None]
    if not plain:
        yield [axis.name for axis in question.answers.axes if axis.name is not None]
