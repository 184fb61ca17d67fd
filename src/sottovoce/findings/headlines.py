"""The headline of a question: what was found, in a sentence that pages, dashboards, terminals and JSON share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sottovoce.domain import Domain
from sottovoce.findings.figures import Figure
from sottovoce.findings.formatting import counted, ends_text
from sottovoce.findings.fractions import one_in
from sottovoce.findings.shares import MAYBE_ZERO, VAGUE, Shares
from sottovoce.findings.whom import ANSWERED

#: Answers that a sentence names side by side, and axes that have a sentence.
_NAMED, _AXES = 3, 3
#: Of more shares, tables list the largest, whose digits headlines have too.
_LISTED = 40


class Headline(str):
    """A headline, and what of it comes first: pages show the `claim` larger than the `rest`."""

    __slots__ = ("claim",)

    def __new__(cls, claim: str, rest: str = "") -> Headline:
        made = super().__new__(cls, f"{claim} {rest}".rstrip())
        made.claim = claim
        return made

    claim: str

    @property
    def rest(self) -> str:
        """What follows the claim."""
        return self[len(self.claim) :].strip()

    def after(self, words: str) -> Headline:
        """The headline behind some words, with a capital at its beginning."""
        return Headline(_capital(words + self.claim), self.rest)


@dataclass(frozen=True)
class Told:
    """What a headline is about: the shares of some answers, and the figures of numbers or a scale.

    With `choices` several answers could be given. If some people gave none (`refused`), the shares are those among `whom`.
    `other` is an answer without a place among numbers. `axes` are the shares of a product's axes.
    """

    shares: Shares
    answers: Domain
    figures: Sequence[Figure] = ()
    choices: bool = False
    refused: bool = False
    whom: str = ANSWERED
    other: str | None = None
    axes: Sequence[Shares] = ()
    #: Digits of the shares, those of the table below the headline: of many answers only some are listed.
    digits: int | None = None

    @property
    def headline(self) -> Headline:
        """The mean of numbers or a scale, the share of the first of two answers, or the most common answer."""
        if words := self._numbers():
            return Headline(words)
        if self.axes:
            first, *others = (_common(each, "", "are").after(f"By {each.name}, ") for each in self.axes[:_AXES])
            return Headline(first.claim, " ".join(filter(None, (first.rest, *others))))
        among = f"among {self.whom}, " * self.refused
        if len(self.shares.p) == 2 and not self.choices:
            return _first(self.shares).after(among)
        if all(axis.bounds for axis in self.answers.axes):
            places = replace(self.shares, labels=[_in_place(label) for label in self.shares.labels])
            return _common(places, "place", "are", quoted=False, digits=self.digits).after(among)
        return _common(self.shares, *(("choice", "chose") if self.choices else ("answer", "answered")), digits=self.digits).after(among)

    def _numbers(self) -> str:
        """The mean, or the median if an open range hides the mean. Nothing if the answers have neither."""
        figure = next((each for each in self.figures if each.value is not None and (each.q is None or each.q == 0.5)), None)
        if figure is None:
            return ""
        whose = [f"among {self.whom}"] * self.refused
        whose += [f"without “{self.other}”"] * (self.other is not None)
        scale = _scale(self.answers) if figure.q is None else ""
        head = f"{' and '.join(whose)}{', ' * bool(whose)}"
        if figure.vague:
            return _capital(f"{head}the reports can’t tell the {figure.name} yet: it is {figure.ends}{scale}.")
        return _capital(f"{head}the {figure.name} is {figure.between}{scale}.")


def _scale(answers: Domain) -> str:
    """Which numbers the mean of a scale lies between. Its labels count from one."""
    if answers.edges is not None:
        return ""
    ends = [(f"{answers.centres[place]:g}", str(answers.item(code))) for place, code in ((0, 0), (-1, len(answers) - 1))]
    least, most = (number if number == label else f"{number} (“{label}”)" for number, label in ends)
    return f", on the scale from {least} to {most}"


def _in_place(label: str) -> str:
    """A cell of a grid in a sentence: "near Harbour", "north of Harbour", or "in the cell 40.00–40.50 N, 73.50–74.00 W"."""
    if re.match(r"near |[a-z-]+ of ", label):
        return label
    return f"in the {label}" if label.startswith("cell ") else f"in the cell {label}"


def _first(shares: Shares) -> Headline:
    """The first of two answers. The other one has the rest."""
    name, (_, high) = f"“{shares.labels[0]}”", shares.ends(0)
    if shares.remark(0) == VAGUE:
        return Headline(f"the reports can’t tell how many answered {name}.")
    if shares.remark(0) == MAYBE_ZERO and high is not None:
        return Headline(f"perhaps no one answered {name}, and at most {ends_text(high, high, shares.digits).partition(' to ')[2]} did.")
    return Headline(f"{_people(float(shares.p[0]))} answered {name}:", f"{shares.sentence(0)}.")


def _common(shares: Shares, what: str = "answer", verb: str = "answered", *, quoted: bool = True, digits: int | None = None) -> Headline:
    """The largest share, and those that the reports can't tell from it."""
    order = np.argsort(-shares.p, kind="stable").tolist()
    if shares.remark(order[0]) == VAGUE:
        return Headline(f"the reports can’t tell yet how common each {what or 'one'} is.")
    if shares.remark(order[0]):
        return Headline(f"no {what or 'share'} can be told from zero yet.")
    digits = shares.take(order[:_LISTED]).digits if digits is None else digits
    named = {k: f"“{shares.labels[k]}”" if quoted else shares.labels[k] for k in order}
    first = order[0]
    least = shares.ends(order[0])[0]
    alike = [k for k in order if k == order[0] or least is None or (shares.ends(k)[1] or 0.0) >= least]
    if len(alike) == 1 or shares.interval is None:
        most = f", the most common {what}" if what else ""
        return Headline(f"{_people(float(shares.p[first]))} {verb} {named[first]}{most}:", f"{shares.sentence(first, digits)}.")
    if alike == order[: min(_NAMED, len(alike))]:
        cells = [shares.cells(k, digits) for k in alike]
        said = [f"{named[k]} has {share} ({ends})" for k, (share, ends, *_) in zip(alike, cells, strict=True)]
        what_words = f"the most common{f' {what}s' if what else ''}"
        return Headline(f"{_and([named[k] for k in alike])} are {what_words}:", f"{_and(said)}. The reports can’t tell which comes first.")
    others = counted(len(alike) - 1, f"other {what}".strip(), f"other {what}s" if what else "others") + " may be as common"
    return Headline(f"no {what or 'share'} stands out: {named[first]} comes first", f"with {shares.sentence(first, digits)}, but {others}.")


def _and(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def _people(share: float) -> str:
    """A share as people: "about 1 in 4"."""
    if words := one_in(share):
        return f"about {words}"
    return "nearly everyone" if share > 1 - share else "hardly anyone"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
