"""Which questions to ask of whom, if each person answers some of them in one joint report.

A block is a set of topics whose combinations of answers are reported by randomized response at the whole ε. With u combinations,
s = (e^ε − 1)/(u + e^ε − 1), and a topic of K answers in it has n times the squared error (1 − 1/K)/s², or its own best error if it is
alone. A design gives each block a chance. Topic q then has the error 1/Σ chance·(1/error of q in the block), and the design with the
least weighted sum of errors is a convex problem over all blocks. It is solved by adding the block that helps most until none helps:
that one is found exactly, over the products u that can occur.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TypeVar

import numpy as np

from sottovoce.arrays import Floats

#: A design is accepted if its error is this close to the least possible: it has a certificate, the bound 2F − max g ≤ F*.
_CLOSE, _ROUNDS, _STEPS = 1e-3, 60, 400
#: The most combinations of answers in a block, and the most forms of a design.
MOST_COMBINATIONS, _MOST_FORMS = 1 << 12, 64
#: Blocks that are added at a time.
_AT_ONCE = 4
#: Blocks are dropped as long as the error stays this close to the least possible: fewer are easier to explain.
_NEAR = 3e-3
#: Forms with smaller chances are first tried to be dropped together.
_RARE = 1e-3


@dataclass(frozen=True)
class Topic:
    """What is asked as one: a question, or several whose cross-table is wanted.

    `alone` is n times the squared error if everyone is asked about it alone at the whole ε. `joins` is whether it can be in a block.
    """

    size: int
    alone: float
    weight: float = 1.0
    joins: bool = True


@dataclass(frozen=True)
class Design:
    """Blocks of topics (their places), the chance of each, and n times the squared error of every topic."""

    blocks: tuple[tuple[int, ...], ...]
    chances: tuple[float, ...]
    errors: tuple[float, ...]
    #: The least weighted sum of errors that any design can have.
    bound: float


@dataclass(frozen=True)
class Kind:
    """Topics that are alike: a best design treats them alike."""

    size: int
    alone: float
    weight: float
    joins: bool
    members: tuple[int, ...]


#: How many topics of each kind a block has.
_Counts = tuple[int, ...]
#: What has a chance: a block, or a form.
T = TypeVar("T")
Number = TypeVar("Number", float, Floats)


def best_design(topics: Sequence[Topic], epsilon: float) -> Design:
    """The design with the least weighted sum of squared errors.

    >>> [len(block) for block in best_design([Topic(2, 0.93)] * 4, 2.0).blocks]
    [2, 2]
    """
    kinds = _kinds(topics)
    found, chances, bound = _solved(kinds, epsilon)
    blocks, shares = _realized(kinds, found, chances)
    information = np.array(
        [[_information(topics[q], block, topics, epsilon) if q in block else 0.0 for block in blocks] for q in range(len(topics))]
    )
    blocks, shares, information = fewer(blocks, shares, information)
    return Design(tuple(blocks), tuple(shares.tolist()), tuple((1 / (information @ shares)).tolist()), bound)


def _kinds(topics: Sequence[Topic]) -> list[Kind]:
    alike: dict[Topic, list[int]] = {}
    for place, topic in enumerate(topics):
        alike.setdefault(topic, []).append(place)
    return [Kind(each.size, each.alone, each.weight, each.joins, tuple(members)) for each, members in alike.items()]


def truth(combinations: Number, epsilon: float) -> Number:
    """The chance s that randomized response over so many combinations (one number, or several) reports the truth, beside the noise."""
    return math.expm1(epsilon) / (combinations + math.expm1(epsilon))


def joint_error(size: int, combinations: float, epsilon: float) -> float:
    """n times the squared error of a topic in a block with so many combinations."""
    return (1 - 1 / size) / truth(combinations, epsilon) ** 2


def _information(topic: Topic, block: Sequence[int], topics: Sequence[Topic], epsilon: float) -> float:
    """The information of a person with this block about the topic: one over n times the squared error."""
    if len(block) == 1:
        return 1 / topic.alone
    return 1 / joint_error(topic.size, math.prod(topics[q].size for q in block), epsilon)


def _solved(kinds: Sequence[Kind], epsilon: float) -> tuple[list[_Counts], Floats, float]:
    """The kinds of blocks of the best design, their chances, and the least error possible."""
    number = np.array([len(kind.members) for kind in kinds], dtype=np.float64)
    weights = np.array([kind.weight for kind in kinds]) * number

    def column(counts: _Counts) -> Floats:
        """The average information of a block about a topic of each kind."""
        combinations = math.prod(kind.size**count for kind, count in zip(kinds, counts, strict=True))
        each = [
            1 / kind.alone if sum(counts) == 1 else 1 / joint_error(kind.size, combinations, epsilon) if count else 0.0
            for kind, count in zip(kinds, counts, strict=True)
        ]
        return np.array(each) * np.array(counts) / number

    blocks: list[_Counts] = [_single(kind, len(kinds)) for kind in range(len(kinds))]
    information = np.stack([column(each) for each in blocks], axis=1)
    chances = np.full(len(blocks), 1 / len(blocks))
    bound = 0.0
    for _ in range(_ROUNDS):
        chances = balanced(information, weights, chances)
        error = float(weights @ (1 / (information @ chances)))
        prices = weights / (information @ chances) ** 2  # what a little more about each kind is worth
        helpful = _most_helpful(kinds, prices / number, epsilon)
        bound = max(bound, 2 * error - max(float(prices @ column(helpful[0])), float((prices @ information).max())))
        fresh = [block for block in helpful if block not in blocks and float(prices @ column(block)) > error]
        if bound >= (1 - _CLOSE) * error or not fresh:
            break
        blocks += fresh
        information = np.column_stack([information, *map(column, fresh)])
        chances = np.concatenate([chances * 0.8, np.full(len(fresh), 0.2 / len(fresh))])
    kept, _, chances = simpler(blocks, information, weights, chances, bound)
    return kept, chances, bound


def simpler(forms: list[T], information: Floats, weights: Floats, chances: Floats, bound: float = 0.0) -> tuple[list[T], Floats, Floats]:
    """The design without the forms that hardly help, the rarest first. The error stays close to what it was, or to a lower `bound`."""
    most = (1 + _NEAR) * (bound or float(weights @ (1 / (information @ chances))))
    rare = [[form for form, chance in zip(forms, chances.tolist(), strict=True) if chance < _RARE]]  # all at once
    for dropped in rare + [[forms[k]] for k in np.argsort(chances)]:
        kept = [k for k, each in enumerate(forms) if each not in dropped]
        if len(kept) == len(forms) or not (information[:, kept] > 0).any(axis=1).all():
            continue
        others = balanced(information[:, kept], weights, chances[kept] / chances[kept].sum())
        if float(weights @ (1 / (information[:, kept] @ others))) <= most:
            forms, information, chances = [forms[k] for k in kept], information[:, kept], others
    return forms, information, chances


def balanced(information: Floats, weights: Floats, chances: Floats) -> Floats:
    """The best chances of given blocks: multiplied by the root of what each is worth until all that are left are worth the same."""
    for _ in range(_STEPS):
        known = information @ chances
        worth = (weights / known**2) @ information
        total = float(weights @ (1 / known))
        chances = chances * np.sqrt(worth / total)
        chances /= chances.sum()
        if worth.max() <= (1 + _CLOSE / 5) * total:
            break
    return chances


def partial_blocks(kinds: Sequence[Kind], prices: Floats) -> list[tuple[int, float, _Counts]]:
    """The blocks that can help most at these prices: their combinations u, and their worth but for the factor s².

    The worth of a joint block is s²·Σ price/(1 − 1/K). The sum is found kind by kind for all u at once. Of two blocks the one with
    fewer combinations and at least the same sum is never worse, so that few are kept.
    """
    partial: list[tuple[int, float, _Counts]] = [(1, 0.0, ())]
    for kind, price in zip(kinds, prices, strict=True):
        value = price / (1 - 1 / kind.size)
        grown = [
            (u * kind.size**count, worth + count * value, (*counts, count))
            for u, worth, counts in partial
            for count in range((len(kind.members) if kind.joins else 0) + 1)
            if u * kind.size**count <= MOST_COMBINATIONS
        ]
        partial = _undominated(grown)
    return partial


def _most_helpful(kinds: Sequence[Kind], prices: Floats, epsilon: float) -> list[_Counts]:
    """The blocks that help most at these prices of a topic of each kind, the best first."""
    partial = partial_blocks(kinds, prices)
    found = [(price / kind.alone, _single(k, len(kinds))) for k, (kind, price) in enumerate(zip(kinds, prices, strict=True))]
    found += [(worth * truth(u, epsilon) ** 2, counts) for u, worth, counts in partial if sum(counts) > 1]
    return [counts for _, counts in sorted(found, reverse=True)[:_AT_ONCE]]


def _single(kind: int, kinds: int) -> _Counts:
    return tuple(int(k == kind) for k in range(kinds))


def _undominated(partial: list[tuple[int, float, _Counts]]) -> list[tuple[int, float, _Counts]]:
    kept: list[tuple[int, float, _Counts]] = []
    for each in sorted(partial, key=lambda found: (found[0], -found[1])):
        if not kept or each[1] > kept[-1][1]:
            kept.append(each)
    return kept


def _realized(kinds: Sequence[Kind], found: Sequence[_Counts], chances: Floats) -> tuple[list[tuple[int, ...]], Floats]:
    """Blocks of topics instead of kinds. The members of a kind take turns, so that each is in equally many blocks."""
    shares: dict[tuple[int, ...], float] = {}
    for counts, chance in zip(found, chances.tolist(), strict=True):
        turns = reduce(
            math.lcm, (len(kind.members) // math.gcd(len(kind.members), count) for kind, count in zip(kinds, counts, strict=True))
        )
        for turn in range(turns):
            block = sorted(
                kind.members[(turn * count + place) % len(kind.members)]
                for kind, count in zip(kinds, counts, strict=True)
                for place in range(count)
            )
            shares[tuple(block)] = shares.get(tuple(block), 0.0) + chance / turns
    return list(shares), np.array(list(shares.values()))


def fewer(blocks: list[T], shares: Floats, information: Floats) -> tuple[list[T], Floats, Floats]:
    """The same design with fewer blocks, if it has many. The information about each topic stays, in one block more than topics."""
    while len(blocks) > max(_MOST_FORMS, len(information) + 1):
        some = len(information) + 2
        rows = np.vstack([information[:, :some], np.ones(some)])
        move = np.zeros(len(blocks))
        move[:some] = np.linalg.qr(rows.T, mode="complete")[0][:, -1]  # changes nothing of what is information
        move = move if move.max() > 0 else -move
        steps = np.divide(shares, move, out=np.full(len(shares), np.inf), where=move > 1e-12)
        gone = int(np.argmin(steps))
        shares = np.maximum(0.0, shares - steps[gone] * move)
        kept = [k for k in range(len(blocks)) if k != gone and shares[k] > 0]
        blocks, information, shares = [blocks[k] for k in kept], information[:, kept], shares[kept]
    return blocks, shares / shares.sum(), information
