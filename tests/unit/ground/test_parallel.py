"""Work on all cores: in parts, and item by item in their order."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

import sottovoce as sv
from sottovoce import parallel
from sottovoce.parallel import in_order, in_threads, use_threads

#: Enough steps that all cores are used.
MANY = 1 << 24


@pytest.fixture(autouse=True)
def three_cores(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(parallel, "_threads", 3)
    before = threading.active_count()
    yield
    gc.collect()
    assert threading.active_count() == before, "a pool was left open"


def names(_: object = None) -> str:
    return threading.current_thread().name


def test_rows_are_parted_among_the_cores() -> None:
    parts = in_threads(10, MANY, lambda rows: (rows.start, rows.stop))
    assert parts == [(0, 3), (3, 6), (6, 10)]
    assert in_threads(10, 1, lambda rows: (rows.start, rows.stop)) == [(0, 10)]


def test_a_worker_starts_no_threads_of_its_own() -> None:
    def nested(_: object) -> tuple[str, list[str]]:
        return names(), in_threads(10, MANY, names)

    for found in (in_threads(3, MANY, nested), list(in_order(nested, range(5)))):
        assert len(found) >= 3
        for outer, inner in found:
            assert outer != names()
            assert inner == [outer]
    assert len(in_threads(3, MANY, names)) == 3, "the thread that asked is not marked"


def test_nested_items_are_worked_on_by_the_worker() -> None:
    for outer, inner in in_order(lambda _: (names(), list(in_order(names, range(3)))), range(4)):
        assert inner == [outer] * 3


def test_one_core_works_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_threads", 1)
    assert list(in_order(names, range(3))) == [names()] * 3
    assert in_threads(4, MANY, names) == [names()]


def test_the_number_of_threads_is_read_when_work_begins() -> None:
    """Also by modules that were imported before it changed."""
    asked: list[int] = []

    class Counting(sv.SeededSource):
        def split(self, parts: int) -> None:
            asked.append(parts)

    use_threads(5)
    assert parallel.threads() == 5
    assert len(in_threads(10, MANY, names)) == 5
    mechanism = sv.krr(sv.Domain(range(4)), 1.0)
    assert len(mechanism.channel.sample(np.zeros(1 << 20, dtype=np.int64), Counting(1))) == 1 << 20
    assert asked == [5]


def test_results_come_in_order() -> None:
    def slow_at_first(value: int) -> int:
        time.sleep(0.03 if value % 3 == 0 else 0)
        return value * value

    assert list(in_order(slow_at_first, range(20))) == [value * value for value in range(20)]
    assert list(in_order(slow_at_first, [])) == []
    assert list(in_order(slow_at_first, range(7), ahead=1)) == [value * value for value in range(7)]


@pytest.mark.parametrize("ahead", [None, 1, 2, 10])
def test_items_are_taken_only_as_needed(ahead: int | None) -> None:
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        while True:
            taken += 1
            yield taken

    most = ahead or 2 * parallel.threads()
    results = in_order(lambda value: value, items(), ahead=ahead)
    assert taken == 0
    for k in range(1, 30):
        assert next(results) == k
        assert taken <= k - 1 + most
    results.close()  # type: ignore[attr-defined]  # it is a generator


def test_an_error_is_raised_in_its_place_and_ends_the_work() -> None:
    done: list[int] = []

    def work(value: int) -> int:
        if value == 4:
            raise ValueError("the fourth")
        time.sleep(0.005)
        done.append(value)
        return value

    found: list[int] = []
    with pytest.raises(ValueError, match="the fourth"):
        found.extend(in_order(work, iter(range(1000))))
    assert found == [0, 1, 2, 3]
    assert len(done) < 15


def test_an_error_of_the_items_comes_behind_what_was_before_it() -> None:
    def items() -> Iterator[int]:
        yield from range(3)
        raise OSError("the file is cut")

    found: list[int] = []
    with pytest.raises(OSError, match="the file is cut"):
        found.extend(in_order(lambda value: value, items()))
    assert found == [0, 1, 2]


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_work_ends_when_the_consumer_leaves(error: type[BaseException]) -> None:
    begun: list[int] = []
    gate = threading.Event()

    def work(value: int) -> int:
        begun.append(value)
        if value:
            gate.wait(0.02)
        return value

    def consume() -> None:
        for _ in in_order(work, range(1000), ahead=50):
            raise error

    with pytest.raises(error):
        consume()
    assert len(begun) <= 1 + 2 * parallel.threads(), "what was not begun is dropped"
    count = len(begun)
    time.sleep(0.05)
    assert len(begun) == count


def test_a_closed_generator_drops_what_was_not_begun() -> None:
    begun: list[int] = []

    def work(value: int) -> int:
        begun.append(value)
        time.sleep(0.01)
        return value

    results = in_order(work, range(1000), ahead=100)
    assert next(results) == 0
    results.close()  # type: ignore[attr-defined]  # it is a generator
    assert len(begun) <= 1 + 2 * parallel.threads()
    assert list(results) == []


def test_an_interrupt_passes_from_the_items() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(in_order(lambda value: value, items()))
