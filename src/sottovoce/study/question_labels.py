"""What the answers to a question are called in other languages. What is reported doesn't depend on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sottovoce.names import checked_text
from sottovoce.study.questions import Question
from sottovoce.study.sections import Section

#: By language: the name of each item, or axis, that has one there. All others are called as they are written.
Labels = Mapping[str, Mapping[str, str]]


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
            shown = [names.get(item, item) for item in group]
            if len(set(shown)) < len(shown):
                twice = next(each for each in shown if shown.count(each) > 1)
                yield f"two answers to {question.name!r} are called {twice!r} in {language!r}. Give each its own name"


def _named(question: Question) -> Iterator[list[str]]:
    """What can have labels, in groups in which names have to differ: the items, or the labels of each axis and the axes."""
    plain = question.answers.axes[0].name is None
    for axis in question.answers.axes:
        items = [] if axis.edges or axis.bounds else [str(label) for label in axis.labels]
        yield items + [extra for extra in (question.other, question.refusal) if extra is not None]
    if not plain:
        yield [axis.name for axis in question.answers.axes if axis.name is not None]
