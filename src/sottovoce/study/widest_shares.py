"""How far off the share of a topic can be that is known least, whatever people answer."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np

from sottovoce.mechanisms import Mechanism
from sottovoce.study.asking import Asking
from sottovoce.utility.moments import item_moments
from sottovoce.utility.numbers import Sums
from sottovoce.utility.strategies import widest_alone, widest_jointly
from sottovoce.utility.strategy import PlannedPart, Strategy


def widest_shares(asking: Asking, strategy: Strategy) -> list[float]:
    """For each topic n times the variance of the share that is known least, at its worst.

    Of numbers it is the variance of the mean, in units of the range, if all numbers are equally frequent. Of boxes that have a cap it is
    that of a box, if people choose half as many as they may.
    """
    boxes = {name for question in asking.questions if question.name in asking.capped for name in question.fields}
    found = []
    for place, theme in enumerate(asking.hidden):
        if theme.is_number:
            found.append(1 / _information(strategy, place, lambda part: _of_mean(asking.mechanism_of(part, strategy.inclusion))))
        elif theme.cap is not None or theme.name in boxes:
            found.append(strategy.errors[place] / theme.items)
        else:
            found.append(1 / _information(strategy, place, partial(_variance, asking, place)))
    return found


def _information(strategy: Strategy, place: int, variance: Callable[[PlannedPart], float]) -> float:
    """What the reports of all forms show about a topic: one over n times the variance."""
    return math.fsum(
        chance / variance(part)
        for form, chance in zip(strategy.forms, strategy.chances, strict=True)
        for part in form
        if place in part.topics
    )


def _variance(asking: Asking, place: int, part: PlannedPart) -> float:
    """That of reports of one part."""
    theme, sizes = asking.hidden[place], [each.items for each in asking.hidden]
    if len(part.topics) > 1:
        return widest_jointly(theme.items, math.prod(sizes[each] for each in part.topics), part.epsilon)
    if asking.notion == "ldp":
        return widest_alone(theme.items, part.epsilon)
    return _widest_of(theme.best_partial(part.epsilon)[1])


def _of_mean(mechanism: Mechanism) -> float:
    """That of the mean in units of the range, of numbers that are all equally frequent."""
    centres, size = mechanism.domain.centres, len(mechanism.domain)
    return (Sums(mechanism, np.full(size, 1 / size), 1).deviation(centres) / float(centres[-1] - centres[0])) ** 2


@lru_cache(maxsize=4096)
def _widest_of(mechanism: Mechanism) -> float:
    moments = item_moments(mechanism, None)
    return float(moments.variance(moments.worst()).max())
