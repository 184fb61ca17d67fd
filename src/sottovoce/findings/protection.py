"""Which answers a study protects, and which its reports may show as they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from sottovoce.domain import Domain, Item
from sottovoce.findings.formatting import counted
from sottovoce.labels import labels_of, text_of
from sottovoce.study import Study
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.questions import Question

#: Answers that are named.
_NAMED = 6


class Protection(NamedTuple):
    """A question, the answers that are protected in words, and those that may be sent as they are. Nothing if there are none."""

    question: str
    protected: str
    shown: str


def protection_of(study: Study) -> list[Protection]:
    """What is protected in each question of a study, at the level that protects least."""
    if isinstance(study, Questionnaire):
        return [_of_question(study, each) for each in study.questions]
    domain, bare = study.domain, any(promise is None for promise in study.promises.values())
    shown = np.zeros(len(domain), dtype=np.bool_)
    for level, mechanism in study.blocks.items():
        if study.promises[level] is not None:
            shown |= mechanism.channel.columns.invertible[: len(domain)]
    kept = [domain.item(code) for code in np.flatnonzero(~shown).tolist()]
    open_ones = [domain.item(code) for code in np.flatnonzero(shown).tolist()]
    own = "those that a person marks" * bool(study.tags)
    words = "; ".join(filter(None, [_named(domain, kept), own]))
    at_inf = "every answer, at a level that hides nothing" * bare
    return [Protection(study.question, words, "; ".join(filter(None, [_named(domain, open_ones), at_inf])))]


def sent_as_they_are(study: Study) -> Iterator[str]:
    """The questions whose answers are always sent as they are, by their text."""
    if isinstance(study, Questionnaire):
        names = set(study.in_the_clear)
        yield from (each.text for each in study.questions if each.name in names)


def _of_question(study: Questionnaire, question: Question) -> Protection:
    if study.written.notion == "ldp":
        return Protection(question.text, "every answer", "")
    if question.name in study.in_the_clear:
        return Protection(question.text, "", "every answer, always")
    domain = question.choosable if question.choices else question.domain
    kept = [item for item in domain if item in question.sensitive]
    return Protection(question.text, _named(domain, kept), _named(domain, [item for item in domain if item not in question.sensitive]))


def _named(domain: Domain, items: Sequence[Item]) -> str:
    """Answers in words: all of them by name if there are few."""
    if len(items) == len(domain):
        return "every answer"
    if not items:
        return ""
    if len(items) > _NAMED or any(axis.bounds for axis in domain.axes):
        return f"{counted(len(items), 'answer', 'answers')} of {len(domain):,}"
    texts = labels_of(domain).texts if domain.edges is not None else None
    return ", ".join(f"“{texts[domain.code(item)] if texts else text_of(item)}”" for item in items)
