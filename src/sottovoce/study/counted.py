"""Count the reports of a study: from files, from memory, or from a tally."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from sottovoce.errors import FewReportsError, ReportError
from sottovoce.later import above
from sottovoce.policy.wording import unpublished
from sottovoce.reports import Reports
from sottovoce.tallies import Tally

if TYPE_CHECKING:
    from sottovoce.study.study import Study

_collecting, _inputs = above("sottovoce.batch.collecting"), above("sottovoce.batch.input_files")


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
    else:
        found = _of_files(study, files, method)
    if found.tally.n < minimum:
        raise FewReportsError(found.tally.n, minimum, "Wait for more reports or use force=True.")
    return Counted(found.tally, (unpublished(study.minimum), *found.notes)) if found.tally.n < study.minimum else found


def _of_files(study: Study, files: Any, method: str | None) -> Counted:
    listed = [files] if isinstance(files, (str, PathLike)) else list(files) if isinstance(files, Iterable) else [files]
    if not listed:
        raise ReportError("No files were given. Name at least one file of reports.")
    if not all(isinstance(each, (str, PathLike)) for each in listed):
        raise ReportError(f"{type(files).__name__} can't be counted. Give file names, reports or a tally.")
    found = _collecting.collect(study, _inputs.expanded([fspath(each) for each in listed]), method=method)
    skipped = [found.skipped.sentence()] * bool(found.skipped.count)
    return Counted(found.tally, (*skipped, *found.cautions))
