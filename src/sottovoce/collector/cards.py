"""What the home page shows of each study: what it's called, who asks, what about, and until when."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from sottovoce.collector.languages import Wording, chosen, wordings
from sottovoce.labels import labels_of
from sottovoce.store import Entry
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.taking_part import TakingPart

#: A study of one question is described by its answers, if there are at most so many, and a questionnaire by the first sentences of its
#: introduction, as far as they fit into so many characters.
_ANSWERS, _CHARACTERS = 8, 160
_SENTENCE = re.compile(r".*?(?:[.!?…](?=\s|$)|[。！？]|$)", re.DOTALL)
_ORDER = ("open", "early", "closed")


@dataclass(frozen=True)
class Card:
    """A study as the home page shows it. Its own texts are in `language` ("" if that's unknown)."""

    entry: Entry
    state: str
    language: str
    title: str
    organisation: str
    about: str
    #: How many questions a person is asked at most, how many there are, and when it's open: in the words of the page.
    facts: Sequence[str]
    #: The name of the language, if it isn't that of the page.
    tongue: str


def cards(entries: Sequence[Entry], wanted: Sequence[str], wording: Wording, today: date) -> list[Card]:
    """The cards of studies: the open ones first, then those that open later."""
    found = [_card(entry, wanted, wording, today) for entry in entries]
    return sorted(found, key=lambda each: _ORDER.index(each.state))


def _card(entry: Entry, wanted: Sequence[str], wording: Wording, today: date) -> Card:
    language, title = title_of(entry, wanted)
    state = state_of(entry, today)
    facts = [_count(entry, wording), *_dates(entry, state, wording)]
    other = language if language and language != wording.language else ""
    tongue = wordings()[other].name if other in wordings() else other
    return Card(entry, state, language, title, _text(entry, "organisation", language), _about(entry, language), facts, tongue)


def languages_of(entry: Entry) -> Sequence[str]:
    """The languages of a study's texts, if it names any."""
    return entry.study.written.languages if isinstance(entry.study, Questionnaire) else ()


def title_of(entry: Entry, wanted: Sequence[str]) -> tuple[str, str]:
    """The language of a study's title ("" if unknown), and the title in one of the preferred languages."""
    if not isinstance(entry.study, Questionnaire):
        return "", entry.study.question
    languages = languages_of(entry)
    language = chosen(languages, wanted).study
    return language if languages else "", _text(entry, "title", language)


def state_of(entry: Entry, today: date) -> str:
    """Whether a study accepts reports: it is "open", "closed", or "early" before its first day."""
    if entry.state != "open" or entry.study.closed_on(today) is None:
        return entry.state
    opens = entry.study.written.dates.get("opens", "") if isinstance(entry.study, Questionnaire) else ""
    return "early" if today.isoformat() < opens else "closed"


def _text(entry: Entry, key: str, language: str) -> str:
    """A text of a questionnaire in a language, or in the first one that it is written in. Empty if there is none."""
    texts = entry.study.written.texts.get(key, {}) if isinstance(entry.study, Questionnaire) else {}
    return texts.get(language) or next(iter(texts.values()), "")


def _about(entry: Entry, language: str) -> str:
    """What a study is about: the beginning of a questionnaire's introduction, or the answers to choose from if there are a few."""
    if isinstance(entry.study, Questionnaire):
        return beginning(_text(entry, "introduction", language))
    axes = entry.study.domain.axes
    few = len(axes) == 1 and axes[0].edges is None and len(entry.study.domain) <= _ANSWERS
    return " · ".join(labels_of(entry.study.domain).texts) if few else ""


def beginning(text: str, most: int = _CHARACTERS) -> str:
    """The whole sentences at the beginning of a text that fit into so many characters.

    >>> beginning("One thing. Another one. A third.", 24), beginning("今日は。明日は。", 5), beginning("Too long.", 3)
    ('One thing. Another one.', '今日は。', '')
    """
    paragraph, end = text.strip().partition("\n")[0], 0
    for sentence in _SENTENCE.finditer(paragraph):
        if sentence.end() > most:
            break
        end = sentence.end()
    return paragraph[:end].strip()


def _count(entry: Entry, wording: Wording) -> str:
    """How many questions a person is asked at most, and of how many."""
    study, asked, every = entry.study, 1, 1
    if isinstance(study, Questionnaire):
        found = TakingPart.of(study)
        asked, every = found.asked, found.every
    text: str = wording.texts["front_count" if asked == every else "front_count_drawn"]
    return text.replace("{count}", str(asked)).replace("{all}", str(every))


def _dates(entry: Entry, state: str, wording: Wording) -> list[str]:
    """Until when a study is open, or since or from when it will be."""
    dates = entry.study.written.dates if isinstance(entry.study, Questionnaire) else {}
    key, end = {"open": ("front_until", "closes"), "early": ("front_opens", "opens"), "closed": ("front_closed", "closes")}[state]
    day = dates.get(end)
    if day is None or (state == "closed" and entry.state != "open"):  # closed by hand, on a day that no one wrote down
        return [] if state == "open" else [wording.texts[state]]
    text: str = wording.texts[key]
    return [text.replace("{day}", wording.day(date.fromisoformat(day)))]
