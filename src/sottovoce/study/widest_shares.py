"""How far off the share of a topic can be that is known least, whatever people answer."""

from __future__ import annotations

import math
from functools import lru_cache

from sottovoce.mechanisms import Mechanism
from sottovoce.study.asking import Asking
from sottovoce.utility.moments import item_moments
from sottovoce.utility.strategies import widest_alone, widest_jointly
from sottovoce.utility.strategy import PlannedPart, Strategy


def widest_shares(asking: Asking, strategy: Strategy) -> list[float]:
    """For each topic n times the variance of the share that is known least, at its worst.

    Of numbers, and of boxes that have a cap, it is the variance that strategies are planned with: of the mean, in units of the range, if
    all numbers are equally frequent, and of a box, if people choose half as many as they may.
    """
    boxes = {name for question in asking.questions if question.name in asking.capped for name in question.fields}
    found = []
    for place, theme in enumerate(asking.hidden):
        if theme.is_number:
            found.append(strategy.errors[place] / 2)
        elif theme.cap is not None or theme.name in boxes:
            found.append(strategy.errors[place] / theme.items)
        else:
            found.append(1 / _told(asking, strategy, place))
    return found


def _told(asking: Asking, strategy: Strategy, place: int) -> float:
    """What all forms tell about the share: one over n times the variance."""
    return math.fsum(
        chance / _variance(asking, part, place)
        for form, chance in zip(strategy.forms, strategy.chances, strict=True)
        for part in form
        if place in part.topics
    )


def _variance(asking: Asking, part: PlannedPart, place: int) -> float:
    """That of reports of one part."""
    theme, sizes = asking.hidden[place], [each.items for each in asking.hidden]
    if len(part.topics) > 1:
        return widest_jointly(theme.items, math.prod(sizes[each] for each in part.topics), part.epsilon)
    if asking.notion == "ldp":
        return widest_alone(theme.items, part.epsilon)
    return _widest_of(theme.best_partial(part.epsilon)[1])


@lru_cache(maxsize=4096)
def _widest_of(mechanism: Mechanism) -> float:
    moments = item_moments(mechanism, None)
    return float(moments.variance(moments.worst()).max())
