"""Reports and tallies from files that are read from start to end: NDJSON, tallies, and Parquet from a pipe or a gzip file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from sottovoce.batch.batches import row_place
from sottovoce.batch.collected import Collected
from sottovoce.batch.dedup import SeenIds
from sottovoce.batch.foreign_files import kind_of_binary
from sottovoce.batch.good_reports import reports_of_file
from sottovoce.batch.input_files import Opened
from sottovoce.batch.left_out import LeftOut
from sottovoce.batch.parquet_reports import checked_columns
from sottovoce.batch.readers import open_parquet, parquet_batches, read_lines
from sottovoce.batch.skipped_rows import SkippedRows, salvage
from sottovoce.batch.tally_files import left_out_of, read_tally
from sottovoce.errors import ParameterError, ReportError
from sottovoce.mechanisms import Mechanism, Population
from sottovoce.reports import Reports
from sottovoce.study import Study
from sottovoce.tallies import Tally
from sottovoce.wire import Body, body, reports_of


def read_reports(study: Study, source: Opened, found: Collected, seen: SeenIds) -> Iterator[Reports | Tally]:
    """Read a file in batches. Skipped rows and cautions go to `found`, identifiers to `seen`."""
    match source.format:
        case "arrow":
            data = source.file.read()
            tally = read_tally(study, data, source.name)
            found.left_out += left_out_of(data)
            yield tally
        case "parquet":
            file = open_parquet(source)
            columns, caution = checked_columns(file.schema_arrow, source.name, study)
            if caution is not None:
                found.cautions.append(caution)
            found.left_out += LeftOut.of(file.metadata.metadata)
            yield from reports_of_file(study.mechanism, parquet_batches(file, source, columns), source.name, found.skipped)
        case "ndjson":
            yield from _ndjson(study, source, found.skipped, seen)
        case _:
            what = "empty" if not source.head else kind_of_binary(source.head) or f"a file of answers or text ({source.format})"
            raise ParameterError(f"{source.name} is {what}. Use Parquet or NDJSON files from perturb, or a tally (.arrow).")


def _ndjson(study: Study, source: Opened, skipped: SkippedRows[str], seen: SeenIds) -> Iterator[Reports]:
    """Reports whose identifiers are new."""
    for start, lines in read_lines(source):
        bodies: list[Body] = []
        numbers: list[int] = []
        for number, line in enumerate(lines, start):
            if line.isspace():
                continue
            try:
                bodies.append(body(line, study.fingerprint))
            except ReportError as error:
                skipped.add(f"{source.name}, line {number}", str(error))
                continue
            numbers.append(number)
        good = salvage(
            range(len(bodies)),
            partial(_reports_in, study.mechanism, bodies),
            partial(_skip, skipped, f"{source.name}, line", numbers),
        )
        for rows, reports in good:
            fresh = seen.fresh([bodies[row].id for row in rows])
            for row in np.flatnonzero(~fresh).tolist():
                skipped.add(f"{source.name}, line {numbers[rows[row]]}", "its id was already counted")
            skipped.use(int(fresh.sum()), source.name)
            yield reports if fresh.all() else reports[fresh]
        skipped.use(0, source.name)


def _reports_in(mechanism: Mechanism | Population, bodies: Sequence[Body], rows: range) -> tuple[range, Reports]:
    return rows, reports_of(mechanism, bodies[rows.start : rows.stop])


def _skip(skipped: SkippedRows[str], where: str, numbers: Sequence[int], row: int, reason: str) -> None:
    skipped.add(row_place(where, numbers, row), reason)
