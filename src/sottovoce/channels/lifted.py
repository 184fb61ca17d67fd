"""The lift: any LDP channel over the sensitive items becomes a ULDP channel over all items.

A non-sensitive item x reports y with probability δ(y) = e^{−ε}·max_x' M(y|x'), and itself (invertible) otherwise: the
smallest δ that keeps ε, hence the best one. Here δ is sampled as a neutral draw of M that is kept with probability
`keep`/2^64 (`keep_empty`/2^64 at the empty set, which no sensitive item is in).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arithmetic import ONE, exp_below, threshold_above
from sottovoce.channels import kernels
from sottovoce.channels.base import Channel, Codes, Floats, frozen, whole
from sottovoce.channels.columns import SetColumns
from sottovoce.channels.direct import DirectChannel
from sottovoce.channels.hashed import HashedChannel
from sottovoce.channels.information import Bounds
from sottovoce.channels.matrix import MatrixChannel
from sottovoce.channels.sets import Flags, SetChannel, SetLikeChannel
from sottovoce.errors import ParameterError, ReportError, UnsupportedError
from sottovoce.later import pa
from sottovoce.reports import CodeReports, HashedReports, Reports, SetReports
from sottovoce.reports.base import code_dtype
from sottovoce.sources import Source


def lift(base: Channel, sensitive: NDArray[np.bool_], epsilon: float) -> Channel:
    """The lifted channel over the domain in which `sensitive` marks the items of `base`."""
    if isinstance(base, DirectChannel):
        noise = np.zeros(len(sensitive), dtype=np.uint64)
        noise[sensitive] = base.noise
        return DirectChannel(base.truth, noise)
    inverse = 1 / exp_below(epsilon)
    if isinstance(base, MatrixChannel):
        return _lift_matrix(base, sensitive, inverse)
    if not isinstance(base, SetLikeChannel) or not _even(base):
        raise UnsupportedError("only a channel that treats all sensitive items alike can be lifted; use krr, rappor, oue, olh, ... as base")
    keep, keep_empty = (threshold_above(inverse * weight) for weight in (base.columns.high[0], base.columns.low[0]))
    return LiftedChannel(base, sensitive, keep, keep_empty)


def _even(base: SetLikeChannel) -> bool:
    """Whether all items of the base have the same weights, and none is invertible."""
    return len(base.columns.low) == 1 and not base.columns.invertible.any()


def _lift_matrix(base: MatrixChannel, sensitive: NDArray[np.bool_], inverse: Fraction) -> MatrixChannel:
    floor = [threshold_above(inverse * Fraction(max(column), ONE)) for column in base.rows.T.tolist()]
    others = np.flatnonzero(~sensitive)
    rows = np.zeros((len(sensitive), base.length + len(others)), dtype=object)
    rows[np.flatnonzero(sensitive), : base.length] = base.rows
    rows[others, : base.length] = floor
    rows[others, base.length + np.arange(len(others))] = ONE - sum(floor)
    return MatrixChannel(rows)


@dataclass(frozen=True, eq=False)
class LiftedChannel(SetLikeChannel):
    """A set-like channel over the items marked `sensitive`, lifted to all items."""

    base: SetLikeChannel
    sensitive: NDArray[np.bool_]
    keep: int
    keep_empty: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "sensitive", frozen(self.sensitive, np.bool_))
        whole(keep=self.keep, keep_empty=self.keep_empty)
        if not _even(self.base) or isinstance(self.base, LiftedChannel):
            raise ParameterError("the base of a lifted channel must treat all its items alike")
        if self.base.size != int(self.sensitive.sum()) or not 0 < self.keep < ONE or not self.keep_empty < ONE:
            raise ParameterError(
                "a lifted channel needs a base over its sensitive items, and keeps neutral draws with a probability below 1"
            )

    @property
    def size(self) -> int:
        return len(self.sensitive)

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.sensitive)

    @cached_property
    def columns(self) -> SetColumns:
        """The base's weights on sensitive items; δ relative to the neutral draw on the others."""
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

    def draw(self, codes: Codes, keep: int, keep_empty: int, source: Source) -> tuple[Reports, Flags]:
        raise UnsupportedError("a lifted channel is not lifted again")

    def sample(self, codes: Codes, source: Source) -> Reports:
        codes = codes.astype(np.int64, copy=False)
        drawn, revealed = self.base.draw(self.ranks[codes], self.keep, self.keep_empty, source)
        if isinstance(drawn, SetReports):
            return self.placed(drawn, revealed, codes)
        if isinstance(drawn, HashedReports):
            limit = drawn.limit + self.size
            buckets = np.where(revealed, drawn.limit + codes, drawn.buckets).astype(code_dtype(limit))
            return HashedReports(np.where(revealed, 0, drawn.seeds), buckets, drawn.seed_limit, limit)
        assert isinstance(drawn, CodeReports)
        limit = drawn.limit + self.size
        return CodeReports(np.where(revealed, drawn.limit + codes, drawn.codes).astype(code_dtype(limit)), limit)

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """The item of the base that stands for each sensitive item; a neutral draw for the others."""
        return np.where(self.sensitive, np.cumsum(self.sensitive) - 1, kernels.NEUTRAL)

    def placed(self, drawn: SetReports, revealed: Flags, codes: Codes) -> SetReports:
        """Sets of the base as sets of the whole domain; those that are flagged name the own item alone."""
        out = np.zeros((len(codes), -(-self.size // 64)), dtype=np.uint64)
        kernels.scatter(drawn.words, revealed, codes, self._places, out)
        return SetReports(out, self.size)

    def _split(self, reports: Reports) -> tuple[Reports, NDArray[np.int64]]:
        """The reports of the base, and the item that each report reveals (−1 for none; its base report is then void)."""
        if isinstance(reports, SetReports):
            dense = reports.dense()
            named = dense & ~self.sensitive
            revealed = np.where(named.any(axis=1), named.argmax(axis=1), -1)
            return SetReports.of_dense(dense[:, self.sensitive]), revealed
        if isinstance(reports, HashedReports):
            inner, revealed = self._inner(reports.buckets, reports.limit)
            return HashedReports(reports.seeds, inner, reports.seed_limit, reports.limit - self.size), revealed
        assert isinstance(reports, CodeReports)
        inner, revealed = self._inner(reports.codes, reports.limit)
        return CodeReports(inner, reports.limit - self.size), revealed

    def _inner(self, column: NDArray[Any], limit: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Codes of the base, and the items that are revealed: their codes follow those of the base."""
        values = column.astype(np.int64)
        revealed = np.where(values >= limit - self.size, values - (limit - self.size), -1)
        return np.where(revealed >= 0, 0, values), revealed

    def member(self, reports: Reports) -> NDArray[np.bool_]:
        inner, revealed = self._split(reports)
        member = np.zeros((len(reports), self.size), dtype=np.bool_)
        member[:, self.sensitive] = self.base.member(inner)
        rows = np.flatnonzero(revealed >= 0)
        member[rows] = False
        member[rows, revealed[rows]] = True
        return member

    def example(self, inside: Sequence[int], outside: Sequence[int]) -> Any:
        """A protected report: other free items count for nothing, but some sensitive item must be in it."""
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
        if isinstance(self.base, SetChannel):
            return [code]
        shown = self._limits()[1] - self.size + code
        return (0, shown) if isinstance(self.base, HashedChannel) else shown

    def outputs(self) -> list[Any]:
        inner, others = self.base.outputs(), np.flatnonzero(~self.sensitive).tolist()
        if isinstance(self.base, SetChannel):
            places = self._places.tolist()
            return [[places[j] for j in items] for items in inner] + [[x] for x in others]
        return inner + [len(inner) + x for x in others]

    def _numerators(self) -> NDArray[Any]:
        return self._lifted_rows(self.base.matrix(exact=True) * ONE, self.base.columns)

    def matrix_under(self, seed: int, *, exact: bool = False) -> NDArray[Any]:
        """The matrix of the bucket report under one hash function, invertible reports behind the buckets."""
        if not isinstance(self.base, HashedChannel):
            raise UnsupportedError("only hashed reports name a hash function; use matrix()")
        rows = self._lifted_rows(self.base.matrix_under(seed, exact=True) * ONE, self.base.columns) / ONE
        return rows if exact else rows.astype(np.float64)

    def _lifted_rows(self, inner: NDArray[Any], weights: SetColumns) -> NDArray[Any]:
        others = np.flatnonzero(~self.sensitive)
        rows = np.full((self.size, inner.shape[1] + len(others)), Fraction(0), dtype=object)
        rows[self._places, : inner.shape[1]] = inner
        for y in range(inner.shape[1]):
            column = inner[:, y].tolist()
            filled = self._contains(column, y)
            neutral = max(column) / (weights.high[0] if filled else weights.low[0])
            rows[others, y] = neutral * (self.keep if filled else self.keep_empty) / ONE
        for place, x in enumerate(others):
            rows[x, inner.shape[1] + place] = ONE - sum(rows[x, : inner.shape[1]])
        return rows

    def _contains(self, column: list[Fraction], y: int) -> bool:
        """Whether some sensitive item is in the set of the y-th report."""
        if isinstance(self.base, HashedChannel):
            return max(column) > Fraction(int(self.base.direct.noise[0]))
        output = self.base.outputs()[y]
        return (
            bool(output)
            if isinstance(output, list)
            else bool(self.base.member(CodeReports(np.array([output]), len(self.base.outputs()))).any())
        )

    def reports_from_bytes(self, data: bytes) -> Reports:
        if isinstance(self.base, SetChannel):
            return self._possible(SetReports.from_bytes(data, self.size))
        if isinstance(self.base, HashedChannel):
            return self._possible(HashedReports.from_bytes(data, *self._limits()))
        return self._possible(CodeReports.from_bytes(data, self._limits()[1]))

    def reports_from_arrow(self, table: pa.Table | pa.RecordBatch) -> Reports:
        if isinstance(self.base, SetChannel):
            return self._possible(SetReports.from_arrow(table, self.size))
        if isinstance(self.base, HashedChannel):
            return self._possible(HashedReports.from_arrow(table, *self._limits()))
        return self._possible(CodeReports.from_arrow(table, self._limits()[1]))

    def _limits(self) -> tuple[int, int]:
        """Bounds of the seed and of the code: invertible reports follow those of the base."""
        empty = self.base.reports_from_bytes(b"")
        if isinstance(empty, HashedReports):
            return empty.seed_limit, empty.limit + self.size
        assert isinstance(empty, CodeReports)
        return 0, empty.limit + self.size

    def _possible(self, reports: Reports) -> Reports:
        inner, revealed = self._split(reports)
        if (self.sensitive[revealed[revealed >= 0]]).any():
            raise ReportError("a report reveals a sensitive item; such a report was not made by this channel")
        if isinstance(reports, SetReports) and isinstance(inner, SetReports) and isinstance(self.base, SetChannel):
            if (reports.sizes[revealed >= 0] != 1).any():
                raise ReportError("a report reveals an item and names others; such a report was not made by this channel")
            self.base._possible(inner[np.flatnonzero(revealed < 0)])
        if isinstance(inner, HashedReports) and (inner.seeds[revealed >= 0] != 0).any():
            raise ReportError("a report that reveals its item carries a seed; such a report was not made by this channel")
        return reports
