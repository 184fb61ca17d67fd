"""Mechanisms for numbers and scales: answers near the own one are likelier than those far away."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from sottovoce.arithmetic import exp_below
from sottovoce.arrays import Mask
from sottovoce.catalogue import mechanism
from sottovoce.channels import WindowChannel
from sottovoce.domain import Domain
from sottovoce.errors import DomainError, ParameterError
from sottovoce.mechanisms.base import Mechanism
from sottovoce.notions import LDP
from sottovoce.policy import checked_domain, positive_epsilon


def planned(promise: Any) -> dict[str, Any] | None:
    """For numbers and scales. Grids of one axis keep the mechanism that `auto` chose for them before there were windows."""
    domain = promise.domain
    return {"width": "mean"} if domain.ordered and domain.axes[0].bounds is None and not promise.tags else None


@mechanism(
    use='numbers and scales: means, distributions and quantiles; `width="distribution"` is the square wave',
    report="a place near the item, or anywhere",
    source="Wang et al. 2019; Li et al. 2020",
    see="#numbers-and-scales",
    promises=("LDP",),
    plan={"ldp": planned},
    examples={
        "": {"domain": range(5)},
        "distribution": {"domain": range(6), "width": "distribution"},
        "narrow": {"domain": range(4), "width": 0},
    },
)
def window(domain: Domain, epsilon: float, width: str | int = "mean") -> Mechanism:
    """Noise everywhere and more of it in a window around the own item, for answers in an order: numbers and scales.

    There are K + 2h reports. The 2h + 1 in the window of an item are e^ε times as likely as the others. The `width` is the half-width
    h in items, or one of two that were published for numbers between 0 and 1, h = ⌊b·K⌋: "mean" is that of the piecewise mechanism,
    b = e^{−ε/2}/2 (Wang et al. 2019), "distribution" that of the square wave, b = (ε·e^ε − e^ε + 1)/(2·e^ε·(e^ε − 1 − ε))
    (Li et al. 2020).

    >>> m = window(Domain.numbers(18, 100, bins=64), 1.0)
    >>> m.channel.half, m.channel.length, m.certify().holds
    (19, 102, True)
    """
    epsilon, count = positive_epsilon(epsilon), len(checked_domain(domain))
    if not _in_order(domain):
        raise DomainError(
            "These items have no order, which a window needs. Ask for numbers or a scale (Domain.numbers, Domain.scale), "
            "or choose another mechanism."
        )
    return Mechanism(domain, WindowChannel.of(count, _half(width, count, epsilon), epsilon), LDP(epsilon), "window")


def _in_order(domain: Domain) -> bool:
    """Whether the domain is ordered, or its items are whole numbers that increase."""
    if domain.ordered or len(domain.axes) > 1:
        return domain.ordered
    labels = domain.axes[0].labels
    if isinstance(labels, range):
        return labels.step > 0
    whole = all(isinstance(label, (int, np.integer)) and not isinstance(label, bool) for label in labels)
    return whole and all(one < other for one, other in pairwise(labels))  # type: ignore[operator]  # integers


def _piecewise(epsilon: float) -> Fraction:
    return 1 / (2 * exp_below(epsilon / 2))


def _square_wave(epsilon: float) -> Fraction:
    growth, exact = exp_below(epsilon), Fraction(epsilon)
    return (exact * growth - growth + 1) / (2 * growth * (growth - 1 - exact))


#: The published half-widths b, as shares of the items. In exact numbers, so that ⌊b·K⌋ is the same everywhere.
WIDTHS = {"mean": _piecewise, "distribution": _square_wave}


def _half(width: Any, count: int, epsilon: float) -> int:
    if isinstance(width, str) and width in WIDTHS:
        return math.floor(count * WIDTHS[width](epsilon))
    if isinstance(width, bool) or not isinstance(width, (int, np.integer)) or not 0 <= width <= count:
        raise ParameterError(
            f"The width is {width!r}. Give 'mean', 'distribution', or the items that the window reaches to each side (0 to {count})."
        )
    return int(width)


def warn_of_gaps(mask: Mask) -> None:
    """Warn that the sensitive items of a lifted window aren't neighbours."""
    places = np.flatnonzero(mask)
    if len(places) and int(places[-1] - places[0]) >= len(places):
        warnings.warn(
            "The sensitive items aren't one range: there are other items between them. The window counts places among the sensitive "
            "items only, so it treats the items on both sides of a gap as neighbours. The guarantee holds, but estimates blur across "
            "the gap. Make the items between sensitive too, or use another base.",
            stacklevel=3,
        )
