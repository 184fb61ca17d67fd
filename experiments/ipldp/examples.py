"""The smallest examples of what we contradict, with the arithmetic written out."""

from __future__ import annotations

import math
from collections.abc import Mapping

import sottovoce as sv

_N = 1000


def examples() -> str:
    """The examples, each one checked by the library."""
    parts = (
        _reversed_order(),
        _sorted_budgets(),
        _missing_root(),
        _missing_people(),
        _condition(),
        _sample_count(),
        _printed_mse(),
        _pairs(),
        _definition(),
    )
    intro = "D_S are the items with a budget, r_x = 1/(e^{ε_x} − 1) (0 without a budget), 1/S = 1 + Σ r, and (13) reads n·l2 = 1/S² − Σ (p + r)²."
    return "\n\n".join((intro, *parts))


def _loss(odds: Mapping[int, float], p: list[float]) -> float:
    """n·l2 of IPRR whose items have the noise r = odds, at p."""
    return _N * sv.losses(sv.iprr(sv.Domain(len(p)), {item: math.log1p(1 / r) for item, r in odds.items()}), p, _N).l2


def _worst(odds: Mapping[int, float], size: int) -> sv.WorstCase:
    return sv.worst_case(sv.iprr(sv.Domain(size), {item: math.log1p(1 / r) for item, r in odds.items()}), _N)


def _reversed_order() -> str:
    small, large = _loss({0: 1.0, 1: 1.0}, [0.5, 0.5]), _loss({0: 0.5, 1: 0.5}, [0.5, 0.5])
    return (
        "**Lemma 1 has the order reversed.** Two items, p = (1/2, 1/2). Budgets ln 2 and ln 2: r = 1 and 1, 1/S = 3, n·l2 = 9 − 1.5² − 1.5² = 4.5 "
        f"(`sv.losses`: {small:.4g}). Larger budgets, ln 3 and ln 3: r = 1/2 and 1/2, 1/S = 2, n·l2 = 4 − 1 − 1 = 2 ({large:.4g}). Printed is that the smaller budgets "
        "lose less."
    )


def _sorted_budgets() -> str:
    one, other = _loss({0: 1.0, 1: 0.5}, [1.0, 0.0]), _loss({0: 0.5, 1: 1.0}, [1.0, 0.0])
    return (
        "**Lemma 1 compares sorted budgets; it holds only item by item.** Everybody holds the first of two items, p = (1, 0). Budgets ln 2 and ln 3: r = 1 and 1/2, "
        f"1/S = 2.5, n·l2 = 6.25 − 2² − 0.5² = 2 ({one:.4g}). Exchanged: 6.25 − 1.5² − 1² = 3 ({other:.4g}). Sorted, the budgets are the same, so that the losses "
        "would have to be equal. What the paper concludes, that IPRR loses less than uRR at the smallest budget, compares item by item, and stands."
    )


def _missing_root() -> str:
    budget, n = 0.001, 10**8
    worst = sv.worst_case(sv.iprr(sv.Domain(3), {0: budget, 1: budget}), n, "l1").losses.l1
    factor, pairs = math.sqrt(2 * 2 / (n * math.pi)), 2 / budget**2
    return (
        f"**(22) lacks a root.** Two items with ε = {budget}, one without a budget, n = {n:,}. The double sum is 2·1000·1000 = {pairs:,.0f}, the factor before it "
        f"√(2·2/(nπ)) = {factor:.3g}: printed is an l1 loss of {factor * pairs:.3g}, where the whole distribution has a sum of 1. With the root, as in the proof: "
        f"{factor:.3g}·{math.sqrt(pairs):,.0f} = {factor * math.sqrt(pairs):.3g}; `sv.worst_case`: {worst:.3g}. (For unequal budgets it is an upper bound.)"
    )


def _missing_people() -> str:
    worst = _worst({0: 0.5, 1: 0.5}, 2).losses.l2
    return (
        f"**(23) lacks 1/n.** Two items with ε = ln 3, n = {_N:,}: r = 1/2, 1/S = 2. Printed: 2²·(1 − 1/2) = 2, whatever n is. By hand: at p = (1/2, 1/2) a report names the first "
        f"item with probability 1/2, so that its share has the variance 1/(4n), and the estimate 2·m̂ − 1/2 four times that, 1/n; both items together 2/n = {2 / _N:g}. "
        f"`sv.worst_case`: {worst:.4g}."
    )


