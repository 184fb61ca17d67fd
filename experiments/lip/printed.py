"""The mechanisms as the paper prints them, whether private or not: each promises nothing, and its certificate tells the level that it has."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import sottovoce as sv
from sottovoce.arrays import Floats

_ONE = 1 << 64


def lip_level(mechanism: sv.Mechanism, prior: Floats, secrets: Floats | None = None) -> float:
    """The least ε at which the mechanism is ε-LIP about the answer, or about a secret behind it."""
    return sv.LIP(math.inf, prior, None if secrets is None else secrets.tolist()).check(mechanism).level


def rr_lip(domain: sv.Domain, epsilon: float, prior: Floats) -> sv.Mechanism:
    """Theorem 3: the truth with probability 1 − e^{−ε}, otherwise a draw from the prior."""
    return sv.Mechanism(domain, _direct(prior, epsilon), sv.LIP(math.inf, prior), "rr_lip as printed")


def _direct(prior: Floats, epsilon: float) -> sv.DirectChannel:
    noise = [int(p * math.exp(-epsilon) * _ONE) for p in prior.tolist()]
    return sv.DirectChannel(_ONE - sum(noise), np.array(noise, dtype=np.uint64))


def lh_lip(domain: sv.Domain, epsilon: float, prior: Floats, g: int, functions: int) -> sv.Mechanism:
    """Proposition 3: Theorem 3 over the buckets of a public hash function, with the functions of `sv.lh_lip`."""
    table = hash_functions(domain, g, functions)
    directs = tuple(_direct(bucket_prior(row, prior, g), epsilon) for row in table)
    return sv.Mechanism(domain, sv.HashTableChannel(len(domain), g, directs), sv.LIP(math.inf, prior), "lh_lip as printed")


def olh(domain: sv.Domain, epsilon: float, g: int, functions: int) -> sv.Mechanism:
    """Optimal local hashing with the same public functions, so that its reports can be listed."""
    direct = sv.krr(sv.Domain(g), epsilon).channel
    assert isinstance(direct, sv.DirectChannel)
    return sv.Mechanism(domain, sv.HashTableChannel(len(domain), g, (direct,) * functions), sv.LDP(epsilon), "olh")


def bucket_prior(homes: NDArray[np.int64], prior: Floats, g: int) -> Floats:
    """The prior of the buckets that the items hash to."""
    return np.asarray(np.bincount(homes, prior, minlength=g), dtype=np.float64)


def hash_functions(domain: sv.Domain, g: int, functions: int) -> NDArray[np.int64]:
    """The bucket of each item (columns) under each public function (rows)."""
    even = sv.DirectChannel(_ONE - g * (_ONE // (2 * g)), np.full(g, _ONE // (2 * g), dtype=np.uint64))
    return sv.HashTableChannel(len(domain), g, (even,) * functions).table


def two_bounded(epsilon: float, priors: Sequence[Floats]) -> sv.Mechanism:
    """Proposition 2: two answers, the second with a probability in [a, b]."""
    (a, b), grow = (float(prior[1]) for prior in priors), math.exp(epsilon)
    q01, q10 = b / (b - a + grow), (1 - a) / (b - a + grow)
    return sv.from_matrix(sv.Domain(2), [[1 - q01, q01], [q10, 1 - q10]], sv.BoundedPriorLIP(math.inf, list(priors)))


def two_latent(epsilon: float, prior: Floats, secrets: Floats) -> sv.Mechanism:
    """Theorem 2: two answers, and a latent secret whose rows are Pr(X = x | G = g)."""
    (p, least, most), grow = (float(prior[1]), float(secrets[:, 1].min()), float(secrets[:, 1].max())), math.exp(epsilon)
    up, down = (grow + 1) * (most - p), (grow + 1) * (p - least)
    q0 = max(0.0, (most - p * grow) / up, (p - least * grow) / down)
    q1 = max(0.0, (1 + most * grow - grow - p) / up, (1 + p * grow - grow - least) / down)
    return sv.from_matrix(sv.Domain(2), [[1 - q0, q0], [q1, 1 - q1]], sv.LIP(math.inf, prior, secrets.tolist()))
