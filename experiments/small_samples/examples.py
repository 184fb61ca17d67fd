"""The smallest examples of what we contradict in the small-sample paper, with numbers that a reader can check by hand."""

from __future__ import annotations

import math

import numpy as np

import sottovoce as sv
from experiments.small_samples.second_order_bias import second_order_bias


def examples() -> str:
    """Markdown: an example for each slip."""
    return "\n\n".join((_factor(), _scores(), _vanishes(), _weights(), _vertex(), _flattened(), _pseudo_counts()))


def _factor() -> str:
    p, step = 0.5, 1e-4
    numeric = (1 / (p + step) - 2 / p + 1 / (p - step)) / step**2
    return (
        "**1. (24) lacks a factor 2.** Take a report that reveals its item: g = (1, 0), so that p·g = p₁ and s₁ = 1/p₁. Its first derivative is −1/p₁², its second 2/p₁³. "
        f"At p₁ = 0.5: (24) gives 1/p₁³ = {1 / p**3:g}, calculus 2/p₁³ = {2 / p**3:g}; by differences of {step:g}: "
        f"(1/{p + step} − 2/{p} + 1/{p - step})/{step:g}² = {numeric:.4f}."
    )


def _scores() -> str:
    truth, p = 0.75, np.array([0.6, 0.4])
    m = p @ np.array([[truth, 1 - truth], [1 - truth, truth]])
    return (
        "**2. (16) does not hold: scores have the mean 1, not 0.** Two items, k-RR that tells the truth with probability 3/4 (ε = ln 3), p = (0.6, 0.4). The first item is reported with probability "
        f"0.75·0.6 + 0.25·0.4 = {m[0]:g}, the second with {m[1]:g}. The first entry of s is 0.75/{m[0]:g} = {truth / m[0]:.4f} after the one report and "
        f"0.25/{m[1]:g} = {(1 - truth) / m[1]:.4f} after the other; its mean is {m[0]:g}·{truth / m[0]:.4f} + {m[1]:g}·{(1 - truth) / m[1]:.4f} = "
        f"{m[0] * (truth / m[0]) + m[1] * ((1 - truth) / m[1]):g}. It is 0.75 + 0.25 = 1 whatever p is."
    )


def _vanishes() -> str:
    mechanism = sv.krr(sv.Domain(2), math.log(3))
    tally = sv.Tally.from_counts(mechanism, {"": (20, np.array([12, 8]))})
    top = sv.estimate(tally).p
    u = 0.5 / 0.6, -0.5 / 0.4
    square, cube = (0.6 * u[0] ** k + 0.4 * u[1] ** k for k in (2, 3))
    printed, mended = (second_order_bias(tally, top, 0.0, factor, tangent=True)[0] for factor in (1.0, 2.0))
    return (
        "**3. Mended, the correction vanishes.** The same mechanism, 20 reports: 12 of the first item, 8 of the second. The maximum of the likelihood has 0.25 + 0.5·p₁ = 12/20, so "
        f"p̂₁ = {top[0]:.4g}. Along the simplex (p₂ = 1 − p₁) the score is u = (0.75 − 0.25)/0.6 = {u[0]:.4f} for the one report and −0.5/0.4 = {u[1]:g} for the other; its mean is "
        f"0.6·{u[0]:.4f} − 0.4·1.25 = 0, that of u² is S = {square:.4f}, that of u³ is T = {cube:.4f}. (28) becomes â = −(1/(20·S))·(T/S − f·T/(2·S)), where f is the factor of example 1: with f = 2 it is "
        f"exactly 0 ({'less than 10⁻¹⁵' if abs(mended) < 1e-15 else f'{abs(mended):.0e}'} by the program), and with f = 1, as printed, {-(cube / square) / 2 / square / 20:.4f} ({printed:.4f} by the program). Nothing is to be corrected: p̂₁ = (12/20 − 0.25)/0.5 is linear in "
        "the counts and has the mean p₁ exactly; bias comes only from the runs in which it has to be cut off at the edge of the simplex."
    )


def _weights() -> str:
    domain, p, n = sv.Domain(2), [0.5, 0.5], 100
    noisy, plain = (float(sv.losses(mechanism, p, n).per_item[0]) for mechanism in (sv.krr(domain, 0.1), sv.identity(domain)))
    s = math.expm1(0.1) / (1 + math.exp(0.1))
    return (
        f"**4. (13) weighs groups equally.** Two items, p = (0.5, 0.5), 100 people at ε = 0.1 and 100 who hide nothing. k-RR keeps s = (e^0.1 − 1)/(e^0.1 + 1) = {s:.5f} of the signal, so that the first group's "
        f"inversion has the variance 0.25/(100·s²) = {noisy:.4f}, the second's 0.25/100 = {plain:g}. Their mean has ({noisy:.4f} + {plain:g})/4 = {(noisy + plain) / 4:.4f}, "
        f"{(noisy + plain) / 4 / plain:.0f} times as much as the second group alone. Weighed by precision: 1/(1/{noisy:.4f} + 1/{plain:g}) = {1 / (1 / noisy + 1 / plain):.6f}."
    )


