"""What numbers say of a claim: it holds, it does not, in part, or they leave it open."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from scipy.stats import t as student

from experiments.measured import Measured

#: The chance of a verdict that the true figure contradicts, on either side: two errors, if the runs are many.
_DOUBT = 0.0228
#: The reason of a failure that nobody foresaw.
_UNTESTED = "why was not tested"

AGREES, DIFFERS, PARTLY, UNDECIDED = "agrees", "differs", "agrees in part", "undecided"


def judged(figure: Measured, low: float = -math.inf, high: float = math.inf, among: int = 1) -> str:
    """Whether a figure lies between two bounds: only where its Monte-Carlo error leaves no doubt.

    Errors are those of Student's t: with few runs they are uncertain themselves. A figure that is one `among` many must be further outside before it counts
    as outside, so that one false alarm in 44 is one in 44 of the claim, not of its figures (Bonferroni).

    >>> judged(Measured(12.0, 0.5), low=10), judged(Measured(9.5, 0.5), low=10), judged(Measured(5.0, 0.5), low=10)
    ('agrees', 'undecided', 'differs')
    """
    inside, outside = (_doubt(figure, chance) for chance in (_DOUBT, _DOUBT / among))
    if figure.value - inside >= low and figure.value + inside <= high:
        return AGREES
    if figure.value + outside < low or figure.value - outside > high:
        return DIFFERS
    return UNDECIDED


def _doubt(figure: Measured, chance: float) -> float:
    """How far from the figure its true value may be; nan where nothing is known."""
    return figure.error * float(student.isf(chance, figure.freedom)) if figure.error else 0.0


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


@dataclass(frozen=True)
class Claim:
    """A claim of a paper in our words, where it stands, what we found, and the verdict that follows from it."""

    claim: str
    where: str
    found: str
    verdict: str
    because: str = ""


def reason(verdict: str, because: str = _UNTESTED) -> str:
    """What is said beside a verdict that contradicts a claim; nothing beside any other."""
    return because if verdict in {DIFFERS, PARTLY} else ""


def settled(claim: str, where: str, found: str, verdict: str, because: str = _UNTESTED) -> Claim:
    """A claim with its verdict, and the reason if it does not hold."""
    return Claim(claim, where, found, verdict, reason(verdict, because))
