"""The Cramér-Rao bound against enumeration of the reports, and against exact sums over groups of equal items where those are too many."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

import sottovoce as sv
from messages import refused
from sottovoce.channels.fisher import Fisher, of_matrix
from sottovoce.channels.hashed import fisher as hashed_fisher
from sottovoce.channels.subset import fisher as subset_fisher
from zoo import HASHED, NAMES, NOT_INVERTIBLE, built

Floats = Any


def enumerated(matrix: Floats, p: Floats) -> Floats:
    """(I⁻¹ − p·pᵀ) over all reports; a share of 0 is the limit of small ones, found from three of them."""

    def at(shares: Floats) -> Floats:
        chances = shares @ matrix
        scores = np.sqrt(shares)[:, None] * matrix[:, chances > 0] / np.sqrt(chances[chances > 0])
        return shares * np.diag(np.linalg.inv(scores @ scores.T)) - shares**2

    if p.min() > 0:
        return at(p)
    near, far, further = (at((1 - e) * p + e / len(p)) for e in (1e-7, 2e-7, 4e-7))
    return (8 * near - 6 * far + further) / 3


def populations(size: int, seed: int) -> Iterator[Floats]:
    """Some without zeros, some with a few and with many, and one that holds a single item."""
    generator = np.random.default_rng(seed)
    for zeros in (0, 0, 1, size // 2, size - 1):
        p = generator.dirichlet(np.ones(size))
        p[generator.choice(size, zeros, replace=False)] = 0
        yield p / p.sum()


LISTED = [name for name in NAMES if name not in {*HASHED, "optimal_lip-sum"}]
#: Mechanisms over more items than those of the zoo.
LARGER: dict[str, Callable[[], sv.Mechanism]] = {
    "oue": lambda: sv.oue(sv.Domain(9), 1.5),
    "rappor": lambda: sv.rappor(sv.Domain(10), 0.01),
    "subset": lambda: sv.subset_selection(sv.Domain(10), 0.7),
    "urap": lambda: sv.urap(sv.Domain(10), 6.0, [1, 2, 7]),
    "lifted": lambda: sv.utility_optimized(sv.oue(sv.Domain(9).subset([0, 3, 5, 8]), 12.0), sv.Domain(9)),
    "ubd": lambda: sv.ubd(sv.Domain(10), 0.3, [0, 1, 2, 3, 4, 5]),
    "hadamard": lambda: sv.hadamard(sv.Domain(10), 3.0),
    "idue": lambda: sv.idue(sv.Domain(6), dict(enumerate([0.5, 1.0, 1.0, 2.0, 2.0, 4.0]))),
}


@pytest.mark.parametrize("name", [*LISTED, *LARGER])
def test_the_bound_is_that_of_all_reports(name: str) -> None:
    mechanism = LARGER[name]() if name in LARGER else built(name)
    matrix, size = mechanism.channel.matrix(), mechanism.channel.size
    for p in populations(size, 3):
        bound = sv.cramer_rao(mechanism, p, 1)
        assert bound == pytest.approx(enumerated(matrix, p), rel=1e-6, abs=1e-9)
        if name not in NOT_INVERTIBLE:
            assert (bound <= sv.losses(mechanism, p, 1).per_item * (1 + 1e-9) + 1e-12).all()


def sums_of_groups(
    p: Floats, groups: list[slice], weights: list[tuple[float, float]], drawn: Iterator[tuple[float, list[int]]]
) -> tuple[Floats, Floats, Floats]:
    """Σ over the sizes (and their chances) that sets have within groups of equal items: E[w_i·w_j/M], w low or high."""
    spans = [np.arange(len(p))[group] for group in groups]
    sizes, low, high = np.array([len(span) for span in spans]), *np.array(weights).T
    joint, pair, single = np.zeros((len(spans), len(spans))), np.zeros(len(spans)), np.zeros(len(spans))
    held = np.array([p[span].sum() for span in spans])
    for chance, counts in drawn:
        inside = np.array(counts)
        outside = sizes - inside
        means = low + (high - low) * inside / sizes
        share = chance / float(held @ means)
        joint += share * np.outer(means, means)
        twice = inside * (inside - 1) * high**2 + 2 * inside * outside * high * low + outside * (outside - 1) * low**2
        pair += share * twice / np.maximum(1, sizes * (sizes - 1))
        single += share * (inside * high**2 + outside * low**2) / sizes
    np.fill_diagonal(joint, pair)
    return joint, single - pair, sizes


def variances_of_groups(p: Floats, *about: Any) -> Floats:
    """(I⁻¹ − p·pᵀ) of equal items: from I between the means of groups, and from what items have beyond that."""
    joint, own, sizes = sums_of_groups(p, *about)
    means = np.sqrt(np.outer(sizes, sizes)) * joint + np.diag(own)
    return np.repeat((1 - 1 / sizes) / own + np.diag(np.linalg.inv(means)) / sizes, sizes) - p**2


def of_groups(p: Floats, *about: Any) -> Floats:
    """I of equal items, written out."""
    joint, own, sizes = sums_of_groups(p, *about)
    home = np.repeat(np.arange(len(sizes)), sizes)
    return joint[np.ix_(home, home)] + np.diag(own[home])


def bits(channel: Any, groups: list[slice]) -> Iterator[tuple[float, list[int]]]:
    """How many bits of two groups are set, among the chances that matter."""
    sizes = [len(np.arange(channel.size)[group]) for group in groups]
    chances = [binom.pmf(np.arange(n + 1), n, channel.b[group][0]) for n, group in zip(sizes, groups, strict=True)]
    for i in np.flatnonzero(chances[0] > 1e-18).tolist():
        for j in np.flatnonzero(chances[1] > 1e-18).tolist():
            yield chances[0][i] * chances[1][j], [i, j]


def spread(size: int, heavy: int, share: float) -> Floats:
    return np.concatenate([np.full(heavy, share / heavy), np.full(size - heavy, (1 - share) / (size - heavy))])


@pytest.mark.parametrize("share", [0.6, 1.0])
def test_bits_of_four_hundred_items(share: float) -> None:
    groups, p = [slice(0, 30), slice(30, 400)], spread(400, 30, share)
    channel: Any = sv.oue(sv.Domain(400), 1.3).channel
    weights = [((1 - channel.a[0]) / (1 - channel.b[0]), channel.a[0] / channel.b[0])] * 2
    exact = np.diag(np.linalg.inv(of_groups(p, groups, weights, bits(channel, groups)))) - p**2
    assert sv.cramer_rao(sv.oue(sv.Domain(400), 1.3), p, 1) == pytest.approx(exact, rel=1e-8)


def test_bits_that_reveal_among_four_hundred_items() -> None:
    p, base = spread(400, 30, 0.6), sv.urap(sv.Domain(400), 1.3, range(30))
    channel: Any = base.channel
    inside = [slice(0, 10), slice(10, 30), slice(30, 400)]
    p[:10] *= 2
    p /= p.sum()
    low = (1 - channel.a) / (1 - channel.b)
    weights = [(low[0], channel.a[0] / channel.b[0]), (low[10], channel.a[10] / channel.b[10]), (low[30], low[30])]
    drawn = ((chance, [*counts, 0]) for chance, counts in bits(channel, inside[:2]))
    information = of_groups(p, inside, weights, drawn) + np.diag(np.where(channel.b > 0, 0.0, channel.a / p))
    exact = np.diag(np.linalg.inv(information)) - p**2
    assert sv.cramer_rao(base, p, 1) == pytest.approx(exact, rel=1e-8)


@pytest.mark.parametrize("share", [0.6, 1.0])
@pytest.mark.parametrize("epsilon", [0.4, 4.0])
def test_sets_of_four_hundred_items(epsilon: float, share: float) -> None:
    mechanism, groups, p = sv.subset_selection(sv.Domain(400), epsilon), [slice(0, 30), slice(30, 400)], spread(400, 30, share)
    channel: Any = mechanism.channel
    k, columns = channel.chosen, channel.columns
    weights = [(float(columns.low[0]), float(columns.high[0]))] * 2
    drawn = ((float(hypergeom.pmf(i, 400, 30, k)), [i, k - i]) for i in range(min(30, k) + 1))
    exact = np.diag(np.linalg.inv(of_groups(p, groups, weights, drawn))) - p**2
    assert sv.cramer_rao(mechanism, p, 1) == pytest.approx(exact, rel=1e-8)


@pytest.mark.parametrize(("epsilon", "accuracy"), [(9.0, 1e-8), (6.0, 1e-8), (3.0, 1e-3)])
def test_sets_of_ten_thousand_items(epsilon: float, accuracy: float) -> None:
    """Of one, 25 and 474 items; the last ones count as independent."""
    mechanism, groups, p = sv.subset_selection(sv.Domain(10_000), epsilon), [slice(0, 30), slice(30, 10_000)], spread(10_000, 30, 0.6)
    channel: Any = mechanism.channel
    k, columns = channel.chosen, channel.columns
    weights = [(float(columns.low[0]), float(columns.high[0]))] * 2
    drawn = ((float(hypergeom.pmf(i, 10_000, 30, k)), [i, k - i]) for i in range(min(30, k) + 1))
    assert sv.cramer_rao(mechanism, p, 1) == pytest.approx(variances_of_groups(p, groups, weights, drawn), rel=accuracy)


@pytest.mark.parametrize("epsilon", [0.7, 4.0])
def test_shares_of_sets_are_interpolated(epsilon: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """As without interpolation, for items that all have different shares."""
    base = sv.subset_selection(sv.Domain(90), epsilon)
    p = np.arange(100.0) ** 3 / (np.arange(100.0) ** 3).sum()
    for mechanism in (base, sv.utility_optimized(base, sv.Domain(100))):
        shares = p[: mechanism.channel.size] / p[: mechanism.channel.size].sum()
        found = sv.cramer_rao(mechanism, shares, 1)
        with monkeypatch.context() as patched:
            patched.setattr(subset_fisher, "_SHARES", 90)
            assert found == pytest.approx(sv.cramer_rao(mechanism, shares, 1), rel=1e-9)


@pytest.mark.parametrize("seed", [1, 2])
def test_hashed_reports_are_within_a_percent(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given by other functions, and many more of them, the bound is the same within 1 %."""
    p, generator = np.array([0.5, 0.3, 0.1, 0.06, 0.04, 0.0]), np.random.default_rng(seed)
    for mechanism in (sv.olh(sv.Domain(6), 1.0), sv.utility_optimized(sv.olh(sv.Domain(6).subset([0, 2, 3]), 2.0), sv.Domain(6))):
        with monkeypatch.context() as patched:
            patched.setattr(hashed_fisher, "_ENOUGH", 1 << 19)
            patched.setattr(hashed_fisher, "_LEAST", 1 << 19)
            patched.setattr(hashed_fisher, "spread_seeds", lambda count, _: generator.integers(0, 1 << 62, count, dtype=np.uint64))
            many = sv.cramer_rao(mechanism, p, 1)
        assert sv.cramer_rao(mechanism, p, 1) == pytest.approx(many, rel=0.01)
        assert (sv.cramer_rao(mechanism, p, 1) > 0).any()


