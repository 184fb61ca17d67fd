"""Direct channels: report the truth, or draw from the noise."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arithmetic import ONE, SCALE, ceil_div
from sottovoce.arrays import Floats
from sottovoce.channels.direct import kernels
from sottovoce.channels.direct.columns import DirectColumns
from sottovoce.channels.direct.counts import DirectCounts
from sottovoce.channels.direct.inversion import DirectInversion
from sottovoce.channels.direct.likelihood import DirectModel
from sottovoce.channels.information import Bounds, total_xlogx
from sottovoce.channels.protocol import Channel, Codes
from sottovoce.channels.sampling import draw_fixed
from sottovoce.channels.tables import frozen, integers, texts, whole
from sottovoce.errors import ParameterError
from sottovoce.optima.posterior import explained_by_direct, variance_left
from sottovoce.policy import Prior
from sottovoce.reports import CodeReports, Reports
from sottovoce.reports.base import code_dtype
from sottovoce.sources import Source, Words
from sottovoce.special import xlogy


@dataclass(frozen=True, eq=False)
class DirectChannel(Channel, kind="direct"):
    """A report that names an item: Q(y|x) = s·[y = x] + t_y, with s = truth/2^64 and t = noise/2^64.

    An item without noise (t_y = 0) is invertible: only people with this item ever name it.
    """

    truth: int
    noise: NDArray[np.uint64]

    def __post_init__(self) -> None:
        whole(truth=self.truth)
        object.__setattr__(self, "noise", frozen(self.noise, np.uint64))
        if self.truth <= 0 or self.truth + sum(self.noise.tolist()) != ONE:
            raise ParameterError("The truth and the noise don't sum to exactly 2^64, or one of them isn't positive. Correct the numbers.")

    @classmethod
    def from_odds(cls, odds: Sequence[int], classes: NDArray[np.intp] | None = None) -> DirectChannel:
        """Build the channel with t_y = r_y·s and s = 1/(1 + Σ r). Every mechanism of the family is a choice of r.

        `odds` are fixed-point numbers out of 2^256, one per item, or one per class with `classes[y]` the class of item y. Rounding adds
        privacy: the noise is rounded up and the truth gets what is left, so s/t_y never exceeds 1/r_y.
        """
        classes = np.arange(len(odds)) if classes is None else classes
        members = np.bincount(classes, minlength=len(odds)).tolist()
        total = SCALE + sum(odd * count for odd, count in zip(odds, members, strict=True))
        thresholds = np.fromiter((ceil_div(odd << 64, total) for odd in odds), dtype=np.uint64, count=len(odds))
        truth = ONE - sum(threshold * count for threshold, count in zip(thresholds.tolist(), members, strict=True))
        if truth <= 0:
            raise ParameterError("The budgets leave no room for the truth among so many items. Use larger budgets.")
        return cls(truth, thresholds[classes])

    @property
    def size(self) -> int:
        return len(self.noise)

    @property
    def s(self) -> float:
        return self.truth / ONE

    @cached_property
    def t(self) -> Floats:
        return self.noise.astype(np.float64) / ONE

    @property
    def length(self) -> int:
        return self.size

    @cached_property
    def empty(self) -> CodeReports:
        return CodeReports(np.zeros(0, dtype=np.int64), self.size)

    @cached_property
    def columns(self) -> DirectColumns:
        return DirectColumns(self.truth, self.noise)

    @cached_property
    def statistic(self) -> DirectCounts:
        return DirectCounts(self.empty, self.s, self.t)

    @cached_property
    def inversion(self) -> DirectInversion:
        return DirectInversion(self.s, self.t)

    @cached_property
    def model(self) -> DirectModel:
        return DirectModel(self)

    @cached_property
    def _tables(self) -> tuple[Words, NDArray[np.int32], np.uint64, NDArray[np.int32]]:
        """Cumulative thresholds of the noise, an index that finds the right one in a step or two, and the items, then −1."""
        items = np.flatnonzero(self.noise)
        cumulative = np.cumsum(self.noise[items], dtype=np.uint64)
        wanted = max(2 * len(items), min(64 * len(items), 1 << 14))
        bits = max(1, math.ceil(math.log2(max(1, wanted))))
        starts = np.arange(1 << bits, dtype=np.uint64) << np.uint64(64 - bits)
        guide = np.searchsorted(cumulative, starts, side="right").astype(np.int32)
        return frozen(cumulative, np.uint64), frozen(guide, np.int32), np.uint64(64 - bits), frozen(np.append(items, -1), np.int32)

    def sample(self, codes: Codes, source: Source) -> Reports:
        out = np.empty(len(codes), dtype=code_dtype(self.size))
        cumulative, guide, shift, items = self._tables

        def body(rows: slice, words: Words) -> None:
            kernels.direct(codes[rows], words, cumulative, guide, shift, items, out[rows])

        draw_fixed(len(codes), 1, source, body)
        return CodeReports(out, self.size)

    def perturb_one(self, code: int, source: Source) -> int:
        cumulative, _, _, items = self._tables
        named = int(items[cumulative.searchsorted(np.uint64(source.word()), "right")])
        return code if named < 0 else named

    def outputs(self) -> list[int]:
        return list(range(self.size))

    def numerators(self) -> NDArray[Any]:
        self.writable(self.size)
        rows = np.tile(self.noise.astype(object), (self.size, 1))
        rows[np.diag_indices(self.size)] += self.truth
        return rows

    def matrix(self, *, exact: bool = False) -> NDArray[Any]:
        if exact:
            return super().matrix(exact=True)
        self.writable(self.size)
        return self.s * np.eye(self.size) + self.t

    def row(self, code: int) -> Floats:
        row = self.t.copy()
        row[code] += self.s
        return row

    def possible(self, reports: Any) -> Reports:
        """Every item is named, by its holder at least."""
        return reports

    def surely_possible(self, record: bytes) -> bool:
        return int.from_bytes(record, "little") < self.size

    def revealing(self, code: int) -> int | None:
        return None if self.noise[code] else code

    def revealed_chances(self) -> Floats:
        return np.where(self.noise == 0, self.s, 0.0)

    def has_one_report(self, code: int) -> bool:
        return self.truth + int(self.noise[code]) == ONE

    def weigh(self, reports: Reports) -> Floats:
        """s·[y = x] + t_y."""
        assert isinstance(reports, CodeReports)
        dense = np.repeat(self.t[reports.codes][:, None], self.size, axis=1)
        dense[np.arange(len(reports)), reports.codes] += self.s
        return dense

    def leakage(self) -> Bounds:
        return Bounds.around((self.size * self.truth + ONE - self.truth) / ONE, terms=self.size)

    def information(self, prior: Prior) -> Bounds:
        return Bounds.around(self.information_at(prior.p), terms=self.size)

    def information_at(self, p: Floats) -> float:
        """H(Y) − Σ_x P_x H(Y|x): all rows have the entries t, with t_x + s in the place of t_x."""
        s, t = self.s, self.t
        own = float((p * (xlogy(s + t, s + t) - xlogy(t, t))).sum())
        return total_xlogx(t) + own - total_xlogx(s * p + t)

    def posterior_variance(self, p: Floats) -> Floats:
        return np.maximum(0.0, p - explained_by_direct(p, self.s, self.t))

    def posterior_variance_of(self, priors: Floats, numbers: Floats) -> Floats:
        chances = self.s * priors + self.t
        return variance_left(priors, numbers, chances, self.s * priors * numbers + (priors @ numbers)[:, None] * self.t)

    def lifted(self, sensitive: NDArray[np.bool_], epsilon: float) -> DirectChannel:
        """Free items have no noise: the direct channel is its own lift."""
        noise = np.zeros(len(sensitive), dtype=np.uint64)
        noise[sensitive] = self.noise
        return DirectChannel(self.truth, noise)

    def margin(self, groups: NDArray[np.int64], count: int) -> DirectChannel:
        """A direct channel with the same truth. The noise of a group is the sum over its items."""
        noise = [0] * count
        for group, each in zip(groups.tolist(), self.noise.tolist(), strict=True):
            noise[group] += each
        return DirectChannel(self.truth, np.array(noise, dtype=np.uint64))

    def form(self) -> dict[str, Any]:
        return {"kind": "direct", "truth": str(self.truth), "noise": texts(self.noise)}

    @classmethod
    def of_form(cls, form: Mapping[str, Any]) -> DirectChannel:
        return cls(int(form["truth"]), integers(form["noise"]))
