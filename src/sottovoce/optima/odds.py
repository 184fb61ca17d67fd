"""The odds of noise against the truth, and of other bits against the own one: each formula once, exact or in doubles."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from sottovoce.arithmetic import SCALE, ceil_div, exp_below, fixed_above
from sottovoce.arrays import Floats

Number = TypeVar("Number", float, Fraction)


def least_noise(epsilon: float) -> Fraction:
    """1/(e^ε − 1), rounded up: the least noise, relative to the truth, with which a report changes odds by at most e^ε."""
    return 1 / (exp_below(epsilon) - 1)


def noise_odds(epsilon: float) -> int:
    """`least_noise` as a fixed-point number, rounded up."""
    return fixed_above(least_noise(epsilon))


def other_bit(theta: Number, odds: Number) -> Number:
    """θ/((1 − θ)·R + θ): the chance of another item's bit if the own one has θ and a report may raise odds by R (Wang et al. 2017)."""
    return theta / ((1 - theta) * odds + theta)


def _needed(most: Any, least: Any, total: Any, growth: Any, one: Any, larger: Callable[[Any, Any], Any]) -> Any:
    """(e^ε − 1)·r = max(P, 1 − e^ε·P') for P = most/total, P' = least/total and e^ε = growth/one, times total·one."""
    return larger(most * one, total * one - growth * least)


def lip_odds(weights: Sequence[int], total: int, epsilon: float, least: Sequence[int] | None = None) -> list[int]:
    """r_k = max(P_k, 1 − e^ε·P'_k)/(e^ε − 1) for P = weights/total and P' = least/total (P itself by default), rounded up.

    An impossible outcome needs no noise.
    """
    growth = (exp_below(epsilon) * SCALE).__floor__()
    scale = total * (growth - SCALE)
    return [
        ceil_div(_needed(most, few, total, growth, SCALE, max) * SCALE, scale) if most else 0
        for most, few in zip(weights, weights if least is None else least, strict=True)
    ]


def lip_odds_in_doubles(weights: Floats, epsilon: float) -> Floats:
    """`lip_odds` of probabilities, without the rounding."""
    return np.where(weights > 0, _needed(weights, weights, 1, math.exp(epsilon), 1, np.maximum) / math.expm1(epsilon), 0.0)
