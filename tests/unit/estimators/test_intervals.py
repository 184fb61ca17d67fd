"""Intervals hold the truth as often as they say, near zero and for few people too; and a wrong interval is found out."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

import sottovoce as sv
from messages import refused
from sottovoce.estimators.intervals import Spread, deviate, spread
from sottovoce.estimators.inversion import inversion_of

SHARES = (0.0, 0.001, 0.01, 0.05, 0.2, 0.5, 0.9)


def every_count(n: int, epsilon: float) -> tuple[sv.Mechanism, Spread]:
    """A unary tally in which item c was reported c times: bits are independent, so one tally shows the interval of every count."""
    mechanism = sv.rappor(sv.Domain(n + 1), epsilon)
    return mechanism, spread([replace(sv.Tally(mechanism).blocks[0], n=n, counts=np.arange(n + 1))])


def exact_coverage(chance: float, n: int, share: float, limits: sv.Interval) -> float:
    held = (limits.low <= share) & (share <= limits.high)
    return float(binom.pmf(np.arange(n + 1), n, chance)[held].sum())


@pytest.mark.parametrize("n", [50, 300, 3000])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 2.0, 4.0])
def test_coverage_is_right_for_every_share(n: int, epsilon: float) -> None:
    """Exactly, by adding up the binomial probabilities of the counts whose interval holds the share."""
    mechanism, found = every_count(n, epsilon)
    limits = found.interval(0.95)
    for share in SHARES:
        chance = float(inversion_of(mechanism.channel).expected(np.full(n + 1, share))[0])
        hopeless = float(np.sqrt(found.variance.max())) > 1  # readings beyond 1 are cut back, and the interval may always hold the truth
        most = 0.99 if share <= 0.5 and not hopeless else 1.0 + 1e-9
        assert 0.93 <= exact_coverage(chance, n, share, limits) <= most


def test_an_interval_of_the_wrong_width_is_found_out() -> None:
    mechanism, found = every_count(300, 1.0)
    chance = float(inversion_of(mechanism.channel).expected(np.full(301, 0.5))[0])
    narrow = spread([replace(found.blocks[0], n=600, counts=2 * np.arange(301))]).interval(0.95)
    assert exact_coverage(chance, 300, 0.5, narrow) < 0.9
    assert exact_coverage(chance, 300, 0.5, found.interval(0.9999)) > 0.999


def test_rare_counts_are_close_to_the_exact_interval() -> None:
    """Without noise the limits are those of mid-P: half the probability of the count itself, and all beyond it, make 2.5 %."""
    mechanism = sv.identity(sv.Domain(40))
    n = 2000
    for c in range(8):
        block = replace(sv.Tally(mechanism).blocks[0], n=n, counts=np.array([c, n - c] + [0] * 38))
        low, high = (side[0] for side in spread([block]).interval(0.95))
        assert binom.cdf(c, n, high) - binom.pmf(c, n, high) / 2 == pytest.approx(0.025, abs=0.006)
        assert low == 0 if c == 0 else binom.sf(c, n, low) + binom.pmf(c, n, low) / 2 == pytest.approx(0.025, abs=0.006)


DOMAIN = sv.Domain(12)
TRUTH = np.array([0.0, 0.001, 0.05, 0.5, 0.1, 0.1, 0.05, 0.05, 0.05, 0.049, 0.05, 0.0])
CROWDS: dict[str, Callable[[], dict[str, sv.Mechanism]]] = {
    "hadamard": lambda: {"": sv.hadamard(DOMAIN, 1.0)},
    "hadamard, several blocks": lambda: {"": sv.hadamard(DOMAIN, 3.0)},
    "lifted": lambda: {"": sv.utility_optimized(sv.oue(DOMAIN.subset(range(6)), 1.0), DOMAIN)},
    "lifted subsets": lambda: {"": sv.utility_optimized(sv.subset_selection(DOMAIN.subset(range(6)), 1.0), DOMAIN)},
    "subsets": lambda: {"": sv.subset_selection(DOMAIN, 1.0)},
    "hash tables": lambda: {"": sv.lh_lip(DOMAIN, 1.0, np.full(12, 1 / 12), functions=16)},
    "matrix": lambda: {"": sv.from_matrix(DOMAIN, sv.krr(DOMAIN, 1.0).channel.matrix(exact=True)[:, ::-1], sv.LDP(1.001))},
    "mixture": lambda: {"low": sv.krr(DOMAIN, 0.5), "high": sv.oue(DOMAIN, 2.0), "open": sv.identity(DOMAIN)},
}


@pytest.mark.parametrize("name", CROWDS)
def test_coverage_of_other_channels_and_mixtures(name: str) -> None:
    """Simulated: near zero an interval may only miss on one side; for frequent items it holds the truth in 95 ± 2 % of runs."""
    runs, n, crowd = 700, 2000, CROWDS[name]()
    held = np.zeros(12)
    for seed in range(runs):
        source = sv.SeededSource(seed)
        blocks = [sv.Tally.simulate(mechanism, TRUTH, n, source).blocks[0] for mechanism in crowd.values()]
        low, high = spread(blocks).interval(0.95)
        held += (low <= TRUTH) & (high >= TRUTH)
    for item, count in enumerate(held.astype(int)):
        assert binomtest(count, runs, 0.93, alternative="less").pvalue > 1e-6, (item, count)
    frequent = held[TRUTH >= 0.1].sum()
    assert abs(frequent / (3 * runs) - 0.95) < 0.02


def test_simultaneous_intervals_hold_all_items_at_once() -> None:
    mechanism, p = sv.krr(DOMAIN, 1.0), TRUTH
    all_held = one_by_one = 0
    for seed in range(400):
        found = sv.estimate(sv.Tally.simulate(mechanism, p, 2000, sv.SeededSource(seed)))
        low, high = found.interval(0.95, simultaneous=True)
        all_held += bool(((low <= p) & (p <= high)).all())
        low, high = found.interval(0.95)
        one_by_one += bool(((low <= p) & (p <= high)).all())
    assert binomtest(all_held, 400, 0.95, alternative="less").pvalue > 1e-3
    assert one_by_one < 320


@given(st.integers(1, 400), st.floats(0.05, 8.0), st.integers(0, 2**32), st.floats(0.8, 0.999))
def test_intervals_are_intervals(n: int, epsilon: float, seed: int, level: float) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 30))
    mechanism = [sv.krr, sv.oue, sv.olh][seed % 3](sv.Domain(size), epsilon)
    tally = sv.Tally.simulate(mechanism, rng.dirichlet(np.full(size, 0.4)), n, sv.SeededSource(seed))
    found = sv.estimate(tally, "inversion")
    low, high = found.interval(level)
    wider = found.interval((1 + level) / 2)
    assert ((low >= np.minimum(found.p, 0)) & (high <= np.maximum(found.p, 1)) & (low <= high)).all()
    assert ((wider.low <= low + 1e-9) & (wider.high >= high - 1e-9)).all()
    assert ((low <= found.p) & (found.p <= high)).all()


def test_every_method_has_error_bars() -> None:
    tally = sv.Tally.simulate(sv.krr(DOMAIN, 1.0), TRUTH, 5000, sv.SeededSource(1))
    for method in sv.METHODS:
        if not tally.supports(method):  # items without order can't be smooth
            continue
        found = sv.estimate(tally, method, prior=np.full(12, 1 / 12))
        low, high = found.interval()
        assert found.stderr.shape == low.shape == high.shape == (12,)
        assert (found.stderr > 0).all()
        assert (high > low).all()


def test_frames() -> None:
    domain = sv.Domain.product(sex=["f", "m"], age=["young", "old", "oldest"])
    found = sv.estimate(sv.Tally.simulate(sv.krr(domain, 1.0), np.full(6, 1 / 6), 500, sv.SeededSource(1)))
    frame = found.to_frame(0.9)
    assert list(frame.columns) == ["sex", "age", "p", "stderr", "low", "high"]
    assert tuple(frame.loc[4, ["sex", "age"]]) == domain.item(4)
    assert frame["low"].to_numpy() == pytest.approx(found.interval(0.9).low)
    assert "item" in sv.estimate(sv.Tally.simulate(sv.krr(DOMAIN, 1.0), TRUTH, 10, sv.SeededSource(1))).to_frame().columns


def test_wrong_questions() -> None:
    found = sv.estimate(sv.Tally.simulate(sv.krr(DOMAIN, 1.0), TRUTH, 500, sv.SeededSource(1)))
    for level in (0.0, 1.0, 95, True, "0.95", float("nan")):
        with refused(sv.ParameterError, level, 0, 1):
            found.interval(level)  # type: ignore[arg-type]  # wrong on purpose
    with refused(sv.UnsupportedError):
        sv.Estimate(DOMAIN, TRUTH, 10, "mle").interval()
    with refused(sv.UnsupportedError, 10000, "100,000,000"):
        sv.estimate(sv.Tally.simulate(sv.krr(sv.Domain(10_000), 1.0), np.full(10_000, 1e-4), 500, sv.SeededSource(1))).covariance()
    lifted = sv.utility_optimized(sv.olh(DOMAIN.subset(range(6)), 1.0), DOMAIN)
    with refused(sv.UnsupportedError, "mle", "keep_reports=True"):
        sv.estimate(sv.Tally.simulate(lifted, TRUTH, 50, sv.SeededSource(1), keep_reports=True)).interval()


def test_estimates_behave_like_mappings_that_stay_as_they_are() -> None:
    """Items, shares, copies and pickles; what was estimated cannot be written to."""
    tally = sv.Tally.simulate(sv.krr(sv.Domain("abc"), 1.0), [0.2, 0.3, 0.5], 500, sv.SeededSource(1))
    for method in sv.METHODS:
        if not tally.supports(method):
            continue
        found = sv.estimate(tally, method, prior=[0.2, 0.3, 0.5])
        copied = pickle.loads(pickle.dumps(found))
        assert list(copied) == ["a", "b", "c"]
        assert ("a" in copied, "x" in copied, len(copied)) == (True, False, 3)
        assert copied.interval().low.tolist() == found.interval().low.tolist()
        with pytest.raises(ValueError, match="read-only"):
            found.p[0] = 1
        with pytest.raises(ValueError, match="read-only"):
            found.stderr[0] = 1
    assert dict(zip(found, found.p.tolist(), strict=True))["a"] == found["a"]
    nobody = sv.estimate(sv.Tally(sv.krr(sv.Domain("abc"), 1.0)), "uniform")
    with refused(sv.UnsupportedError):
        nobody.interval()
    clash = sv.Domain.product(p=["x", "y"], low=["u", "v"])
    with refused(sv.DomainError, "low"):
        sv.estimate(sv.Tally.simulate(sv.krr(clash, 1.0), np.full(4, 0.25), 50, sv.SeededSource(1))).to_frame()


FAMILIES = [(0.0017 + 0.001, 0.001), (0.5, 0.45), (0.27, 0.1), (0.9, 0.0), (0.3, 0.0), (0.02, 0.01), (1.0, 0.0)]


@pytest.mark.parametrize("n", [1, 2, 5, 20, 100])
@pytest.mark.parametrize(("own", "other"), FAMILIES)
@pytest.mark.parametrize(("level", "items"), [(0.95, 1), (0.99, 1), (0.95, 1000)])
def test_few_people_are_not_overread(n: int, own: float, other: float, level: float, items: int) -> None:
    """Exact coverage where hardly anybody speaks for an item: never far below the level."""
    channel = sv.UnaryChannel(*(np.full(n + 1, min(int(chance * 2**64), 2**64 - 1), dtype=np.uint64) for chance in (own, other)))
    mechanism = sv.identity(sv.Domain(n + 1))
    block = replace(sv.Tally(mechanism).blocks[0], n=n, counts=np.arange(n + 1))
    object.__setattr__(block.mechanism, "channel", channel)  # bits without a promise, to reach the corners
    found = spread([block]).limits(deviate(level, items))
    assert (found.low < found.high).all()
    for share in (0.0, 0.001, 0.05, 0.3, 0.5, 0.7, 0.95, 1.0):
        held = exact_coverage(other + (own - other) * share, n, share, found)
        assert held >= (0.88 if items == 1 and level == 0.95 else 0.95), share


def test_limits_near_one_mirror_those_near_zero() -> None:
    """Of two items one is what the other is not, and more reports for an item never lower its limits."""
    mechanism = sv.identity(sv.Domain(2))
    limits = []
    for c in range(20, 31):
        tally = sv.Tally(mechanism).add(sv.CodeReports(np.repeat([0, 1], [c, 30 - c]), 2))
        low, high = sv.estimate(tally).interval()
        assert low[0] == pytest.approx(1 - high[1], abs=1e-6)
        assert high[0] == pytest.approx(1 - low[1], abs=1e-6)
        limits.append((low[0], high[0]))
    assert limits == sorted(limits)
    krr = sv.krr(sv.Domain(2), 1.0)
    low, high = sv.estimate(sv.Tally(krr).add(sv.CodeReports(np.zeros(20, dtype=np.int64), 2))).interval()
    assert low[0] < 0.95


GROUPS = [np.arange(8) // 2 == k for k in range(4)] + [np.arange(8) % 2 == 0]
EIGHT = np.array([0.3, 0.2, 0.15, 0.1, 0.1, 0.05, 0.05, 0.05])


@pytest.mark.parametrize(
    "build",
    [
        lambda d: sv.krr(d, 1.0),
        lambda d: sv.oue(d, 1.0),
        lambda d: sv.subset_selection(d, 1.0),
        lambda d: sv.ubd(d, 1.0, [0, 3]),
        lambda d: sv.utility_optimized(sv.oue(d.subset([0, 5]), 1.0), d),
        lambda d: sv.hadamard(d, 1.0),
        lambda d: sv.olh(d, 1.0),
        lambda d: sv.from_matrix(d, sv.krr(d, 1.0).channel.matrix()),
        sv.identity,
    ],
    ids=["krr", "oue", "subset_selection", "ubd", "lifted", "hadamard", "olh", "matrix", "identity"],
)
def test_intervals_of_groups_hold(build: Callable[[sv.Domain], sv.Mechanism]) -> None:
    """95 % of the time, up to the noise of 200 studies of 5 groups; an interval half as wide would fail."""
    mechanism, truth = build(sv.Domain(8)), np.array([EIGHT[group].sum() for group in GROUPS])
    held, narrow = [], []
    for seed in range(200):
        low, high = sv.estimate(sv.Tally.simulate(mechanism, EIGHT, 1000, sv.SeededSource(seed)), "projected").group_interval(GROUPS)
        held.append((low <= truth) & (truth <= high))
        middle, half = (low + high) / 2, (high - low) / 4
        narrow.append(np.abs(truth - middle) <= half)
    assert 0.92 < np.mean(held) < 0.98
    assert np.mean(narrow) < 0.85


@pytest.mark.parametrize("reports", [3, 10])
def test_several_reports_of_a_person_are_taken_into_account(reports: int) -> None:
    """Intervals for the population hold, where those that take reports for people do not."""
    mechanism, truth = sv.krr(sv.Domain(8), 3.0), np.array([EIGHT[group].sum() for group in GROUPS])
    held, blind, groups = list[np.ndarray](), list[np.ndarray](), list[np.ndarray]()
    for seed in range(200):
        e = sv.estimate(sv.Tally.simulate(mechanism, EIGHT, 500, sv.SeededSource(seed), reports=reports))
        for found, each in ((held, reports), (blind, 1)):
            low, high = e.interval(0.95, reports=each)
            found.append((low <= EIGHT) & (high >= EIGHT))
        low, high = e.group_interval(GROUPS, reports=reports)
        groups.append((low <= truth) & (truth <= high))
    assert 0.93 < np.mean(held) < 0.985
    assert 0.92 < np.mean(groups) < 0.985
    assert np.mean(blind) < 0.9
    for wrong in (0, -1, True, 1.5):
        with refused(sv.ParameterError, "reports", wrong):
            e.interval(0.95, reports=wrong)  # type: ignore[arg-type]  # the test


def test_groups_that_cannot_be_bounded() -> None:
    e = sv.estimate(sv.Tally.simulate(sv.krr(sv.Domain(8), 1.0), EIGHT, 1000, sv.SeededSource(1)))
    with refused(sv.DomainError, 8):
        e.group_interval([[True]])
    low, high = e.group_interval([np.ones(8), np.zeros(8)])
    assert (low[0], high[0], low[1], high[1]) == (1.0, 1.0, 0.0, 0.0)
