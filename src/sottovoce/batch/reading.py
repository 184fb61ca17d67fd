"""How a file of answers is read: what its reader can't know from the file itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Reading:
    """The format of a file, if its name and its first bytes don't show it, the column with the answers, if it isn't the usual one, the
    encoding of its text (UTF-8 by default), whether upper and lower case are the same, and the sheet of a workbook (the first by default).
    """

    form: str | None = None
    column: str | None = None
    encoding: str | None = None
    ignore_case: bool = False
    sheet: str | None = None


#: What the file shows by itself.
USUAL = Reading()
