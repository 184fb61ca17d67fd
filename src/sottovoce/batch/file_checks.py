"""Checks of every file of reports: was it made with the study, does it have the columns, has it changed meanwhile?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sottovoce.errors import ReportError
from sottovoce.later import pa
from sottovoce.study import Study
from sottovoce.wire import STUDY_KEY

#: The caution for a file that doesn't name its study, and how many such files are listed one by one.
_UNSAID, _FEW = " doesn't name the study that its reports were made with.", 3


class ChangedError(ReportError):
    """A file changed while it was counted."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} changed while it was read and wasn't counted. Run the command again when the file is complete.")


def made_under(schema: pa.Schema) -> str | None:
    """The study fingerprint in a file's metadata."""
    found = (schema.metadata or {}).get(STUDY_KEY)
    return None if found is None else found.decode("ascii", "replace")


def check_study(name: str, fingerprint: str | None, study: Study) -> str | None:
    """Refuse a file of another study. Returns a caution if the file doesn't name its study (None)."""
    if fingerprint is None:
        return name + _UNSAID
    if fingerprint != study.fingerprint:
        raise ReportError(
            f"{name} was made with a different study: its fingerprint is {fingerprint}, that of {study.name!r} is {study.fingerprint}. "
            "Use the study file that the reports were made with, or its compiled form."
        )
    return None


def check_column(name: str, column: str, columns: Sequence[str], what: str = "a file") -> None:
    """Refuse a table without a column of reports."""
    if column not in columns:
        raise ReportError(f"{name} has no column {column!r}. Its columns are {', '.join(columns)}. Is it {what} of reports?")


def named(files: Sequence[str]) -> str:
    """Files by their names, the first of them if they are many."""
    return ", ".join(files[:3]) + ", …" * (len(files) > 3)


def shortened(cautions: Iterable[str]) -> list[str]:
    """Merge the cautions about very many files that don't name their study into one."""
    every = list(cautions)
    silent = [each for each in every if each.endswith(_UNSAID)]
    if len(silent) <= _FEW:
        return every
    first = silent[0].removesuffix(_UNSAID)
    return [
        *(each for each in every if not each.endswith(_UNSAID)),
        f"{len(silent):,} files, {first} among them, don't name the study that their reports were made with.",
    ]
