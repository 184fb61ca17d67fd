"""ULDP paper: the approximations (15), (18) and (29), and Proposition 14. Losses and channels are written out with exact fractions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

import sottovoce as sv


class Bits(NamedTuple):
    """How often a report contains an item: for its holder, and for anyone else."""

    own: Fraction
    other: Fraction

    def chance(self, share: Fraction) -> Fraction:
        return self.other + (self.own - self.other) * share

    def variance(self, share: Fraction) -> Fraction:
        """n times the variance of (the share of reports that contain the item − other)/(own − other)."""
        chance = self.chance(share)
        return chance * (1 - chance) / (self.own - self.other) ** 2


def urr(sensitive: int, growth: Fraction) -> tuple[Bits, Bits]:
    """Definition 3 with e^ε = 1 + growth: a sensitive item, and another one."""
    whole = sensitive + growth
    return Bits((1 + growth) / whole, 1 / whole), Bits(growth / whole, Fraction(0))


def urap(root: Fraction) -> tuple[Bits, Bits]:
    """Definition 4 with e^{ε/2} = root and the θ of RAPPOR."""
    theta = root / (root + 1)
    mixed = (1 - theta) * root**2 + theta
    return Bits(theta, theta / mixed), Bits(1 - mixed / root**2, Fraction(0))


def l1(bits: tuple[Bits, Bits], sensitive: int, free: int) -> float:
    """√n times the expected l1 loss for many people, where no one holds a sensitive item and the others are equally frequent."""
    inside, outside = (math.sqrt(kind.variance(share)) for kind, share in zip(bits, (Fraction(0), Fraction(1, free)), strict=True))
    return math.sqrt(2 / math.pi) * (sensitive * inside + free * outside)


@pytest.mark.parametrize(("sensitive", "free"), [(2, 3), (5, 20), (12, 400)])
def test_high_privacy_of_urr_in_l1(sensitive: int, free: int) -> None:
    """(15): the ratio goes to 1, and what is missing is the next term, √(|X_N|·ε/(|X_S|(|X_S| − 1)))."""
    for power in (6, 8, 10):
        growth = Fraction(1, 10**power)
        epsilon = math.log1p(growth)
        printed = math.sqrt(2 / math.pi) * sensitive * math.sqrt(sensitive - 1) / epsilon
        missing = l1(urr(sensitive, growth), sensitive, free) / printed - 1
        assert missing == pytest.approx(math.sqrt(free * epsilon / (sensitive * (sensitive - 1))), rel=0.01)
    n, epsilon = 10**14, 1e-4
    shares = np.concatenate([np.zeros(sensitive), np.full(free, 1 / free)])
    found = sv.worst_case(sv.urr(sv.Domain(sensitive + free), epsilon, range(sensitive)), n, "l1").losses.l1
    assert found * math.sqrt(n) == pytest.approx(l1(urr(sensitive, Fraction(math.expm1(epsilon))), sensitive, free), rel=1e-3)
    assert sv.losses(sv.urr(sv.Domain(sensitive + free), epsilon, range(sensitive)), shares, n).l1 == pytest.approx(found, rel=1e-3)


def test_high_privacy_of_urr_in_l1_by_listing_all_counts() -> None:
    """(15) again, as a mean over every count of reports that n people can make."""
    n, sensitive, free, growth = 5000, 3, 4, Fraction(1, 10**7)
    counts, loss = np.arange(n + 1), 0.0
    for kind, share, items in zip(urr(sensitive, growth), (Fraction(0), Fraction(1, free)), (sensitive, free), strict=True):
        estimates = (counts / n - float(kind.other)) / float(kind.own - kind.other)
        loss += items * float(binom.pmf(counts, n, float(kind.chance(share))) @ np.abs(estimates - float(share)))
    printed = math.sqrt(2 / (n * math.pi)) * sensitive * math.sqrt(sensitive - 1) / math.log1p(growth)
    assert loss == pytest.approx(printed, rel=1e-3)


@pytest.mark.parametrize("free", [1, 9, 400])
def test_one_sensitive_item_has_a_smaller_order(free: int) -> None:
    """(15) is zero for one sensitive item. The loss is √(2/(nπ))·(1 + √|X_N|)/√ε there."""
    for power in (6, 10):
        growth = Fraction(1, 10**power)
        corrected = math.sqrt(2 / math.pi) * (1 + math.sqrt(free)) / math.sqrt(math.log1p(growth))
        assert l1(urr(1, growth), 1, free) == pytest.approx(corrected, rel=10 ** (-power / 2))


@pytest.mark.parametrize(("sensitive", "free"), [(1, 3), (5, 20), (12, 400)])
def test_high_privacy_of_urap_in_l1(sensitive: int, free: int) -> None:
    """(18): the ratio goes to 1, also for one sensitive item, and what is missing is the next term, √(|X_N|·ε/2)/|X_S|."""
    for power in (6, 8, 10):
        root = 1 + Fraction(1, 10**power)
        epsilon = 2 * math.log1p(root - 1)
        printed = math.sqrt(2 / math.pi) * 2 * sensitive / epsilon
        missing = l1(urap(root), sensitive, free) / printed - 1
        assert missing == pytest.approx(math.sqrt(free * epsilon / 2) / sensitive, rel=0.01)
    n, epsilon = 10**14, 1e-4
    found = sv.worst_case(sv.urap(sv.Domain(sensitive + free), epsilon, range(sensitive)), n, "l1").losses.l1
    assert found * math.sqrt(n) == pytest.approx(l1(urap(Fraction(math.exp(epsilon / 2))), sensitive, free), rel=1e-3)


def squares(root: int, sensitive: int) -> Fraction:
    """n times the expected l2 loss of uRAP at ε = ln K, K = root², where the items that are not sensitive are equally frequent."""
    inside, outside = urap(Fraction(root))
    free = root**2 - sensitive
    return sensitive * inside.variance(Fraction(0)) + free * outside.variance(Fraction(1, free))


@pytest.mark.parametrize("sensitive", [1, 4, 10])
def test_low_privacy_of_urap_in_squares(sensitive: int) -> None:
    """(29): with K = |X| items, n·l2 is 1 + (|X_S| + 1)/√K and less; so that |X_S| ≪ √K is needed, and suffices."""
    for root in (100, 1000, 10_000):
        over = squares(root, sensitive) - 1
        assert float(over * root) == pytest.approx(sensitive + 1, rel=5 / root * (sensitive + 1))
        assert float(squares(root, root)) == pytest.approx(2, rel=5 / root)
    n, root = 10**9, 100
    found = sv.worst_case(sv.urap(sv.Domain(root**2), math.log(root**2), range(sensitive)), n).losses.l2
    assert n * found == pytest.approx(float(squares(root, sensitive)), rel=1e-6)


Channel = list[list[Fraction]]


def osldp_growth(channel: Channel, sensitive: Sequence[int]) -> Fraction:
    """The least e^ε of Definition 6: Q(y|x) ≤ e^ε·Q(y|x') for sensitive x and any x'."""
    return max(channel[x][y] / row[y] for x in sensitive for row in channel for y in range(len(row)) if channel[x][y])


def split(channel: Channel, sensitive: Sequence[int]) -> tuple[Channel, Channel]:
    """Proposition 14: a ULDP channel, and the map of its reports that gives back the channel.

    No report is made more often than sensitive items make it. What is left over of another item is reported as the item itself, and
    turned into reports afterwards.
    """
    items, reports = range(len(channel)), range(len(channel[0]))
    most = [max(channel[x][y] for x in sensitive) for y in reports]
    capped = [[min(row[y], most[y]) for y in reports] for row in channel]
    left = [1 - sum(row, Fraction(0)) for row in capped]
    first = [capped[x] + [left[x] if z == x else Fraction(0) for z in items] for x in items]
    spread = [[(channel[x][y] - capped[x][y]) / left[x] if left[x] else Fraction(y == 0) for y in reports] for x in items]
    return first, [[Fraction(y == z) for z in reports] for y in reports] + spread


def is_uldp(channel: Channel, sensitive: Sequence[int], growth: Fraction) -> bool:
    """Definition 2: a report is protected, or only one item makes it, which isn't sensitive."""
    for y in range(len(channel[0])):
        column = [row[y] for row in channel]
        holders = [x for x, chance in enumerate(column) if chance]
        invertible = len(holders) <= 1 and not set(holders) & set(sensitive)
        if not invertible and max(column) > growth * min(column):
            return False
    return True


@st.composite
def osldp_channels(draw: st.DrawFn) -> tuple[Channel, list[int]]:
    """Any channel in which a report of a sensitive item is possible for every item: some of those that need not be are not."""
    size, reports, count = draw(st.integers(2, 5)), draw(st.integers(2, 5)), draw(st.integers(1, 2))
    shown = draw(st.sets(st.integers(1, reports - 1))) if reports > 1 else set()  # reports that no sensitive item makes
    rows = [
        [draw(st.integers(0, 9)) * (x >= count) if y in shown else draw(st.integers(1, 9)) for y in range(reports)] for x in range(size)
    ]
    return [[Fraction(weight, sum(row)) for weight in row] for row in rows], list(range(count))


@settings(max_examples=200)
@given(osldp_channels())
def test_osldp_is_uldp_and_a_map_of_reports(drawn: tuple[Channel, list[int]]) -> None:
    """Proposition 14 and (24), exactly; and the certificate says the same of the first part."""
    channel, sensitive = drawn
    growth = osldp_growth(channel, sensitive)
    first, second = split(channel, sensitive)
    assert is_uldp(first, sensitive, growth)
    assert all(min(row) >= 0 and sum(row) == 1 for row in first + second)
    whole = [[sum(a * b for a, b in zip(row, column, strict=True)) for column in zip(*second, strict=True)] for row in first]
    assert whole == channel
    made = sv.from_matrix(sv.Domain(len(channel)), np.array(first, dtype=np.float64))
    level = sv.ULDP(9.0, sensitive).check(made).level
    assert level <= math.log(growth) + 1e-9


def test_osldp_alone_is_not_uldp() -> None:
    """One sensitive item: the other two report y far more often than it does, which OSLDP allows and ULDP does not."""
    channel = [[Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 4), Fraction(3, 4)], [Fraction(3, 4), Fraction(1, 4)]]
    assert osldp_growth(channel, [0]) == 2
    assert not is_uldp(channel, [0], Fraction(2))
    first, _ = split(channel, [0])
    assert first[1] == [Fraction(1, 4), Fraction(1, 2), 0, Fraction(1, 4), 0]
    assert is_uldp(first, [0], Fraction(2))
