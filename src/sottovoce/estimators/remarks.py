"""The remark at a number whose interval is so wide that the reports don't show how large the number is."""

from __future__ import annotations

#: The part of all possible values that an interval may cover.
WIDE = 0.5
#: The remark at a number whose interval covers more.
VAGUE = "can't tell"


def remark_of(covered: float) -> str:
    """The remark at a number whose interval covers a part of all possible values.

    >>> remark_of(0.1), remark_of(0.9)
    ('', "can't tell")
    """
    return VAGUE if covered > WIDE else ""
