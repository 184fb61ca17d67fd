"""Bins of numbers: their edges, their labels, and the bin of each number.

A bin contains its lower edge and not its upper one. The last bin contains both. Numbers beyond finite ends are clipped: they count as
the end. The lowest and the highest edge may be infinite, and the bin is then open.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import DomainError

Floats = NDArray[np.float64]
#: Digits to which edges between two ends are rounded, so that 0.1 · 3 is written 0.3.
_DIGITS = 12
#: The largest finite number that a bin may end at, and the most bins.
_FAR, _MOST = 1e300, 1 << 20


def edges_between(low: Any, high: Any, bins: Any, *, log: bool = False) -> tuple[float, ...]:
    """The edges of bins of equal width, or of equal ratio if `log`.

    Edges whose decimals don't end are rounded to 0.5 % of a bin, so that people can read them.

    >>> edges_between(0, 1, 4), edges_between(0, 100, 3)
    ((0.0, 0.25, 0.5, 0.75, 1.0), (0.0, 33.3, 66.7, 100.0))
    >>> edges_between(1, 1000, 3, log=True), edges_between(1, 50, 3, log=True)
    ((1.0, 10.0, 100.0, 1000.0), (1.0, 3.68, 13.6, 50.0))
    """
    start, stop = finite_end(low, "lower"), finite_end(high, "upper")
    if not start < stop:
        raise DomainError(f"The numbers run from {low!r} to {high!r}. Give the smaller end first.")
    if isinstance(bins, bool) or not isinstance(bins, (int, np.integer)) or not 2 <= bins <= _MOST:
        raise DomainError(f"The number of bins is {bins!r}. Give a whole number from 2 to {_MOST:,}.")
    if log and start <= 0:
        raise DomainError(f"Logarithmic bins can't begin at {low!r}. Give a lower end above 0.")
    if log:
        inner = np.exp(np.linspace(math.log(start), math.log(stop), int(bins) + 1))[1:-1].tolist()
        growth = min(1.0, math.expm1((math.log(stop) - math.log(start)) / bins))
        return checked_edges((start, *(round(each, _digits(each * growth, 2)) for each in inner), stop))
    inner = np.linspace(start, stop, int(bins) + 1)[1:-1].tolist()
    most = _DIGITS - 1 - math.floor(math.log10(max(abs(start), abs(stop))))
    ended = all(round(each, most) == round(each, most - 1) for each in inner)
    digits = most if ended else min(most, _digits((stop - start) / bins, 2))
    return checked_edges((start, *(round(each, digits) for each in inner), stop))


def _digits(width: float, more: int) -> int:
    """The decimals of a bin's first digit, and some more."""
    return more - math.floor(math.log10(max(width, 5e-324)))


def finite_end(value: Any, which: str) -> float:
    """An end of the numbers, which has to be finite."""
    if not _is_real(value) or not abs(value) < _FAR:
        raise DomainError(f"The {which} end of the numbers is {value!r}. Give a finite number, or list the edges to leave an end open.")
    return float(value) + 0.0


def checked_edges(edges: Iterable[Any]) -> tuple[float, ...]:
    """Edges that increase. Only the first and the last may be infinite."""
    if isinstance(edges, str) or not isinstance(edges, Iterable):
        raise DomainError(f"The edges are {edges!r}. Give a list of increasing numbers.")
    given = list(edges)
    if len(given) < 3:
        raise DomainError(f"There are {len(given)} edges. Give at least three, which make two bins.")
    if len(given) > _MOST + 1:
        raise DomainError(f"There are {len(given):,} edges. Give at most {_MOST + 1:,}.")
    for place, edge in enumerate(given):
        if not _is_real(edge) or math.isnan(edge):
            raise DomainError(f"Edge {place + 1} is {edge!r}. Give a number.")
        if not abs(edge) < _FAR and not (math.isinf(edge) and place in {0, len(given) - 1}):
            raise DomainError(f"Edge {place + 1} is {edge!r}. Only the first and the last can be infinite.")
    found = tuple(float(edge) + 0.0 for edge in given)
    for place, (one, other) in enumerate(pairwise(found)):
        if not one < other:
            raise DomainError(f"Edge {place + 2} is {_shown(other)} and follows {_shown(one)}. Give edges that increase.")
    return found


