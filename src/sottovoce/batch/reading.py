"""How a file of answers is read: what its reader can't know from the file itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Reading:
    """The format of a file, if its name and its first bytes don't show it, and the column with the answers, if it isn't the usual one."""

    form: str | None = None
    column: str | None = None


#: What is said by the file itself.
USUAL = Reading()
