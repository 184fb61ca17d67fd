"""Margins: the shares of an axis, or of several, each estimated on its own scale.

The sum of a constrained estimate over many items is far from the truth if there are many items for so few people: what is kept above zero
adds up. So a margin is a problem of its own, about fewer and larger shares. Margins of several axes are then adjusted to those of the
single axes, so that parts sum to their whole.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial, reduce

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.channels.groups import Groups
from sottovoce.domain import Domain
from sottovoce.errors import UnsupportedError
from sottovoce.estimators.group_spread import GroupSpread
from sottovoce.estimators.result import Bars, Estimate

#: Rounds of proportional fitting, after which what is left is corrected at once, and the difference that ends them earlier.
_ROUNDS, _CLOSE = 100, 1e-10
#: The weight of independent axes, so that a cell of share zero can grow if its margins ask for it.
_INDEPENDENT = 1e-6


def margin(estimate: Estimate, names: Sequence[str]) -> Estimate:
    """The margin over some axes, in the order of the domain."""
    domain, labels = estimate.domain.margin(names)
    found = estimate if len(domain) == len(estimate.domain) else grouped(estimate, domain, Groups(labels, len(domain)))
    if len(domain.axes) == 1 or estimate.additive:
        return found
    singles = [margin(estimate, [str(axis.name)]).p for axis in domain.axes]
    return replace(found, p=adjusted(found.p, singles), gap=None)


def grouped(estimate: Estimate, domain: Domain, groups: Groups) -> Estimate:
    """The estimate over groups of items, which are the items of `domain`."""
    sums = groups.totals(estimate.p)
    try:
        bars = estimate.error_bars.grouped(groups)
    except UnsupportedError as missing:
        return replace(estimate, domain=domain, p=sums, gap=None, bars=partial(_refused, str(missing)))
    if estimate.additive or not isinstance(bars, GroupSpread):
        return replace(estimate, domain=domain, p=sums, gap=None, bars=lambda: bars)
    p, top = bars.fitted()
    method, gap, passes = ("projected", None, None) if top is None else ("mle", top.gap, top.passes)
    return replace(estimate, domain=domain, p=p, method=method, gap=gap, iterations=passes, bars=lambda: bars, chosen={}, note="")


def _refused(why: str) -> Bars:
    raise UnsupportedError(why)


def adjusted(p: Floats, margins: Sequence[Floats]) -> Floats:
    """The shares p of a product, changed in proportion until they sum to the margins of its axes (iterative proportional fitting).

    >>> adjusted(np.array([0.1, 0.2, 0.3, 0.4]), [np.array([0.5, 0.5]), np.array([0.4, 0.6])]).round(2).tolist()
    [0.18, 0.32, 0.22, 0.28]
    """
    shape = tuple(len(each) for each in margins)
    targets = [each.reshape([-1 if k == axis else 1 for k in range(len(shape))]) for axis, each in enumerate(margins)]
    others = [tuple(k for k in range(len(shape)) if k != axis) for axis in range(len(shape))]
    table = p.reshape(shape)
    if _apart(table, targets, others) <= _CLOSE:
        return p
    table = (1 - _INDEPENDENT) * np.maximum(table, 0.0) + _INDEPENDENT * reduce(np.multiply, targets)
    for _ in range(_ROUNDS):
        for target, rest in zip(targets, others, strict=True):
            table = table * _ratio(target, table.sum(axis=rest, keepdims=True))
        if _apart(table, targets, others) <= _CLOSE:
            break
    for target, rest in zip(targets, others, strict=True):
        table = table * np.minimum(1.0, _ratio(target, table.sum(axis=rest, keepdims=True)))
    missing = [np.maximum(0.0, target - table.sum(axis=rest, keepdims=True)) for target, rest in zip(targets, others, strict=True)]
    lack = math.fsum(missing[0].ravel())
    if lack > 0:
        table = table + reduce(np.multiply, [each / lack for each in missing]) * lack
    return np.asarray(table.reshape(-1) / table.sum())


def _apart(table: Floats, targets: Sequence[Floats], others: Sequence[tuple[int, ...]]) -> float:
    return max(float(np.abs(table.sum(axis=rest, keepdims=True) - target).max()) for target, rest in zip(targets, others, strict=True))


def _ratio(target: Floats, found: Floats) -> Floats:
    return np.divide(target, found, out=np.zeros_like(found), where=found > 0)
