"""Inversion for a mixture of set sizes, with the weights that reach the limit of ULDP (Yoon, Park, Nam & Lee 2025).

Every report has information about the share P_S of all sensitive items (β: by its size, or by revealing a free item), and about
each item (γ: whether it is in the set, or for a free item, if it is revealed). With v sensitive items among w, E = e^ε, and the α of the
limit,

    D_k = v + α·k·(E − 1),   β_k = α + (1 − α)·(k/D_k)/Σ(t_k·k/D_k),   γ_k ∝ 1/D_k.

A sensitive item reads β/v + γ_k·(1[in the set] − k/v), a free one (1 − β)/(w − v) + (1[revealed] − 1[any is]/(w − v))/(1 − c). The β of
a revealing report and the scale of γ make the readings unbiased, for every α and any two parts. The α of the limit has the least worst-case
error. There are five cases: in the set (or revealed), of either size, not in it, of either size, and another item is revealed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sottovoce.arithmetic import ONE
from sottovoce.arrays import Floats
from sottovoce.channels.inversion import Linear, Readings
from sottovoce.channels.kinds import ByKind, PairMoments
from sottovoce.optima.uldp import uldp_limit
from sottovoce.policy.budgets import LARGEST_EPSILON, SMALLEST_EPSILON

if TYPE_CHECKING:
    from sottovoce.channels.mixed.channel import MixedChannel


@dataclass(frozen=True)
class Sizes:
    """The reports of each size: how often they occur and are kept, and how often they contain an item.

    The item is the person's `own`, an `other` sensitive one, or any for the holder of a `free` one (whose set is kept). `both` are the
    chances of two items: own and other, two others, two for the holder of a free one.
    """

    k: Floats
    chance: Floats
    keep: Floats
    shown: float
    own: Floats
    other: Floats
    free: Floats
    both: tuple[Floats, Floats, Floats]

    @classmethod
    def of(cls, channel: MixedChannel) -> Sizes:
        v, k = channel.bases[0].size, np.array(channel.chosen, dtype=np.float64)
        keep = np.array([part.keep / ONE for part in channel.parts])
        chance = np.array(channel.chances)
        shown = float(sum(t * ((ONE - part.keep) / ONE) for t, part in zip(chance, channel.parts, strict=True)))
        own = np.array([base.own for base in channel.bases])
        aside = (own * (k - 1) * (k - 2) + (1 - own) * k * (k - 1)) / ((v - 1) * max(1, v - 2))
        both = own * (k - 1) / (v - 1), aside, k * (k - 1) / (v * (v - 1))
        return cls(k, chance, keep, shown, own, (k - own) / (v - 1), k / v, both)


@dataclass(frozen=True)
class Values:
    """The values of the five cases: of a sensitive item in the set or not (by size), of a free one (by size), and where one is revealed."""

    inside: Floats
    outside: Floats
    free: Floats
    hidden: float
    itself: float
    another: float


def _values(channel: MixedChannel, sizes: Sizes) -> Values:
    """The values that make every reading unbiased."""
    w, v = channel.size, channel.bases[0].size
    k, t = sizes.k, sizes.chance
    part = channel.parts[0]
    growth = v * ((ONE - part.keep) / part.keep) / channel.chosen[0]  # e^ε − 1, from c_k = v/(k·e^ε + v − k)
    epsilon = min(max(math.log1p(growth), SMALLEST_EPSILON), LARGEST_EPSILON)
    alpha = uldp_limit(w, v, epsilon).alpha
    spread = v + alpha * k * growth
    total = float((t * k / spread).sum())
    beta = alpha + (1 - alpha) * (k / spread) / total
    beta_shown = -float((t * sizes.keep * beta).sum()) / sizes.shown
    gamma = (1 - 1 / v) / spread / float((t * (sizes.own - k / v) / spread).sum())
    others = w - v
    return Values(
        beta / v + gamma * (1 - k / v),
        beta / v - gamma * k / v,
        (1 - beta) / others,
        beta_shown / v,
        (1 - beta_shown) / others + (1 - 1 / others) / sizes.shown,
        (1 - beta_shown) / others - 1 / (others * sizes.shown),
    )


class MixedInversion(ByKind):
    """Five cases for each item, with the values that reach the limit."""

    def __init__(self, channel: MixedChannel) -> None:
        self.first, self._chosen, self._sizes = channel.sensitive, channel.chosen, Sizes.of(channel)
        self._found = _values(channel, self._sizes)

    @cached_property
    def readings(self) -> Readings:
        """The values of the five cases for each item, and their chances when the item's holder reports."""
        found, sizes = self._found, self._sizes
        sensitive = [*found.inside, *found.outside, found.hidden]
        free = [found.itself, 0.0, *found.free, found.another]
        held = [*(sizes.chance * sizes.own), *(sizes.chance * (1 - sizes.own)), 0.0]
        for_free = [sizes.shown, 0.0, *(sizes.chance * sizes.keep), 0.0]
        marked = self.first[:, None]
        return Readings(np.where(marked, sensitive, free).T, np.where(marked, held, for_free).T)

    def occurrences(self, shares: Floats) -> Floats:
        """How often each case occurs, from the counts per size and item."""
        first, second = shares.reshape(2, -1)
        marked, chosen = self.first, self._chosen
        revealed = float(first[~marked].sum())
        small, large = float(first[marked].sum()) / chosen[0], float(second[marked].sum()) / chosen[1]
        sensitive = np.stack([first, second, small - first, large - second, np.full_like(first, revealed)])
        free = np.stack([first, second, np.full_like(first, small), np.full_like(first, large), revealed - first])
        return np.where(marked, sensitive, free)

    def expected(self, p: Floats) -> Floats:
        """The mean counts per report when items follow p."""
        sizes, marked = self._sizes, self.first
        inside = float(p[marked].sum())
        rows = [
            chance * ((own - other) * p + other * inside + keep * free * (1 - inside))
            for chance, own, other, keep, free in zip(sizes.chance, sizes.own, sizes.other, sizes.keep, sizes.free, strict=True)
        ]
        return np.concatenate([np.where(marked, rows[0], sizes.shown * p), np.where(marked, rows[1], 0.0)])

    def linear(self, shares: Floats, n: int) -> Linear:
        """Five cases, of which p is known: their frequencies at p give a variance that agrees with the covariance."""
        cases = self.readings
        p = cases.moment(self.occurrences(shares), 1)
        return Linear(p, np.maximum(0.0, cases.moment(self.occurrences(self.expected(p)), 2) - p**2) / n)

    @cached_property
    def pair_moments(self) -> tuple[PairMoments, PairMoments]:
        """Summed over what size the coin gives, and for a free item whether it is revealed."""
        found, sizes = self._found, self._sizes
        out, gain, aside = found.outside, found.inside - found.outside, found.free
        kept = sizes.chance * sizes.keep

        def two(chance: Floats, one: Floats, other: Floats, both: Floats) -> float:
            """Two sensitive items, in the set with the given chances."""
            return float((chance * (out**2 + out * gain * (one + other) + gain**2 * both)).sum())

        def across(chance: Floats, contained: Floats) -> float:
            """A sensitive item that is in the set with the given chance, and a free one."""
            return float((chance * (out + gain * contained) * aside).sum())

        held, apart, neutral = sizes.both
        sensitive = PairMoments(
            own_alike=two(sizes.chance, sizes.own, sizes.other, held),
            alike=two(sizes.chance, sizes.other, sizes.other, apart),
            own_across=across(sizes.chance, sizes.own),
            across=across(sizes.chance, sizes.other),
            beyond=float((sizes.chance * aside**2).sum()),
        )
        protected, quiet, shown = across(kept, sizes.free), float((kept * aside**2).sum()), sizes.shown
        free = PairMoments(
            own_alike=quiet + shown * found.another * found.itself,
            alike=quiet + shown * found.another**2,
            own_across=protected + shown * found.hidden * found.itself,
            across=protected + shown * found.hidden * found.another,
            beyond=two(kept, sizes.free, sizes.free, neutral) + shown * found.hidden**2,
        )
        return sensitive, free
