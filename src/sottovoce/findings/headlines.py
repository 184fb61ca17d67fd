"""The headline of a question: what was found, in a sentence that pages, dashboards, terminals and JSON share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sottovoce.domain import Domain
from sottovoce.estimators.remarks import VAGUE
from sottovoce.findings.figures import Figure
from sottovoce.findings.formatting import counted, ends_text
from sottovoce.findings.fractions import about
from sottovoce.findings.place_names import without_distances
from sottovoce.findings.shares import Shares
from sottovoce.findings.whom import ANSWERED, ASKED

#: Answers that a sentence names side by side, and axes that have a sentence.
_NAMED, _AXES = 3, 3
#: Of more shares, tables list the largest, whose digits headlines have too.
_LISTED = 40
#: The median is told instead of the mean if the interval of the mean is so many times as wide.
_BLURRED = 1.5
#: What the mean and the median are called.
_LAY = {"mean": "average answer", "median": "median answer"}
#: Answers that may be as common as the first one are named if there are no more.
_RIVALS = 3
#: Rivals are named if they are among so many of the largest shares, which every table shows.
_ROWS = 5


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
        """The mean or the median of numbers, the mean of a scale, or the most common answer, also of two.

        If not everyone was asked, the claim is about those who were, and the headline ends with who they are.
        """
        if not self.refused or self.whom in {ANSWERED, ASKED}:
            return self._headline
        found = replace(self, whom=ASKED)._headline
        return Headline(found.claim, f"{found.rest} Asked were {self.whom}.".strip(), found.joint)

    @property
    def _headline(self) -> Headline:
        if figure := self._figure():
            return self._numbers(figure)
        if self.axes:
            first, *others = (_Common(each, "", "are").headline.after(f"By {each.name}, ") for each in self.axes[:_AXES])
            return Headline(first.claim, " ".join(filter(None, (first.rest, *others))), first.joint)
        of = f"of {self.whom}" if self.refused else ""
        if all(axis.bounds for axis in self.answers.axes):
            places = replace(self.shares, labels=[_in_place(label) for label in self.shares.labels])
            return _Common(places, "place", "are", of, quoted=False, digits=self.digits).headline
        what, verb = ("choice", "chose") if self.choices else ("answer", "answered")
        return _Common(self.shares, what, verb, of, digits=self.digits, several=self.choices).headline

    def _figure(self) -> Figure | None:
        """The mean, or the median if an open range hides the mean or a few large numbers blur it."""
        known = [each for each in self.figures if each.value is not None and (each.q is None or each.q == 0.5)]
        if len(known) > 1 and (bool(known[0].remark), known[0].width) > (bool(known[1].remark), _BLURRED * known[1].width):
            return known[1]
        return known[0] if known else None

    def _numbers(self, figure: Figure) -> Headline:
        whose = [f"among {self.whom}"] * self.refused
        whose += [f"without “{self.other}”"] * (self.other is not None)
        scale = _scale(self.answers) if figure.q is None else ""
        of = f" {' and '.join(whose)}" if whose else ""
        name = _LAY.get(figure.name, figure.name)
        if figure.remark:
            return Headline(f"The reports can’t tell the {name} yet:", f"{of.lstrip()}{', ' * bool(of)}it is {figure.ends}{scale}.")
        value, low, high = figure.cells
        claim, half = f"The {name} is {value}", " Half of the answers are smaller." if figure.q is not None else ""
        ends = f", {figure.ends}" if low and high else ""
        return _split(claim, f"{of}{ends}{scale}.{half}")


def _split(claim: str, rest: str) -> Headline:
    """A headline whose rest begins with a blank, a comma and a blank, or a full stop, which belongs to the claim."""
    joint = next((each for each in (", ", " ") if rest.startswith(each)), "")
    if not joint:
        return Headline(f"{claim}.", rest[1:].strip())
    return Headline(claim, rest.removeprefix(joint), joint)


def _scale(answers: Domain) -> str:
    """Which numbers the mean of a scale lies between. Its labels count from one."""
    if answers.edges is not None:
        return ""
    ends = [(f"{answers.centres[place]:g}", str(answers.item(code))) for place, code in ((0, 0), (-1, len(answers) - 1))]
    least, most = (number if number == label else f"{number} (“{label}”)" for number, label in ends)
    return f", on the scale from {least} to {most}"


def _in_place(label: str) -> str:
    """A cell of a grid in a sentence: "near Harbour", "1.2 km north of Harbour", or "in the cell 40.00–40.50 N, 73.50–74.00 W"."""
    if re.match(r"near |[\d.,]+ k?m [a-z-]+ of ", label):
        return label
    return f"in the {label}" if label.startswith("cell ") else f"in the cell {label}"


@dataclass(frozen=True)
class _Common:
    """The largest share, and those that the reports can't tell from it. `what` is an answer, and people `verb` it.

    The shares are `of` some people. If `several` answers could be given, each can be that of more than half of them.
    """

    shares: Shares
    what: str
    verb: str
    of: str = ""
    quoted: bool = True
    digits: int | None = None
    several: bool = False

    @property
    def headline(self) -> Headline:
        shares, what = self.shares, self.what
        order = np.argsort(-shares.p, kind="stable").tolist()
        first, among = order[0], f"among {self.of.removeprefix('of ')}, " * bool(self.of)
        if shares.remark(first) == VAGUE:
            return Headline(_capital(f"{among}the reports can’t tell yet how common each {what or 'one'} is."))
        if shares.remark(first):
            return Headline(_capital(f"{among}no {what or 'share'} is clearly above zero yet."))
        digits = shares.take(order[:_LISTED]).digits if self.digits is None else self.digits
        (least, _), share = shares.ends(first), shares.cells(first, digits)[0]
        alike = [k for k in order if k == first or least is None or (shares.ends(k)[1] or 0.0) >= least]
        rest = f"{_of(self.of)}{_between(shares, first, digits)}"
        if len(alike) == 1 or shares.interval is None:
            name = f"“{shares.labels[first]}”" if self.quoted else shares.labels[first]
            clear = not what or (shares.p[first] > 0.5 and not self.several)
            most = "" if clear else f", the most common {what}"
            who, of = _whose(_people(shares, first), self.of)
            return _split(_capital(f"{who} {self.verb} {name}{most}: {share}"), f"{_of(of)}{_between(shares, first, digits)}.")
        if alike == order[: min(_NAMED, len(alike))]:
            return self._side_by_side(alike, digits)
        if len(alike) > 1 + _RIVALS or not set(alike) <= set(order[:_ROWS]):
            return self._unclear(alike, order[:_ROWS], digits)
        leader, *names = self._names(alike)
        claim = f"{_capital(leader)} may be the most common{f' {what}' if what else ''}: {share}"
        return _split(claim, f"{rest}, but {_and(names)} may be as common.")

    def _unclear(self, alike: Sequence[int], rows: Sequence[int], digits: int) -> Headline:
        """Many shares may be the largest. The claim is no more than that. The rivals that the first rows of a table show are named."""
        shares, one, (first, *rivals) = self.shares, self.what or "one", alike
        among = f"among {self.of.removeprefix('of ')}, " * bool(self.of)
        if len(rivals) == len(shares.p) - 1:
            others = f"each of the {len(rivals):,} other {one}s"
        else:
            named = [each for each in rivals if each in rows]
            wide = counted(len(rivals) - len(named), one, f"{one}s")
            if set(rows) <= set(alike):
                rest = [wide.replace(" ", " other ", 1)] * (len(named) < len(rivals))
            else:  # a smaller estimate rivals the first, and a larger one doesn't
                rest = [f"{wide} with {'a wide interval' if len(rivals) - len(named) == 1 else 'wide intervals'}"] * (
                    len(named) < len(rivals)
                )
            others = _and([*self._names(named), *rest])
        leader = f"{self._names([first])[0]} has the largest estimate: {shares.cells(first, digits)[0]}{_between(shares, first, digits)}"
        return Headline(_capital(f"{among}the most common {one} isn’t clear yet."), f"{_capital(leader)}, but {others} may be as common.")

    def _side_by_side(self, alike: Sequence[int], digits: int) -> Headline:
        """A few answers that lead, none of which the reports put first."""
        cells = [self.shares.cells(k, digits) for k in alike]
        said = _and([f"{name} ({share})" for name, (share, *_) in zip(self._names(alike), cells, strict=True)])
        both = len(alike) == len(self.shares.p) and not self.several  # then there are no less common ones
        what = f" {self.what}s" if self.what else ""
        claim = f"{_capital(said)} {'may be equally common' if both else f'are the most common{what}'}"
        ends = _and([ends for _, ends, *_ in cells])
        among = _of(f"among {self.of.removeprefix('of ')}" if both and self.of else self.of)
        return _split(claim, f"{among}. The intervals are {ends}, so the reports can’t tell which comes first.")

    def _names(self, codes: Sequence[int]) -> list[str]:
        """Labels as subjects of a sentence."""
        labels = [self.shares.labels[k] for k in codes]
        return [f"“{label}”" for label in labels] if self.quoted else [each.removeprefix("near ") for each in without_distances(labels)]


def _whose(people: str, of: str) -> tuple[str, str]:
    """The people of a claim, and what is left to say of them: those who were asked are named in the claim, so that it stands alone."""
    return (f"{people} {of}", "") if of == f"of {ASKED}" else (people, of)


def _of(whom: str) -> str:
    return f" {whom}" if whom else ""


def _between(shares: Shares, k: int, digits: int) -> str:
    """The interval of a share behind it. Nothing if there is none."""
    low, high = shares.ends(k)
    return "" if low is None else f", between {ends_text(low, high, digits, ' and ')}"


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
