"""What numbers say of a claim: it holds, it does not, in part, or they leave it open."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from scipy.stats import t as student

from experiments.measured import Measured

Label = TypeVar("Label")
#: Figures, each with what it is about.
Figures = Mapping[Label, Measured] | Iterable[tuple[Label, Measured]]

#: The chance of a verdict that the true figure contradicts, on either side: two errors, if the runs are many.
_DOUBT = 0.0228
#: Degrees of freedom below which runs that were all alike do not make a figure exact (0: it was computed, not drawn).
_FEW = 9
#: The reason of an unexpected failure, and how many of the failing cases are named.
_UNTESTED, _NAMED = "why was not tested", 4

AGREES, DIFFERS, PARTLY, UNDECIDED = "agrees", "differs", "agrees in part", "undecided"


def judged(figure: Measured, low: float = -math.inf, high: float = math.inf, among: int = 1) -> str:
    """Whether a figure lies between two bounds: only where its Monte-Carlo error leaves no doubt.

    Errors are those of Student's t: with few runs they are uncertain themselves. A figure that is one `among` many must be further outside before it counts
    as outside, so that one false alarm in 44 is one in 44 of the claim, not of its figures (Bonferroni).

    >>> judged(Measured(12.0, 0.5), low=10), judged(Measured(9.5, 0.5), low=10), judged(Measured(5.0, 0.5), low=10)
    ('agrees', 'undecided', 'differs')
    """
    inside, outside_ = (_doubt(figure, chance) for chance in (_DOUBT, _DOUBT / among))
    if figure.value - inside >= low and figure.value + inside <= high:
        return AGREES
    if figure.value + outside_ < low or figure.value - outside_ > high:
        return DIFFERS
    return UNDECIDED


def _doubt(figure: Measured, chance: float) -> float:
    """How far from the figure its true value may be; nan where nothing is known, as after a few runs that were all alike."""
    if figure.error == 0:
        return math.nan if 0 < figure.freedom < _FEW else 0.0
    return figure.error * _deviate(chance, figure.freedom)


@cache
def _deviate(chance: float, freedom: float) -> float:
    """Errors that Student's t exceeds with this chance: few values, asked for thousands of times."""
    return float(student.isf(chance, freedom))


def all_judged(figures: Iterable[Measured], low: float = -math.inf, high: float = math.inf) -> str:
    """The verdict on a claim that all of these figures lie between two bounds."""
    found = list(figures)
    return all_of(judged(each, low, high, len(found)) for each in found)


def all_of(verdicts: Iterable[str]) -> str:
    """The verdict on a claim that is made of several: it agrees where all agree, in part where some do."""
    found = set(verdicts)
    if len(found) == 1:
        return found.pop()
    if DIFFERS in found:
        return PARTLY if {AGREES, PARTLY} & found else DIFFERS
    return UNDECIDED if UNDECIDED in found else PARTLY


def _pairs(figures: Figures[Label]) -> list[tuple[Label, Measured]]:
    return list(figures.items() if isinstance(figures, Mapping) else figures)


def verdict(figures: Figures[Any], low: float = -math.inf, high: float = math.inf) -> str:
    """Whether all figures lie between two bounds."""
    return all_judged((each for _, each in _pairs(figures)), low, high)


def outside(figures: Figures[Label], low: float = -math.inf, high: float = math.inf) -> list[Label]:
    """Where the figures are certainly not between two bounds."""
    pairs = _pairs(figures)
    return [where for where, each in pairs if judged(each, low, high, len(pairs)) == DIFFERS]


def span(figures: Figures[Any]) -> str:
    """The least and the largest of some figures, and where they are.

    >>> span({"a": Measured(2.0), "b": Measured(1.0)})
    'from 1 (b) to 2 (a)'
    """
    pairs = _pairs(figures)
    least, most = (choose(pairs, key=lambda pair: pair[1].value) for choose in (min, max))
    ends = [f"{figure} ({where})" for where, figure in (least, most)]
    return ends[0] if ends[0] == ends[1] else f"from {ends[0]} to {ends[1]}"


def kept(figures: Figures[Any], low: float = -math.inf, high: float = math.inf) -> str:
    """How many of the figures lie between two bounds."""
    values = [each.value for _, each in _pairs(figures)]
    return f"{sum(low <= value <= high for value in values)} of {len(values)}"


@dataclass(frozen=True)
class Claim:
    """A claim of a paper in our words, where it stands, what we found, and the verdict that follows from it."""

    claim: str
    where: str
    found: str
    verdict: str
    because: str = ""


def settled(claim: str, where: str, found: str, verdict: str, because: str = "") -> Claim:
    """A claim with its verdict, and the reason if it does not hold."""
    return Claim(claim, where, found, verdict, (because or _UNTESTED) if verdict in {DIFFERS, PARTLY} else "")


def bounded(
    claim: str, where: str, found: str, figures: Figures[Any], low: float = -math.inf, high: float = math.inf, because: str = ""
) -> Claim:
    """The claim that all of these figures lie between two bounds. If it fails without a known reason, it names the cases that fail."""
    pairs = _pairs(figures)
    return settled(claim, where, found, verdict(pairs, low, high), because or _unexplained(outside(pairs, low, high)))


def _unexplained(cases: list[Any]) -> str:
    more = f" and in {len(cases) - _NAMED} other cases" if len(cases) > _NAMED else ""
    return f"not so for {'; '.join(map(str, cases[:_NAMED]))}{more}; {_UNTESTED}"
