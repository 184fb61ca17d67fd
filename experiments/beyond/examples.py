"""The smallest examples of where a rule of thumb ends, with the arithmetic written out."""

from __future__ import annotations

import math

import sottovoce as sv

_N = 1000


def examples() -> str:
    """The examples, each one checked by the library."""
    intro = (
        "n·l2 is the squared error for each person. With items as reports it is 1/S² − Σ (p + r)², where r = 1/(e^ε − 1) for an item with the budget ε, 0 for one without, and 1/S = 1 + Σ r; "
        "of a bit that is set by the holder of its item with probability a and by others with b, the share is known with the variance m·(1 − m)/(a − b)², m being how often it is set."
    )
    return "\n\n".join((intro, _set_size(), _bits(), _large_budgets(), _hash_range()))


def _worst(mechanism: sv.Mechanism) -> float:
    return _N * sv.worst_case(mechanism, _N).losses.l2


def _set_size() -> str:
    domain, epsilon = sv.Domain(100), math.log(2)
    part = domain.subset(range(4))
    chosen, one, two = (
        _worst(sv.utility_optimized(each, domain))
        for each in (sv.subset_selection(part, epsilon), *(sv.subset_selection(part, epsilon, size=size) for size in (1, 2)))
    )
    return (
        "**The best set size for LDP is not the best for ULDP.** 4 of 100 items are sensitive, ε = ln 2. *One item a report*: r = 1, 1/S = 5. If all people hold sensitive items, each of them a quarter, n·l2 = 25 − 4·1.25² = 18.75; "
        f"if nobody does, and the others are alike, it is 25 − 4·1² − 1/96 = 20.99, which is the worst (`sv.worst_case`: {one:.4g}). *Two items a report*: the own one is among them with probability 2·2/(2·2 + 2) = 2/3, "
        f"another one with 2/3·1/3 + 1/3·2/3 = 4/9. If all people hold sensitive items every bit is set half of the time, and n·l2 = 4·(1/4)/(2/9)² = 20.25, which is the worst ({two:.4g}). Among four items alone "
        f"18.75 < 20.25: so LDP takes one item, and so does `sv.subset_selection` ({chosen:.4g} when lifted), where two would be better. Other items are shown with probability 1 − 4/5 = 1/5 in the first case, and 1 − 6/9 = 1/3 in the second. The limit is "
        f"{sv.uldp_limit(100, 4, epsilon).value:.4g}."
    )


def _bits() -> str:
    domain, epsilon = sv.Domain(20), math.log(3)
    items = [0, 1]
    lifted, direct = _worst(sv.utility_optimized(sv.oue(domain.subset(items), epsilon), domain)), _worst(sv.urr(domain, epsilon, items))
    return (
        "**The lift of OUE is far from the limit where sensitive items are few.** 2 of 20 items are sensitive, ε = ln 3. OUE has a = 1/2 and b = 1/4. If all people hold sensitive items, half of them each, a bit is set with probability 3/8, "
        f"and n·l2 = 2·(3/8·5/8)/(1/4)² = 7.5 (worst case of the lift: {lifted:.4g}). uRR: r = 1/2, 1/S = 2, never more than 4 − 2·(1/2)² = 3.5 ({direct:.4g}); the limit is {sv.uldp_limit(20, 2, epsilon).value:.4g}."
    )


def _large_budgets() -> str:
    domain, least = sv.Domain(100), 4.0
    budgets = {item: least if item < 5 else 2 * least for item in range(20)}
    plain, fine = _worst(sv.urr(domain, least, list(budgets))), _worst(sv.iprr(domain, budgets))
    r, small = 1 / math.expm1(least), 1 / math.expm1(2 * least)
    one, other = 1 + 20 * r, 1 + 5 * r + 15 * small
    return (
        f"**Budgets per item gain little where all are large.** 20 of 100 items have budgets, 5 of them ε = 4, the others 8: r = {r:.4f} and {small:.5f}. The smallest for all: 1/S = 1 + 20·{r:.4f} = {one:.3f}, and 1/S² = {one**2:.3f}. Budgets per item: "
        f"1/S = 1 + 5·{r:.4f} + 15·{small:.5f} = {other:.3f}, and 1/S² = {other**2:.3f}. The rest, Σ (p + r)², is small: the gain is {one**2:.3f}/{other**2:.3f} = {one**2 / other**2:.2f} (`sv.worst_case`: {plain:.4g}/{fine:.4g} = {plain / fine:.2f}). "
        "However large the other budgets were, 1/S could not fall below 1."
    )


def _hash_range() -> str:
    epsilon, size = 4.0, 8
    g = round(math.exp(epsilon)) + 1
    apart = math.prod(1 - taken / g for taken in range(size))
    prior = [1 / rank / sum(1 / each for each in range(1, size + 1)) for rank in range(1, size + 1)]
    hashed, plain = (
        sv.mmse_loss(each)
        for each in (sv.lh_lip(sv.Domain(size), epsilon, prior, g=g, functions=64), sv.rr_lip(sv.Domain(size), epsilon, prior))
    )
    return (
        f"**LDP's hash range is too small where ε is large.** 8 items, ε = 4: e⁴ + 1 ≈ {g} buckets. A random function keeps all eight apart with probability (1 − 1/{g})·(1 − 2/{g})···(1 − 7/{g}) = {apart:.2f} only, and items that share a bucket "
        f"are not told apart by it, whatever is reported. Under a Zipf(1) prior a report leaves {hashed:.4f} of the squared error; `sv.rr_lip`, which does not hash, {plain:.4f}."
    )
