"""IPLDP paper: the condition (17), the largest l1 losses (20) and (24), and Figure 1. The noise r = 1/(e^ε − 1) is an exact fraction."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sottovoce as sv

noises = st.lists(st.fractions(Fraction(1, 100), 20, max_denominator=100), min_size=1, max_size=3)


def made(noise: Sequence[Fraction], free: int) -> sv.Mechanism:
    """IPRR with these r, and items without a budget after them."""
    budgets = {item: math.log1p(1 / r) for item, r in enumerate(noise)}
    return sv.iprr(sv.Domain(len(noise) + free), budgets)


def loss(noise: Sequence[Fraction], shares: Sequence[Fraction]) -> float:
    """√n times the expected l1 loss for many people, (14), from the variance m(1 − m)/S² of each item."""
    whole = 1 + sum(noise)
    chances = [(share + r) / whole for share, r in zip(shares, noise, strict=True)]
    return math.sqrt(2 / math.pi) * sum(math.sqrt(chance * (1 - chance) * whole**2) for chance in chances)


def filled(noise: Sequence[Fraction]) -> tuple[list[int], list[Fraction]]:
    """Lemma 2: the items D* that are filled up to one level, and the shares p* that do it."""
    order = sorted(range(len(noise)), key=lambda item: noise[item])
    count = max(k for k in range(1, len(noise) + 1) if noise[order[k - 1]] < Fraction(1 + sum(noise[x] for x in order[:k]), k))
    chosen = order[:count]
    level = Fraction(1 + sum(noise[x] for x in chosen), count)
    return chosen, [level - r if x in chosen else Fraction(0) for x, r in enumerate(noise)]


def printed_20(noise: Sequence[Fraction], chosen: Sequence[int]) -> float:
    whole, inner = 1 + sum(noise), 1 + sum(noise[x] for x in chosen)
    outside = sum(math.sqrt(r * (whole - r)) for x, r in enumerate(noise) if x not in chosen)
    return math.sqrt(2 / math.pi) * (outside + math.sqrt(inner * (len(chosen) * whole - inner)))


def printed_24(noise: Sequence[Fraction], size: int) -> float:
    """As printed, in terms of e^ε − 1 = 1/r."""
    count = len(noise)
    return math.sqrt(2 * (size - 1) / math.pi) * sum((count + 1 / r) / (count / r) for r in noise)


def populations(size: int, parts: int) -> Iterator[list[Fraction]]:
    """All shares that are multiples of 1/parts."""
    if size == 1:
        yield [Fraction(1)]
        return

    def rest(left: int, places: int) -> Iterator[list[int]]:
        if places == 1:
            yield [left]
            return
        for first in range(left + 1):
            for others in rest(left - first, places - 1):
                yield [first, *others]

    for counts in rest(parts, size):
        yield [Fraction(count, parts) for count in counts]


@settings(max_examples=25)
@given(noises, st.integers(0, 2))
def test_the_largest_l1_loss(noise: list[Fraction], free: int) -> None:
    """Theorem 4, (20): the loss at p* of Lemma 2, and no population on a grid has a larger one. The library finds the same."""
    if len(noise) + free < 2:
        return
    every = [*noise, *[Fraction(0)] * free]
    chosen, worst = filled(every)
    assert sum(worst) == 1
    assert min(worst) >= 0
    found = printed_20(every, chosen)
    assert found == pytest.approx(loss(every, worst), rel=1e-12)
    assert max(loss(every, shares) for shares in populations(len(every), 8)) <= found * (1 + 1e-12)
    n = 10**14
    assert sv.worst_case(made(noise, free), n, "l1").losses.l1 * math.sqrt(n) == pytest.approx(found, rel=1e-3)


@pytest.mark.parametrize("noise", [[Fraction(1), Fraction(2)], [Fraction(3), Fraction(3), Fraction(5)]])
def test_the_condition_of_lemma_2_leaves_out_a_single_item(noise: list[Fraction]) -> None:
    """(17) asks for 1/(|D*|·S) − 1 < r on D*. For one item both sides are equal: no set meets it, and yet there is a worst one."""
    every = [*noise, Fraction(0)]

    def meets(chosen: Sequence[int], *, strictly: bool) -> bool:
        level = Fraction(1 + sum(every[x] for x in chosen), len(chosen))
        inside = all((level - 1 < every[x] or (not strictly and level - 1 == every[x])) and every[x] < level for x in chosen)
        return inside and all(r >= level for x, r in enumerate(every) if x not in chosen)

    subsets = [[x for x in range(len(every)) if mask >> x & 1] for mask in range(1, 1 << len(every))]
    assert not any(meets(chosen, strictly=True) for chosen in subsets)
    chosen, worst = filled(every)
    assert [each for each in subsets if meets(each, strictly=False)] == [chosen]
    assert worst == [*[0] * len(noise), 1]
    assert max(loss(every, shares) for shares in populations(len(every), 20)) == pytest.approx(loss(every, worst), rel=1e-12)


@settings(max_examples=60)
@given(noises, st.integers(0, 3))
def test_the_largest_l1_loss_at_large_budgets(noise: list[Fraction], free: int) -> None:
    """Theorem 6, (24): the largest loss if every r is below (1 + Σ r)/|D|; otherwise an upper bound that no population reaches."""
    if len(noise) + free < 2:
        return
    every = [*noise, *[Fraction(0)] * free]
    chosen, worst = filled(every)
    printed, largest = printed_24(noise, len(every)), loss(every, worst)
    if max(every) < Fraction(1 + sum(every), len(every)):
        assert len(chosen) == len(every)
        assert printed == pytest.approx(largest, rel=1e-12)
    else:
        assert printed >= largest * (1 - 1e-12)


def test_the_condition_of_theorem_6_is_for_equal_budgets() -> None:
    """ε_min > ln(|D_N| + 1) is r_max < 1/|D_N|. It suffices for (24) if all budgets are equal, and not for unequal ones."""
    free = 1
    equal, unequal = [Fraction(9, 10)] * 4, [Fraction(9, 10), *[Fraction(1, 20_000)] * 3]
    for noise, holds in ((equal, True), (unequal, False)):
        every = [*noise, *[Fraction(0)] * free]
        assert max(noise) < Fraction(1, free)
        largest = loss(every, filled(every)[1])
        assert (printed_24(noise, len(every)) == pytest.approx(largest, rel=1e-9)) is holds
        assert printed_24(noise, len(every)) >= largest * (1 - 1e-12)
    n, budgets = 10**12, {0: 0.75, 1: 10.0, 2: 10.0, 3: 10.0}
    found = sv.worst_case(sv.iprr(sv.Domain(5), budgets), n, "l1").losses.l1 * math.sqrt(n)
    printed = math.sqrt(2 * 4 / math.pi) * sum((4 + math.expm1(each)) / (4 * math.expm1(each)) for each in budgets.values())
    assert found < 0.95 * printed


def test_the_survey_of_figure_1() -> None:
    """Budgets 0.1, 0.5 and 1 for HIV, cancer and hepatitis, none for flu and none at all: every probability of (11)."""
    items, budgets = ["HIV", "cancer", "hepatitis", "flu", "none"], {"HIV": "0.1", "cancer": "0.5", "hepatitis": "1.0"}
    noise = {item: 1 / (Decimal(budget).exp() - 1) for item, budget in budgets.items()}
    kept = 1 / sum(noise.values(), Decimal(1))
    matrix = sv.iprr(sv.Domain(items), {item: float(budget) for item, budget in budgets.items()}).channel.matrix()
    for x, held in enumerate(items):
        for y, told in enumerate(items):
            chance = kept * noise.get(told, Decimal(0)) + (kept if held == told else Decimal(0))
            assert matrix[x, y] == pytest.approx(float(chance), abs=1e-12)
    own, others = matrix.diagonal(), matrix[4, :3]
    assert own.round(4).tolist() == [0.8319, 0.2012, 0.1252, 0.0792, 0.0792]
    assert others.round(4).tolist() == [0.7527, 0.122, 0.0461]


def test_smaller_budgets_are_more_honest_only_beside_larger_ones() -> None:
    """Section 5.2 reads off Figure 1 that people are more honest the smaller their budget. That is so among the items of one survey.

    If all budgets fall together, all are less honest; and the smaller its budget, the more often others name an item, too.
    """
    domain = sv.Domain(5)
    matrix = sv.iprr(domain, {0: 0.1, 1: 0.5, 2: 1.0}).channel.matrix()
    assert matrix[0, 0] > matrix[1, 1] > matrix[2, 2] > matrix[3, 3]
    assert matrix[4, 0] > matrix[4, 1] > matrix[4, 2] > 0
    lower = sv.iprr(domain, {0: 0.05, 1: 0.25, 2: 0.5}).channel.matrix()
    assert (lower.diagonal() < matrix.diagonal()).all()
    equal, less = (sv.iprr(domain, dict.fromkeys(range(5), budget)).channel.matrix() for budget in (1.0, 0.5))
    assert (less.diagonal() < equal.diagonal()).all()
