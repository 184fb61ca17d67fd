"""Margins: the shares of an axis, or of several, each estimated on its own scale.

The sum of a constrained estimate over many items is far from the truth if there are many items for so few people: what is kept above zero
adds up. So a margin is a problem of its own, about fewer and larger shares. Margins of several axes are then adjusted to those of the
single axes, so that parts sum to their whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, reduce

import numpy as np

from sottovoce.arrays import Floats, Mask
from sottovoce.channels.groups import Groups
from sottovoce.domain import Domain
from sottovoce.errors import UnsupportedError
from sottovoce.estimators.group_spread import GroupSpread
from sottovoce.estimators.result import Bars, Estimate

#: Rounds of Newton's method, the difference that ends them earlier, and what keeps its equations solvable.
_ROUNDS, _CLOSE, _RIDGE = 100, 1e-12, 1e-9


def margin(estimate: Estimate, names: Sequence[str]) -> Estimate:
    """The margin over some axes, in the order of the domain."""
    domain, labels = estimate.domain.margin(names)
    axes = tuple(str(axis.name) for axis in domain.axes)
    if axes not in estimate.known_margins:
        estimate.known_margins[axes] = _margin(estimate, domain, Groups(labels, len(domain)))
    return estimate.known_margins[axes]


def _margin(estimate: Estimate, domain: Domain, groups: Groups) -> Estimate:
    found = estimate if len(domain) == len(estimate.domain) else grouped(estimate, domain, groups)
    if len(domain.axes) == 1 or estimate.additive:
        return found
    singles = [margin(estimate, [str(axis.name)]).p for axis in domain.axes]
    return replace(found, p=adjusted(found.p, singles, found.unseen), gap=None)


def grouped(estimate: Estimate, domain: Domain, groups: Groups) -> Estimate:
    """The estimate over groups of items, which are the items of `domain`."""
    sums = groups.totals(estimate.p)
    try:
        bars = estimate.error_bars.grouped(groups)
    except UnsupportedError as missing:
        return replace(estimate, domain=domain, p=sums, gap=None, bars=partial(_refused, str(missing)), unseen=None, blocks=())
    if estimate.additive or not isinstance(bars, GroupSpread):
        return replace(estimate, domain=domain, p=sums, gap=None, bars=lambda: bars, unseen=None, blocks=())
    p, top = bars.fitted()
    method, gap, passes = ("projected", None, None) if top is None else ("mle", top.gap, top.passes)
    return replace(
        estimate,
        domain=domain,
        p=p,
        method=method,
        gap=gap,
        iterations=passes,
        bars=lambda: bars,
        chosen={},
        note="",
        unseen=None,
        blocks=(),
    )


def _refused(why: str) -> Bars:
    raise UnsupportedError(why)


def adjusted(p: Floats, margins: Sequence[Floats], unseen: Mask | None = None) -> Floats:
    """The nearest table to the shares p of a product that sums to the margins of its axes.

    What the `unseen` items share is first spread over them as if the axes were independent, since nothing is known about where it lies.

    It's max(0, p + Σ_axes λ), with a number λ for each label, found by Newton's method on the dual problem. Margins have larger errors than
    items. Fitting in proportion would put these errors on the few large items. Here they are spread over all items of a label.

    >>> adjusted(np.array([0.1, 0.2, 0.3, 0.4]), [np.array([0.5, 0.5]), np.array([0.4, 0.6])]).round(2).tolist()
    [0.2, 0.3, 0.2, 0.3]
    """
    shape = tuple(len(each) for each in margins)
    targets = [each.reshape([-1 if k == axis else 1 for k in range(len(shape))]) for axis, each in enumerate(margins)]
    others = [tuple(k for k in range(len(shape)) if k != axis) for axis in range(len(shape))]
    table = p.reshape(shape)
    if all(np.abs(table.sum(axis=rest, keepdims=True) - target).max() <= _CLOSE for target, rest in zip(targets, others, strict=True)):
        return p
    table = _nearest(p if unseen is None else _independent(p, margins, unseen), margins).reshape(shape)
    # what is left to rounding: nothing above its margin, and what is missing where all margins lack it
    for target, rest in zip(targets, others, strict=True):
        table = table * np.minimum(1.0, _ratio(target, table.sum(axis=rest, keepdims=True)))
    missing = [np.maximum(0.0, target - table.sum(axis=rest, keepdims=True)) for target, rest in zip(targets, others, strict=True)]
    lack = math.fsum(missing[0].ravel())
    if lack > 0:
        table = table + reduce(np.multiply, [each / lack for each in missing]) * lack
    return np.asarray(table.reshape(-1) / table.sum())


def _independent(p: Floats, margins: Sequence[Floats], unseen: Mask) -> Floats:
    """The shares p, with those of unseen items in proportion to the products of their labels' shares."""
    product = np.where(unseen[: len(p)], reduce(np.multiply.outer, margins).ravel(), 0.0)
    whole = float(product.sum())
    return p if not whole > 0 else np.where(unseen[: len(p)], float(p[unseen[: len(p)]].sum()) * product / whole, p)


