"""Languages of the pages for respondents: their texts, built from clients/js/pages/survey/texts, and the choice among them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any
from urllib.parse import unquote_plus

from sottovoce.collector.assets import assets

DEFAULT = "en"
#: The most characters of a language that are looked at, and of a header that lists languages.
_MOST_CODE, _MOST_HEADER = 35, 1000


@dataclass(frozen=True)
class Wording:
    """The texts of the survey page and the home page in a language, with its name in that language and the direction of its script."""

    language: str
    name: str
    direction: str
    texts: Mapping[str, Any]
    #: How a day is written, for each month: with {day} and {year}.
    days: Sequence[str]

    def day(self, day: date) -> str:
        """A day as the language writes it.

        >>> wordings()["de"].day(date(2027, 3, 1)), wordings()["ja"].day(date(2027, 12, 24))
        ('1. März 2027', '2027年12月24日')
        """
        return self.days[day.month - 1].replace("{day}", str(day.day)).replace("{year}", str(day.year))


@cache
def wordings() -> dict[str, Wording]:
    """All languages that the pages have texts in, the default first."""
    names = [name for name in assets() if name.startswith("survey.") and name.endswith(".json")]
    found = sorted((_wording(name.split(".")[1]) for name in names), key=lambda each: (each.language != DEFAULT, each.language))
    return {each.language: each for each in found}


def _wording(language: str) -> Wording:
    """The texts of a language. Browsers load the file of the survey page, so those of the home page stand in one of their own."""
    survey, front = (json.loads(assets()[f"{page}.{language}.json"].data) for page in ("survey", "front"))
    return Wording(**(survey | {"texts": survey["texts"] | front["texts"], "days": front["days"]}))


@dataclass(frozen=True)
class Chosen:
    """The language of a study's own texts, and the page's texts: in the same language, if there are any."""

    study: str
    page: Wording


def chosen(studys: Sequence[str], wanted: Sequence[str]) -> Chosen:
    """The languages for someone who wants these, the best one first. `studys` are those of the study's texts, if it names any.

    >>> chosen(["de", "fr"], ["fr-CH", "en"]).study, chosen([], ["pt", "es-MX"]).page.language, chosen(["pt"], ["de"]).page.language
    ('fr', 'es', 'de')
    """
    own = wordings()
    options = list(studys or own)
    study = _match(wanted, options) or options[0]
    return Chosen(study, own[_match([study, *wanted], list(own)) or DEFAULT])


def _match(wanted: Sequence[str], available: Sequence[str]) -> str | None:
    """The first wanted language that is available, if need be by the part before the hyphen."""
    for each in (code.lower() for code in wanted):
        for code in available:
            if code.lower() == each:
                return code
        for code in available:
            if _base(code) == _base(each):
                return code
    return None


def _base(code: str) -> str:
    return code.lower().partition("-")[0]


def named(query: str) -> list[str]:
    """The language that a query names: the first `lang`, if that isn't too long to be one.

    >>> named("utm=x&lang=fr-CH&lang=de"), named("lang=" + "x" * 5000)
    (['fr-CH'], [])
    """
    start = 0 if query.startswith("lang=") else query.find("&lang=") + 1
    if not query.startswith("lang=", start):
        return []
    code = unquote_plus(query[start + len("lang=") :].partition("&")[0][: 3 * _MOST_CODE + 1])
    return [code] if 0 < len(code) <= _MOST_CODE else []


def accepted(header: str) -> list[str]:
    """The languages of an Accept-Language header, best first. Unreadable entries are skipped.

    >>> accepted("de;q=0.5, fr-CH, *;q=0.1, en;q=x, ja;q=0")
    ['fr-CH', 'de']
    """
    found: list[tuple[float, str]] = []
    for part in header[:_MOST_HEADER].split(",")[:50]:
        code, _, quality = part.partition(";")
        try:
            weight = float(quality.strip().removeprefix("q=")) if quality else 1.0
        except ValueError:
            continue
        if weight > 0 and (code := code.strip()) and code.replace("-", "").isalnum():
            found.append((-weight, code))
    return [code for _, code in sorted(found, key=lambda each: each[0])]
