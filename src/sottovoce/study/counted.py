"""Count the reports of a study: from files, from memory, or from a tally."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from sottovoce.domain.columns import column_names
from sottovoce.errors import FewReportsError, ReportError
from sottovoce.later import above
from sottovoce.policy.wording import unpublished
from sottovoce.reports import Reports
from sottovoce.tallies import Tally

if TYPE_CHECKING:
    from sottovoce.study.study import Study

_collecting, _inputs = above("sottovoce.batch.collecting"), above("sottovoce.batch.input_files")
_checks = above("sottovoce.batch.file_checks")


#: What to do with data that aren't reports.
_ANSWERS = "Name files of reports. If these are answers, perturb them first with study.mechanism.perturb(answers)."


@dataclass(frozen=True)
class Counted:
    """A tally, and what to know about the files of its reports."""

    tally: Tally
    notes: tuple[str, ...] = ()


def counted(study: Study, files: Any, method: str | None = None, *, minimum: int = 0) -> Counted:
    """Count reports, or refuse them if there are fewer than a `minimum`."""
    if isinstance(files, Tally):
        if files.source != study.mechanism:
            raise ReportError(f"The tally was made for another study. Count the reports of {study.name!r}.")
        found = Counted(files)
    elif isinstance(files, Reports):
        found = Counted(Tally(study.mechanism, keep_reports=True).add(files))
    elif isinstance(files, (list, tuple)) and files and all(isinstance(each, (Reports, Tally)) for each in files):
        found = Counted(sum((counted(study, each).tally for each in files[1:]), counted(study, files[0]).tally))
    else:
        found = _of_files(study, files, method)
    if found.tally.n < minimum:
        raise FewReportsError(found.tally.n, minimum, "Wait for more reports or use force=True.")
    few = (unpublished(study.minimum),) * (found.tally.n < study.minimum)
    return Counted(found.tally, (*few, *found.tally.notes))


def _of_files(study: Study, files: Any, method: str | None) -> Counted:
    if column_names(files) is not None:
        raise ReportError(f"A {type(files).__name__} can't be counted. {_ANSWERS}")
    listed = [files] if isinstance(files, (str, PathLike)) else list(files) if isinstance(files, Iterable) else [files]
    if not listed:
        raise ReportError("No files were given. Name at least one file of reports.")
    if not all(isinstance(each, (str, PathLike)) for each in listed):
        raise ReportError(f"{type(files).__name__} can't be counted. Give file names, reports or a tally.")
    try:
        paths = _inputs.expanded([fspath(each) for each in listed])
    except FileNotFoundError:
        if hasattr(files, "dtype"):  # a column
            raise ReportError(f"{listed[0]!r} isn't a file. {_ANSWERS}") from None
        raise
    found = _collecting.collect(study, paths, method=method)
    if not found.tally.n:
        found.skipped.check_used(_checks.named([fspath(each) for each in listed]))
    skipped = [found.skipped.sentence()] * bool(found.skipped.count)
    return Counted(found.tally.with_notes([*skipped, *found.cautions]))
