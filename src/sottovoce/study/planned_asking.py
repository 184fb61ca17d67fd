"""Several choices with a cap: whether their boxes are reported as a whole or one by one, whichever has the smaller total error."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from sottovoce.errors import ParameterError
from sottovoce.study.asking import Asking, Theme
from sottovoce.study.questionnaire_files import Pinned
from sottovoce.utility.strategies import split
from sottovoce.utility.strategy import Strategy


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
    """Plans for boxes one by one, for all sets as a whole, and from the better of these on with one question changed at a time."""
    every = frozenset(asking.capped)
    starts = dict.fromkeys([frozenset[str](), every])
    best, least, failed = frozenset[str](), math.inf, list[ParameterError]()

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

    for sets in starts:
        yield from plan(sets)
    if least == math.inf:
        raise failed[0]
    if len(every) > 1:
        for name in asking.capped:
            if (changed := best ^ {name}) not in starts:
                yield from plan(changed)
