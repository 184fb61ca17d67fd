"""Mechanisms over very many items, and the memory that they take."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np

import sottovoce as sv

#: How each is built, and how many megabytes a million items may take.
LARGE: dict[str, tuple[Callable[[sv.Domain], sv.Mechanism], int]] = {
    "krr": (lambda d: sv.krr(d, 1.0), 90),
    "urr, a few": (lambda d: sv.urr(d, 1.0, range(1000)), 60),
    "iprr, a few": (lambda d: sv.iprr(d, {item: 0.5 + (item % 3) for item in range(10_000)}), 60),
    "identity": (lambda d: sv.identity(d), 60),
    "urr, all": (lambda d: sv.urr(d, 1.0, range(len(d))), 160),  # the claim holds a label for every item
    "iprr, all": (lambda d: sv.iprr(d, dict.fromkeys(range(len(d)), 0.5)), 220),  # and a budget
}


def takes_at_most(limit: float, name: str, size: int) -> bool:
    """Whether it takes no more bytes, at one of three tries: loops may be compiled and modules imported at the first."""
    return any(peak_of(name, size) <= limit for _ in range(3))


def peak_of(name: str, size: int) -> int:
    """The most bytes in use while a mechanism is built and perturbs 100,000 answers; it keeps its claim."""
    build = LARGE[name][0]
    tracemalloc.start()
    mechanism = build(sv.Domain(size))
    reports = mechanism.perturb(np.arange(100_000), sv.SeededSource(1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(reports) == 100_000
    assert mechanism.certify().holds
    return peak
