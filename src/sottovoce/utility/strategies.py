"""Strategies of questionnaires: which questions each person gets, at which budget, and the error of each question's shares.

All of them keep ε for the whole record. `split` asks everything and divides ε over the topics. `sample` asks some topics, drawn before the
answers are known, and divides ε over these. `block` draws one block of topics, whose answers are reported jointly at the whole ε. `mixed`
draws forms of all sorts. It's there if not all topics can be reported jointly and it does better than the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.polynomial import Chebyshev

from sottovoce.arrays import Floats
from sottovoce.errors import ParameterError
from sottovoce.utility.designs import MOST_COMBINATIONS, Topic, best_design, joint_error, truth
from sottovoce.utility.mixtures import STEPS, mixed
from sottovoce.utility.strategy import Asked, PlannedPart, Strategy

#: Budgets at which the error of a topic is computed, the degree of the polynomial between them, and points of a fine grid.
_BUDGETS, _DEGREE, _FINE = 11, 8, 400
#: Decimals of the budgets of questions that are split unevenly, unless one is smaller than this.
_DECIMALS, _SMALL = 6, 1e-3
#: A mixture is listed if its error is at most so much of that of all simpler strategies.
_WORTH = 0.98
KINDS = ("split", "sample", "block")


def least_error(size: int, epsilon: float) -> float:
    """n times the squared error of the best report about one of `size` answers, if all are equally frequent: subset selection.

    With sets of one item it is randomized response.

    >>> round(least_error(2, 1.0), 3), round(least_error(100, 1.0), 1)
    (2.341, 360.9)
    """
    return _best_subset(size, epsilon)[0]


def widest_alone(size: int, epsilon: float) -> float:
    """n times the variance of a share in that report, at the share where it is largest.

    >>> round(widest_alone(2, 1.0), 3), round(least_error(2, 1.0) / 2, 3)
    (1.171, 1.171)
    """
    return widest_variance(*_best_subset(size, epsilon)[1:])


def widest_jointly(size: int, combinations: float, epsilon: float) -> float:
    """n times the variance of a share, at the share where it is largest, if so many combinations of answers are reported jointly."""
    certain = truth(combinations, epsilon)
    return widest_variance((1 - certain) / size + certain, (1 - certain) / size)


def widest_variance(own: float, other: float) -> float:
    """n times the variance of the share v of an item at its largest, from the chances that a report counts for the item.

    They are `own` for people who hold the item and `other` for all others, so reports count with π = other + (own − other)·v.
    """
    seen = min(max(0.5, other), own)
    return seen * (1 - seen) / (own - other) ** 2


def _best_subset(size: int, epsilon: float) -> tuple[float, float, float]:
    """The least error of subset selection, and the chances of an item to be in the set if it is the answer, and if it isn't."""
    odds = math.exp(epsilon)
    around = size / (odds + 1)
    tried = {min(size - 1, max(1, d)) for d in (1, math.floor(around), math.ceil(around))}
    return min(_subset(size, d, odds) for d in tried)


def _subset(size: int, d: int, odds: float) -> tuple[float, float, float]:
    own = d * odds / (d * odds + size - d)
    other = (own * (d - 1) + (1 - own) * d) / (size - 1)
    mean = d / size
    return size * mean * (1 - mean) / (own - other) ** 2, own, other


def strategies(topics: Sequence[Asked], epsilon: float, *, mixtures: bool = True) -> list[Strategy]:
    """The best strategy of each kind, least error first.

    >>> smokes = [Asked(name, 2, lambda e: least_error(2, e)) for name in "abcdefghij"]
    >>> [(each.kind, each.asked, round(each.total, 1)) for each in strategies(smokes, 2.0)]
    [('block', (2, 2), 66.1), ('sample', (1, 1), 86.2), ('split', (10, 10), 503.3)]
    """
    if not topics:
        raise ParameterError("There is nothing to plan, because no question is sensitive and all are asked. Mark sensitive answers.")
    curves = [_Curve(topic, epsilon, len(topics)) for topic in topics]
    found = [split(topics, epsilon, curves)]
    found.append(sample(topics, epsilon, _best_number(topics, epsilon, curves)))
    found.append(block(topics, epsilon))
    if mixtures and not all(topic.joins for topic in topics):
        mixture = _exact(mixed(topics, epsilon, lambda q, budgets: curves[q].information(budgets), found), topics)
        if mixture.total < _WORTH * min(each.total for each in found):
            found.append(mixture)
    return sorted((each for each in found if each.kind != "block" or _joins(each)), key=lambda each: each.total)


