"""What populations look like before the reports: the priors that `auto` averages over.

A share has a prior on cells of its logarithm. All priors have the mean 1/K.

- `alike`: all items have the same share.
- `spread`: log-normal shares with a spread σ. 0.1 is nearly flat, about 2 a Zipf law.
- `few`: two groups. A part of the items, from one item to half of them, has a given part of the whole. The background has the rest, or
  nothing. Both are log-normal. This is what one item with 0.9, a sparse or a half-empty population look like.
- `one`: one item apart, and all others alike. The shares are not independent, so this prior has a file of its own (`one_apart.py`).
- `near` and `product`: log-normal around a mean of its own for each item, which other items predict (see `neighbours.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from sottovoce.arrays import Floats

#: The width of a cell of log-shares, and the least share that has a cell, relative to 1/K.
WIDTH, _LEAST = 0.08, 1e-4
SPREADS = np.geomspace(0.1, 3.5, 30)
#: Spreads around a mean of the item's own.
LOCAL_SPREADS = (0.1, 0.2, 0.4, 0.8, 1.6)
#: What the prominent items leave to the background: in fine steps, for a background that is nearly flat has a level.
_STEP = 1.3
_LEFT = 0.97 / _STEP ** np.arange(27)
#: The spread among the prominent items, the spread of the background, and the step in which each of these goes through what is left.
_PROMINENT_SPREADS, _BACKGROUND_SPREADS = (0.3, 1.0), {0.1: 1, 1.0: 4}
#: How many times more prominent items there are from one prior to the next, and how far they stand out at least.
_MORE, _PROMINENT = 2.4, 3.0
#: How often a law that is cut off at 1 is moved up, and how far its mean may be off.
_STEPS, _CLOSE = 30, 0.01
#: The belief in two groups, in one item apart, and in each way to predict an item from others.
BELIEF_IN_FEW, BELIEF_IN_ONE, BELIEF_IN_LOCAL = 0.03, 0.05, 0.05
#: That in one item apart if there are only two, of which one always does; and its part where items can be predicted from others: on a grid
#: or in a table, an item that stands all alone is rarer.
_ONE_OF_TWO, _ONE_OF_PREDICTED = 0.95, 0.2


@dataclass(frozen=True)
class Scale:
    """The cells of a share among K items: [0, bottom), cells of equal width in the logarithm up to 1, and exactly 1/K."""

    size: int

    @property
    def bottom(self) -> float:
        return _LEAST / self.size

    @property
    def cells(self) -> int:
        return math.ceil(-math.log(self.bottom) / WIDTH)

    @property
    def edges(self) -> Floats:
        return np.asarray(math.log(self.bottom) + WIDTH * np.arange(self.cells + 1), dtype=np.float64)

    @property
    def values(self) -> Floats:
        """A share in each cell."""
        return np.concatenate([[0.0], np.exp(self.edges[:-1] + WIDTH / 2), [1 / self.size]])

    def log_normal(self, mean: float, sigma: float) -> Floats:
        """The mass in each cell of log-normal shares that are at most 1 and have a mean."""
        centre, edges, values = math.log(mean) - sigma**2 / 2, self.edges, self.values
        for _ in range(_STEPS):
            below = _normal_below((edges - centre) / sigma)
            masses = np.concatenate([below[:1], np.diff(below), [0.0]]) / below[-1]
            missing = math.log(mean / float(masses @ values))
            if missing < _CLOSE:
                break
            centre += missing
        return masses

    def alike(self) -> Floats:
        return np.eye(1, self.cells + 2, self.cells + 1)[0]

    def nothing(self) -> Floats:
        return np.eye(1, self.cells + 2)[0]


@dataclass(frozen=True)
class Priors:
    """Priors that are the same for all items: a row of masses each, the belief in each, its kind and its spread.

    The level of a background is known up to the step from one prior to the next: `levels` has its relative error, and `below` the share
    under which an item belongs to the background.
    """

    masses: Floats
    beliefs: Floats
    kinds: tuple[str, ...]
    spreads: Floats
    levels: Floats
    below: Floats

    def variances(self, scale: Scale) -> Floats:
        """The variance of a share under each prior."""
        return _variances(self.masses, scale)


def belief_in_one(size: int, *, predicted: bool = False) -> float:
    """The belief that one of K items stands apart and all others are alike. `predicted` means that items can be predicted from others."""
    if size <= 2:
        return _ONE_OF_TWO if size == 2 else 0.0
    return BELIEF_IN_ONE * _ONE_OF_PREDICTED if predicted else BELIEF_IN_ONE


@lru_cache(maxsize=16)
def priors(size: int) -> Priors:
    """The priors for K items.

    With many items, half of the belief is on none differing, and the rest falls with the spread. With few items, among which chance makes
    less of a show, there is less of both. The beliefs sum to 1 with that in one item apart (where items
    can't be predicted from others).
    """
    scale, many = Scale(size), size / (size + 20)
    falling = SPREADS**-many
    wide = np.concatenate([[0.5 * many], (1 - 0.5 * many) * falling / falling.sum()])
    groups = list(_two_groups(scale))
    in_few, in_wide = (BELIEF_IN_FEW, 1 - BELIEF_IN_FEW - belief_in_one(size)) if groups else (0.0, 1 - belief_in_one(size))
    masses = np.array([scale.alike(), *(scale.log_normal(1 / size, sigma) for sigma in SPREADS), *(group.masses for group in groups)])
    of_groups = np.array([[group.belief, group.level, group.below] for group in groups]).reshape(-1, 3).T
    nothing = np.zeros(1 + len(SPREADS))
    found = Priors(
        masses,
        np.concatenate([in_wide * wide, in_few * of_groups[0] / max(of_groups[0].sum(), 1e-300)]),
        ("alike", *["spread"] * len(SPREADS), *["few"] * len(groups)),
        np.concatenate([[0.0], SPREADS, _log_spreads(masses[1 + len(SPREADS) :], scale)]),
        np.concatenate([nothing, of_groups[1]]),
        np.concatenate([nothing, of_groups[2]]),
    )
    for array in (found.masses, found.beliefs, found.spreads, found.levels, found.below):
        array.setflags(write=False)
    return found


class _Groups(NamedTuple):
    masses: Floats
    belief: float
    level: float
    below: float


def _two_groups(scale: Scale) -> Iterator[_Groups]:
    """The priors with two groups: the fewer prominent items there are, the more is a prior believed.

    Backgrounds of each spread have the same belief. An empty one is as likely as a full one, and between them one is the less likely the
    less is left.
    """
    size = scale.size
    numbers = [_MORE**k for k in range(64) if _MORE**k < size / 2] + ([size / 2] if size > 2 else [])
    for order, share in enumerate(number / size for number in numbers):
        for background, step in _BACKGROUND_SPREADS.items():
            left = [part for part in _LEFT[::step] if (1 - part) / share >= _PROMINENT * part / (1 - share)]
            whole = len(_PROMINENT_SPREADS) * (1 + sum(map(math.sqrt, left))) * (order + 1)
            level = step * math.log(_STEP) / math.sqrt(12.0)
            for sigma in _PROMINENT_SPREADS:
                for part in left:
                    above, under = (1 - part) / (share * size), part / ((1 - share) * size)
                    masses = share * scale.log_normal(above, sigma) + (1 - share) * scale.log_normal(under, background)
                    yield _Groups(masses, math.sqrt(part) / whole, level, math.sqrt(above * under))
                yield _Groups(share * scale.log_normal(1 / (share * size), sigma) + (1 - share) * scale.nothing(), 1 / whole, 0.0, 0.0)


def _log_spreads(masses: Floats, scale: Scale) -> Floats:
    """The spread of a log-normal law with the same variance as each prior."""
    return np.asarray(np.sqrt(np.log1p(_variances(masses, scale) * scale.size**2)))


def _variances(masses: Floats, scale: Scale) -> Floats:
    return np.asarray(np.maximum(masses @ scale.values**2 - (masses @ scale.values) ** 2, 0.0))


def _normal_below(deviates: Floats) -> Floats:
    return np.array([0.5 * math.erfc(-z / math.sqrt(2.0)) for z in deviates])
