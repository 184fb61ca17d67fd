"""Feeding words to the sampling loops, and what those loops share."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from sottovoce.channels.sampling_kernels import NEUTRAL, outside
from sottovoce.parallel import threads
from sottovoce.sources import Source, Words, used_up

__all__ = ["NEUTRAL", "draw_fixed", "draw_variable", "outside"]

#: Words in flight per thread: enough to hide the cost of a draw, few enough to stay in cache.
CHUNK_WORDS = 1 << 16
#: Below this many words a second thread costs more than it brings.
PARALLEL_FROM = 1 << 18


def _run(count: int, words_each: float, source: Source, part: Callable[[int, int, Source], None]) -> None:
    """Work on the reports 0 .. count − 1: in threads if the source allows it, otherwise in order."""
    cores = threads()
    sources = source.split(cores) if count * words_each >= PARALLEL_FROM and cores > 1 else None
    if sources is None:
        part(0, count, source)
        return
    edges = [count * k // cores for k in range(cores + 1)]
    with ThreadPoolExecutor(cores) as pool:
        list(pool.map(part, edges[:-1], edges[1:], sources))


def draw_fixed(count: int, words_each: int, source: Source, body: Callable[[slice, Words], None]) -> None:
    """Feed a loop that reads the same number of words for every report."""

    def part(start: int, stop: int, source: Source) -> None:
        step = CHUNK_WORDS // words_each
        scratch = np.empty(words_each * min(step, stop - start), dtype=np.uint64)
        for begin in range(start, stop, step):
            end = min(begin + step, stop)
            words = scratch[: words_each * (end - begin)]
            if source.fill(words) < len(words):
                raise used_up()
            body(slice(begin, end), words)

    _run(count, words_each, source, part)


def draw_variable(count: int, words_each: float, source: Source, body: Callable[[slice, Words], tuple[int, int]]) -> None:
    """Feed a loop that reads a random number of words per report, `words_each` on average.

    `body(rows, words)` returns how many of the rows it finished and how many words those took. If the words run out in the middle of a
    report, it starts again **with the same words** and more after them. How many words a report reads depends on its content, so other
    words would favour short readings and change the channel.
    """

    def part(start: int, stop: int, source: Source) -> None:
        step = max(1, int(CHUNK_WORDS / words_each))
        scratch = np.empty(int(words_each * min(step, stop - start)) + 64, dtype=np.uint64)
        held, stuck = 0, False
        while start < stop:
            end = min(start + step, stop)
            wanted = 2 * held if stuck else max(held, min(len(scratch), int(words_each * (end - start)) + 64))
            if wanted > len(scratch):
                scratch = np.concatenate([scratch, np.empty(wanted - len(scratch), dtype=np.uint64)])
            filled = held + source.fill(scratch[held:wanted])
            done, used = body(slice(start, end), scratch[:filled])
            stuck = done == 0
            if stuck and filled < wanted:
                raise used_up()
            held = filled - used
            scratch[:held] = scratch[used:filled].copy()
            start += done
        source.give_back(scratch[:held])

    _run(count, words_each, source, part)
