"""The order of several options: least error first, unless a much shorter report comes close."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sottovoce.mechanisms import Mechanism
from sottovoce.utility.cost import bytes_per_report, words_per_report
from sottovoce.utility.expectations import Curve, Expectations
from sottovoce.utility.goals import Goal

#: Options whose error is at most this much above the least one count as equal. An error that is 1 % larger takes 2 % more people to make
#: up for, which is less than anyone knows beforehand of how many will answer, and no interval that is printed shows it.
NEAR = 0.01
#: Of equal options a report wins if it is this many times shorter, and shorter by this many bytes. Every report travels with its study's
#: fingerprint and an identifier, 48 bytes or 126 as a line of text: fewer bytes than that are not worth an error, however small.
SHORTER, SAVING = 4, 64


@dataclass(frozen=True)
class Ranked:
    """A mechanism, its error with the given people, and the people it needs.

    `strength` is proportional to the error however the goal was given: the error of one person, or the root of the people. `instead_of` is
    the option with the least error, if this one comes first because its report is shorter.
    """

    mechanism: Mechanism
    name: str
    error: float | None
    people: int | None
    strength: float
    square: float | None
    ratio: float | None
    where: str
    report_bytes: int
    words: float
    instead_of: Ranked | None = None


def ranked(goal: Goal, found: Expectations, n: int | None, usual: Expectations, usual_n: int) -> list[Ranked]:
    """The options, best first.

    Options tie if their errors are near the least one. Ties are in one order, whether people or an error were asked for: that of the
    `usual` number of people, then that of the shorter report, then that of less randomness.
    """
    options = [_option(goal, found, k, n) for k in range(len(found.mechanisms))]
    usually = [replace(each, strength=_strength(curve, usual_n)) for each, curve in zip(options, usual.at_n, strict=True)]
    least = min(each.strength for each in options)
    places = sorted(range(len(options)), key=lambda k: _order(usually[k]))
    tied = [options[k] for k in places if options[k].strength <= (1 + NEAR) * least]
    rest = [each for each in options if each.strength > (1 + NEAR) * least]
    return _shorter_first([*tied, *sorted(rest, key=_order)])


def _order(option: Ranked) -> tuple[float, int, float]:
    return _digits(option.strength), option.report_bytes, option.words


def _option(goal: Goal, found: Expectations, k: int, n: int | None) -> Ranked:
    mechanism, curve, at_n = found.mechanisms[k], found.curves[k], found.at_n[k]
    error = None if n is None else at_n.error(n)
    people = None if goal.asked is None else curve.people(goal.asked)
    strength = math.sqrt(curve.needed(goal.asked or 1.0)) if n is None else _strength(at_n, n)
    square = None if n is None or at_n.square is None else at_n.square / n
    cost = bytes_per_report(mechanism), words_per_report(mechanism)
    return Ranked(mechanism, mechanism.name, error, people, strength, square, found.ratios[k], found.where[k], *cost)


def _strength(curve: Curve, n: int) -> float:
    return curve.error(n) * math.sqrt(n)


def _digits(strength: float) -> float:
    """The error to six digits: errors that agree in those count as equal. (The rounding decides what `auto` selects in a study file.)"""
    return round(math.log(strength), 6) if strength > 0 else -math.inf


def _shorter_first(options: Sequence[Ranked]) -> list[Ranked]:
    """The options with a much shorter report first, if one comes close to the least error."""
    best, least = options[0], min(each.strength for each in options)
    near = [
        each
        for each in options[1:]
        if each.strength <= (1 + NEAR) * least
        and SHORTER * each.report_bytes <= best.report_bytes
        and each.report_bytes + SAVING <= best.report_bytes
    ]
    if not near:
        return list(options)
    first = min(near, key=lambda each: (each.report_bytes, each.words))
    return [replace(first, instead_of=best), *(each for each in options if each is not first)]
