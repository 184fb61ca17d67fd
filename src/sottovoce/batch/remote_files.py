"""Reports that stay in their files: each pass of the likelihood reads them again, on all cores and in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sottovoce.batch.counting import ReportsFile, Unit, good_reports
from sottovoce.estimators.afar import Afar
from sottovoce.estimators.model import Floats, Likelihood, Sums
from sottovoce.estimators.passes import ReportsLikelihood
from sottovoce.estimators.pieces import counts_of, of_counts, pieces
from sottovoce.parallel import in_order
from sottovoce.reports import PopulationReports
from sottovoce.study import Study

#: A piece of the likelihood: the name of its block, and its own.
Key = tuple[str, str]


@dataclass(frozen=True)
class Heap:
    """What was found of some reports of a piece: how many have to be gone through, and something that adds up."""

    n: int
    found: Any

    def __add__(self, other: Heap) -> Heap:
        return Heap(self.n + other.n, self.found + other.found)


class RemoteFiles(Afar):
    """The reports of Parquet files, those of some blocks of a study; rows that are none were told when they were counted."""

    def __init__(self, study: Study, files: Sequence[ReportsFile], names: Sequence[str]) -> None:
        self._study, self._files = study, files
        heaps = self._passed(names, _counted)
        self.others = {name: sum(heap.n for (block, _), heap in heaps.items() if block == name) for name in names}
        self.counted = {
            name: [
                of_counts(study.blocks[name].channel, piece, heap.found)
                for (block, piece), heap in heaps.items()
                if block == name and not heap.n
            ]
            for name in names
        }

    def sums(self, names: Sequence[str], p: Floats, *, curved: bool) -> list[tuple[int, Sums]]:
        heaps = self._passed(names, lambda piece: _summed(piece, p, curved=curved))
        return [(heap.n, heap.found) for heap in heaps.values()]

    def _passed(self, names: Sequence[str], work: Callable[[Likelihood], Heap | None]) -> dict[Key, Heap]:
        """What `work` finds of each piece of the reports, added up in an order that is always the same."""

        def over(unit: Unit) -> dict[Key, Heap]:
            found: dict[Key, Heap] = {}
            for key, piece in self._pieces(unit, names):
                heap = work(piece)
                if heap is not None:
                    found[key] = found[key] + heap if key in found else heap
            return found

        total: dict[Key, Heap] = {}
        for found in in_order(over, (unit for file in self._files for unit in file.work(self._study))):
            for key, heap in found.items():
                total[key] = total[key] + heap if key in total else heap
        for file in self._files:
            file.unchanged()
        return dict(sorted(total.items()))

    def _pieces(self, unit: Unit, names: Sequence[str]) -> Iterator[tuple[Key, Likelihood]]:
        for batch in unit.batches():
            for reports in good_reports(self._study.mechanism, batch, lambda row, reason: None):
                parts = reports.parts if isinstance(reports, PopulationReports) else {"": reports}
                for name in names:
                    found = pieces(self._study.blocks[name].channel, parts[name], distinct=False) if len(parts[name]) else {}
                    yield from (((name, each), piece) for each, piece in found.items())


def _counted(piece: Likelihood) -> Heap:
    """How many reports of a piece have to be gone through, or the counts that it is."""
    return Heap(int(piece.n), 0) if isinstance(piece, ReportsLikelihood) else Heap(0, counts_of(piece))


def _summed(piece: Likelihood, p: Floats, *, curved: bool) -> Heap | None:
    return Heap(int(piece.n), piece.sums(p, curved=curved)) if isinstance(piece, ReportsLikelihood) else None
