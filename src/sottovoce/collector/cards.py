"""What the home page shows of each study: what it's called, who asks, what about, how much of it is protected, and until when."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from sottovoce.collector.languages import Wording, chosen, wordings
from sottovoce.findings.answer_groups import groups_of
from sottovoce.findings.guarantee import guarantees_of
from sottovoce.findings.protection import protection_of
from sottovoce.labels import labels_of
from sottovoce.notions.beliefs import WEAK
from sottovoce.store import Entry
from sottovoce.study import Study
from sottovoce.study.questionnaire import Questionnaire
from sottovoce.study.taking_part import TakingPart

#: A study of one question is described by its answers, if there are at most so many, and a questionnaire by the first sentences of its
#: introduction, as far as they fit into so many characters.
_ANSWERS, _CHARACTERS = 8, 160
_SENTENCE = re.compile(r".*?(?:[.!?…](?=\s|$)|[。！？]|$)", re.DOTALL)
_ORDER = ("open", "early", "closed")
#: The texts about answers that are protected, by how many are, and whether the least protected of them are protected weakly.
_PROTECTED = {
    ("all", False): "front_protects_all",
    ("all", True): "front_protects_all_weakly",
    ("some", False): "front_protects_some",
    ("some", True): "front_protects_some_weakly",
    ("none", False): "front_protects_none",
}


@dataclass(frozen=True)
class Card:
    """A study as the home page shows it. Its own texts are in `language` ("" if that's unknown)."""

    entry: Entry
    state: str
    language: str
    title: str
    organisation: str
    about: str
    #: How many questions a person is asked at most, how many there are, what is protected, and when it's open: in the words of the page.
    facts: Sequence[str]
    #: The name of the language, if it isn't that of the page.
    tongue: str
    #: The name of the study, if another one has the same title.
    name: str = ""


def cards(entries: Sequence[Entry], wanted: Sequence[str], wording: Wording, today: date) -> list[Card]:
    """The cards of studies: the open ones first, then those that open later."""
    found = [_card(entry, wanted, wording, today) for entry in entries]
    titles = Counter(each.title for each in found)
    told = [replace(each, name=each.entry.name) if titles[each.title] > 1 else each for each in found]
    return sorted(told, key=lambda each: _ORDER.index(each.state))


def _card(entry: Entry, wanted: Sequence[str], wording: Wording, today: date) -> Card:
    language, title = title_of(entry, wanted)
    state = state_of(entry, today)
    facts = [_count(entry, wording), wording.texts[protected(entry.study)], *_dates(entry, state, wording)]
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
    """How many questions a person is asked, and of how many. If it isn't the same for everyone, it's the most."""
    study, asked, every, fixed = entry.study, 1, 1, True
    if isinstance(study, Questionnaire):
        found = TakingPart.of(study)
        asked, every, fixed = found.asked, found.every, found.least == found.asked
    forms = wording.texts["front_count"]
    text: str = forms.get("one" if every == 1 else "other", forms["other"])
    if asked != every:
        text = wording.texts["front_count_drawn" if fixed else "front_count_most"]
    return text.replace("{count}", str(asked)).replace("{all}", str(every))


def protected(study: Study) -> str:
    """The key of the text about how many answers a study protects, and whether it does so weakly. If that depends on the level, people
    choose it.
    """
    if isinstance(study, Questionnaire):
        rows = protection_of(study)
        amount = "none" if not any(each.protected for each in rows) else "some" if any(each.shown for each in rows) else "all"
        found = {(amount, amount != "none" and (each.after or 0) > WEAK) for each in guarantees_of(study)}
    else:
        found = {_at(study, tier) for tier in study.promises}
    return _PROTECTED[found.pop()] if len(found) == 1 else "front_protects_choice"


def _at(study: Study, tier: str) -> tuple[str, bool]:
    """The same at a level of a study of one question."""
    groups = groups_of(study, tier)
    kept = sum(len(group.codes) for group in groups)
    everything = kept == len(study.domain) and not study.tags
    return ("all" if everything else "some", groups[-1].after > WEAK) if groups else ("none", False)


def _dates(entry: Entry, state: str, wording: Wording) -> list[str]:
    """Until when a study is open, or since or from when it will be."""
    dates = entry.study.written.dates if isinstance(entry.study, Questionnaire) else {}
    key, end = {"open": ("front_until", "closes"), "early": ("front_opens", "opens"), "closed": ("front_closed", "closes")}[state]
    day = dates.get(end)
    if day is None or (state == "closed" and entry.state != "open"):  # closed by hand, on a day that no one wrote down
        return [] if state == "open" else [wording.texts[state]]
    text: str = wording.texts[key]
    return [text.replace("{day}", wording.day(date.fromisoformat(day)))]