def _is_real(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def whole_numbers(edges: Sequence[float]) -> list[tuple[float, float]]:
    """The least and the greatest whole number of each bin (infinite if the bin is open). A bin without any is refused."""
    found = [(float(np.ceil(low)), float(np.ceil(high)) - 1) for low, high in pairwise(edges)]
    found[-1] = (found[-1][0], float(np.floor(edges[-1])))
    for low, high in found:
        if low > high:
            raise DomainError(f"No whole number lies in the bin from {_shown(low)} on. Use fewer bins, or leave out whole.")
    return found


def bin_labels(edges: Sequence[float], *, whole: bool = False) -> tuple[str, ...]:
    """The bins in words.

    >>> bin_labels((18.0, 30.0, 65.0, math.inf)), bin_labels((0.0, 0.5, 1.0))
    (('18 to under 30', '30 to under 65', '65 or more'), ('0 to under 0.5', '0.5 to 1'))
    >>> bin_labels((-math.inf, 18.0, 30.0, 31.0, 40.0), whole=True)
    ('17 or less', '18 to 29', '30', '31 to 40')
    """
    if whole:
        return tuple(_whole_label(low, high) for low, high in whole_numbers(edges))
    return tuple(
        f"under {_shown(high)}"
        if math.isinf(low)
        else f"{_shown(low)} or more"
        if math.isinf(high)
        else f"{_shown(low)} to {'' if place == len(edges) - 2 else 'under '}{_shown(high)}"
        for place, (low, high) in enumerate(pairwise(edges))
    )


def _whole_label(low: float, high: float) -> str:
    if math.isinf(low):
        return f"{_shown(high)} or less"
    if math.isinf(high):
        return f"{_shown(low)} or more"
    return _shown(low) if low == high else f"{_shown(low)} to {_shown(high)}"


def _shown(edge: float) -> str:
    return repr(int(edge)) if abs(edge) < 1e15 and edge == int(edge) else repr(edge)


def centres_of(edges: Sequence[float], *, whole: bool = False) -> Floats:
    """The middles of bins, or of their whole numbers. An open bin stands at its finite end, as if its numbers were clipped there."""
    low, high = np.array(whole_numbers(edges)).T if whole else (np.array(edges[:-1]), np.array(edges[1:]))
    with np.errstate(invalid="ignore"):
        middles = low + (high - low) / 2
    return np.where(np.isinf(low), high, np.where(np.isinf(high), low, middles))


def numbers_of(values: Any, axis: str | None = None) -> Floats | None:
    """A column of numbers as floats, None if it isn't one. NaN and infinite values are refused."""
    if isinstance(values, np.ndarray):
        numeric = values.dtype.kind in "iuf" or (values.dtype == object and _are_numbers(set(map(type, values.ravel().tolist()))))
    else:
        numeric = _are_numbers(set(map(type, values)))
    if not numeric or np.ndim(values) != 1:
        return None
    found = np.asarray(values, dtype=np.float64)
    wrong = ~np.isfinite(found)
    if wrong.any():
        place = int(np.argmax(wrong))
        where = f" on axis {axis!r}" if axis else ""
        raise DomainError(f"Value {place + 1}{where} is {float(found[place])!r}. Give finite numbers, and leave out missing ones.")
    return found


def _are_numbers(types: set[type]) -> bool:
    return all(hasattr(each, "__float__") and not issubclass(each, (bool, np.bool_)) for each in types)


def bins_of(numbers: Floats, edges: Sequence[float]) -> NDArray[np.int64]:
    """The bin of each number."""
    return np.searchsorted(np.array(edges[1:-1]), numbers, side="right").astype(np.int64)


def beyond(numbers: Floats, edges: Sequence[float]) -> tuple[int, int]:
    """How many numbers lie below the lowest edge and above the highest."""
    return int((numbers < edges[0]).sum()), int((numbers > edges[-1]).sum())
