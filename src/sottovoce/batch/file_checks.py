"""What is asked of every file of reports, wherever it is read: is it of the study, has it the columns, is it still what it was?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sottovoce.errors import ReportError
from sottovoce.later import pa
from sottovoce.study import Study
from sottovoce.wire import STUDY_KEY

#: What is said of a file that does not name its study, and how many such files are named one by one.
_UNSAID, _FEW = " does not say which study its reports were made under.", 3


class ChangedError(ReportError):
    """A file that is being written to cannot be counted."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} changed while it was read, and nothing of it was counted; run the command again when it is finished")


def made_under(schema: pa.Schema) -> str | None:
    """The fingerprint of the study that a file names in its metadata."""
    found = (schema.metadata or {}).get(STUDY_KEY)
    return None if found is None else found.decode("ascii", "replace")


def check_study(name: str, fingerprint: str | None, study: Study) -> str | None:
    """Refuse a file that was made under another study; a caution if it does not say (None) under which."""
    if fingerprint is None:
        return name + _UNSAID
    if fingerprint != study.fingerprint:
        raise ReportError(
            f"{name} was made under another study (fingerprint {fingerprint}. {study.name!r} has {study.fingerprint}). "
            "Use the study file that the reports were made with, or its compiled form."
        )
    return None


def check_column(name: str, column: str, columns: Sequence[str], what: str = "a file") -> None:
    """Refuse what lacks a column of reports."""
    if column not in columns:
        raise ReportError(f"{name} has no column {column!r}. Its columns are {', '.join(columns)}: is it {what} of reports?")


def shortened(cautions: Iterable[str]) -> list[str]:
    """Cautions, those of very many files that do not name their study in one."""
    every = list(cautions)
    silent = [each for each in every if each.endswith(_UNSAID)]
    if len(silent) <= _FEW:
        return every
    first = silent[0].removesuffix(_UNSAID)
    return [
        *(each for each in every if not each.endswith(_UNSAID)),
        f"{len(silent):,} files, {first} among them, do not say which study their reports were made under.",
    ]
