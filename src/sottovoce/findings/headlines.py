"""The headline of a question: what was found, in a sentence that pages, dashboards, terminals and JSON share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sottovoce.domain import Domain
from sottovoce.findings.figures import Figure
from sottovoce.findings.formatting import counted, ends_text
from sottovoce.findings.fractions import about
from sottovoce.findings.shares import MAYBE_ZERO, VAGUE, Shares

#: Answers that a sentence names side by side, and axes that have a sentence.
_NAMED, _AXES = 3, 3
#: Of more shares, tables list the largest, whose digits headlines have too.
_LISTED = 40
#: The median is told instead of the mean if the interval of the mean is so many times as wide.
_BLURRED = 1.5
#: Answers that may be as common as the first one are named if there are no more.
_RIVALS = 3


class Headline(str):
    """A headline, and what of it comes first: pages show the `claim` larger than the `rest`, which follows after the `joint`."""

    __slots__ = ("claim", "joint")

    def __new__(cls, claim: str, rest: str = "", joint: str = " ") -> Headline:
        made = super().__new__(cls, f"{claim}{joint}{rest}" if rest else claim)
        made.claim, made.joint = claim, joint
        return made

    claim: str
    joint: str

    @property
    def rest(self) -> str:
        """What follows the claim."""
        return self[len(self.claim) + len(self.joint) :]

    def after(self, words: str) -> Headline:
        """The headline behind some words, with a capital at its beginning."""
        return Headline(_capital(words + self.claim), self.rest, self.joint)


@dataclass(frozen=True)
class Told:
    """What a headline is about: the shares of some answers, and the figures of numbers or a scale.

    With `choices` several answers could be given. If some people gave none (`refused`), the shares are those of the people who answered.
    `other` is an answer without a place among numbers. `axes` are the shares of a product's axes.
    """

    shares: Shares
    answers: Domain
    figures: Sequence[Figure] = ()
    choices: bool = False
    refused: bool = False
    other: str | None = None
    axes: Sequence[Shares] = ()
    #: Digits of the shares, those of the table below the headline: of many answers only some are listed.
    digits: int | None = None

    @property
    def headline(self) -> Headline:
        """The mean or the median of numbers, the mean of a scale, the share of the first of two answers, or the most common answer."""
        if figure := self._figure():
            return self._numbers(figure)
        if self.axes:
            first, *others = (_common(each, "", "are").after(f"By {each.name}, ") for each in self.axes[:_AXES])
            return Headline(first.claim, " ".join(filter(None, (first.rest, *others))), first.joint)
        among = "among those who answered, " * self.refused
        if len(self.shares.p) == 2 and not self.choices:
            return _first(self.shares).after(among)
        if all(axis.bounds for axis in self.answers.axes):
            places = replace(self.shares, labels=[_in_place(label) for label in self.shares.labels])
            return _common(places, "place", "are", quoted=False, digits=self.digits).after(among)
        return _common(self.shares, *(("choice", "chose") if self.choices else ("answer", "answered")), digits=self.digits).after(among)

    def _figure(self) -> Figure | None:
        """The mean, or the median if an open range hides the mean or a few large numbers blur it."""
        known = [each for each in self.figures if each.value is not None and (each.q is None or each.q == 0.5)]
        if len(known) > 1 and (known[0].vague, known[0].width) > (known[1].vague, _BLURRED * known[1].width):
            return known[1]
        return known[0] if known else None

    def _numbers(self, figure: Figure) -> Headline:
        whose = ["among those who answered"] * self.refused
        whose += [f"without “{self.other}”"] * (self.other is not None)
        scale = _scale(self.answers) if figure.q is None else ""
        head = f"{' and '.join(whose)}{', ' * bool(whose)}"
        if figure.vague:
            return Headline(_capital(f"{head}the reports can’t tell the {figure.name} yet:"), f"it is {figure.ends}{scale}.")
        value, low, high = figure.cells
        claim = _capital(f"{head}the {figure.name} is {value}")
        half = " Half of the answers are smaller." if figure.q is not None else ""
        return Headline(claim, f"{figure.ends}{scale}.{half}", ", ") if low and high else Headline(f"{claim}{scale}.", half.strip())


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
    return Headline(f"{_people(shares, 0)} answered {name}: {shares.cells(0)[0]}", *_between(shares, 0, shares.digits))


def _common(shares: Shares, what: str = "answer", verb: str = "answered", *, quoted: bool = True, digits: int | None = None) -> Headline:
    """The largest share, and those that the reports can't tell from it."""
    order = np.argsort(-shares.p, kind="stable").tolist()
    if shares.remark(order[0]) == VAGUE:
        return Headline(f"the reports can’t tell yet how common each {what or 'one'} is.")
    if shares.remark(order[0]):
        return Headline(f"no {what or 'share'} can be told from zero yet.")
    digits = shares.take(order[:_LISTED]).digits if digits is None else digits
    named = {k: f"“{shares.labels[k]}”" if quoted else shares.labels[k] for k in order}
    first, share = order[0], shares.cells(order[0], digits)[0]
    least = shares.ends(first)[0]
    alike = [k for k in order if k == first or least is None or (shares.ends(k)[1] or 0.0) >= least]
    if len(alike) == 1 or shares.interval is None:
        most = f", the most common {what}" if what else ""
        return Headline(f"{_people(shares, first)} {verb} {named[first]}{most}: {share}", *_between(shares, first, digits))
    subjects = {k: name if quoted else name.removeprefix("near ") for k, name in named.items()}
    if alike == order[: min(_NAMED, len(alike))]:
        cells = [shares.cells(k, digits) for k in alike]
        said = _and([f"{subjects[k]} ({text})" for k, (text, *_) in zip(alike, cells, strict=True)])
        what_words = f"the most common{f' {what}s' if what else ''}"
        ends = _and([ends for _, ends, *_ in cells])
        return Headline(f"{_capital(said)} are {what_words}.", f"The intervals are {ends}, so the reports can’t tell which comes first.")
    others = counted(len(alike) - 1, f"other {what}".strip(), f"other {what}s" if what else "others")
    rivals = _and([subjects[k] for k in alike[1:]]) if len(alike) <= 1 + _RIVALS else others
    claim = f"{_capital(subjects[first])} may be the most common{f' {what}' if what else ''}: {share}"
    between, joint = _between(shares, first, digits)
    return Headline(claim, f"{between.removesuffix('.')}, but {rivals} may be as common.", joint)


def _between(shares: Shares, k: int, digits: int) -> tuple[str, str]:
    """The interval of a share behind it, and how it's joined to it. Nothing but a full stop if there is none."""
    low, high = shares.ends(k)
    return (".", "") if low is None else (f"between {ends_text(low, high, digits, ' and ')}.", ", ")


def _and(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def _people(shares: Shares, k: int) -> str:
    """A share as people: "about 1 in 4", or "nearly 2 in 3" if that isn't in the interval."""
    share, (low, high) = float(shares.p[k]), shares.ends(k)
    if words := about(share, low, high):
        return words
    return "nearly everyone" if share > 1 - share else "hardly anyone"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
