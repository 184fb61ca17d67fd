"""The Fisher information of reports that are sets of items, where some items may not be in any set.

Scores are taken around the weights at a set that doesn't contain the item, so that all items outside have the same one up to a factor.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sottovoce.arrays import Floats, Mask
from sottovoce.channels.fisher import Core, Fisher

#: The step of the trapezoidal rule for 1/M, and how far it reaches beyond 1 over the largest and the least M.
_STEP, _BELOW, _ABOVE = 0.2, 3.6, 45.0


@dataclass(frozen=True)
class SetWeights:
    """A population as the reports of a set-valued channel reveal it, relative to a neutral draw of a set.

    An item that sets can contain (`inside`) makes a set low + gain·1[in the set] times as likely (1 on average). Another item makes it
    `kept` times as likely (`kept_empty` at the empty set) or is revealed, with the chance `revealed`.
    """

    p: Floats
    inside: Mask
    low: Floats
    gain: Floats
    kept: Floats
    kept_empty: Floats | None
    revealed: Floats

    def start(self, kept: Floats) -> float:
        """The weight of a set that contains none of the items."""
        return float(self.p[self.inside] @ self.low + self.p[~self.inside] @ kept)

    def scores(self, inside: Floats, kept: Floats) -> Floats:
        """The scores of all items from those of the items inside (by rows), and the weights of the others."""
        found = np.empty((len(inside), len(self.p)))
        found[:, self.inside], found[:, ~self.inside] = inside, kept - 1
        return found

    def at_empty(self, chance: float) -> tuple[Floats, Floats]:
        """Two rows and their weights that correct the weights at the empty set, which has the given chance."""
        if self.kept_empty is None or not chance:
            return np.zeros((0, len(self.p))), np.zeros(0)
        both = self.kept, self.kept_empty
        rows = np.vstack([self.scores(self.low[None] - 1, kept) for kept in both])
        return rows, chance * np.array([-1.0, 1.0]) / [self.start(kept) for kept in both]


def nodes(least: float, most: float) -> tuple[Floats, Floats]:
    """Numbers t and weights w with 1/M = Σ w·exp(−t·M) for every M between two positive numbers, to about 13 digits."""
    start = -np.log(most)
    s = np.arange(start - _BELOW, np.log(_ABOVE / least) + _STEP, _STEP)
    below = np.exp(start - s)
    t = np.exp(s - below)
    return t, _STEP * t * (1 + below)


def of_independent(sets: SetWeights, chances: Floats) -> Fisher:
    """The information of sets that contain each item by itself with the given chance, in a neutral draw.

    The mean of f/M is the integral over t of that of f·exp(−t·M), M the weight of the set: in it everything is a product over the items.
    """
    p, gain, start = sets.p[sets.inside], sets.gain, sets.start(sets.kept)
    t, weights = nodes(start, start + float(p @ gain))
    rows, diagonal = np.empty((len(t), len(p))), np.zeros(len(p))
    for k, each in enumerate(t):
        fall = np.expm1(-each * gain * p)
        mean = 1 + chances * fall
        weights[k] *= np.exp(np.log(mean).sum() - each * start)
        shift = chances * (1 - chances) * fall / mean
        rows[k] = gain * shift
        diagonal += weights[k] * gain**2 * ((1 - chances) / mean) * (chances + shift)
    whole = np.zeros(len(sets.p))
    whole[sets.inside] = diagonal
    empty_rows, empty_weights = sets.at_empty(float(np.exp(np.log1p(-chances).sum())))
    rows = np.vstack([sets.scores(rows, sets.kept), empty_rows])
    return Fisher(sets.p, sets.revealed, whole, rows, np.concatenate([weights, empty_weights]))


def around(sets: SetWeights, core: Core, one: Floats, filled: float, empty: float) -> Fisher:
    """The information if `core` is that of the gains of the items inside, which have the same weights.

    In a neutral draw, `one` is the mean of each item's gain over the weight of the set, `filled` and `empty` those of 1 over the weight
    at the sets with and without items. Items outside have one score at all of the former, and another one at all of the latter.
    """
    nothing, outside = np.zeros(len(sets.p)), ~sets.inside
    if not outside.any():
        return Fisher(sets.p, sets.revealed, nothing, np.zeros((0, len(sets.p))), np.zeros(0), core=core)
    rows = np.zeros((3, len(sets.p)))
    rows[0, sets.inside] = rows[1, sets.inside] = one / filled
    rows[0, outside] = sets.kept - sets.low[0]
    rows[2, outside] = (sets.kept if sets.kept_empty is None else sets.kept_empty) - sets.low[0]
    return Fisher(sets.p, sets.revealed, nothing, rows, np.array([filled, -filled, empty]), core=core)