def _condition() -> str:
    worst = _worst({0: 4.0, 1: 0.5}, 2)
    share = ", ".join(f"{each:.3g}" for each in worst.p)
    level = (1 + 4 + 0.5) / 2
    return (
        "**Theorem 6's condition does not suffice.** It asks for ε_min > ln(\\|D_N\\| + 1), which is no condition at all where every item has a budget. Two items with budgets ln 1.25 and ln 3: "
        f"r = 4 and 1/2, 1/S = 5.5. Printed: n·l2 = 5.5²·(1 − 1/2) = {5.5**2 / 2:.5g}. It is reached where p + r is the same for both items, {level:g}, that is at "
        f"p = ({level - 4:g}, {level - 0.5:g}), which is no distribution. The worst that is one is p = ({share}): n·l2 = 30.25 − 4² − 1.5² = 12; `sv.worst_case`: {_N * worst.losses.l2:.4g}. What is printed is an upper bound, "
        "not the value."
    )


def _sample_count() -> str:
    return (
        "**The sample count is SR·n, not SR·\\|D\\|.** \\|D\\| is the number of items: on Zipf with SR = 0.2 it would be 0.2·20 = "
        f"{0.2 * 20:g} people, where 0.2·100,000 = {0.2 * 100_000:,.0f} are meant."
    )


def _printed_mse() -> str:
    mechanism = sv.iprr(sv.Domain(2), {0: math.log(3), 1: math.log(3)})
    found = ", ".join(f"{n * sv.losses(mechanism, [0.5, 0.5], n).l2:.4g} for n = {n:,}" for n in (20_000, 100_000))
    return (
        "**The MSE of (25) does not fall with n.** Counts are n times shares, so that Σ (f − f̂)²/n = n·Σ (p − p̂)² = n·l2, and by (13) the expected l2 of the unbiased estimate is "
        f"something over n: n cancels. Two items with ε = ln 3, p = (1/2, 1/2): {found}. RE, and the squared error of shares, do fall."
    )


def _pairs() -> str:
    domain, budgets = sv.Domain(["rare", "common"]), {"rare": math.log(1.25), "common": math.log(3)}
    mechanism = sv.iprr(domain, budgets)
    (_, lie), (_, truth) = mechanism.channel.matrix().tolist()
    level = sv.IDLDP(budgets).check(mechanism).levels["rare"]
    return (
        '**IPRR does not keep MinID-LDP; the best one that does is KRR.** Two items with budgets ln 1.25 (rare) and ln 3 (common): r = 4 and 1/2, S = 1/5.5. "Common" is '
        f'reported by its holders with probability (1 + 1/2)/5.5 = {truth:.4f} and by holders of "rare" with (1/2)/5.5 = {lie:.4f}: three times as often. MinID-LDP allows 1.25 for this '
        f'pair; its level for "rare" is {level:.4f} = ln 3 instead of {budgets["rare"]:.4f}. A report that names y tells holders of y from all others by 1 + 1/r_y, so that '
        "every r_y must be at least that of the smallest budget: at best just that for all items, which is KRR at the smallest budget. For the same reason Section 4.1 "
        "promises too much when it says that an item x has ε_x-LDP: the budget that counts is that of the item that is reported."
    )


def _definition() -> str:
    mechanism = sv.iprr(sv.Domain(["sick", "well"]), {"sick": math.log(2)})
    (_, lie), (_, truth) = mechanism.channel.matrix().tolist()
    return (
        "**Definition 3, (4), asks for Q(x\\|x') > 0 and Q(x\\|x') = 0 at once.** One item with ε = ln 2, one without a budget: \"well\" is reported by its holders with "
        f"probability {truth:.3g}, by the others with {lie:.3g}. Both conditions for all x' cannot hold; what is meant is the first for x' = x and the second for x' ≠ x."
    )
