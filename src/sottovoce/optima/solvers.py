"""Solvers: small ones for functions of one number, and SciPy's, which are loaded on first use because that takes half a second."""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import Any


def _later(module: str, name: str) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        return getattr(import_module(module), name)(*arguments, **options)

    return call


linprog = _later("scipy.optimize", "linprog")
minimize = _later("scipy.optimize", "minimize")
csr_array = _later("scipy.sparse", "csr_array")


def least_between(loss: Callable[[float], float], low: float, high: float, tolerance: float) -> tuple[float, float]:
    """Minimise a function of one number between two ends, and return the place and the value (Brent 1973, chapter 5).

    Each step is a parabola through the three best points, or a golden section if that fails. Tables of channels come from here, and
    fingerprints from those, so the steps are to the last bit those of SciPy's bounded method, which earlier versions called.

    >>> x, value = least_between(lambda x: (x - 0.3) ** 2, 0.0, 1.0, 1e-9)
    >>> abs(x - 0.3) < 1e-8
    True
    """
    section, small = 0.5 * (3.0 - math.sqrt(5.0)), math.sqrt(2.2e-16)
    best = second = third = low + section * (high - low)
    value = value_second = value_third = loss(best)
    step = before = 0.0
    for _ in range(499):
        middle = 0.5 * (low + high)
        fine = small * abs(best) + tolerance / 3.0
        if abs(best - middle) <= 2.0 * fine - 0.5 * (high - low):
            break
        fitted = False
        if abs(before) > fine:
            r, q = (best - second) * (value - value_third), (best - third) * (value - value_second)
            p = (best - third) * q - (best - second) * r
            q = 2.0 * (q - r)
            p, q = (-p if q > 0.0 else p), abs(q)
            earlier, before = before, step
            if abs(p) < abs(0.5 * q * earlier) and q * (low - best) < p < q * (high - best):
                fitted, step = True, p / q
                if best + step - low < 2.0 * fine or high - (best + step) < 2.0 * fine:
                    step = math.copysign(fine, middle - best) if middle != best else fine
        if not fitted:
            before = low - best if best >= middle else high - best
            step = section * before
        x = best + (math.copysign(max(abs(step), fine), step) if step else fine)
        found = loss(x)
        if found <= value:
            low, high = (best, high) if x >= best else (low, best)
            third, value_third, second, value_second, best, value = second, value_second, best, value, x, found
            continue
        low, high = (x, high) if x < best else (low, x)
        if found <= value_second or second == best:
            third, value_third, second, value_second = second, value_second, x, found
        elif found <= value_third or third in {best, second}:
            third, value_third = x, found
    return best, value


def root_between(function: Callable[[float], float], low: float, high: float, tolerance: float) -> float:
    """Find where a function with different signs at the ends is zero, to within the tolerance (Chandrupatla 1997).

    The root stays between two points. The next point comes from a curve through three of them if that can be trusted, and otherwise halves
    the interval.

    >>> abs(root_between(lambda x: x**3 - 2, 0.0, 2.0, 1e-12) - 2 ** (1 / 3)) < 1e-12
    True
    """
    a, b, at_a, at_b, part = high, low, function(high), function(low), 0.5
    while at_a and at_b:
        x = a + part * (b - a)
        value = function(x)
        if (value > 0) == (at_a > 0):
            c, at_c = a, at_a
        else:
            c, b, at_c, at_b = b, a, at_b, at_a
        a, at_a = x, value
        least = 0.5 * tolerance / abs(b - a)
        if least > 0.25 or a == b:
            break
        xi, phi = (a - b) / (c - b), (at_a - at_b) / (at_c - at_b)
        part = 0.5
        if phi * phi < xi and (1 - phi) * (1 - phi) < 1 - xi:
            part = at_a / (at_b - at_a) * at_c / (at_b - at_c) + (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b)
        part = min(1 - least, max(least, part))
    return a if abs(at_a) < abs(at_b) else b