def _exact(strategy: Strategy, topics: Sequence[Asked]) -> Strategy:
    """The strategy with exact errors for topics that aren't smooth, instead of values between those of a curve."""
    information = [0.0] * len(topics)
    for form, chance in zip(strategy.forms, strategy.chances, strict=True):
        for part in form:
            if not topics[part.topics[0]].smooth:
                information[part.topics[0]] += chance / topics[part.topics[0]].alone(part.epsilon)
    return replace(strategy, errors=tuple(1 / own if own else error for own, error in zip(information, strategy.errors, strict=True)))


def _joins(strategy: Strategy) -> bool:
    """Whether some topics are reported jointly. Blocks of one topic each are a sample."""
    return any(len(part.topics) > 1 for form in strategy.forms for part in form)


def block(topics: Sequence[Asked], epsilon: float, size: int | None = None) -> Strategy:
    """One joint report about a block of topics, the blocks chosen for the least error, or all of one `size`."""
    plain = [Topic(each.size, each.alone(epsilon), each.weight, each.joins) for each in topics]
    weights = tuple(each.weight for each in topics)
    if size is None:
        found = best_design(plain, epsilon)
        forms = tuple((PlannedPart(chosen, epsilon),) for chosen in found.blocks)
        return Strategy("block", forms, found.chances, found.errors, weights)
    if not 1 <= size <= len(topics):
        raise ParameterError(f"Blocks of {size} questions don't fit {len(topics)} questions. Choose a size from 1 to {len(topics)}.")
    if size > 1 and not all(each.joins for each in topics):
        raise ParameterError("Not all of these questions can be reported jointly. Leave out the size of the blocks.")
    turns = len(topics) // math.gcd(len(topics), size)
    chosen = [tuple(sorted((turn * size + place) % len(topics) for place in range(size))) for turn in range(turns)]
    combinations = [math.prod(topics[q].size for q in each) for each in chosen]
    if max(combinations) > MOST_COMBINATIONS:
        raise ParameterError(
            f"A block of {size} questions has {max(combinations):,} combinations, more than {MOST_COMBINATIONS:,}. Use smaller blocks."
        )
    information = [
        sum(
            1 / (joint_error(topic.size, u, epsilon) if size > 1 else plain[q].alone)
            for each, u in zip(chosen, combinations, strict=True)
            if q in each
        )
        for q, topic in enumerate(topics)
    ]
    return Strategy(
        "block",
        tuple((PlannedPart(each, epsilon),) for each in chosen),
        (1 / turns,) * turns,
        tuple(turns / each for each in information),
        weights,
    )


def sample(topics: Sequence[Asked], epsilon: float, asked: int) -> Strategy:
    """So many topics, each reported alone at an equal part of ε. Topics with larger errors are drawn more often: by the root of these."""
    if not 1 <= asked <= len(topics):
        raise ParameterError(f"{asked} questions can't be asked out of {len(topics)}. Choose a number from 1 to {len(topics)}.")
    errors = np.array([topic.alone(epsilon / asked) for topic in topics])
    weights = np.array([topic.weight for topic in topics])
    chances = _inclusions(np.sqrt(weights * errors), asked)
    forms, shares = _systematic(chances)
    parts = tuple(tuple(PlannedPart((q,), epsilon / asked) for q in form) for form in forms)
    return Strategy("sample", parts, shares, tuple((errors / chances).tolist()), tuple(weights.tolist()))


def _best_number(topics: Sequence[Asked], epsilon: float, curves: Sequence[_Curve]) -> int:
    """How many topics a sample best asks."""
    weights = np.array([topic.weight for topic in topics])

    numbers = np.arange(1, len(topics) + 1)
    table = weights[:, None] * np.stack([curve.many(epsilon / numbers) for curve in curves])

    def total(asked: int) -> float:
        errors = table[:, asked - 1]
        return float((errors / _inclusions(np.sqrt(errors), asked)).sum())

    return min(numbers.tolist(), key=total)


def split(topics: Sequence[Asked], epsilon: float, curves: Sequence[_Curve] | None = None, *, even: bool = False) -> Strategy:
    """Ask everything, and divide ε for the least error, or evenly."""
    known = curves or [_Curve(topic, epsilon, len(topics)) for topic in topics]
    weights = tuple(topic.weight for topic in topics)
    budgets = np.full(len(topics), epsilon / len(topics)) if even else _divided(known, np.array(weights), epsilon)
    errors = tuple(topic.alone(budget) for topic, budget in zip(topics, budgets.tolist(), strict=True))
    form = tuple(PlannedPart((q,), budget) for q, budget in enumerate(budgets.tolist()))
    return Strategy("split", (form,), (1.0,), errors, weights)


