"""Matrix channels: any finite table of probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arithmetic import ONE, apportion, exp_below, threshold_above
from sottovoce.arrays import Mask
from sottovoce.channels.information import Bounds
from sottovoce.channels.inversion import matrix_of
from sottovoce.channels.matrix import kernels
from sottovoce.channels.matrix_columns import MatrixColumns
from sottovoce.channels.protocol import Channel, Codes
from sottovoce.channels.sampling import draw_fixed
from sottovoce.channels.statistic import PerReport
from sottovoce.channels.tables import frozen
from sottovoce.errors import ParameterError
from sottovoce.reports import CodeReports, Reports
from sottovoce.reports.base import code_dtype
from sottovoce.sources import Source, Words


@dataclass(frozen=True, eq=False)
class MatrixChannel(Channel, kind="matrix"):
    """Any finite table of probabilities: Q(y|x) = rows[x][y]/2^64, where each row sums to exactly 2^64."""

    rows: NDArray[Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", frozen(self.rows, object))
        rows = self.rows.tolist() if self.rows.ndim == 2 and self.rows.size else [[0]]
        if any(type(entry) is not int for row in rows for entry in row) or any(sum(row) != ONE or min(row) < 0 for row in rows):
            raise ParameterError("A row has a negative number or doesn't sum to exactly 2^64. Correct the rows.")

    @classmethod
    def from_probabilities(cls, rows: Sequence[Sequence[Fraction]]) -> MatrixChannel:
        """Round each row to integers out of 2^64 that sum exactly. Zeros stay zeros."""
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
    def empty(self) -> CodeReports:
        return CodeReports(np.zeros(0, dtype=np.int64), self.length)

    @cached_property
    def columns(self) -> MatrixColumns:
        return MatrixColumns(self.rows)

    @cached_property
    def statistic(self) -> PerReport:
        return PerReport(self.empty, matrix=partial(matrix_of, self))

    @cached_property
    def _cumulative(self) -> NDArray[np.uint64]:
        sums = np.cumsum(self.rows, axis=1)[:, :-1]
        return frozen(np.where(sums == ONE, ONE - 1, sums), np.uint64)

    @cached_property
    def _last(self) -> NDArray[np.int64]:
        """The last report that a row can produce, which gets the words above every threshold of the row."""
        return frozen(self.length - 1 - np.argmax((self.rows != 0)[:, ::-1], axis=1), np.int64)

    def sample(self, codes: Codes, source: Source) -> Reports:
        out = np.empty(len(codes), dtype=code_dtype(self.length))

        def body(rows: slice, words: Words) -> None:
            kernels.matrix(codes[rows], words, self._cumulative, self._last, out[rows])

        draw_fixed(len(codes), 1, source, body)
        return CodeReports(out, self.length)

    def numerators(self) -> NDArray[Any]:
        return self.rows

    def leakage(self) -> Bounds:
        return Bounds.around(float(sum(max(column) for column in self.rows.T.tolist()) / ONE), terms=self.length)

    def lifted(self, sensitive: Mask, epsilon: float) -> MatrixChannel:
        inverse = 1 / exp_below(epsilon)
        floor = [threshold_above(inverse * Fraction(max(column), ONE)) for column in self.rows.T.tolist()]
        others = np.flatnonzero(~sensitive)
        rows = np.zeros((len(sensitive), self.length + len(others)), dtype=object)
        rows[np.flatnonzero(sensitive), : self.length] = self.rows
        rows[others, : self.length] = floor
        rows[others, self.length + np.arange(len(others))] = ONE - sum(floor)
        return MatrixChannel(rows)

    def as_matrix(self) -> Channel:
        return self if type(self) is MatrixChannel else super().as_matrix()

    def form(self) -> dict[str, Any]:
        return {"kind": "matrix", "rows": [[str(entry) for entry in row] for row in self.rows.tolist()]}

    @classmethod
    def of_form(cls, form: Mapping[str, Any]) -> MatrixChannel:
        return cls(np.array([[int(entry) for entry in row] for row in form["rows"]], dtype=object))
