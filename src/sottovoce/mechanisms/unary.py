"""Unary mechanisms: each is a choice of (a_j, b_j), and a claim."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from sottovoce.arithmetic import ONE, exp_below, threshold_above, threshold_below
from sottovoce.channels import UnaryChannel
from sottovoce.domain import Domain, Item
from sottovoce.errors import ParameterError
from sottovoce.mechanisms.base import Mechanism, checked_domain, mask_of
from sottovoce.notions import LDP, LIP, ULDP, BoundedPriorLIP
from sottovoce.policy import Prior, PriorSet, positive_epsilon


def _theta(theta: float | None, epsilon: float) -> int:
    """The probability θ of the own bit as a threshold, rounded down; by default RAPPOR's e^{ε/2}/(e^{ε/2} + 1)."""
    if theta is None:
        root = exp_below(epsilon / 2)
        return threshold_below(root / (root + 1))
    if isinstance(theta, bool) or not isinstance(theta, (int, float, Fraction, np.floating)) or not 0 < theta < 1:
        raise ParameterError(f"theta is {theta!r}; it is a probability strictly between 0 and 1")
    threshold = threshold_below(Fraction(float(theta)))
    if not 0 < threshold < ONE:
        raise ParameterError(f"theta is {theta!r}, too close to 0 or 1 for a table out of 2^64")
    return threshold


def _others(present: int, epsilon: float) -> int:
    """The probability of another item's bit, θ/((1 − θ)e^ε + θ) (generalized RAPPOR, Wang et al. 2017), rounded up."""
    theta = Fraction(present, ONE)
    return threshold_above(theta / ((1 - theta) * exp_below(epsilon) + theta))


def _constant(size: int, threshold: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    return np.full(size, threshold, dtype=np.uint64)


def rappor(domain: Domain, epsilon: float, theta: float | None = None) -> Mechanism:
    """Basic one-time RAPPOR (Erlingsson, Pihur & Korolova 2014), or generalized with any θ: a = θ, b = θ/((1 − θ)e^ε + θ).

    >>> rappor(Domain("abc"), 2.0).channel.a.round(3).tolist()
    [0.731, 0.731, 0.731]
    """
    epsilon = positive_epsilon(epsilon)
    checked_domain(domain)
    present = _theta(theta, epsilon)
    channel = UnaryChannel(_constant(len(domain), present), _constant(len(domain), _others(present, epsilon)))
    return Mechanism(domain, channel, LDP(epsilon), "rappor")


def oue(domain: Domain, epsilon: float) -> Mechanism:
    """Optimized unary encoding (Wang, Blocki, Li & Jha 2017): generalized RAPPOR with θ = 1/2, so a = 1/2, b = 1/(e^ε + 1).

    >>> oue(Domain("abc"), 1.0).channel.a.tolist()
    [0.5, 0.5, 0.5]
    """
    base = rappor(domain, epsilon, theta=0.5)
    return Mechanism(domain, base.channel, base.claim, "oue")


def urap(domain: Domain, epsilon: float, sensitive: Iterable[Item], theta: float | str = "paper") -> Mechanism:
    """Utility-optimized RAPPOR (Murakami & Kawamoto 2019, Definition 4).

    Generalized RAPPOR on the sensitive items; a non-sensitive item sets its own bit with probability 1 − d₂,
    d₂ = ((1 − θ)e^ε + θ)/e^ε, and no other non-sensitive bit is ever set. `theta="paper"` is e^{ε/2}/(e^{ε/2} + 1).

    >>> urap(Domain("abcd"), 1.0, sensitive="ab").channel.b.round(3).tolist()
    [0.378, 0.378, 0.0, 0.0]
    """
    epsilon, mask = positive_epsilon(epsilon), mask_of(domain, sensitive)
    if isinstance(theta, str) and theta != "paper":
        raise ParameterError(f"theta is {theta!r}; it is 'paper' or a probability strictly between 0 and 1")
    present = _theta(None if isinstance(theta, str) else theta, epsilon)
    chance = Fraction(present, ONE)
    growth = exp_below(epsilon)
    own = threshold_below(1 - ((1 - chance) * growth + chance) / growth)
    channel = UnaryChannel(
        np.where(mask, np.uint64(present), np.uint64(own)), np.where(mask, np.uint64(_others(present, epsilon)), np.uint64(0))
    )
    return Mechanism(domain, channel, ULDP(epsilon, domain.decode(np.flatnonzero(mask))), "urap")


def ue_lip(domain: Domain, epsilon: float, prior: Any = None, *, priors: PriorSet | Sequence[Any] | None = None) -> Mechanism:
    """Unary encoding under local information privacy (LIP paper, Theorem 4; Corollary 2 for a set of priors).

    a = 1/2, b = (1 − P_min)/(e^ε − 2·P_min + 1), with the smallest probability of the prior, or of all priors in the set.

    >>> ue_lip(Domain("abc"), 1.0, [0.1, 0.2, 0.7]).channel.b.round(4).tolist()
    [0.2558, 0.2558, 0.2558]
    """
    epsilon = positive_epsilon(epsilon)
    checked_domain(domain)
    if (prior is None) == (priors is None):
        raise ParameterError("give either a prior or a set of priors")
    claim: LIP | BoundedPriorLIP = LIP(epsilon, prior) if priors is None else BoundedPriorLIP(epsilon, priors)
    known: Prior | PriorSet = claim.prior if isinstance(claim, LIP) else claim.priors
    for corner in [known] if isinstance(known, Prior) else known.corners:
        corner.for_items(len(domain))
    smallest = known.smallest
    absent = threshold_above((1 - smallest) / (exp_below(epsilon) - 2 * smallest + 1))
    return Mechanism(domain, UnaryChannel(_constant(len(domain), ONE // 2), _constant(len(domain), absent)), claim, "ue_lip")
