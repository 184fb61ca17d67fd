"""Pictures for people who read findings: what one report can do to a belief, as a hundred dots before it and after it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from sottovoce.templates import template

#: Dots of a picture in a row, and the units between their middles.
_ROW, _STEP = 10, 10
#: A belief before a report that is neither for an answer nor against it.
_EVEN = 50
#: From here on the numbers are whole: beside smaller ones, the caption says so.
_WHOLE = 2
#: The size of a dot.
_RADIUS = 3.6


def pictures_of(groups: Sequence[tuple[str, float, float]]) -> Markup:
    """What 1 in 100 becomes at most for some answers. For answers that are all protected alike, also what 50 in 100 becomes."""
    if not groups:
        return Markup()
    pictures = [beliefs(*((answers, after) for answers, after, _ in groups))]
    if len(groups) == 1:
        ((answers, _, half),) = groups
        pictures.append(beliefs((answers, half), before=_EVEN))
    made = template("sottovoce.findings", "pages/pictures.html").make_module()
    afters = [after for _, after, _ in groups]
    rounded = " (rounded up, whole from 2 on)" * (min(afters) < _WHOLE <= max(afters))
    return Markup(made.beside(_whose([answers for answers, *_ in groups]) + rounded, pictures))  # type: ignore[attr-defined]  # noqa: S704 - the template escapes labels


def beliefs(*afters: tuple[str, float], before: int = 1) -> Markup:
    """Pictures of a hundred people as dots: so many in colour before a report, and at most so many after it, for each of some answers.

    If a number isn't whole, one of the dots is in colour in part, from the left.
    """
    dots = [(_STEP * (k % _ROW) + _STEP / 2, _STEP * (k // _ROW) + _STEP / 2) for k in range(_ROW * _ROW)]
    made = template("sottovoce.findings", "pages/pictures.html").make_module()
    shown = [(answer, int(each), f"{each:g}", _slice(each % 1) if each % 1 else "") for answer, each in afters]
    return Markup(made.beliefs(dots, before, shown, _whose([answers for answers, _ in afters])))  # type: ignore[attr-defined]  # noqa: S704 - the template escapes labels


def _whose(answers: Sequence[str]) -> str:
    """The caption of a picture."""
    which = f"a person’s answer is {answers[0]}" if len(answers) == 1 else "a person gave each of these answers"
    return f"How likely someone thinks it is that {which}"


def _slice(part: float) -> str:
    """The left part of a dot around zero, as a path: so much of its width."""
    across = _RADIUS * (2 * part - 1)
    up = math.sqrt(_RADIUS**2 - across**2)
    return f"M{across:.2f} {-up:.2f}A{_RADIUS} {_RADIUS} 0 {int(part > 0.5)} 0 {across:.2f} {up:.2f}Z"
