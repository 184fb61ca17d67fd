"""Reports from Arrow columns. Invalid rows are found, each with its reason, and the others are used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

import numpy as np

from sottovoce.batch.skipped_rows import SkippedRows, salvage
from sottovoce.later import pa
from sottovoce.mechanisms import Mechanism, Population
from sottovoce.reports import PopulationReports, Reports
from sottovoce.reports.base import without_value


def reader_of(mechanism: Mechanism | Population) -> Callable[[pa.RecordBatch], Reports]:
    """Return a function that reads reports from Arrow columns, and refuses those that the mechanism can't have made."""
    return mechanism.reports_from_arrow if isinstance(mechanism, Population) else mechanism.channel.reports_from_arrow


def good_reports(mechanism: Mechanism | Population, batch: pa.RecordBatch, bad: Callable[[int, str], None]) -> list[Reports]:
    """The valid reports of a batch. Invalid rows are passed to `bad` with the reason, in order."""
    reader, found = reader_of(mechanism), list(_nulls(batch))
    if not found:
        return salvage(batch, reader, bad)
    rows = np.setdiff1d(np.arange(batch.num_rows), [row for row, _ in found])  # the commonest fault is found at once, others by halving
    good = salvage(batch.take(pa.array(rows)), reader, lambda row, reason: found.append((int(rows[row]), reason)))
    for row, reason in sorted(found):
        bad(row, reason)
    return good


def _nulls(batch: pa.RecordBatch) -> Iterator[tuple[int, str]]:
    """The rows without a value in some column."""
    known = np.zeros(batch.num_rows, dtype=np.bool_)
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if column.null_count:
            missing = column.is_null().to_numpy(zero_copy_only=False) & ~known
            known |= missing
            yield from ((row, without_value(name)) for row in np.flatnonzero(missing).tolist())


def reports_of_file(
    mechanism: Mechanism | Population,
    batches: Iterable[pa.RecordBatch],
    name: str,
    skipped: SkippedRows[str],
    *,
    first: int = 0,
    give_up: bool = True,
) -> Iterator[Reports]:
    """The reports of some rows of a file, starting with row number `first` (from 0). Invalid rows are skipped and counted.

    With `give_up`, a file that begins with very many invalid rows raises an error, because it's probably the wrong kind of file.
    """
    for batch in batches:
        found = good_reports(mechanism, batch, partial(_skip, skipped, name, first))
        for reports in found:
            skipped.used += len(reports)
            yield reports
        if give_up:
            skipped.use(0, name)
        first += batch.num_rows


def _skip(skipped: SkippedRows[str], name: str, first: int, row: int, reason: str) -> None:
    skipped.add(f"{name}, row {first + row + 1}", reason)


def by_block(reports: Reports) -> Mapping[str, Reports]:
    """The reports of each block of a study, in the order of the blocks."""
    return {name: reports.parts[name] for name in reports.names} if isinstance(reports, PopulationReports) else {"": reports}
