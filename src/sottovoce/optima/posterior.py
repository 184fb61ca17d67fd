"""The variance that a report leaves when the prior is known: the expected variance of the posterior, item by item or of a sum.

The information of a report about item k is E[(P_k·Q(Y|k)/Pr(Y))²], summed over the reports. Reports that are sets with an independent bit
for each item can't be listed, but Q(y|x)/base(y) is a weight w_x(y_x) per item, Pr(y)/base(y) is the sum M of P·w over the items, and

    E_base[f²/M] = ∫₀^∞ E_base[f²·e^{−sM}] ds,

in which everything is a product over the items: one integral instead of 2^K reports.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sottovoce.arrays import Floats

#: The step of the trapezoidal rule in log s, which converges exponentially; items at a time.
_STEP, _ITEMS = 0.2, 1 << 13
#: How far beyond the largest weight, in log s, and how many times 1 over the least M the integral reaches.
_BELOW, _ABOVE = 32.0, 40.0


def variance_left(priors: Floats, numbers: Floats, chances: Floats, joint: Floats) -> Floats:
    """Var[f] − Var[E[f | Y]] for each prior (a row). f has the given numbers, Y the chances, and `joint` is E[f·1(Y = y)]."""
    explained = np.divide(joint**2, chances, out=np.zeros_like(joint), where=chances > 0)
    return np.asarray(priors @ numbers**2 - explained.sum(axis=1))


def explained_by_matrix(prior: Floats, matrix: Floats) -> Floats:
    """Σ_y (P_k·Q(y|k))²/Pr(y) for each item k."""
    chances = prior @ matrix
    seen = chances > 0
    return np.asarray(prior**2 * (matrix[:, seen] ** 2 / chances[seen]).sum(axis=1))


def explained_by_direct(prior: Floats, s: float, t: Floats) -> Floats:
    """The same as `explained_by_matrix` for Q(y|x) = s·[y = x] + t_y."""
    chances = s * prior + t
    share = np.divide(t**2, chances, out=np.zeros_like(t), where=chances > 0)
    own = np.divide(s * (s + 2 * t), chances, out=np.zeros_like(t), where=chances > 0)
    return np.asarray(prior**2 * (own + share.sum()))


def explained_by_tables(prior: Floats, buckets: NDArray[np.int64], s: Floats, t: Floats) -> Floats:
    """The same for hashed reports: a row of `buckets` (of every item), an s and a row of t for each of the equally likely functions."""
    explained = np.zeros(len(prior))
    for function, homes in enumerate(buckets):
        weights = np.bincount(homes, prior, minlength=t.shape[1])
        chances = s[function] * weights + t[function]
        own = np.divide(s[function] * (s[function] + 2 * t[function]), chances, out=np.zeros_like(chances), where=chances > 0)
        share = np.divide(t[function] ** 2, chances, out=np.zeros_like(chances), where=chances > 0)
        explained += own[homes] + share.sum()
    return np.asarray(prior**2 * explained / len(buckets))


def explained_by_bits(prior: Floats, a: Floats, b: Floats, values: Floats | None = None) -> Floats:
    """The same for one independent bit per item. With `values`, the one number E[(Σ_k P_k·v_k·Q(Y|k))²/Pr(Y)²] (in an array).

    The bit of an item with b = 0 is set only by its holders, and then reveals the item.
    """
    low, high = prior * (1 - a) / (1 - b), np.divide(prior * a, b, out=np.zeros_like(a), where=b > 0)
    ends = -math.log(max(1.0, float(high.max()))) - _BELOW, math.log(_ABOVE / max(float(low.sum()), 1e-300))
    s = np.exp(np.arange(ends[0], ends[1] + _STEP, _STEP))[:, None]
    parts = [slice(start, start + _ITEMS) for start in range(0, len(prior), _ITEMS)]

    def bits(part: slice) -> tuple[Floats, Floats]:
        """E[e^{−s·P·w}] of each item, and the chance that its bit is set in the mean of that."""
        set_ = np.where(b[part] > 0, b[part] * np.exp(-s * high[part]), 0.0)
        each = (1 - b[part]) * np.exp(-s * low[part]) + set_
        return each, np.divide(set_, each, out=np.zeros_like(each), where=each > 0)

    with np.errstate(divide="ignore"):
        logs = np.sum([np.log(bits(part)[0]).sum(axis=1) for part in parts], axis=0)
    weight = _STEP * s[:, 0] * np.exp(logs)
    explained, means, variances = np.empty(len(prior)), np.zeros(len(s)), np.zeros(len(s))
    for part in parts:
        chance = bits(part)[1]
        if values is None:
            explained[part] = weight @ ((1 - chance) * low[part] ** 2 + chance * high[part] ** 2)
        else:
            means += ((1 - chance) * low[part] + chance * high[part]) @ values[part]
            variances += (chance * (1 - chance)) @ ((high - low)[part] * values[part]) ** 2
    alone = np.where(b > 0, 0.0, a * prior)
    if values is None:
        return explained + alone
    return np.asarray([float(weight @ (means**2 + variances)) + float(alone @ values**2)])