def test_hashed_reports_of_many_items_are_near_independent_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism, p = sv.olh(sv.Domain(60), 1.0), np.arange(1, 61) / 1830
    monkeypatch.setattr(hashed_fisher, "_ENOUGH", 1 << 14)
    averaged = sv.cramer_rao(mechanism, p, 1)
    monkeypatch.setattr(hashed_fisher, "_MOST", 10)
    assert sv.cramer_rao(mechanism, p, 1) == pytest.approx(averaged, rel=0.01)


def test_items_that_share_a_bucket_are_all_that_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashed_fisher, "_ENOUGH", 1 << 10)
    mechanism, p = sv.olh(sv.Domain(12), 3.0), np.arange(12) / 66
    listed = sv.cramer_rao(mechanism, p, 1)
    monkeypatch.setattr(hashed_fisher, "_MANY", 100)
    assert sv.cramer_rao(mechanism, p, 1) == pytest.approx(listed, rel=1e-9)


def test_many_items_take_no_matrix() -> None:
    """Bits of very many items are solved in time that grows as their number, and as the matrix would be."""
    p = np.arange(1, 301) / 45150
    found = sv.oue(sv.Domain(300), 2.0).channel.fisher(p)
    dense = Fisher.from_matrix(p, (found.rows.T * found.weights) @ found.rows + np.diag(found.diagonal))
    assert found.variances() == pytest.approx(dense.variances(), rel=1e-9)
    wide = sv.oue(sv.Domain(20_000), 2.0)
    q = np.zeros(20_000)
    q[:5] = 0.2
    bound = sv.cramer_rao(wide, q, 1)
    assert (bound > 0).all()
    assert (bound <= sv.losses(wide, q, 1).per_item).all()


def test_reports_without_a_sender_fix_what_they_would_tell() -> None:
    """Two items alone can send the last two reports; where both have no share, nothing else is needed to know so."""
    rows = np.array([[0.6, 0.4, 0.0, 0.0], [0.4, 0.6, 0.0, 0.0], [0.2, 0.2, 0.4, 0.2], [0.2, 0.2, 0.2, 0.4]])
    p = np.array([0.3, 0.7, 0.0, 0.0])
    bound = of_matrix(p, rows).variances()
    assert bound == pytest.approx(enumerated(rows, p), rel=1e-6, abs=1e-9)
    assert bound[2:] == pytest.approx(0.0)


def test_what_no_report_tells_is_refused() -> None:
    with refused(sv.UnsupportedError):
        sv.cramer_rao(built("optimal_lip-sum"), np.full(5, 0.2), 10)
