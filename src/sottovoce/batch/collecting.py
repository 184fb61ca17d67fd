"""From files of reports to a tally, in bounded memory and on all cores."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

import numpy as np

from sottovoce.batch.counting import UNSAID, ChangedError, Counted, ReportsFile, added, checked_columns, count_files, good_reports
from sottovoce.batch.dedup import SeenIds
from sottovoce.batch.exported_chunks import chunk_keys
from sottovoce.batch.input_files import Opened, Stamp, copies, digest_of, once_each, opened
from sottovoce.batch.readers import open_parquet, parquet_batches, read_lines
from sottovoce.batch.remote_files import RemoteFiles
from sottovoce.batch.skipped_rows import SkippedRows, salvage
from sottovoce.batch.tally_cache import TallyCache
from sottovoce.batch.tally_files import read_tally
from sottovoce.errors import ParameterError, ReportError
from sottovoce.parallel import in_order
from sottovoce.progress import Progress
from sottovoce.reports import Reports
from sottovoce.study import Study
from sottovoce.tallies import Tally
from sottovoce.tallies.tally import LIKELIHOOD
from sottovoce.wire import Body, body, reports_of

#: Bytes of reports that are kept for the likelihood, and the methods for which more of them stay in their files.
KEPT = 1 << 29
STAYING = LIKELIHOOD - {"corrected"}
#: Reports, and bytes of a tally, from which on two equal files are one file and its copy, and no chance.
_REPORTS, _TALLY = 100, 1 << 12
#: Files that are named one by one if they do not name their study.
_SILENT = 3


@dataclass
class Collected:
    """A tally, the rows that were left out, and what should be known about the files; `again` of these were counted before."""

    tally: Tally
    skipped: SkippedRows
    cautions: list[str] = field(default_factory=list)
    again: int = 0
    seen: SeenIds = field(default_factory=SeenIds, repr=False)


def collect(
    study: Study,
    paths: Sequence[str],
    *,
    method: str | None = None,
    keep: bool | None = None,
    form: str | None = None,
    strict: bool = False,
    parts: str | Path | None = None,
) -> Collected:
    """Count the reports of files, and add up tallies.

    Reports are kept where the likelihood needs them: as `keep` says, or for a `method` that needs them, or (by default) as long as
    they take little room. Where a method needs more of them than that, they stay in their Parquet files, and each of its passes reads
    them again. Parquet files are counted on all cores. With a folder for `parts`, the tally of each of them is kept there, and
    a file that was counted before is not counted anew.
    """
    return _Collecting(study, paths, form, method=method, keep=keep, strict=strict).run(parts)


class _Collecting:
    """One run over some files."""

    def __init__(
        self, study: Study, paths: Sequence[str], form: str | None, *, method: str | None, keep: bool | None, strict: bool
    ) -> None:
        wanted = (method is None or method in LIKELIHOOD) if keep is None else keep
        once_each(paths)
        self.study, self.paths, self.form, self.strict = study, paths, form, strict
        self.limited = keep is None and method is None
        self.staying = keep is None and method in STAYING
        self.found = Collected(Tally(study.mechanism, keep_reports=wanted), SkippedRows(strict))
        if wanted and all(block.piles is None for block in self.found.tally.blocks):
            self.found.tally, self.limited, self.staying = Tally(study.mechanism), False, False
        self.sizes = {path: os.path.getsize(path) for path in paths if os.path.isfile(path)}
        self.formats = {path: _format(path, form) for path in self.sizes}
        self.files = list[ReportsFile]()
        self.behind = 0.0

    def run(self, folder: str | Path | None) -> Collected:
        with Progress("counting reports") as self.bar:
            self._look()
            for whole, group in groupby(self.paths, lambda path: self.formats.get(path) == "parquet"):
                if whole:
                    self._files(list(group), folder)
                    continue
                for path in group:
                    with opened(path, self.form) as source:
                        for part in self._parts(source):
                            self._add(part)
                            self._tell(source.done * self.sizes.get(path, 0))
                    self._step(self.sizes.get(path, 0))
        if self.staying:
            there = RemoteFiles(self.study, self.files, [block.name for block in self.found.tally.blocks if not block.sufficient])
            self.found.tally = self.found.tally.with_elsewhere(dict.fromkeys(there.others, there))
        self.found.cautions = _shortened(self.found.cautions)
        return self.found

    def _look(self) -> None:
        """Look at the indexes of the Parquet files: are they of the study, is something there twice, and how many reports are there?"""
        paths = [path for path, form in self.formats.items() if form == "parquet"]
        room, chunks = 0, SeenIds()
        for number, file in enumerate(in_order(lambda path: ReportsFile.of(path, self.study), paths)):
            room += file.rows * file.width
            if not chunks.fresh(chunk_keys(file.metadata.metadata)).all():
                raise ParameterError(f"{file.name} holds reports of a collector that another of these files holds too; name one of them")
            self.bar.at(0.0, f"{number + 1:,} files looked at")
        self._refuse_copies()
        # many reports in Parquet files stay there, and are read again for each pass of the likelihood
        self.staying &= room > KEPT and len(paths) == len(self.paths)
        if self.staying:
            self.found.tally = self.found.tally.totals()
        if self.limited and room > KEPT:
            self._drop_reports()

    def _refuse_copies(self) -> None:
        """Refuse what would be counted twice. (The lines of NDJSON have identifiers, by which they are told apart.)"""
        for path, form in self.formats.items():
            if form == "packed parquet" and path[:-3] in self.formats:
                raise ParameterError(f"{path} is {path[:-3]}, packed; its reports would be counted twice: name one of them")
        for one, other in copies([path for path, form in self.formats.items() if form in {"parquet", "packed parquet", "arrow"}]):
            said = f"{other} holds the same bytes as {one}"
            if self.sizes[one] >= _TALLY if self.formats[one] != "parquet" else ReportsFile.of(one, self.study).rows >= _REPORTS:
                raise ParameterError(f"{said}; its reports would be counted twice: remove one of them")
            self.found.cautions.append(f"{said}; both were counted.")

    def _files(self, paths: list[str], folder: str | Path | None) -> None:
        """Count Parquet files, those aside that were counted before."""
        if folder is None or self.staying:
            for _, counted in self._counted(ReportsFile.of(path, self.study) for path in paths):
                self._take(counted)
            return
        parts, begun, fresh = TallyCache(folder, self.study, keep=self.found.tally.keep_reports), time.time_ns(), list[str]()
        for path in paths:
            if (known := parts.of_file(path, Stamp.of(path))) is not None:
                self._take(known, again=path)
            else:
                fresh.append(path)
        digests = dict[str, str]()

        def unknown() -> Iterator[ReportsFile]:
            for path, (stamp, digest) in in_order(lambda path: (path, digest_of(path)), fresh):
                if (known := parts.of_content(path, digest)) is not None:
                    parts.save(path, stamp, digest, begun, known)
                    self._take(known, again=path)
                    continue
                file, digests[path] = ReportsFile.of(path, self.study), digest
                if file.stamp != stamp:
                    raise ChangedError(path)
                yield file

        for file, counted in self._counted(unknown()):
            parts.save(file.name, file.stamp, digests[file.name], begun, counted)
            self._take(counted)

    def _counted(self, files: Iterator[ReportsFile]) -> Iterator[tuple[ReportsFile, Counted]]:
        for file, counted in count_files(
            self.study, files, keep=lambda: self.found.tally.keep_reports, strict=self.strict, step=self._step
        ):
            if self.staying:
                self.files.append(file)
            yield file, counted

    def _take(self, counted: Counted, again: str | None = None) -> None:
        """Add what a file holds; `again` names one that was counted before."""
        if again is not None:
            self.found.again += 1
            self._step(self.sizes[again])
        self.found.skipped.merge(counted.skipped)
        self.found.cautions += counted.cautions
        self._add(counted.tally)

    def _add(self, part: Reports | Tally) -> None:
        found = self.found
        found.tally = found.tally.add(part) if isinstance(part, Reports) else added(found.tally, part)
        if self.limited and found.tally.keep_reports and _room(found.tally) > KEPT:
            self._drop_reports()

    def _drop_reports(self) -> None:
        self.found.tally = self.found.tally.totals()
        self.found.cautions.append(
            "The reports were too many to keep, and only their totals were used; "
            "maximum likelihood would use more of what they say: ask for it with --method mle."
        )

    def _step(self, size: float) -> None:
        self.behind += size
        self._tell()

    def _tell(self, more: float = 0.0) -> None:
        self.bar.at((self.behind + more) / max(1, sum(self.sizes.values())), f"{self.found.tally.n:,} reports")

    def _parts(self, source: Opened) -> Iterator[Reports | Tally]:
        match source.format:
            case "arrow":
                yield read_tally(self.study, source.file.read(), source.name)
            case "parquet":
                yield from self._parquet(source)
            case "ndjson":
                yield from self._ndjson(source)
            case _:
                raise ParameterError(
                    f"{source.name} is {source.format}; reports are read from Parquet or NDJSON (perturb writes them), tallies from .arrow"
                )

    def _parquet(self, source: Opened) -> Iterator[Reports]:
        """A Parquet file that comes through a pipe, or was packed."""
        file, skipped = open_parquet(source), self.found.skipped
        columns, caution = checked_columns(file.schema_arrow, source.name, self.study)
        if caution is not None:
            self.found.cautions.append(caution)
        first = 1
        for batch in parquet_batches(file, source, columns):
            for part in good_reports(
                self.study.mechanism,
                batch,
                lambda row, reason, first=first: skipped.add(f"{source.name}, row {first + row}", reason),  # type: ignore[misc]  # bound now
            ):
                skipped.used += len(part)
                yield part
            skipped.use(0, source.name)
            first += batch.num_rows

    def _ndjson(self, source: Opened) -> Iterator[Reports]:
        study, found, skipped = self.study, self.found, self.found.skipped
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


def _shortened(cautions: list[str]) -> list[str]:
    """Cautions, those of very many files that do not name their study in one."""
    silent = [each for each in cautions if each.endswith(UNSAID)]
    if len(silent) <= _SILENT:
        return cautions
    first = silent[0].removesuffix(UNSAID)
    return [
        *(each for each in cautions if not each.endswith(UNSAID)),
        f"{len(silent):,} files, {first} among them, do not say which study their reports were made under.",
    ]


def _format(path: str, form: str | None) -> str:
    with opened(path, form) as source:
        return source.format if source.file is source.raw else f"packed {source.format}"


def _room(tally: Tally) -> int:
    """About how many bytes the kept reports take."""
    return sum(len(pile) * max(1, pile[:1].records().shape[1]) for block in tally.blocks for pile in block.piles or ())
