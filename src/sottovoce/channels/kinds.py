"""Inversions whose moments depend only on the kinds of items: sensitive or free, and the respondent's own or not."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sottovoce.arrays import Floats, Mask
from sottovoce.channels.groups import GroupMoments, Groups
from sottovoce.channels.inversion import Inversion


@dataclass(frozen=True)
class PairMoments:
    """E[φ_i·φ_j] for two items i ≠ j when the holder of an item of one kind reports.

    `own_alike` is for the own item and another one of its kind, `alike` for two others of that kind, `own_across` for the own item and one
    of the other kind, `across` for another one of that kind and one of the other, and `beyond` for two of the other kind.
    """

    own_alike: float = 0.0
    alike: float = 0.0
    own_across: float = 0.0
    across: float = 0.0
    beyond: float = 0.0


class ByKind(Inversion):
    """Readings of items of two kinds. Within a kind all items are alike."""

    #: Which items are of the first kind.
    first: Mask

    @property
    @abstractmethod
    def pair_moments(self) -> tuple[PairMoments, PairMoments]:
        """The moments of pairs when the holder of an item of the first kind reports, and one of the second."""

    @cached_property
    def _squares(self) -> tuple[tuple[float, float, float], ...]:
        """E[φ_j²] for holders of each kind: of the own item, of another one of that kind, of one of the other kind."""
        found: list[tuple[float, float, float]] = []
        for kind in (self.first, ~self.first):
            if not kind.any():
                found.append((0.0, 0.0, 0.0))
                continue
            holder = int(np.argmax(kind))
            point = np.zeros(len(kind))
            point[holder] = 1.0
            squares = self.readings.moment(self.occurrences(self.expected(point)), 2)
            alike = np.delete(squares[kind], int(kind[:holder].sum()))
            another, beyond = (float(each[0]) if len(each) else 0.0 for each in (alike, squares[~kind]))
            found.append((float(squares[holder]), another, beyond))
        return tuple(found)

    def reach(self) -> Floats:
        totals = [
            own + max(0, int(kind.sum()) - 1) * alike + int((~kind).sum()) * across
            for kind, (own, alike, across) in zip((self.first, ~self.first), self._squares, strict=True)
        ]
        return np.where(self.first, *totals)

    def products(self, p: Floats, shares: Floats | None = None) -> Floats:
        first, (one, two) = self.first, self.pair_moments
        a, b = p[first], p[~first]
        found = np.empty((len(p), len(p)))
        for kind, mine, mass, beyond in ((first, one, a, two.beyond * b.sum()), (~first, two, b, one.beyond * a.sum())):
            both = np.add.outer(mass, mass)
            found[np.ix_(kind, kind)] = mine.own_alike * both + mine.alike * (mass.sum() - both) + beyond
        mixed = (one.own_across * a + one.across * (a.sum() - a))[:, None] + two.own_across * b + two.across * (b.sum() - b)
        found[np.ix_(first, ~first)], found[np.ix_(~first, first)] = mixed, mixed.T
        return found

    def group_moments(self, groups: Groups, p: Floats) -> GroupMoments:
        within, found = groups.within(p), np.zeros((3, 2, groups.count))
        for kind, pairs, squares in zip((self.first, ~self.first), self.pair_moments, self._squares, strict=True):
            parts = groups.totals(kind.astype(np.float64)), groups.totals((~kind).astype(np.float64))
            members = groups.totals(np.where(kind, within, 0.0))  # how many members, and others, hold an item of this kind
            others = groups.others(members, np.full(groups.count, p[kind].sum()), p)
            found[:, 0] += members * _summed(parts, pairs, squares, inside=True)
            found[:, 1] += others * _summed(parts, pairs, squares, inside=False)
        return GroupMoments(*found)


def _summed(parts: tuple[Floats, Floats], pairs: PairMoments, squares: tuple[float, float, float], *, inside: bool) -> Floats:
    """E[Φ_G²], E[Φ_G·Φ] and E[Φ²] for each group, when the holder of an item of one kind reports, as a member or not.

    `parts` are how many items of that kind, and of the other, each group has.
    """
    own, alike, across = squares
    alone = own - alike - 2 * (pairs.own_alike - pairs.alike)
    whole = (np.full_like(parts[0], parts[0].sum()), np.full_like(parts[1], parts[1].sum()))

    def between(g: tuple[Floats, Floats], h: tuple[Floats, Floats], *, in_g: bool, in_h: bool) -> Floats:
        """Σ E[φ_i·φ_j] over i in G and j in H, which contains G."""
        value = pairs.alike * g[0] * h[0] + pairs.across * (g[0] * h[1] + g[1] * h[0]) + pairs.beyond * g[1] * h[1]
        value = value + (alike - pairs.alike) * g[0] + (across - pairs.beyond) * g[1]
        value = value + (pairs.own_alike - pairs.alike) * (in_g * h[0] + in_h * g[0])
        return np.asarray(value + (pairs.own_across - pairs.across) * (in_g * h[1] + in_h * g[1]) + alone * (in_g and in_h))

    return np.stack(
        [
            between(parts, parts, in_g=inside, in_h=inside),
            between(parts, whole, in_g=inside, in_h=True),
            between(whole, whole, in_g=True, in_h=True),
        ]
    )
