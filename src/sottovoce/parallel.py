"""Work on all cores: loops that let go of the interpreter's lock, each on its part of the rows."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

Result = TypeVar("Result")

#: The cores that this process may use.
THREADS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

#: Elementary steps from which on all cores are used.
_PARALLEL_FROM = 1 << 22


def in_threads(rows: int, steps_each: int, work: Callable[[slice], Result]) -> list[Result]:
    """Work on all rows: in as many parts as there are cores, where there is enough to do."""
    if rows * steps_each < _PARALLEL_FROM:
        return [work(slice(0, rows))]
    edges = [rows * k // THREADS for k in range(THREADS + 1)]
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(work, [slice(*pair) for pair in pairwise(edges)]))
