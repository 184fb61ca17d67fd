"""Counts of a mixture of set sizes: how many reports of each size contain each item."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sottovoce.arrays import Counts
from sottovoce.channels.sets.counts import count_bits
from sottovoce.channels.statistic import Statistic, exact_sum
from sottovoce.reports import SetReports

if TYPE_CHECKING:
    from sottovoce.channels.mixed.channel import MixedChannel


class MixedCounts(Statistic):
    """The items of reports of the first size (and of those that reveal an item), then those of the second."""

    counts_items = True

    def __init__(self, channel: MixedChannel) -> None:
        super().__init__(channel.empty, 2 * channel.size)
        self._channel = channel

    def _count(self, reports: SetReports) -> Counts:
        kinds, size = self._channel.kinds(reports), self._channel.size
        return np.concatenate([count_bits(reports.words[kinds <= 0], size), count_bits(reports.words[kinds == 1], size)])

    def _adds_up(self, counts: Counts, n: int) -> bool:
        sensitive, chosen = self._channel.sensitive, self._channel.chosen
        first, second = counts.reshape(2, -1)
        sums = [exact_sum(each[sensitive]) for each in (first, second)]
        people = [total // size for total, size in zip(sums, chosen, strict=True)]
        return (
            all(total == size * made for total, size, made in zip(sums, chosen, people, strict=True))
            and not second[~sensitive].any()
            and sum(people) + exact_sum(first[~sensitive]) == n
            and bool((first[sensitive] <= people[0]).all() and (second[sensitive] <= people[1]).all())
        )

    def simulated(self, people: Counts, generator: np.random.Generator) -> Counts | None:
        """Draw the coin for everyone, then the counts of each part."""
        first = generator.binomial(people, self._channel.chances[0])
        drawn = [part.statistic.simulated(held, generator) for part, held in zip(self._channel.parts, (first, people - first), strict=True)]
        if drawn[0] is None or drawn[1] is None:
            return None
        shown = np.where(self._channel.sensitive, 0, drawn[1])
        return np.concatenate([drawn[0] + shown, drawn[1] - shown])

    def of_items(self, counts: Counts) -> Counts:
        return np.asarray(counts.reshape(2, -1).sum(axis=0))
