"""From files of reports to a tally, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa

from sottovoce.batch.inputs import Opened, opened
from sottovoce.batch.outputs import write_whole
from sottovoce.batch.rows import Skipped, salvage
from sottovoce.batch.seen import Seen
from sottovoce.batch.tables import open_parquet, parquet_batches, read_lines
from sottovoce.errors import ParameterError, ReportError
from sottovoce.mechanisms import Mechanism, Population
from sottovoce.progress import Progress
from sottovoce.reports import Reports
from sottovoce.study import Study
from sottovoce.tallies import Tally
from sottovoce.tallies.tally import LIKELIHOOD
from sottovoce.wire import STUDY_KEY, Body, body, reports_of

#: Bytes of reports that are kept for the likelihood, unless a method asks for them.
KEPT = 1 << 29


@dataclass
class Collected:
    """A tally, the rows that were left out, and what should be known about the files."""

    tally: Tally
    skipped: Skipped
    cautions: list[str] = field(default_factory=list)
    seen: Seen = field(default_factory=Seen, repr=False)


def collect(
    study: Study,
    paths: Sequence[str],
    *,
    method: str | None = None,
    keep: bool | None = None,
    form: str | None = None,
    strict: bool = False,
) -> Collected:
    """Count the reports of files, and add up tallies.

    Reports are kept where the likelihood needs them: as `keep` says, or for a `method` that needs them, or (by default) as long as
    they take little room.
    """
    wanted = (method is None or method in LIKELIHOOD) if keep is None else keep
    limited = keep is None and method is None
    found = Collected(Tally(study.mechanism, keep_reports=wanted), Skipped(strict))
    if wanted and all(block.piles is None for block in found.tally.blocks):
        found.tally, limited = Tally(study.mechanism), False
    with Progress("counting reports") as bar:
        for number, path in enumerate(paths):
            with opened(path, form) as source:
                for part in _parts(study, source, found):
                    _add(found, part, limited=limited)
                    bar.at((number + source.done) / len(paths), f"{found.tally.n:,} reports")
    return found


def _add(found: Collected, part: Reports | Tally, *, limited: bool) -> None:
    if isinstance(part, Reports):
        found.tally = found.tally.add(part)
    else:
        if part.keep_reports != found.tally.keep_reports:
            part, found.tally = part.totals(), found.tally.totals()
        found.tally = found.tally + part
    if limited and found.tally.keep_reports and _room(found.tally) > KEPT:
        found.tally = found.tally.totals()
        found.cautions.append(
            "The reports were too many to keep, and only their totals were used; "
            "maximum likelihood would use more of what they say: ask for it with --method mle."
        )


def _room(tally: Tally) -> int:
    """About how many bytes the kept reports take."""
    return sum(len(pile) * max(1, pile[:1].records().shape[1]) for block in tally.blocks for pile in block.piles or ())


def _parts(study: Study, source: Opened, found: Collected) -> Iterator[Reports | Tally]:
    match source.format:
        case "arrow":
            yield read_tally(study, source)
        case "parquet":
            yield from _parquet(study, source, found)
        case "ndjson":
            yield from _ndjson(study, source, found)
        case _:
            raise ParameterError(
                f"{source.name} is {source.format}; reports are read from Parquet or NDJSON (perturb writes them), tallies from .arrow"
            )


def _parquet(study: Study, source: Opened, found: Collected) -> Iterator[Reports]:
    file = open_parquet(source)
    made_under = (file.schema_arrow.metadata or {}).get(STUDY_KEY)
    if made_under is None:
        found.cautions.append(f"{source.name} does not say which study its reports were made under.")
    elif made_under.decode("ascii", "replace") != study.fingerprint:
        raise ReportError(_other(source.name, made_under.decode("ascii", "replace"), study))
    names = file.schema_arrow.names
    wanted = [name for name in ("level", "seed", "report") if name in names]
    if "report" not in names:
        raise ReportError(f"{source.name} has no column 'report'; its columns are {', '.join(names)}: is it a file of reports?")
    first = 1
    for batch in parquet_batches(file, source, wanted):
        yield from _good(study.mechanism, batch, found.skipped, source.name, first)
        first += batch.num_rows


def _good(mechanism: Mechanism | Population, batch: pa.RecordBatch, skipped: Skipped, name: str, first: int) -> list[Reports]:
    reader = mechanism.reports_from_arrow if isinstance(mechanism, Population) else mechanism.channel.reports_from_arrow
    good = salvage(batch, reader, lambda row, reason: skipped.add(f"{name}, row {first + row}", reason))
    skipped.use(sum(len(part) for part in good), name)
    return good


def _ndjson(study: Study, source: Opened, found: Collected) -> Iterator[Reports]:
    skipped = found.skipped
    for start, lines in read_lines(source):
        bodies: list[Body] = []
        places: list[int] = []
        for place, line in enumerate(lines, start):
            if line.isspace():
                continue
            try:
                bodies.append(body(line, study.fingerprint))
            except ReportError as error:
                skipped.add(f"{source.name}, line {place}", str(error))
                continue
            places.append(place)
        good = salvage(
            range(len(bodies)),
            lambda rows, bodies=bodies: (rows, reports_of(study.mechanism, bodies[rows.start : rows.stop])),  # type: ignore[misc]  # bound now
            lambda row, reason, places=places: skipped.add(f"{source.name}, line {places[row]}", reason),  # type: ignore[misc]  # likewise
        )
        for rows, reports in good:
            fresh = found.seen.fresh([bodies[row].id for row in rows])
            for row in np.flatnonzero(~fresh).tolist():
                skipped.add(f"{source.name}, line {places[rows[row]]}", "its id was counted already")
            skipped.use(int(fresh.sum()), source.name)
            yield reports if fresh.all() else reports[fresh]
        skipped.use(0, source.name)


def save_tally(path: str | Path, study: Study, tally: Tally) -> None:
    """Write a tally with the fingerprint of its study."""
    write_whole(path, tally_bytes(study, tally))


def tally_bytes(study: Study, tally: Tally) -> bytes:
    """A tally as an Arrow stream, with the fingerprint of its study."""
    table = tally.to_arrow()
    table = table.replace_schema_metadata({**(table.schema.metadata or {}), STUDY_KEY: study.fingerprint.encode()})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def read_tally(study: Study, source: Opened) -> Tally:
    """Read what `save_tally` wrote, for the same study."""
    try:
        with pa.ipc.open_stream(source.file.read()) as reader:
            table = reader.read_all()
    except (pa.ArrowException, OSError, UnicodeDecodeError, ValueError) as error:
        raise ReportError(f"{source.name} is not a tally, or is broken: {error}") from None
    made_under = (table.schema.metadata or {}).get(STUDY_KEY, b"").decode("ascii", "replace")
    if made_under and made_under != study.fingerprint:
        raise ReportError(_other(source.name, made_under, study))
    try:
        return Tally.from_arrow(study.mechanism, table)
    except ReportError as error:
        raise ReportError(f"{source.name}: {error}") from None


def _other(name: str, made_under: str, study: Study) -> str:
    return (
        f"{name} was made under another study (fingerprint {made_under}; {study.name!r} has {study.fingerprint}); "
        "use the study file that the reports were made with, or its compiled form"
    )
