"""The cost of a report for the device that makes it, and for the network."""

from __future__ import annotations

import numpy as np

from sottovoce.mechanisms import Mechanism
from sottovoce.sources import SeededSource, Source, Words

#: Reports over which the words are averaged.
_REPORTS = 64


class _Counted(Source):
    """A seeded source that counts the words that were read."""

    def __init__(self) -> None:
        self._source, self.read = SeededSource(0), 0

    def fill(self, target: Words) -> int:
        given = self._source.fill(target)
        self.read += given
        return given

    def give_back(self, words: Words) -> None:
        self.read -= len(words)
        self._source.give_back(words)


def words_per_report(mechanism: Mechanism) -> float:
    """How many 64-bit words of randomness a device draws for a report, counted over a few reports of items spread over the domain."""
    size, source = mechanism.channel.size, _Counted()
    mechanism.channel.sample(np.arange(_REPORTS) * max(1, size // _REPORTS) % size, source)
    return source.read / _REPORTS


def bytes_per_report(mechanism: Mechanism) -> int:
    """The size of a report."""
    return int(mechanism.channel.empty.records().shape[1])
