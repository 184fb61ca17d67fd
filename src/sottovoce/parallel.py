"""Work on all cores: loops that let go of the interpreter's lock, each on its part of the rows, or on one item after the other."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

#: Elementary steps from which on all cores are used.
_PARALLEL_FROM = 1 << 22


def threads() -> int:
    """How many threads this process uses: one for each core that it may use, unless set otherwise."""
    return _threads


def use_threads(number: int) -> None:
    """Use so many threads from now on, in the whole process."""
    global _threads  # noqa: PLW0603 - only `threads` reads it
    _threads = number


class _Place(threading.local):
    """Where a thread stands: one that works for others starts none of its own."""

    worker = False


_place = _Place()


def _begin() -> None:
    _place.worker = True


@contextmanager
def alone() -> Iterator[None]:
    """In this thread no others are started: it is itself one of many, or sums must not depend on how many cores there are."""
    before, _place.worker = _place.worker, True
    try:
        yield
    finally:
        _place.worker = before


def _alone() -> bool:
    """Whether all cores are taken: work is then done at once, by the thread that asks for it."""
    return _place.worker or threads() < 2


def in_threads(rows: int, steps_each: int, work: Callable[[slice], Result]) -> list[Result]:
    """Work on all rows: in as many parts as there are cores, where there is enough to do."""
    if rows * steps_each < _PARALLEL_FROM or _alone():
        return [work(slice(0, rows))]
    number = threads()
    edges = [rows * k // number for k in range(number + 1)]
    with ThreadPoolExecutor(number, initializer=_begin) as pool:
        return list(pool.map(work, [slice(*pair) for pair in pairwise(edges)]))


def in_order(work: Callable[[Item], Result], items: Iterable[Item], ahead: int | None = None) -> Iterator[Result]:
    """What `work` makes of each item, in the order of the items, on all cores.

    At most `ahead` items (by default twice the cores) are taken and not yet handed on, so that memory stays bounded: the next one is
    taken when the consumer asks for more. An error, of the work or of the items, is raised in its place, behind what came before it.
    When it passes, or the consumer leaves, what was not begun is dropped, and what was begun is waited for.

    >>> list(in_order(abs, [3, -2, 1]))
    [3, 2, 1]
    """
    if _alone():
        yield from map(work, items)
        return
    most = max(1, 2 * threads() if ahead is None else ahead)
    waiting: deque[Future[Result]] = deque()
    coming = iter(items)
    failed: Exception | None = None
    pool = ThreadPoolExecutor(threads(), initializer=_begin)
    try:
        while True:
            while failed is None and len(waiting) < most:
                try:
                    item = next(coming)
                except StopIteration:
                    break
                except Exception as error:
                    failed = error
                    break
                waiting.append(pool.submit(work, item))
                del item
            if not waiting:
                break
            yield waiting.popleft().result()
        if failed is not None:
            raise failed
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
