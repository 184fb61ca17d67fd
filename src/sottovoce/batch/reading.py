"""Options for reading a file of answers: what the file itself doesn't show."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Reading:
    """How to read a file of answers.

    Give its `form` if neither name nor content show the format, the column with the answers if it isn't the usual one, the encoding (UTF-8
    by default), and whether to ignore upper and lower case.
    """

    form: str | None = None
    column: str | None = None
    encoding: str | None = None
    ignore_case: bool = False


#: What the file shows by itself.
USUAL = Reading()
