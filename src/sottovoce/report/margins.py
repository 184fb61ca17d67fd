"""Margins of a product domain: the shares of each axis by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import UnsupportedError
from sottovoce.estimators.intervals import deviate
from sottovoce.report.findings import Findings

Floats = NDArray[np.float64]

#: Items up to which the covariance is written out.
_WRITTEN = 2000


@dataclass(frozen=True)
class Margin:
    """The shares of an axis's labels; the intervals are normal ones, from the covariance of the unbiased estimate."""

    axis: str
    labels: Sequence[str]
    p: Floats
    low: Floats | None
    high: Floats | None
    truth: Floats | None


def margins(findings: Findings) -> list[Margin]:
    """A margin for each axis of a product domain; none for a plain one."""
    domain = findings.study.domain
    if len(domain.axes) < 2:
        return []
    covariance = _covariance(findings)
    found = []
    for place, axis in enumerate(domain.axes):
        others = tuple(k for k in range(len(domain.axes)) if k != place)
        p = findings.p.reshape(domain.shape).sum(axis=others)
        low = high = None
        if covariance is not None:
            member = np.unravel_index(np.arange(len(domain)), domain.shape)[place][None, :] == np.arange(len(p))[:, None]
            variance = np.einsum("ax,xy,ay->a", member, covariance, member)
            half = deviate(findings.level) * np.sqrt(np.maximum(variance, 0.0))
            low, high = np.clip(p - half, 0.0, 1.0), np.clip(p + half, 0.0, 1.0)
        truth = findings.beside.get("truth")
        found.append(
            Margin(
                str(axis.name),
                [str(label) for label in axis.labels],
                p,
                low,
                high,
                None if truth is None else truth.reshape(domain.shape).sum(axis=others),
            )
        )
    return found


def _covariance(findings: Findings) -> Floats | None:
    if len(findings.p) > _WRITTEN or findings.tags:
        return None
    try:
        return findings.estimate.covariance()
    except UnsupportedError:
        return None
