"""Window channels: noise everywhere, and more of it around the own place in an order."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arithmetic import ONE, exp_below, threshold_above
from sottovoce.arrays import Floats, Mask
from sottovoce.channels.fisher import Fisher
from sottovoce.channels.information import Bounds, total_xlogx
from sottovoce.channels.protocol import Channel, Codes
from sottovoce.channels.sampling import draw_fixed
from sottovoce.channels.tables import frozen, integers, texts, whole
from sottovoce.channels.window import kernels
from sottovoce.channels.window.columns import WindowColumns
from sottovoce.channels.window.counts import WindowCounts
from sottovoce.channels.window.inversion import WindowInversion
from sottovoce.channels.window.likelihood import WindowModel
from sottovoce.channels.window.passes import Passes, between
from sottovoce.errors import ParameterError, ReportError, UnsupportedError
from sottovoce.optima.posterior import variance_left
from sottovoce.policy import Prior
from sottovoce.reports import CodeReports, Reports
from sottovoce.reports.base import code_dtype
from sottovoce.sources import Source, Words
from sottovoce.special import xlogy

#: The largest matrix from which intervals are found.
_MOST_ENTRIES = 1 << 26


@dataclass(frozen=True, eq=False)
class WindowChannel(Channel, kind="window"):
    """A report near the own place in an order: Q(y|x) = t_y + u·1[r ≤ y ≤ r + 2h], with h = half, u = gain/2^64, t = noise/2^64, r the
    place of x.

    There are L = K + 2h reports: the window of a report is around its item, and those at the ends reach beyond the items. If only some
    items are `sensitive`, r is the place among those, and a free item reports y with probability kept_y/2^64, as every item might, and
    otherwise itself, by the number L + (its place among the free items).
    """

    in_order = True

    half: int
    gain: int
    noise: NDArray[np.uint64]
    sensitive: Mask | None = None
    kept: NDArray[np.uint64] | None = None

    def __post_init__(self) -> None:
        whole(half=self.half, gain=self.gain)
        object.__setattr__(self, "noise", frozen(self.noise, np.uint64))
        count = len(self.noise) - 2 * self.half
        mask = np.ones(max(count, 0), dtype=np.bool_) if self.sensitive is None else self.sensitive
        kept = np.zeros(0) if self.kept is None else self.kept
        object.__setattr__(self, "sensitive", frozen(mask, np.bool_))
        object.__setattr__(self, "kept", frozen(kept, np.uint64))
        if count < 1 or self.gain < 1 or not self.noise.all() or self.width * self.gain + sum(self.noise.tolist()) != ONE:
            raise ParameterError("The window and the noise don't sum to exactly 2^64, or one of them isn't positive. Correct the numbers.")
        free = bool((~self._mask).any())
        if int(self._mask.sum()) != count or len(self._kept) != (len(self.noise) if free else 0):
            raise ParameterError("The lists don't have one entry for each report. Give noise, and what free items keep, for every report.")
        if not self._kept.all() or sum(self._kept.tolist()) >= ONE:
            raise ParameterError(
                "A free item can't make every report, or never reveals itself. Give it positive probabilities that sum to less than 2^64."
            )

    @classmethod
    def of(cls, size: int, half: int, epsilon: float) -> WindowChannel:
        """The channel of K items with u/t = e^ε − 1. Rounding adds privacy: t is rounded up, u down, and the rest goes to the noise."""
        length, width, odds = size + 2 * half, 2 * half + 1, exp_below(epsilon) - 1
        least = math.ceil(ONE / (length + width * odds))
        gain = min((ONE - length * least) // width, math.floor(odds * least))
        if gain < 1:
            raise ParameterError(f"ε = {epsilon:g} leaves no room for a window among {size:,} items. Use a larger ε or fewer items.")
        more, rest = divmod(ONE - width * gain - length * least, length)
        noise = np.full(length, least + more, dtype=np.uint64)
        noise[length - rest :] += np.uint64(1)
        return cls(half, gain, noise)

    @property
    def _mask(self) -> Mask:
        assert self.sensitive is not None
        return self.sensitive

    @property
    def _kept(self) -> NDArray[np.uint64]:
        assert self.kept is not None
        return self.kept

    @property
    def size(self) -> int:
        return len(self._mask)

    @property
    def width(self) -> int:
        """W = 2h + 1, the number of reports in a window."""
        return 2 * self.half + 1

    @property
    def length(self) -> int:
        return len(self.noise) + int((~self._mask).sum())

    @property
    def names_items(self) -> bool:
        return self.half == 0 and bool(self._mask.all())

    @cached_property
    def empty(self) -> CodeReports:
        return CodeReports(np.zeros(0, dtype=np.int64), self.length)

    @cached_property
    def passes(self) -> Passes:
        """Sums over the matrix."""
        noise, kept = (each.astype(np.float64) / ONE for each in (self.noise, self._kept))
        return Passes(self.half, self.gain / ONE, noise, self._mask, kept, (ONE - sum(self._kept.tolist())) / ONE)

    @cached_property
    def columns(self) -> WindowColumns:
        return WindowColumns(self.half, self.gain, self.noise, self._mask, self._kept)

    @cached_property
    def statistic(self) -> WindowCounts:
        return WindowCounts(self.empty, self.passes, items=self.names_items)

    @cached_property
    def inversion(self) -> WindowInversion | None:
        return WindowInversion(self.passes) if self.size * self.length <= _MOST_ENTRIES else None

    @cached_property
    def model(self) -> WindowModel:
        return WindowModel(self)

    # ---- sampling ----

    @cached_property
    def _ranks(self) -> NDArray[np.int64]:
        """The place of each sensitive item among them, and −1 − k for the k-th free item."""
        return np.where(self._mask, np.cumsum(self._mask) - 1, -1 * np.cumsum(~self._mask))

    @cached_property
    def _bits(self) -> int:
        """The bits of a word that choose where a search begins."""
        places = len(self.noise) + self.width
        return max(1, math.ceil(math.log2(max(2 * places, min(64 * places, 1 << 14)))))

    @cached_property
    def _near(self) -> tuple[Words, NDArray[np.int32]]:
        """Cumulative thresholds of the noise, then of the places in a window, with an index to the right one."""
        noise = np.cumsum(self.noise, dtype=np.uint64)
        window = noise[-1] + np.uint64(self.gain) * np.arange(1, self.width, dtype=np.uint64)
        return self._guided(np.concatenate([noise, window]))

    @cached_property
    def _shared(self) -> tuple[Words, NDArray[np.int32]]:
        """The same for what free items keep."""
        return self._guided(np.cumsum(self._kept, dtype=np.uint64))

    def _guided(self, cumulative: Words) -> tuple[Words, NDArray[np.int32]]:
        starts = np.arange(1 << self._bits, dtype=np.uint64) << np.uint64(64 - self._bits)
        return frozen(cumulative, np.uint64), frozen(np.searchsorted(cumulative, starts, side="right"), np.int32)

    def sample(self, codes: Codes, source: Source) -> Reports:
        out = np.empty(len(codes), dtype=code_dtype(self.length))
        near, shift, length = self._near, np.uint64(64 - self._bits), np.uint64(len(self.noise))

        def body(rows: slice, words: Words) -> None:
            if len(self._kept):
                kernels.lifted_window(codes[rows], words, self._ranks, *near, *self._shared, shift, length, out[rows])
            else:
                kernels.window(codes[rows], words, *near, shift, length, out[rows])

        draw_fixed(len(codes), 1, source, body)
        return CodeReports(out, self.length)

    def perturb_one(self, code: int, source: Source) -> int:
        rank, length = int(self._ranks[code]), len(self.noise)
        thresholds = self._near[0] if rank >= 0 else self._shared[0]
        place = int(thresholds.searchsorted(np.uint64(source.word()), "right"))
        if place < length:
            return place
        return place - length + rank if rank >= 0 else length - 1 - rank

    # ---- probabilities ----

    def outputs(self) -> list[int]:
        return list(range(self.length))

    def numerators(self) -> NDArray[Any]:
        self.writable(self.length)
        found, shown = np.zeros((self.size, self.length), dtype=object), ONE - sum(self._kept.tolist())
        for code, rank in enumerate(self._ranks.tolist()):
            if rank >= 0:
                found[code, : len(self.noise)] = self.noise.astype(object)
                found[code, rank : rank + self.width] += self.gain
            else:
                found[code, : len(self.noise)] = self._kept.astype(object)
                found[code, len(self.noise) - 1 - rank] = shown
        return found

    def matrix(self, *, exact: bool = False) -> NDArray[Any]:
        if exact:
            return super().matrix(exact=True)
        self.writable(self.length)
        return np.stack([self.row(code) for code in range(self.size)])

    def row(self, code: int) -> Floats:
        passes, rank, found = self.passes, int(self._ranks[code]), np.zeros(self.length)
        found[: len(self.noise)] = passes.noise if rank >= 0 else passes.kept
        if rank >= 0:
            found[rank : rank + self.width] += passes.gain
        else:
            found[len(self.noise) - 1 - rank] = passes.shown
        return found

    def possible(self, reports: Any) -> Reports:
        """Every number below L is a report, and one for each free item."""
        return reports

    def surely_possible(self, record: bytes) -> bool:
        return int.from_bytes(record, "little") < self.length

    def revealing(self, code: int) -> int | None:
        rank = int(self._ranks[code])
        return None if rank >= 0 else len(self.noise) - 1 - rank

    def weigh(self, reports: Reports) -> Floats:
        """Q(y|x), a row for each report."""
        assert isinstance(reports, CodeReports)
        codes, passes = reports.codes.astype(np.int64), self.passes
        protected = codes < len(self.noise)
        near = np.where(protected, codes, 0)[:, None]
        ranks = self._ranks
        dense = passes.noise[near] + passes.gain * ((ranks <= near) & (near <= ranks + 2 * self.half))
        if len(passes.free):
            dense = np.where(self._mask, dense, passes.kept[near])
            dense[~protected] = passes.shown * (passes.free[codes[~protected] - len(self.noise)][:, None] == np.arange(self.size))
        return np.asarray(dense)

    # ---- averages over all reports ----

    def leakage(self) -> Bounds:
        top = self.noise.astype(object) + self.gain
        top = np.maximum(top, self._kept.astype(object)) if len(self._kept) else top
        shown = (ONE - sum(self._kept.tolist())) * len(self.passes.free)
        return Bounds.around((sum(top.tolist()) + shown) / ONE, terms=self.length)

    def information(self, prior: Prior) -> Bounds:
        """Σ_x P_x Σ_y Q log Q − Σ_y Pr(y) log Pr(y)."""
        passes, p = self.passes, prior.p
        raised = passes.noise + passes.gain
        own = total_xlogx(passes.noise) + between(xlogy(raised, raised) - xlogy(passes.noise, passes.noise), *passes.windows)
        total = float(p[passes.inside] @ own)
        if len(passes.free):
            total += float(p[passes.free].sum()) * (total_xlogx(passes.kept) + float(xlogy(passes.shown, passes.shown)))
        return Bounds.around(total - total_xlogx(passes.chances(p)), terms=self.size + self.length)

    def fisher(self, p: Floats) -> Fisher:
        chances, passes = self.passes.chances(p), self.passes
        return Fisher.from_matrix(p, passes.gram(1 / chances[: passes.length]), np.where(self._mask, 0.0, passes.shown))

    def posterior_variance(self, p: Floats) -> Floats:
        chances = self.passes.chances(p)
        inverse = np.divide(1.0, chances, out=np.zeros_like(chances), where=chances > 0)
        return np.maximum(0.0, p - p**2 * self.passes.squares(inverse))

    def posterior_variance_of(self, priors: Floats, numbers: Floats) -> Floats:
        return variance_left(priors, numbers, self.passes.chances(priors), self.passes.chances(priors * numbers))

    # ---- other items, and JSON ----

    def lifted(self, sensitive: Mask, epsilon: float) -> WindowChannel:
        """Lift the channel: free items send each report as often as ε allows, and reveal themselves otherwise."""
        if len(self._kept):
            raise UnsupportedError("The base is a lifted channel. Use one that isn't lifted.")
        if sensitive.all():
            return self
        inverse = 1 / exp_below(epsilon)
        kept = [threshold_above(inverse * Fraction(noise + self.gain, ONE)) for noise in self.noise.tolist()]
        return WindowChannel(self.half, self.gain, self.noise, sensitive, np.array(kept, dtype=np.uint64))

    def form(self) -> dict[str, Any]:
        found = {"kind": "window", "half": self.half, "gain": str(self.gain), "noise": texts(self.noise)}
        if not len(self._kept):
            return found
        return found | {"items": self.size, "sensitive": np.flatnonzero(self._mask).tolist(), "kept": texts(self._kept)}

    @classmethod
    def of_form(cls, form: Mapping[str, Any]) -> WindowChannel:
        tables = form["half"], int(form["gain"]), integers(form["noise"])
        if "kept" not in form:
            return cls(*tables)
        marked, items = form["sensitive"], form["items"]
        if any(type(code) is not int or not 0 <= code < items for code in marked) or len(set(marked)) < len(marked):
            raise ReportError("The sensitive items are repeated, or aren't codes of the items. Give distinct codes.")
        sensitive = np.zeros(items, dtype=np.bool_)
        sensitive[marked] = True
        return cls(*tables, sensitive, integers(form["kept"]))