def _nearest(p: Floats, margins: Sequence[Floats]) -> Floats:
    """max(0, p + Σ_axes λ) with these margins: the minimum over λ of ‖max(0, p + Σ λ)‖²/2 − λ·margins, by Newton's method."""
    shape, target = [len(each) for each in margins], np.concatenate(margins)
    starts, size = np.cumsum([0, *shape]), len(target)
    places = [place + start for place, start in zip(np.unravel_index(np.arange(len(p)), shape), starts, strict=False)]

    def spread(pull: Floats) -> Floats:
        return reduce(np.add, [pull[place] for place in places])

    def summed(table: Floats) -> Floats:
        return np.asarray(reduce(np.add, [np.bincount(place, table, size) for place in places]))

    def height(table: Floats, pull: Floats) -> float:
        above = np.maximum(table, 0.0)
        return float((above * above).sum() / 2 - (pull * target).sum())

    pull, table = np.zeros(size), p
    for _ in range(_ROUNDS):
        slope = summed(np.maximum(table, 0.0)) - target
        if np.abs(slope).max() <= _CLOSE:
            break
        active = (table >= 0).astype(np.float64)
        ridge = _RIDGE * float(summed(active).max())
        step = _solved(partial(_curved, spread, summed, active, ridge), -slope)
        rise, before, slant, scale = spread(step), height(table, pull), float((slope * step).sum()), 1.0
        while scale > _CLOSE and height(table + scale * rise, pull + scale * step) > before + 1e-4 * scale * slant:
            scale /= 2
        if scale <= _CLOSE:  # only rounding is left, and no step makes it smaller
            break
        pull = pull + scale * step
        table = p + spread(pull)
    return np.maximum(table, 0.0)


def _curved(spread: Callable[[Floats], Floats], summed: Callable[[Floats], Floats], active: Floats, ridge: float, pull: Floats) -> Floats:
    """What the second derivative makes of a vector: only cells above zero move."""
    return summed(active * spread(pull)) + ridge * pull


def _solved(times: Callable[[Floats], Floats], wanted: Floats) -> Floats:
    """The vector that a positive matrix turns into the one that's wanted, by conjugate gradients."""
    found, rest = np.zeros_like(wanted), wanted
    way, square = wanted, float((wanted * wanted).sum())
    enough = _CLOSE**2 * square
    for _ in range(4 * len(wanted)):
        image = times(way)
        length = square / float((way * image).sum())
        found, rest = found + length * way, rest - length * image
        before, square = square, float((rest * rest).sum())
        if square <= enough:
            break
        way = rest + square / before * way
    return found


def _ratio(target: Floats, found: Floats) -> Floats:
    return np.divide(target, found, out=np.zeros_like(found), where=found > 0)
