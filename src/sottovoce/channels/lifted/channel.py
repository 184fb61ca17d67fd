"""The lift: any LDP channel over the sensitive items becomes a ULDP channel over all items.

A non-sensitive item x reports y with probability δ(y) = e^{−ε}·max_x' M(y|x'), and itself (invertible) otherwise. This is the smallest δ
that keeps ε, hence the best one. It's sampled as a neutral draw of M that is kept with probability `keep`/2^64 (`keep_empty`/2^64 at the
empty set, which contains no sensitive item).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arithmetic import ONE, exp_below, threshold_above
from sottovoce.arrays import Floats, Mask
from sottovoce.channels.columns import SetColumns
from sottovoce.channels.fisher import Fisher
from sottovoce.channels.information import Bounds
from sottovoce.channels.inversion import Inversion
from sottovoce.channels.lifted.layouts import ROOMS, Layout
from sottovoce.channels.model import Model
from sottovoce.channels.protocol import Channel, Codes, channel_kind
from sottovoce.channels.sampling import NEUTRAL
from sottovoce.channels.set_fisher import SetWeights
from sottovoce.channels.sets.channel import Flags, SetLikeChannel
from sottovoce.channels.statistic import Cells, Statistic
from sottovoce.channels.tables import frozen, whole
from sottovoce.errors import ParameterError, ReportError, UnsupportedError
from sottovoce.reports import Reports, SetReports
from sottovoce.sources import Source


def lift(base: Channel, sensitive: Mask, epsilon: float) -> Channel:
    """Lift a channel to a larger domain in which `sensitive` marks its items.

    >>> import numpy as np
    >>> from sottovoce import Domain, krr
    >>> lift(krr(Domain("ab"), 1.0).channel, np.array([True, True, False]), 1.0).size
    3
    """
    return base.lifted(sensitive, epsilon)


@dataclass(frozen=True, eq=False)
class LiftedChannel(SetLikeChannel, kind="lifted"):
    """A set-like channel over the items marked `sensitive`, extended to all items."""

    base: SetLikeChannel
    sensitive: Mask
    keep: int
    keep_empty: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "sensitive", frozen(self.sensitive, np.bool_))
        whole(keep=self.keep, keep_empty=self.keep_empty)
        if not self.base.even:
            raise ParameterError("The base doesn't treat all of its items alike. Use another base.")
        if self.base.size != int(self.sensitive.sum()) or not 0 < self.keep < ONE or not self.keep_empty < ONE:
            raise ParameterError(
                "The base isn't over the sensitive items, or neutral draws are kept with a probability of 1. Correct the arguments."
            )

    @classmethod
    def of(cls, base: SetLikeChannel, sensitive: Mask, epsilon: float) -> LiftedChannel:
        """The lift that keeps neutral draws as often as ε allows."""
        if not base.even:
            raise UnsupportedError("The base doesn't treat all sensitive items alike. Use krr, rappor, oue or olh as base.")
        inverse = 1 / exp_below(epsilon)
        keep, keep_empty = (threshold_above(inverse * weight) for weight in (base.columns.high[0], base.columns.low[0]))
        return cls(base, sensitive, keep, keep_empty)

    @property
    def size(self) -> int:
        return len(self.sensitive)

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.sensitive)

    @cached_property
    def layout(self) -> Layout:
        """The layout of the reports, by their shape."""
        return ROOMS[type(self.base.empty)](self)

    @property
    def empty(self) -> Reports:
        return self.layout.empty

    @property
    def length(self) -> int | None:
        return None if self.base.length is None else self.base.length + int((~self.sensitive).sum())

    @cached_property
    def statistic(self) -> Statistic:
        return self.layout.statistic

    @cached_property
    def inversion(self) -> Inversion | None:
        return self.layout.inversion

    @cached_property
    def model(self) -> Model:
        return self.layout.model

    @cached_property
    def columns(self) -> SetColumns:
        """The base's weights on sensitive items, δ relative to the neutral draw on the others."""
        base, kept, kept_empty = self.base.columns, Fraction(self.keep, ONE), Fraction(self.keep_empty, ONE)
        return replace(
            base,
            classes=np.where(self.sensitive, 0, 1),
            low=(base.low[0], kept),
            high=(base.high[0], kept),
            invertible=~self.sensitive,
            empty=(base.low[0], kept_empty) if base.size is None else None,
        )

    @property
    def own(self) -> float:
        return float(np.max(self.base.own))

    @property
    def empty_chance(self) -> Bounds:
        return self.base.empty_chance

    def mean_xlogx(self, start: float, gains: Floats) -> tuple[float, float]:
        return self.base.mean_xlogx(start, gains)

    def fisher_of(self, sets: SetWeights) -> Fisher:
        return self.base.fisher_of(sets)

    def draw(self, codes: Codes, keep: int, keep_empty: int, source: Source) -> tuple[Reports, Flags]:
        raise UnsupportedError("The base is a lifted channel. Use one that isn't lifted.")

    def sample(self, codes: Codes, source: Source) -> Reports:
        codes = codes.astype(np.int64, copy=False)
        drawn, revealed = self.base.draw(self.ranks[codes], self.keep, self.keep_empty, source)
        return self.layout.placed(drawn, revealed, codes)

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """The base channel's item for each sensitive item, and a neutral draw for the others."""
        return np.where(self.sensitive, np.cumsum(self.sensitive) - 1, NEUTRAL)

    def member(self, reports: Reports) -> NDArray[np.bool_]:
        inner, revealed = self.layout.split(reports)
        member = np.zeros((len(reports), self.size), dtype=np.bool_)
        member[:, self.sensitive] = self.base.member(inner)
        rows = np.flatnonzero(revealed >= 0)
        member[rows] = False
        member[rows, revealed[rows]] = True
        return member

    def example(self, inside: Sequence[int], outside: Sequence[int]) -> Any:
        """A protected report. Other free items are never in it, but at least one sensitive item must be."""
        ranks = np.cumsum(self.sensitive) - 1
        contained = [int(ranks[item]) for item in inside if self.sensitive[item]]
        avoided = [int(ranks[item]) for item in outside if self.sensitive[item]]
        if not contained and len(avoided) < self.base.size:
            contained = [rank for rank in range(self.base.size) if rank not in avoided][:1]
        report = self.base.example(contained, avoided)
        return [int(self._places[j]) for j in report] if isinstance(report, list) else report

    def revealing(self, code: int) -> Any:
        if self.sensitive[code]:
            return None
        return self.layout.shown(code)

    def has_one_report(self, code: int) -> bool:
        return bool(self.sensitive[code]) and self.base.has_one_report(int(np.searchsorted(self._places, code)))

    def outputs(self) -> list[Any]:
        return self.layout.outputs(self.base.outputs(), np.flatnonzero(~self.sensitive).tolist())

    def numerators(self) -> NDArray[Any]:
        return self._lifted_rows(self.base.matrix(exact=True) * ONE, self.base.columns)

    def matrix_under(self, seed: int, *, exact: bool = False) -> NDArray[Any]:
        """The matrix of the bucket report under one hash function, invertible reports behind the buckets."""
        under = getattr(self.base, "matrix_under", None)
        if under is None:
            raise UnsupportedError("The reports of this channel aren't hashed. Use matrix().")
        rows = self._lifted_rows(under(seed, exact=True) * ONE, self.base.columns) / ONE
        return rows if exact else rows.astype(np.float64)

    def _lifted_rows(self, inner: NDArray[Any], weights: SetColumns) -> NDArray[Any]:
        others = np.flatnonzero(~self.sensitive)
        rows = np.full((self.size, inner.shape[1] + len(others)), Fraction(0), dtype=object)
        rows[self._places, : inner.shape[1]] = inner
        for y in range(inner.shape[1]):
            column = inner[:, y].tolist()
            filled = self.layout.filled(y, column)
            neutral = max(column) / (weights.high[0] if filled else weights.low[0])
            rows[others, y] = neutral * (self.keep if filled else self.keep_empty) / ONE
        for place, x in enumerate(others):
            rows[x, inner.shape[1] + place] = ONE - sum(rows[x, : inner.shape[1]])
        return rows

    def possible(self, reports: Any) -> Reports:
        inner, revealed = self.layout.split(reports)
        if (self.sensitive[revealed[revealed >= 0]]).any():
            raise ReportError("A report reveals a sensitive item. Was it made by this channel?")
        self.layout.refuse(reports, inner, revealed)
        return reports

    def cells(self, code: int, reports: Reports) -> Iterator[Cells]:
        return self.layout.cells(code, reports)

    def item_cells(self, code: int, reports: SetReports) -> Iterator[Cells]:
        """How often each item is in the reports, which are sets."""
        return self.layout.item_cells(code, reports)  # type: ignore[attr-defined]  # a layout of sets

    def form(self) -> dict[str, Any]:
        return {
            "kind": "lifted",
            "items": len(self.sensitive),
            "sensitive": np.flatnonzero(self.sensitive).tolist(),
            "keep": str(self.keep),
            "keep_empty": str(self.keep_empty),
            "base": self.base.described(),
        }

    @classmethod
    def of_form(cls, form: Mapping[str, Any]) -> LiftedChannel:
        base = channel_kind(form["base"]["kind"]).of_form(form["base"])
        if not isinstance(base, SetLikeChannel):
            raise UnsupportedError(
                f"A {form['base']['kind']!r} channel can't be the base of a lifted channel. Use sets, hashes or columns."
            )
        marked = form["sensitive"]
        if any(type(code) is not int or not 0 <= code < form["items"] for code in marked) or len(set(marked)) < len(marked):
            raise ReportError("The sensitive items are repeated, or aren't codes of the items. Give distinct codes.")
        sensitive = np.zeros(form["items"], dtype=np.bool_)
        sensitive[marked] = True
        return cls(base, sensitive, int(form["keep"]), int(form["keep_empty"]))
