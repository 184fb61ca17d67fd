"""Margins: on their own scale, inside their intervals, and sums of their parts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import sottovoce as sv
from messages import refused
from sottovoce.arrays import Floats
from sottovoce.channels.groups import GroupMoments
from sottovoce.estimators.group_spread import second_moments
from sottovoce.estimators.margins import adjusted

AXES = {"a": ["yes", "no"], "b": ["low", "middle", "high"], "c": ["yes", "no"], "d": list("uvwx")}
DOMAIN = sv.Domain.product(**AXES)
SINGLES = {"a": [0.05, 0.95], "b": [0.2, 0.3, 0.5], "c": [0.5, 0.5], "d": [0.1, 0.2, 0.3, 0.4]}
MECHANISMS: dict[str, Callable[[sv.Domain], sv.Mechanism]] = {
    "krr": lambda d: sv.krr(d, 2.0),
    "oue": lambda d: sv.oue(d, 1.0),
    "olh": lambda d: sv.olh(d, 1.0),
    "subset_selection": lambda d: sv.subset_selection(d, 1.0),
    "hadamard": lambda d: sv.hadamard(d, 1.0),
    "urr": lambda d: sv.urr(d, 1.0, list(d)[:20]),
    "ubd": lambda d: sv.ubd(d, 1.0, list(d)[:20]),
    "urap": lambda d: sv.urap(d, 1.0, list(d)[:20]),
}


def joint() -> Floats:
    p = np.ones(1)
    for shares in SINGLES.values():
        p = np.outer(p, shares).ravel()
    return p


def tally_of(mechanism: sv.Mechanism | sv.Population, n: int, seed: int) -> sv.Tally:
    people = dict.fromkeys(mechanism.names, n // 2) if isinstance(mechanism, sv.Population) else n
    return sv.Tally.simulate(mechanism, joint(), people, sv.SeededSource(seed))


@pytest.mark.parametrize("name", MECHANISMS)
def test_margins_hold_the_truth(name: str) -> None:
    """95 % of the time, up to the noise of 100 studies of 11 labels; an interval half as wide would fail."""
    mechanism, held, narrow = MECHANISMS[name](DOMAIN), [], []
    for seed in range(100):
        e = sv.estimate(tally_of(mechanism, 2000, seed), "projected")
        for axis, truth in SINGLES.items():
            found = e.margin(axis)
            low, high = found.interval()
            assert ((low <= found.p) & (found.p <= high)).all()
            assert found.p.sum() == pytest.approx(1)
            held.append((low <= truth) & (truth <= high))
            narrow.append(np.abs(truth - (low + high) / 2) <= (high - low) / 4)
    assert 0.93 < np.mean(np.concatenate(held)) < 0.99
    assert np.mean(np.concatenate(narrow)) < 0.9


def test_the_margin_of_direct_reports_is_the_maximum_of_a_direct_channel() -> None:
    """Found a second time, by climbing the likelihood of the merged channel."""
    e = sv.estimate(tally_of(sv.krr(DOMAIN, 1.0), 3000, 1))
    found, block = e.margin("b"), tally_of(sv.krr(DOMAIN, 1.0), 3000, 1).blocks[0]
    labels = np.unravel_index(np.arange(len(DOMAIN)), DOMAIN.shape)[1]
    matrix = np.zeros((3, 3))
    for x in range(3):
        row = block.channel.matrix()[np.argmax(labels == x)]
        matrix[x] = np.bincount(labels, row)
    merged = sv.from_matrix(sv.Domain(AXES["b"]), matrix)
    counts = np.bincount(labels, block.counts).astype(np.int64)
    climbed = sv.estimate(sv.Tally.from_counts(merged, {"": (block.n, counts)}), "mle", tolerance=1e-9)
    assert (found.method, found.gap is not None and found.gap < 1e-6) == ("mle", True)
    assert found.p == pytest.approx(climbed.p, abs=1e-5)


def test_margins_of_several_axes_sum_to_those_of_single_ones() -> None:
    e = sv.estimate(tally_of(sv.oue(DOMAIN, 1.0), 500, 3))
    single = {name: e.margin(name).p for name in AXES}
    for names in (("a", "b"), ("d", "a", "c"), tuple(AXES)):
        found = e.margin(*names)
        shape = found.domain.shape
        kept = [axis.name for axis in found.domain.axes]
        assert kept == [name for name in AXES if name in names]
        low, high = found.interval()
        assert ((low <= found.p) & (found.p <= high)).all()
        for place, name in enumerate(kept):
            others = tuple(k for k in range(len(shape)) if k != place)
            assert found.p.reshape(shape).sum(axis=others) == pytest.approx(single[str(name)], abs=1e-9)
    assert e.margin("a", "b").margin("a").p == pytest.approx(single["a"])


def test_margins_are_closer_than_sums() -> None:
    """Ten yes/no questions in one report: sums of the joint estimate are far off."""
    domain = sv.Domain.product(**{f"q{k}": ["yes", "no"] for k in range(10)})
    truth, p = np.linspace(0.05, 0.95, 10), np.ones(1)
    for share in truth:
        p = np.outer(p, [share, 1 - share]).ravel()
    own, summed = [], []
    for seed in range(5):
        e = sv.estimate(sv.Tally.simulate(sv.oue(domain, 2.0), p, 30_000, sv.SeededSource(seed)), "projected")
        for k in range(10):
            own.append(e.margin(f"q{k}").p[0] - truth[k])
            summed.append(e.p.reshape((2,) * 10).take(0, axis=k).sum() - truth[k])
    assert np.sqrt(np.mean(np.square(own))) < 0.1 < np.sqrt(np.mean(np.square(summed)))


@pytest.mark.parametrize("method", [name for name in sv.METHODS if name != "smooth"])  # these axes have no order
def test_every_method_has_margins(method: str) -> None:
    crowd = sv.Population({"careful": sv.krr(DOMAIN, 1.0), "open": sv.identity(DOMAIN)})
    for mechanism in (crowd, sv.krr(DOMAIN, 1.0)):
        e = sv.estimate(tally_of(mechanism, 1000, 1), method, prior=joint())
        for names in (["a"], ["b", "d"]):
            found = e.margin(*names)
            low, high = found.interval(0.9)
            assert ((low <= found.p) & (found.p <= high)).all()
            assert found.p.sum() == pytest.approx(1)
            assert (found.n, found.stderr.shape) == (e.n, found.p.shape)
    assert (e.margin("a").p == pytest.approx(e.p.reshape(DOMAIN.shape).sum(axis=(1, 2, 3)))) or not e.additive


def test_the_covariance_of_a_margin_is_that_of_repeated_studies() -> None:
    found = [sv.estimate(tally_of(sv.oue(DOMAIN, 1.0), 2000, seed), "projected").margin("b") for seed in range(400)]
    spread = found[0].covariance()
    means = np.array([each.bars().mean for each in found])  # type: ignore[attr-defined]  # the unbiased estimate behind it
    seen = np.cov(means.T)
    assert np.abs(spread.sum(axis=1)).max() < 1e-9 * spread.max()
    assert np.sqrt(np.diag(seen)) == pytest.approx(np.sqrt(np.diag(spread)), rel=0.15)
    assert np.sqrt(np.diag(spread)) == pytest.approx(found[0].stderr, rel=0.05)


def test_what_has_no_margin() -> None:
    e = sv.estimate(tally_of(sv.krr(DOMAIN, 1.0), 100, 1))
    for wrong in ((), ("z",), ("a", "a")):
        with refused(sv.DomainError):
            e.margin(*wrong)
    plain = sv.estimate(sv.Tally.simulate(sv.krr(sv.Domain(3), 1.0), [0.2, 0.3, 0.5], 100, sv.SeededSource(1)))
    with refused(sv.DomainError):
        plain.margin("a")
    unknown = sv.estimate(sv.Tally(sv.krr(DOMAIN, 1.0)), "uniform").margin("b")
    assert unknown.p == pytest.approx([1 / 3] * 3)
    with pytest.raises(sv.UnsupportedError):
        unknown.interval()


@pytest.mark.parametrize("seed", range(20))
def test_adjusted_tables_have_their_margins(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(2, 5, size=rng.integers(2, 5)))
    p = rng.dirichlet(np.full(int(np.prod(shape)), 0.1)) * (rng.random(int(np.prod(shape))) < 0.5)
    margins = [rng.dirichlet(np.full(size, 0.3)) for size in shape]
    margins[0] = np.eye(shape[0])[0]
    found = adjusted(p / max(p.sum(), 1e-9), margins)
    assert (found >= 0).all()
    for place, margin in enumerate(margins):
        others = tuple(k for k in range(len(shape)) if k != place)
        assert found.reshape(shape).sum(axis=others) == pytest.approx(margin, abs=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_adjusted_tables_are_the_nearest_ones_with_these_margins(seed: int) -> None:
    """Against Dykstra's alternating projections onto the margins of each axis, and onto shares that aren't negative."""
    random = np.random.default_rng(seed)
    shape = random.integers(2, 5, 2 + seed % 2)
    p = random.dirichlet(np.full(int(np.prod(shape)), 0.3 + seed % 3))
    margins = [random.dirichlet(np.full(size, 0.5 + seed % 2)) for size in shape]
    table, left = p.reshape(shape), np.zeros((len(shape) + 1, *shape))
    for _ in range(20_000):
        for axis, target in enumerate(margins):
            others = tuple(k for k in range(len(shape)) if k != axis)
            here = table + left[axis]
            short = (target - here.sum(axis=others)) / (p.size / len(target))
            table = here + np.expand_dims(short, others)
            left[axis] = here - table
        here = table + left[-1]
        table = np.maximum(here, 0.0)
        left[-1] = here - table
    found = adjusted(p, margins)
    assert found == pytest.approx(table.ravel(), abs=1e-6)
    for axis, target in enumerate(margins):
        others = tuple(k for k in range(len(shape)) if k != axis)
        assert found.reshape(shape).sum(axis=others) == pytest.approx(target, abs=1e-12)


def test_margins_of_resolved_tags_sum_to_those_of_single_axes() -> None:
    """Also if a label has the name of a tag."""
    domain = sv.Domain.product(place=["home", "park"], age=["young", "old"])
    mechanism = sv.pum(domain, 1.0, tags=["home"])
    tally = sv.Tally.simulate(mechanism, [0.1, 0.2, 0.3, 0.2, 0.2], 2000, sv.SeededSource(1))
    resolved = sv.resolve_tags(sv.estimate(tally, "projected"), mechanism)
    both, place, age = resolved.margin("place", "age"), resolved.margin("place"), resolved.margin("age")
    assert both.p.reshape(2, 2).sum(axis=1) == pytest.approx(place.p)
    assert both.p.reshape(2, 2).sum(axis=0) == pytest.approx(age.p)
    for each in (both, place, age):
        low, high = each.interval()
        assert ((low <= each.p) & (each.p <= high)).all()


def test_second_moments_are_never_less_than_nothing() -> None:
    """Where nearly everybody is in one group, the moments of the others are differences of nearly equal figures."""
    mean = np.array([[1.0], [0.0]])
    rounded = GroupMoments(np.array([[1.0], [-1e-17]]), mean, np.ones((2, 1)))
    np.testing.assert_array_equal(second_moments(rounded, np.zeros(1)), mean)
