"""Matrix channels: any finite table of probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arithmetic import ONE, apportion
from sottovoce.channels import kernels
from sottovoce.channels.base import Channel, Codes, Floats, draw_fixed, frozen
from sottovoce.channels.columns import NOTHING, Columns, Extreme, Mask, largest, ratio
from sottovoce.channels.information import Bounds, total_xlogx
from sottovoce.errors import ParameterError, ReportError
from sottovoce.later import pa
from sottovoce.policy import Prior
from sottovoce.reports import CodeReports, Reports
from sottovoce.reports.base import code_dtype
from sottovoce.sources import Source, Words


@dataclass(frozen=True)
class MatrixColumns(Columns):
    """Columns written out: `rows[x][y]`, integers out of a common total. Columns with one positive entry are invertible."""

    rows: NDArray[Any]
    invertible: Mask = field(init=False)
    _protected: list[int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        support = self.rows != 0
        alone = support.sum(axis=0) == 1
        object.__setattr__(self, "invertible", (support & alone).any(axis=1))
        object.__setattr__(self, "_protected", np.flatnonzero(~alone & support.any(axis=0)).tolist())

    def _column(self, y: int) -> list[int]:
        return [int(entry) for entry in self.rows[:, y]]

    def largest_pair(self, numerators: Mask, denominators: Mask, prior: Prior | None = None) -> Extreme:
        weights = [1] * len(self.rows) if prior is None else list(prior.weights)
        above, below = np.flatnonzero(numerators).tolist(), np.flatnonzero(denominators).tolist()

        def candidates() -> Iterable[Extreme]:
            for y in self._protected:
                column = [entry * weight for entry, weight in zip(self._column(y), weights, strict=True)]
                top = sorted(above, key=column.__getitem__, reverse=True)[:2]
                bottom = sorted(below, key=column.__getitem__)[:2]
                for x in top:
                    for other in bottom:
                        if x != other:
                            yield Extreme(ratio(Fraction(column[x]), Fraction(column[other])), y, x, other)

        return largest(candidates())

    def belief_ratios(self, prior: Prior) -> tuple[Extreme, Extreme]:
        up, down = NOTHING, NOTHING
        for y in self._protected:
            column = self._column(y)
            mean = Fraction(sum(weight * entry for weight, entry in zip(prior.weights, column, strict=True)), prior.total)
            least, most = min(range(len(column)), key=column.__getitem__), max(range(len(column)), key=column.__getitem__)
            up = largest([up, Extreme(ratio(mean, Fraction(column[least])), y, least)])
            down = largest([down, Extreme(Fraction(column[most]) / mean, y, most)])
        return up, down

    def _protected_ratio(self, above: Sequence[Fraction], below: Sequence[Fraction]) -> Extreme:
        def weighted(weights: Sequence[Fraction], y: int) -> Fraction:
            return sum((weight * entry for weight, entry in zip(weights, self._column(y), strict=True)), Fraction(0))

        return largest(Extreme(ratio(weighted(above, y), weighted(below, y)), y) for y in self._protected)


@dataclass(frozen=True, eq=False)
class MatrixChannel(Channel):
    """Q(y|x) = rows[x][y]/2^64; each row sums to exactly 2^64."""

    rows: NDArray[Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", frozen(self.rows, object))
        rows = self.rows.tolist() if self.rows.ndim == 2 and self.rows.size else [[0]]
        if any(type(entry) is not int for row in rows for entry in row) or any(sum(row) != ONE or min(row) < 0 for row in rows):
            raise ParameterError("every row of a matrix channel must consist of non-negative integers that sum to exactly 2^64")

    @classmethod
    def from_probabilities(cls, rows: Sequence[Sequence[Fraction]]) -> MatrixChannel:
        """Each row rounded to integers out of 2^64 that sum exactly; zeros stay zeros."""
        integers = np.zeros((len(rows), len(rows[0])), dtype=object)
        for x, row in enumerate(rows):
            support = [y for y, entry in enumerate(row) if entry > 0]
            integers[x, support] = apportion([row[y] for y in support])
        return cls(integers)

    @property
    def size(self) -> int:
        return len(self.rows)

    @property
    def length(self) -> int:
        """The number of reports L."""
        return self.rows.shape[1]

    @cached_property
    def columns(self) -> MatrixColumns:
        return MatrixColumns(self.rows)

    @cached_property
    def _cumulative(self) -> NDArray[np.uint64]:
        sums = np.cumsum(self.rows, axis=1)[:, :-1]
        return frozen(np.where(sums == ONE, ONE - 1, sums), np.uint64)

    @cached_property
    def _last(self) -> NDArray[np.int64]:
        """The last report that a row can produce: it takes the words above every threshold of the row."""
        return frozen(self.length - 1 - np.argmax((self.rows != 0)[:, ::-1], axis=1), np.int64)

    def sample(self, codes: Codes, source: Source) -> Reports:
        out = np.empty(len(codes), dtype=code_dtype(self.length))

        def body(rows: slice, words: Words) -> None:
            kernels.matrix(codes[rows], words, self._cumulative, self._last, out[rows])

        draw_fixed(len(codes), 1, source, body)
        return CodeReports(out, self.length)

    def outputs(self) -> list[int]:
        return list(range(self.length))

    def _numerators(self) -> NDArray[Any]:
        return self.rows

    def revealing(self, code: int) -> int | None:
        named = self.rows != 0
        alone = np.flatnonzero(named[code] & (named.sum(axis=0) == 1))
        return int(alone[0]) if len(alone) else None

    def _likelihood(self, reports: Reports) -> Floats:
        assert isinstance(reports, CodeReports)
        return self.matrix().T[reports.codes]

    def leakage(self) -> Bounds:
        return Bounds.around(float(sum(max(column) for column in self.rows.T.tolist()) / ONE), terms=self.length)

    def information(self, prior: Prior) -> Bounds:
        q, p = self.matrix(), prior.p
        return Bounds.around(
            float(sum(weight * total_xlogx(row) for weight, row in zip(p, q, strict=True))) - total_xlogx(p @ q),
            terms=self.size * self.length,
        )

    def reports_from_bytes(self, data: bytes) -> Reports:
        return self._possible(CodeReports.from_bytes(data, self.length))

    def reports_from_arrow(self, table: pa.Table | pa.RecordBatch) -> Reports:
        return self._possible(CodeReports.from_arrow(table, self.length))

    def _possible(self, reports: CodeReports) -> CodeReports:
        never = ~(self.rows != 0).any(axis=0)
        if never[reports.codes].any():
            raise ReportError("a report has probability zero under every item; such a report was not made by this channel")
        return reports
