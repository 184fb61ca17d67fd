"""Cross-tables of two questions that were asked together: shares of all people, and shares within each row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sottovoce.estimators import Interval
from sottovoce.estimators.answered import Answered
from sottovoce.findings.results import Findings
from sottovoce.findings.shares import Shares

#: Combinations of two questions that a table shows.
_CELLS = 60


def is_crossing(findings: Findings) -> bool:
    """Whether these are the findings of two questions with few enough answers for a table."""
    return len(findings.study.domain.axes) == 2 and len(findings.p) <= _CELLS


def within(findings: Findings) -> Shares:
    """Of those who gave the answer of a row, the share who gave that of a column, with intervals for the ratio."""
    down = findings.study.domain.shape[0]
    rows = np.repeat(np.arange(down), len(findings.p) // down)
    shown = replace(findings.estimate, p=findings.p)  # adjusted to the shares of each question
    found = [Answered.of(shown, rows == row, findings.level) for row in range(down)]
    p, low, high = (np.concatenate(each) for each in zip(*((one.p, *one.interval) for one in found), strict=True))
    return replace(findings.shares, labels=findings.texts, p=p, interval=Interval(low, high), found=None)
