"""Several choices with a cap: whether their boxes are reported as a whole or one by one, whichever makes the sum of all errors smaller."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from sottovoce.errors import ParameterError
from sottovoce.study.asking import Asking, Theme
from sottovoce.study.questionnaire_files import Pinned
from sottovoce.study.widest_shares import widest_shares
from sottovoce.utility.strategies import split
from sottovoce.utility.strategy import Strategy

#: With more themes than this, boxes included, few ways to report them are tried.
_MOST_THEMES = 64


@dataclass(frozen=True)
class PlannedAsking:
    """A strategy, and the themes that it asks about."""

    asking: Asking
    strategy: Strategy

    @property
    def shown(self) -> Strategy:
        """The strategy as plans show it: with one place for each question whose boxes can be reported as a whole."""
        rows = shown_themes(self.asking)
        owner = {name: place for place, theme in enumerate(rows) for name in theme.fields}
        places = [owner[next(iter(theme.fields))] for theme in self.asking.hidden]
        errors, forms = [0.0] * len(rows), []
        for place, error in zip(places, self.strategy.errors, strict=True):
            errors[place] += error
        for form in self.strategy.forms:
            seen: set[int] = set()
            parts = []
            for part in form:
                topics = tuple(dict.fromkeys(each for place in part.topics if (each := places[place]) not in seen))
                seen.update(topics)
                parts.append(replace(part, topics=topics))
            forms.append(tuple(parts))
        return replace(self.strategy, forms=tuple(forms), errors=tuple(errors), weights=tuple(theme.weight for theme in rows))

    @property
    def widest(self) -> tuple[float, ...]:
        """For each row of a plan, n times the variance of the share that is known least, at its worst (`widest_shares`)."""
        rows, shown = shown_themes(self.asking), self.shown
        owner = {name: place for place, theme in enumerate(rows) for name in theme.fields}
        found = [0.0] * len(rows)
        for theme, variance in zip(self.asking.hidden, widest_shares(self.asking, self.strategy), strict=True):
            row = owner[next(iter(theme.fields))]
            found[row] = max(found[row], variance) if rows[row].cap is None else shown.errors[row] / rows[row].items
        return tuple(found)


def shown_themes(asking: Asking) -> list[Theme]:
    """The themes of plans: every question whose boxes can be reported as a whole is one."""
    return replace(asking, sets=frozenset(asking.capped)).hidden


def best_of_each_kind(asking: Asking) -> list[PlannedAsking]:
    """The best strategy of each kind, least error first."""
    found: dict[str, PlannedAsking] = {}
    simple = list(_tried(asking, lambda those: those.strategies(mixtures=False)))
    best = min(simple, key=lambda each: each.strategy.total).asking.sets
    for each in simple + _mixtures(asking, [best, frozenset(asking.capped)]):
        known = found.get(each.strategy.kind)
        if known is None or each.strategy.total < known.strategy.total:
            found[each.strategy.kind] = each
    return sorted(found.values(), key=lambda each: each.strategy.total)


def chosen(asking: Asking, pinned: Pinned) -> PlannedAsking:
    """The strategy that a file names, or the best one."""
    if pinned.kind == "auto":
        return best_of_each_kind(asking)[0]
    return min(_tried(asking, lambda those: [those.chosen(pinned)]), key=lambda each: each.strategy.total)


def even_split(asking: Asking) -> PlannedAsking:
    """Everything is asked, every box by itself, and ε is divided evenly: what plans are compared with."""
    return PlannedAsking(asking, asking.at_shares(split(asking.asked, asking.epsilon, even=True)))


def _mixtures(asking: Asking, tried: Sequence[frozenset[str]]) -> list[PlannedAsking]:
    """The mixtures for some sets of boxes that are reported as a whole, if they are worth it."""
    variants = [replace(asking, sets=sets) for sets in dict.fromkeys(tried)]
    return [PlannedAsking(variant, each) for variant in variants for each in variant.strategies() if each.kind == "mixed"]


def _tried(asking: Asking, plans: Callable[[Asking], list[Strategy]]) -> Iterator[PlannedAsking]:
    """Plans with each question reported as it is best by itself, and with all or no boxes as a whole.

    From the best of them on one question is changed at a time until none helps. Of very many boxes only the first plan is made.
    """
    every = frozenset(asking.capped)
    starts = list(dict.fromkeys([_best_alone(asking) if len(every) > 1 else every, every, frozenset[str]()]))
    best, least, failed = starts[0], math.inf, list[ParameterError]()

    def plan(sets: frozenset[str]) -> Iterator[PlannedAsking]:
        nonlocal best, least
        variant = replace(asking, sets=sets)
        try:
            found = plans(variant)
        except ParameterError as error:
            failed.append(error)
            return
        for strategy in found:
            if strategy.total < least:
                best, least = sets, strategy.total
            yield PlannedAsking(variant, strategy)

    many = len(asking.themes) > _MOST_THEMES
    for sets in starts:
        if not (many and least < math.inf):
            yield from plan(sets)
    if least == math.inf:
        raise failed[-1]  # of all boxes by themselves, which are the most topics
    known = set(starts)
    while not many and (fresh := [changed for name in asking.capped if (changed := best ^ {name}) not in known]):
        known.add(fresh[0])
        yield from plan(fresh[0])


def _best_alone(asking: Asking) -> frozenset[str]:
    """The questions whose boxes are better reported as a whole, if each is planned as if nothing else were asked."""
    found = set()
    for question in asking.questions:
        if question.name in asking.capped:
            boxes = replace(asking, questions=(replace(question, after={}),), sets=frozenset())
            whole = replace(boxes, sets=frozenset([question.name]))
            if whole.strategies()[0].total < boxes.strategies()[0].total:
                found.add(question.name)
    return frozenset(found)
