"""Inversion of lifted sets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.arithmetic import ONE
from sottovoce.arrays import Floats
from sottovoce.channels.inversion import Readings
from sottovoce.channels.kinds import ByKind, PairMoments

if TYPE_CHECKING:
    from sottovoce.channels.lifted.channel import LiftedChannel


@dataclass(frozen=True)
class Inclusion:
    """The chance that a report contains a sensitive item: one of its holder, of the holder of another one, or of a free item.

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


class LiftedInversion(ByKind):
    """A report contains the item, reveals another one, or neither. A free item is in a report only if it's revealed."""

    def __init__(self, channel: LiftedChannel, base: Any) -> None:
        self.first, self._items, self._base = channel.sensitive, channel.base.size, base
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
        marked = self.first[:, None]
        values = np.where(marked, sensitive, (1 / chance.shown, 0.0, 0.0))
        own = np.where(marked, (seen, 0.0, 1 - seen), (chance.shown, 0.0, 1 - chance.shown))
        return Readings(values.T, own.T)

    def occurrences(self, shares: Floats) -> Floats:
        revealed = shares[~self.first].sum()
        elsewhere = np.where(self.first, revealed, revealed - shares)
        return np.stack([shares, elsewhere, 1 - shares - elsewhere])

    def expected(self, p: Floats) -> Floats:
        chance, inside = self.chance, float(p[self.first].sum())
        contained = (chance.own - chance.other) * p + chance.other * inside + chance.free * (1 - inside)
        return np.where(self.first, contained, chance.shown * p)

    @cached_property
    def pair_moments(self) -> tuple[PairMoments, PairMoments]:
        """Free items exclude each other. A sensitive one has a fixed value if a free one is revealed."""
        chance, revealed = self.chance, float(self.readings.values[1, self.first][0])
        if self._items == 1:
            return PairMoments(), PairMoments(own_across=revealed)
        pairs, unit, keep = self._base.pairs, 1 / (chance.own - chance.other), chance.free / chance.neutral
        both = unit**2 * (keep * pairs.together - 2 * chance.other * chance.free + chance.other**2 * (1 - chance.shown))
        free = PairMoments(own_across=revealed, beyond=both + chance.shown * revealed**2)
        return PairMoments(own_alike=pairs.held, alike=pairs.aside), free
