"""The compiled passes over reports, against the sums that they stand for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sottovoce as sv
from sottovoce.channels.hashed import pass_kernels as hash_kernels
from sottovoce.channels.hashed.kernels import bucket_table, count_support
from sottovoce.channels.sets import pass_kernels as kernels

#: Seeds at the edges: both halves 0, 1, one less than the prime 2^31 − 1, and the prime itself.
EDGES = [low | high << 31 for low in (0, 1, (1 << 31) - 2, (1 << 31) - 1) for high in (0, 1, (1 << 31) - 2, (1 << 31) - 1)]


def members(seeds: Any, buckets: Any, size: int, g: int) -> Any:
    return bucket_table(seeds, size, g) == buckets[:, None]


def some_hashes(count: int, g: int) -> tuple[Any, Any]:
    generator = np.random.default_rng(count)
    seeds = np.concatenate([np.array(EDGES, dtype=np.uint64), generator.integers(0, 1 << 62, count, dtype=np.uint64)])[:count]
    return seeds, generator.integers(0, g, count).astype(np.uint32)


@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 255, 256, 257, 300, 1030])
@pytest.mark.parametrize("g", [2, 4, 7, 300, 65_536, 1_000_003])
def test_support_is_counted_as_the_hash_function_says(count: int, g: int) -> None:
    seeds, buckets = some_hashes(count, g)
    counts = np.ones(70, dtype=np.int64)
    count_support(seeds, buckets, g, counts)
    assert np.array_equal(counts, members(seeds, buckets, 70, g).sum(axis=0) + 1)


def expected(inside: Any, times: Any, base: float, empty: float, gains: Any) -> tuple[Any, Any, Any, Any, Any, Any]:
    """The sums over reports, from a dense table of what they contain."""
    some = inside.any(axis=1)
    means = np.where(some, base + inside @ gains, empty)
    w, ww = times / means, times / means**2
    return (times * np.log(means)).sum(), w, ww, w @ inside, ww @ inside, some


def numbers(count: int, *, repeated: bool) -> Any:
    return np.random.default_rng(2).integers(1, 4, count).astype(np.float64) if repeated else np.ones(count)


@pytest.mark.parametrize("count", [1, 100, 256, 600])
@pytest.mark.parametrize("curved", [False, True])
@pytest.mark.parametrize("repeated", [False, True])
def test_a_pass_over_hashes(count: int, curved: bool, repeated: bool) -> None:
    g, size = 40, 50
    seeds, buckets = some_hashes(count, g)
    times, gains = numbers(count, repeated=repeated), np.random.default_rng(1).random(size)
    first, second = np.zeros(size), np.zeros(size if curved else 0)
    value, sums = hash_kernels.pass_over_hashes(seeds, buckets, g, times, 0.3, 0.01, gains, first, second)
    true_value, w, ww, one, two, some = expected(members(seeds, buckets, size, g), times, 0.3, 0.01, gains)
    assert value == pytest.approx(true_value, rel=1e-12)
    assert sums == pytest.approx([w[some].sum(), ww[some].sum(), w[~some].sum(), ww[~some].sum()], rel=1e-12)
    assert first == pytest.approx(one, rel=1e-12)
    assert second == pytest.approx(two if curved else [], rel=1e-12)


@pytest.mark.parametrize("size", [1, 64, 65, 400])
@pytest.mark.parametrize("count", [1, 511, 512, 513, 1200])
@pytest.mark.parametrize("curved", [False, True])
@pytest.mark.parametrize("base", [0.3, 1e-120, 1e130])
def test_a_pass_over_sets(size: int, count: int, curved: bool, base: float) -> None:
    """Both ways: by words, and by lists of items."""
    generator = np.random.default_rng(count)
    dense = generator.random((count + 10, size)) < 0.3
    words, rows = sv.SetReports.of_dense(dense).words, np.sort(generator.permutation(count + 10)[:count])
    times, gains = numbers(count, repeated=count == 511), generator.random(size) * base
    value, w, ww, one, two, _ = expected(dense[rows], times, base, base, gains)
    padded, second = np.zeros(64 * words.shape[1]), np.zeros(64 * words.shape[1] if curved else 0)
    padded[:size] = gains
    first = np.zeros(len(padded))
    sums = kernels.pass_over_words(words, rows, times, base, padded, first, second)
    assert sums == pytest.approx((value, w.sum(), ww.sum()), rel=1e-11)
    assert first[:size] == pytest.approx(one, rel=1e-11)
    assert not first[size:].any()
    assert second[:size] == pytest.approx(two if curved else [], rel=1e-11)

    starts = np.concatenate([[0], np.cumsum(dense[rows].sum(axis=1))])
    items, listed = np.nonzero(dense[rows])[1].astype(np.uint16), np.zeros(size)
    more = np.zeros(size if curved else 0)
    sums = kernels.pass_over_items(starts, items, times, base, gains, listed, more)
    assert sums == pytest.approx((value, w.sum(), ww.sum()), rel=1e-11)
    assert listed == pytest.approx(one, rel=1e-11)
    assert more == pytest.approx(two if curved else [], rel=1e-11)
