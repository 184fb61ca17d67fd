"""Remote reports in files: each pass of the likelihood reads them again, on all cores and in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.batch.good_reports import by_block, good_reports
from sottovoce.batch.parquet_reports import ReportsFile, Unit
from sottovoce.channels.likelihood import Likelihood, ReportsLikelihood, Sums
from sottovoce.estimators.remote_likelihood import RemoteReports
from sottovoce.parallel import in_order
from sottovoce.study import Study

#: A piece of the likelihood: the name of its block, and its own.
Key = tuple[str, str]
#: What adds up: counts, or the sums of a pass.
Found = TypeVar("Found", Floats, Sums)


@dataclass(frozen=True)
class _Piece(Generic[Found]):
    """The result for some reports of a piece: how many must be read again, and a part that adds up."""

    n: int
    found: Found

    def __add__(self, other: _Piece[Found]) -> _Piece[Found]:
        return _Piece(self.n + other.n, self.found + other.found)


class RemoteFiles(RemoteReports):
    """The reports in Parquet files for some blocks of a study. Invalid rows were counted when the files were counted."""

    def __init__(self, study: Study, files: Sequence[ReportsFile], names: Sequence[str]) -> None:
        self._study, self._files = study, files
        found = self._passed(names, _counted)
        self.others = {name: sum(piece.n for (block, _), piece in found.items() if block == name) for name in names}
        self.counted = {
            name: [
                study.blocks[name].channel.model.counted(each, piece.found)
                for (block, each), piece in found.items()
                if block == name and not piece.n
            ]
            for name in names
        }

    def sums(self, names: Sequence[str], p: Floats, *, curved: bool) -> list[tuple[int, Sums]]:
        return [(piece.n, piece.found) for piece in self._passed(names, lambda each: _summed(each, p, curved=curved)).values()]

    def _passed(self, names: Sequence[str], work: Callable[[Likelihood], _Piece[Found] | None]) -> dict[Key, _Piece[Found]]:
        """Apply `work` to each piece of the reports, and add up the results in a fixed order."""

        def over(unit: Unit) -> dict[Key, _Piece[Found]]:
            return _summed_up((key, found) for key, each in self._pieces(unit, names) if (found := work(each)) is not None)

        units = (unit for file in self._files for unit in file.work(self._study))
        total = _summed_up(pair for found in in_order(over, units) for pair in found.items())
        for file in self._files:
            file.unchanged()
        return dict(sorted(total.items()))

    def _pieces(self, unit: Unit, names: Sequence[str]) -> Iterator[tuple[Key, Likelihood]]:
        for batch in unit.batches():
            for reports in good_reports(self._study.mechanism, batch, lambda row, reason: None):
                parts = by_block(reports)
                for name in names:
                    model = self._study.blocks[name].channel.model
                    found = model.pieces(parts[name], distinct=False) if len(parts[name]) else {}
                    yield from (((name, each), piece) for each, piece in found.items())


def _summed_up(pairs: Iterable[tuple[Key, _Piece[Found]]]) -> dict[Key, _Piece[Found]]:
    total: dict[Key, _Piece[Found]] = {}
    for key, piece in pairs:
        total[key] = total[key] + piece if key in total else piece
    return total


def _counted(piece: Likelihood) -> _Piece[Floats]:
    """How many reports of a piece must be read again, or the counts if those are enough."""
    counts = piece.counted
    return _Piece(int(piece.n), np.zeros(1)) if counts is None else _Piece(0, counts)


def _summed(piece: Likelihood, p: Floats, *, curved: bool) -> _Piece[Sums] | None:
    return _Piece(int(piece.n), piece.sums(p, curved=curved)) if isinstance(piece, ReportsLikelihood) else None
