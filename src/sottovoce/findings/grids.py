"""Which findings are those of a map."""

from __future__ import annotations

from sottovoce.findings.results import Findings


def is_map(findings: Findings) -> bool:
    """Whether the items are the cells of a grid."""
    axes = findings.study.domain.axes
    return len(axes) == 2 and all(axis.bounds for axis in axes)
