"""Inversion of lifted sets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.arithmetic import ONE
from sottovoce.arrays import Floats
from sottovoce.channels.inversion import Inversion, Readings

if TYPE_CHECKING:
    from sottovoce.channels.lifted.channel import LiftedChannel


@dataclass(frozen=True)
class Inclusion:
    """The chance that a report contains a sensitive item: when its holder makes it, the holder of another one, or of a free item.

    `neutral` is that of a neutral draw, which a free item sends unless it is `shown`.
    """

    own: float
    other: float
    free: float
    neutral: float
    shown: float

    @classmethod
    def of(cls, channel: LiftedChannel, base: Any) -> Inclusion:
        """The chances under a channel, whose base is inverted by `base`."""
        keep, free = channel.keep / ONE, ~channel.sensitive
        shown = float(channel.revealing_chance(channel.empty_chance.low)[free][0]) if free.any() else 1.0
        own, other = (float(chances[0]) for chances in base.chances)
        return cls(own, other, base.neutral * keep, base.neutral, shown)


class LiftedInversion(Inversion):
    """A report contains the item, reveals another one, or neither. A free item is seen only when it is revealed."""

    def __init__(self, channel: LiftedChannel, base: Any) -> None:
        self._sensitive, self._items, self._base = channel.sensitive, channel.base.size, base
        self.chance = Inclusion.of(channel, base)

    @cached_property
    def readings(self) -> Readings:
        chance = self.chance
        if self._items == 1:
            sensitive, seen = (1.0, 1 - 1 / chance.shown, 1.0), chance.own
        else:
            unit, seen = 1 / (chance.own - chance.other), chance.own
            sensitive = (
                (1 - chance.other) * unit,
                -unit * (chance.other + (chance.free - chance.other) / chance.shown),
                -chance.other * unit,
            )
        marked = self._sensitive[:, None]
        values = np.where(marked, sensitive, (1 / chance.shown, 0.0, 0.0))
        own = np.where(marked, (seen, 0.0, 1 - seen), (chance.shown, 0.0, 1 - chance.shown))
        return Readings(values.T, own.T)

    def occurrences(self, shares: Floats) -> Floats:
        revealed = shares[~self._sensitive].sum()
        elsewhere = np.where(self._sensitive, revealed, revealed - shares)
        return np.stack([shares, elsewhere, 1 - shares - elsewhere])

    def expected(self, p: Floats) -> Floats:
        chance, inside = self.chance, float(p[self._sensitive].sum())
        contained = (chance.own - chance.other) * p + chance.other * inside + chance.free * (1 - inside)
        return np.where(self._sensitive, contained, chance.shown * p)

    def products(self, p: Floats, shares: Floats | None = None) -> Floats:
        """Free items exclude one another; a sensitive one takes a fixed value where a free one is revealed."""
        sensitive, chance = self._sensitive, self.chance
        revealed = float(self.readings.values[1, sensitive][0])
        found = np.zeros((len(p), len(p)))
        found[np.ix_(sensitive, ~sensitive)] = revealed * p[~sensitive]
        found[np.ix_(~sensitive, sensitive)] = revealed * p[~sensitive][:, None]
        if self._items > 1:
            pairs = self._base.pairs
            unit, keep, own = 1 / (chance.own - chance.other), chance.free / chance.neutral, p[sensitive]
            both = unit**2 * (keep * pairs.together - 2 * chance.other * chance.free + chance.other**2 * (1 - chance.shown))
            free = both + chance.shown * revealed**2
            pair = np.add.outer(own, own)
            found[np.ix_(sensitive, sensitive)] = pairs.held * pair + pairs.aside * (own.sum() - pair) + free * p[~sensitive].sum()
        return found

    def reach(self) -> Floats:
        return self._reach_by_kind(self._sensitive)
