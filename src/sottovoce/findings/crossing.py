"""Tables of two questions that were asked together: shares of all people, and shares within each row."""

from __future__ import annotations

import numpy as np

from sottovoce.estimators.answered import Answered
from sottovoce.findings.formatting import percent_about
from sottovoce.findings.page_parts import Table
from sottovoce.findings.results import Findings


def across(findings: Findings) -> Table:
    """The share of each combination, with its interval."""
    return _table(findings, findings.p, findings.low, findings.high)


def within(findings: Findings) -> Table:
    """Of those who gave the answer of a row, how many gave that of a column, with intervals for the ratio."""
    down = findings.study.domain.shape[0]
    rows = np.repeat(np.arange(down), len(findings.p) // down)
    found = [Answered.of(findings.estimate, rows == row, findings.level) for row in range(down)]
    p, low, high = (np.concatenate(each) for each in zip(*((one.p, *one.interval) for one in found), strict=True))
    return _table(findings, p, low, high)


def _table(findings: Findings, p: np.ndarray, low: np.ndarray | None, high: np.ndarray | None) -> Table:
    down, over = findings.study.domain.axes
    missing = [None] * len(p)
    ends = zip(p.tolist(), missing if low is None else low.tolist(), missing if high is None else high.tolist(), strict=True)
    cells = [percent_about(*each, digits=1) for each in ends]
    columns = len(over.labels)
    rows = [(str(label), cells[k * columns : (k + 1) * columns]) for k, label in enumerate(down.labels)]
    return Table([f"{down.name} \\ {over.name}", *map(str, over.labels)], rows)
