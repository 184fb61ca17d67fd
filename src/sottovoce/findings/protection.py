"""Which answers a study protects, which its reports may show as they are, and how often they do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.domain import Domain, Item
from sottovoce.findings.formatting import counted
from sottovoce.labels import labels_of, text_of
from sottovoce.notions.base import Judged
from sottovoce.notions.explain import always_sent
from sottovoce.policy.wording import percent
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
    #: How often reports about such an answer show it.
    often: str = ""
    #: The one protected answer that is always sent as it is, if there is one, and how often devices with other answers send it.
    always: str = ""
    by_others: str = ""


def protection_of(study: Study) -> list[Protection]:
    """What is protected in each question of a study, at the level that protects least."""
    if isinstance(study, Questionnaire):
        return [_of_question(study, each) for each in study.questions]
    domain, bare = study.domain, any(promise is None for promise in study.promises.values())
    made = [mechanism for level, mechanism in study.blocks.items() if study.promises[level] is not None]
    shown = np.zeros(len(domain), dtype=np.bool_)
    for mechanism in made:
        shown |= mechanism.channel.columns.invertible[: len(domain)]
    kept = [domain.item(code) for code in np.flatnonzero(~shown).tolist()]
    open_ones = [domain.item(code) for code in np.flatnonzero(shown).tolist()]
    marked = "those that a person marks" * bool(study.tags)
    others = f"{_named(domain, open_ones)}{', unless marked' * bool(open_ones and study.tags)}"
    at_inf = "every answer, at a level that hides nothing" * bare
    return [
        Protection(
            study.question,
            "; ".join(filter(None, [_named(domain, kept), marked])),
            "; ".join(filter(None, [others, at_inf])),
            "; ".join(filter(None, [_often(made, study.reports), "always at that level" * bare])),
            (lone := _always(made, domain, study.tags)),
            _by_others(made, study.reports) if lone else "",
        )
    ]


def always_sent_in(study: Study) -> list[str]:
    """The protected answers that devices always send, since chance has no other to mix them up with: of each question at most one."""
    found = [each for each in protection_of(study) if each.always]
    if study.of_several_questions:
        return [f"the answer {each.always} to “{each.question}”" for each in found]
    return [f"the {'mark' if study.tags else 'answer'} {each.always}" for each in found]


def shared_with_others(study: Study) -> Iterator[str]:
    """Of each protected answer that devices always send, how often devices with other answers send it: its whole protection."""
    found = [each for each in protection_of(study) if each.always]
    for each, what in zip(found, always_sent_in(study), strict=True):
        yield f"Devices with {what} always send it. Devices with other answers send it {each.by_others}, and only this protects it."


def hidden_refusals(study: Study) -> Iterator[str]:
    """The questions of which only refusals and skipped questions are protected: people may take their answers for protected too."""
    if not isinstance(study, Questionnaire):
        return
    for question, found in zip(study.questions, protection_of(study), strict=True):
        if question.sensitive and set(question.sensitive) <= set(question.unanswered) and found.shown:
            yield f"Of “{question.text}”, only {found.protected} is protected. Its other answers are shown as they are {found.often}."


def sent_as_they_are(study: Study) -> Iterator[str]:
    """The questions whose answers are always sent as they are, by their text."""
    if isinstance(study, Questionnaire):
        names = set(study.in_the_clear)
        yield from (each.text for each in study.questions if each.name in names)


def _of_question(study: Questionnaire, question: Question) -> Protection:
    if question.name in study.in_the_clear:
        return Protection(question.text, "", "every answer", "always")
    parts = [part for form in study.mechanism.groups.values() for part in form.parts if set(part.questions) & set(question.fields)]
    if not any(part.channel.columns.invertible.any() for part in parts):
        return Protection(question.text, "every answer", "")
    domain = question.domain
    kept, shown = ([item for item in domain if (item in question.sensitive) is wanted] for wanted in (True, False))
    lone = _always(parts, domain, ()) if all(len(part.questions) == 1 for part in parts) else ""
    by_others = _by_others(parts) if lone else ""
    return Protection(question.text, _named(domain, kept), _named(domain, shown), _often(parts), lone, by_others)


def _often(made: Iterable[Judged], reports: int = 1) -> str:
    """How often reports show an answer that they may show. If people send several, also for how many of them one at least does."""
    chances = _revealed(made)
    if not len(chances):
        return ""
    several = f", for {_range(1 - (1 - chances) ** reports)} of people in at least one of {reports}" if reports > 1 else ""
    return f"in {_range(chances)} of reports{several}"


def _by_others(made: Iterable[Judged], reports: int = 1) -> str:
    """How often devices with other answers send the one that is always sent: whenever their reports don't reveal theirs."""
    chances = 1 - _revealed(made)
    several = f", in all {reports} for {_range(chances**reports)} of them" if reports > 1 else ""
    return f"in {_range(chances)} of their reports{several}"


def _revealed(made: Iterable[Judged]) -> Floats:
    """How likely each answer that reports may reveal is revealed by one."""
    return np.concatenate([each.channel.revealed_chances()[each.channel.columns.invertible] for each in made] or [np.zeros(0)])


def _range(chances: Floats) -> str:
    """Chances in words: of several kinds, from the least to the most."""
    least, most = percent(float(chances.min())), percent(float(chances.max()))
    return least if least == most else f"{least} to {most}"


def _always(made: Sequence[Judged], domain: Domain, tags: Sequence[str]) -> str:
    """The protected answer that is always sent as it is, in words: of a tag, an answer that has it."""
    found = {always_sent(each) for each in made}
    (code,) = found if len(found) == 1 else [None]
    if code is None:
        return ""
    if code < len(domain) and any(axis.bounds for axis in domain.axes):
        return "the sensitive place"
    return f"“{text_of(domain.item(code))}”" if code < len(domain) else f"“{tags[code - len(domain)]}”"


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
