"""Unary channels: one independent bit per item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arithmetic import ONE
from sottovoce.arrays import Floats
from sottovoce.channels.columns import SetColumns
from sottovoce.channels.fisher import Fisher
from sottovoce.channels.information import Bounds, mean_xlogx_independent
from sottovoce.channels.protocol import Codes
from sottovoce.channels.sampling import draw_variable
from sottovoce.channels.set_fisher import SetWeights, of_independent
from sottovoce.channels.sets.bits import bits_of, items_of
from sottovoce.channels.sets.channel import LISTED, Flags, SetChannel
from sottovoce.channels.tables import frozen, integers, texts
from sottovoce.channels.unary import kernels
from sottovoce.channels.unary.counts import UnaryCounts
from sottovoce.channels.unary.inversion import UnaryInversion
from sottovoce.errors import ParameterError, ReportError
from sottovoce.optima.posterior import explained_by_bits
from sottovoce.reports import Reports, SetReports
from sottovoce.sources import Source, Words, used_up

#: Words read per group of 64 undecided comparisons, on average (the largest of 64 geometric numbers).
WORDS_PER_GROUP = 7.4
_NEVER = np.uint64(0)
_NO_FLAGS = np.zeros(0, dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class UnaryChannel(SetChannel, kind="unary"):
    """Independent bits: bit j is 1 with probability a_j = present[j]/2^64 if j is the person's item, and b_j = absent[j]/2^64 otherwise.

    Relative to a draw in which no item counts, Q(y|x) is a_x/b_x if bit x is set and (1 − a_x)/(1 − b_x) if not. An item with b_j = 0 is
    invertible: only its holders ever set its bit.
    """

    present: NDArray[np.uint64]
    absent: NDArray[np.uint64]

    def __post_init__(self) -> None:
        for name in ("present", "absent"):
            object.__setattr__(self, name, frozen(getattr(self, name), np.uint64))
        if len(self.present) != len(self.absent) or not bool((self.present > self.absent).all()):
            raise ParameterError(
                "An item's bit isn't set more often for the item itself than for other items. Make a_j larger than b_j for every item."
            )

    @property
    def size(self) -> int:
        return len(self.present)

    @cached_property
    def a(self) -> Floats:
        return self.present.astype(np.float64) / ONE

    @cached_property
    def b(self) -> Floats:
        return self.absent.astype(np.float64) / ONE

    @cached_property
    def columns(self) -> SetColumns:
        pairs, classes = np.unique(np.stack([self.present, self.absent], axis=1), axis=0, return_inverse=True)
        low = tuple(Fraction(ONE - a, ONE - b) for a, b in pairs.tolist())
        high = tuple(Fraction(a, b) if b else weight for (a, b), weight in zip(pairs.tolist(), low, strict=True))
        return SetColumns(classes.reshape(-1), low, high, None, self.absent == 0)

    @cached_property
    def statistic(self) -> UnaryCounts:
        return UnaryCounts(self.empty, self.a, self.b)

    @cached_property
    def inversion(self) -> UnaryInversion:
        return UnaryInversion(self.a, self.b)

    def fisher_of(self, sets: SetWeights) -> Fisher:
        return of_independent(sets, self.b[self.b > 0])

    def posterior_variance(self, p: Floats) -> Floats:
        return np.maximum(0.0, p - explained_by_bits(p, self.a, self.b))

    def posterior_variance_of(self, priors: Floats, numbers: Floats) -> Floats:
        """By one integral for each prior if the reports are too many to list."""
        if self.size <= LISTED:
            return super().posterior_variance_of(priors, numbers)
        centred = [(p, numbers - p @ numbers) for p in priors]
        return np.array([p @ around**2 - explained_by_bits(p, self.a, self.b, around)[0] for p, around in centred])

    def summable(self, times: int = 1) -> bool:
        return self.size <= LISTED or times == 1

    @cached_property
    def _planes(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Bit-sliced thresholds: planes[g, l] has bit 63 − l of b_j for the 64 items of group g. Also returns the items with b_j > 0."""
        groups = -(-self.size // 64)
        padded = np.zeros(64 * groups, dtype=np.uint64)
        padded[: self.size] = self.absent
        lanes = np.uint64(1) << np.arange(64, dtype=np.uint64)
        thresholds = padded.reshape(groups, 64)
        planes = np.empty((groups, 64), dtype=np.uint64)
        for level in range(64):
            planes[:, level] = (((thresholds >> np.uint64(63 - level)) & np.uint64(1)) * lanes).sum(axis=1, dtype=np.uint64)
        return frozen(planes, np.uint64), frozen(((thresholds > 0) * lanes).sum(axis=1, dtype=np.uint64), np.uint64)

    @property
    def own(self) -> Floats:
        return self.a

    @cached_property
    def empty_chance(self) -> Bounds:
        chance = float(np.exp(np.log1p(-self.b).sum()))
        return Bounds(chance, chance)

    def mean_xlogx(self, start: float, gains: Floats) -> tuple[float, float]:
        return mean_xlogx_independent(start, gains, self.b[self.b > 0])

    def draw(self, codes: Codes, keep: int, keep_empty: int, source: Source) -> tuple[Reports, Flags]:
        planes, active = self._planes
        out = np.empty((len(codes), len(planes)), dtype=np.uint64)
        flags = np.zeros(len(codes), dtype=np.bool_)
        thresholds = np.uint64(keep), np.uint64(keep_empty)

        def body(rows: slice, words: Words) -> tuple[int, int]:
            return kernels.unary(codes[rows], words, planes, active, self.present, *thresholds, out[rows], flags[rows])

        draw_variable(len(codes), self._words_each, source, body)
        return SetReports(out, self.size), flags

    @cached_property
    def _codes(self) -> NDArray[np.int64]:
        return np.arange(self.size)

    @cached_property
    def _words_each(self) -> float:
        """Words that a report takes, on average."""
        return 2 + WORDS_PER_GROUP * max(1, int(np.count_nonzero(self._planes[1])))

    def perturb_one(self, code: int, source: Source) -> list[int]:
        planes, active = self._planes
        codes, out = self._codes[code : code + 1], np.empty((1, len(planes)), dtype=np.uint64)
        words = source.take(4 + int(1.25 * self._words_each))
        while True:
            done, used = kernels.unary(codes, words, planes, active, self.present, _NEVER, _NEVER, out, _NO_FLAGS)
            if done:
                source.give_back(words[used:])
                return items_of(out)
            if len(more := source.take(64 + len(words))) == 0:
                raise used_up()
            words = np.concatenate([words, more])

    def example(self, inside: Sequence[int], outside: Sequence[int]) -> list[int]:
        return sorted(inside)

    def revealing(self, code: int) -> list[int] | None:
        return None if self.absent[code] else [code]

    @property
    def length(self) -> int:
        return 1 << self.size

    def outputs(self) -> list[list[int]]:
        self.writable(1 << self.size)
        return [[j for j in range(self.size) if number >> j & 1] for number in range(1 << self.size)]

    def numerators(self) -> NDArray[np.object_]:
        outputs = self.outputs()
        present, absent = self.present.tolist(), self.absent.tolist()
        member = bits_of(outputs, self.size)
        rows = np.empty((self.size, len(outputs)), dtype=object)
        for x in range(self.size):
            thresholds = [present[j] if j == x else absent[j] for j in range(self.size)]
            for y, row in enumerate(member):
                product = 1
                for threshold, bit in zip(thresholds, row, strict=True):
                    product *= threshold if bit else ONE - threshold
                rows[x, y] = Fraction(product, ONE ** (self.size - 1))
        return rows

    def mean_largest(self, empty: float) -> float:
        """Only the largest weight in the set counts, so go through the items from the largest weight down."""
        a, b = self.a[self.b > 0], self.b[self.b > 0]
        order = np.argsort(-(a / b))
        unseen = np.concatenate([[1.0], np.cumprod(1 - b[order])[:-1]])
        return float((a[order] * unseen).sum())

    def possible(self, reports: SetReports) -> SetReports:
        certain = self.absent == 0
        if certain.sum() > 1 and (reports.among(certain) > 1).any():
            raise ReportError("A report names two items that aren't sensitive. Was it made by this channel?")
        return reports

    def surely_possible(self, record: bytes) -> bool:
        return self._all_possible and int.from_bytes(record, "little").bit_length() <= self.size

    @cached_property
    def _all_possible(self) -> bool:
        """Whether every set is a possible report, which means that at most one item is named by its holders alone."""
        return int(np.count_nonzero(self.absent == 0)) <= 1

    def form(self) -> dict[str, Any]:
        return {"kind": "unary", "present": texts(self.present), "absent": texts(self.absent)}

    @classmethod
    def of_form(cls, form: Mapping[str, Any]) -> UnaryChannel:
        return cls(integers(form["present"]), integers(form["absent"]))