class _Curve:
    """The error of a topic that is asked alone, at any budget, both in logarithms: a polynomial through some of them.

    If the topic isn't smooth, lines through many of them: all those that mixtures use.
    """

    def __init__(self, topic: Asked, epsilon: float, parts: int) -> None:
        self.least = epsilon / max(2, parts) / 8
        ends = [math.log(self.least), math.log(epsilon)]
        if not topic.smooth:
            budgets = np.union1d(epsilon * np.arange(1, STEPS + 1) / STEPS, np.geomspace(self.least, epsilon, _BUDGETS))
            logs = np.log(budgets), np.log([topic.alone(budget) for budget in budgets.tolist()])
            self._logs: Callable[[Floats], Floats] = lambda at: np.interp(at, *logs)
            return
        nodes = Chebyshev.basis(_BUDGETS, ends).roots()
        self._logs = Chebyshev.fit(nodes, np.log([topic.alone(math.exp(node)) for node in nodes.tolist()]), _DEGREE, ends)

    def many(self, budgets: Floats) -> Floats:
        return np.asarray(np.exp(self._logs(np.log(budgets))))

    def information(self, budgets: Floats) -> Floats:
        """One over the error, and 0 for budgets that are too small to be worth a question."""
        return np.asarray(np.where(budgets < self.least, 0.0, 1 / self.many(np.maximum(budgets, self.least))))


def _divided(curves: Sequence[_Curve], weights: Floats, epsilon: float) -> Floats:
    """Budgets that sum to ε for the least weighted sum of errors: a price of ε at which the topics together buy just so much of it."""
    if len(curves) == 1:
        return np.array([epsilon])
    grid = np.geomspace(curves[0].least, epsilon, _FINE)
    errors = np.stack([weight * curve.many(grid) for weight, curve in zip(weights, curves, strict=True)])
    low, high = -80.0, 80.0
    for _ in range(80):
        middle = (low + high) / 2
        bought = grid[np.argmin(errors + math.exp(middle) * grid, axis=1)]
        low, high = (middle, high) if bought.sum() > epsilon else (low, middle)
    bought = grid[np.argmin(errors + math.exp(high) * grid, axis=1)]
    return _plain(bought * (epsilon / bought.sum()), epsilon)


def _plain(budgets: Floats, epsilon: float) -> Floats:
    """Budgets of six decimals, or more if they are small, the same on every processor, that never sum to more than ε."""
    least = float(budgets.min())
    decimals = _DECIMALS if least >= _SMALL else _DECIMALS - math.floor(math.log10(least))
    plain = np.round(budgets, decimals)
    while sum(map(Fraction, plain.tolist())) > Fraction(epsilon):
        largest = int(np.argmax(plain))
        plain[largest] = round(float(plain[largest]) - 10.0**-decimals, decimals)
    return plain


def _inclusions(sizes: Floats, total: int) -> Floats:
    """Chances in proportion to sizes that sum to a whole number, none of them above 1."""
    chances = np.zeros(len(sizes))
    free = np.ones(len(sizes), dtype=np.bool_)
    while True:
        chances[free] = sizes[free] * (total - (~free).sum()) / sizes[free].sum()
        over = free & (chances > 1)
        if not over.any():
            return np.where(free, chances, 1.0)
        free &= ~over
        chances[over] = 1.0
        if not free.any():
            return chances


def _systematic(chances: Floats) -> tuple[tuple[tuple[int, ...], ...], tuple[float, ...]]:
    """Forms, as many as topics at most, that ask each topic with its chance: systematic sampling.

    Chances lie one after the other on a line. A form asks the topics in which u, u + 1, u + 2, … fall, for some u in [0, 1).
    """
    ends = np.round(np.cumsum(chances), 9)
    starts = np.concatenate([[0.0], ends[:-1]])
    cuts = np.unique(np.concatenate([[0.0], np.mod(ends, 1.0), [1.0]]))
    forms, shares = list[tuple[int, ...]](), list[float]()
    for low, high in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        if high - low < 1e-8:
            continue
        middle = (low + high) / 2
        points = np.arange(math.ceil(ends[-1])) + middle
        forms.append(tuple(q for q in range(len(chances)) if ((points >= starts[q]) & (points < ends[q])).any()))
        shares.append(high - low)
    total = math.fsum(shares)
    return tuple(forms), tuple(share / total for share in shares)


def with_clear(strategy: Strategy, clear: Sequence[int], epsilon: float = math.inf) -> Strategy:
    """The strategy with topics that are always asked as they are. Its own topics keep their places."""
    extra = tuple(PlannedPart((q,), epsilon) for q in clear)
    return replace(strategy, forms=tuple(form + extra for form in strategy.forms))
