"""Texts of a questionnaire in several languages that stand in one language only. People who chose another one read them as they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sottovoce.study.question_labels import USUAL, named_items
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.questions import Question

#: Texts that are usually the same in every language.
_SAME = frozenset({"organisation", "contact"})


def untranslated(study: Questionnaire) -> list[str]:
    """What isn't translated, a sentence for each text and for the labels of each question and language."""
    languages = study.written.languages
    if len(languages) < 2:
        return []
    found = [f"The {key} is in one language." for key, texts in study.written.texts.items() if "" in texts and key not in _SAME]
    for question in study.questions:
        found += [f"The {key} of {question.name!r} is in one language." for key, texts in question.translations.items() if "" in texts]
        found += _labels(question, languages[1:])
    for language in languages[1:]:
        missing = [level for level in study.levels if level not in study.written.labels.get(language, {})]
        found += _said("levels", missing, language)
    return found


def _labels(question: Question, languages: Sequence[str]) -> Iterator[str]:
    items = [item for group in named_items(question) for item in group if any(letter.isalpha() for letter in item)]
    for language in languages:
        known = {**USUAL.get(language.partition("-")[0].lower(), {}), **question.labels.get(language, {})}
        yield from _said(f"answers to {question.name!r}", [item for item in items if item not in known], language)


def _said(what: str, missing: Sequence[str], language: str) -> Iterator[str]:
    """That some labels are missing, naming the first."""
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        yield f"Of the {what}, {missing[0]!r}{more} {'have' if more else 'has'} no label in {language!r}."