def _vertex() -> str:
    size, groups = 281, 4
    s = float(np.expm1(0.1) / (size + np.expm1(0.1)))
    few, many = (1 / (groups * n * s) for n in (500, 20_000))
    return (
        f"**5. MatInv proj and the vertices.** K = {size}, ε = 0.1: k-RR keeps s = (e^0.1 − 1)/(K + e^0.1 − 1) = {s:.3e}. With four groups and (13), one more report of an item among the 500 people of that group adds "
        f"1/(4·500·s) = {few:.2f} to the item's signed estimate. Two items whose signed estimates differ by more than 1 do not both stay positive in the Euclidean projection: where one item has the most reports, the rest is "
        f"cut off, and it gets everything, a vertex; where two items have the most, they share. Among 20,000 people a report adds {many:.3f}, and a vertex is hardly ever reached (in one run of a hundred at most, Figure 7)."
    )


def _flattened() -> str:
    n, keep = 20, 0.5

    def parts(p: float) -> tuple[float, float]:
        """The variance of the inversion, and what mixing with uniform puts in its place, both over two items."""
        reported = 0.25 + keep * p
        return 2 * reported * (1 - reported) / (n * keep**2), 2 * (p - 0.5) ** 2

    def loss(p: float, weight: float) -> float:
        variance, flat = parts(p)
        return (1 - weight) ** 2 * variance + weight**2 * flat

    def best(p: float) -> float:
        variance, flat = parts(p)
        return variance / (variance + flat)

    (variance, flat), (seen, near) = parts(0.9), parts(0.7)
    wrong, right = best(0.7), best(0.9)
    return (
        "**6. Shrinking hurts a truth with peaks, and the simulation does not see it.** The mechanism of example 2, 20 people, p = (0.9, 0.1); the inversion p̂, not cut off at the edge. The first item is reported with probability "
        f"0.25 + 0.5·0.9 = 0.7, so that p̂ has the squared error V = 2·0.7·0.3/(20·0.5²) = {variance:.3f}; the uniform distribution has B = 2·0.4² = {flat:.2f}. (1 − w)·p̂ + w/2 has (1 − w)²·V + w²·B, which is least at "
        f"w = V/(V + B) = {right:.3f}: {loss(0.9, right):.4f}. Now w is found as the paper finds α, on people who are drawn from the reported shares, (0.7, 0.3). There V = 2·0.6·0.4/(20·0.5²) = {seen:.3f} and B = 2·0.2² = {near:.2f}, so that "
        f"w = {wrong:.3f}. On the truth this has {1 - wrong:.3f}²·{variance:.3f} + {wrong:.3f}²·{flat:.2f} = {loss(0.9, wrong):.4f}: more than {variance:.3f}, without any shrinking. Had the truth been (0.6, 0.4), the same w would have had "
        f"{loss(0.6, wrong):.4f} in the place of {parts(0.6)[0]:.4f}."
    )


def _pseudo_counts() -> str:
    size, n = 100, 50

    def shares(counts: np.ndarray, pseudo: float) -> np.ndarray:
        tally = sv.Tally.from_counts(sv.identity(sv.Domain(size)), {"": (n, counts)})
        return sv.estimate(tally, "map", strength=pseudo).p

    peak, flat = np.zeros(size, dtype=int), np.zeros(size, dtype=int)
    peak[0], flat[:n] = n, 1
    one = np.eye(size)[0]
    peaked = [float(((shares(peak, pseudo) - one) ** 2).sum()) for pseudo in (0.5, 1 / size)]
    spread = [float(((shares(flat, pseudo) - 1 / size) ** 2).sum()) for pseudo in (0.5, 1 / size)]
    return (
        f"**7. No fixed pseudo-count suits every truth.** K = {size} items, {n} people who hide nothing; `map` gives an item with n reports (n + a)/({n} + {size}·a). If all have the first item, a = ½ gives it 50.5/100 = "
        f"{shares(peak, 0.5)[0]:.3f} and a = 1/K gives it 50.01/51 = {shares(peak, 1 / size)[0]:.3f}: squared errors {peaked[0]:.4f} and {peaked[1]:.6f}. If all items are equally likely and the {n} people happen to have {n} different ones, a = ½ gives "
        f"1.5/100 and 0.5/100, which is 0.005 off everywhere, {size}·0.005² = {spread[0]:.4f}; a = 1/K gives 1.01/51 = {shares(flat, 1 / size)[0]:.4f} and 0.01/51 = {shares(flat, 1 / size)[-1]:.4f}: {spread[1]:.4f}."
    )
