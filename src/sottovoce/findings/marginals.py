"""Marginals of a product domain: the shares of each axis by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Floats
from sottovoce.errors import UnsupportedError
from sottovoce.findings.results import Findings


@dataclass(frozen=True)
class Marginal:
    """The shares of an axis's labels, with their intervals where there are any."""

    axis: str
    labels: Sequence[str]
    p: Floats
    low: Floats | None
    high: Floats | None
    beside: dict[str, Floats]


def marginals(findings: Findings) -> list[Marginal]:
    """A marginal for each axis of a product domain; none for a plain one, and none for a map."""
    domain = findings.study.domain
    if len(domain.axes) < 2 or all(axis.bounds for axis in domain.axes):
        return []
    found = []
    for place, axis in enumerate(domain.axes):
        others = tuple(k for k in range(len(domain.axes)) if k != place)
        member = np.unravel_index(np.arange(len(domain)), domain.shape)[place][None, :] == np.arange(len(axis.labels))[:, None]
        low, high = _bounds(findings, list(member))
        beside = {name: shares.reshape(domain.shape).sum(axis=others) for name, shares in findings.beside.items()}
        p = findings.p.reshape(domain.shape).sum(axis=others)
        found.append(Marginal(str(axis.name), [str(label) for label in axis.labels], p, low, high, beside))
    return found


def _bounds(findings: Findings, groups: list[NDArray[np.bool_]]) -> tuple[Floats | None, Floats | None]:
    if findings.tags:
        return None, None
    try:
        return findings.estimate.group_interval(groups, findings.level, reports=findings.study.reports)
    except UnsupportedError:
        return None, None
