"""Direct mechanisms: each is a choice of the noise odds r = t/s, and a claim."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from sottovoce.arithmetic import fixed_above
from sottovoce.catalogue import mechanism
from sottovoce.channels import DirectChannel
from sottovoce.domain import Domain, Item
from sottovoce.errors import BudgetError, DomainError, ParameterError, PriorError
from sottovoce.mechanisms.base import Mechanism
from sottovoce.notions import IPLDP, LDP, LIP, ULDP, BoundedPriorLIP
from sottovoce.optima.odds import least_noise, lip_odds, noise_odds
from sottovoce.policy import Prior, PriorSet, budget_map, checked_domain, mask_of, positive_epsilon


@mechanism(
    use="every answer alike",
    report="an item",
    source="Kairouz, Bonawitz & Ramage 2016",
    promises=("LDP",),
    plan=("ldp", "lip"),
)
def krr(domain: Domain, epsilon: float) -> Mechanism:
    """K-ary randomized response (Kairouz, Bonawitz & Ramage 2016): s = (e^ε − 1)/(K + e^ε − 1), uniform noise.

    >>> krr(Domain("abc"), 1.0).claim
    LDP(epsilon=1.0)
    """
    epsilon = positive_epsilon(epsilon)
    checked_domain(domain)
    return Mechanism(domain, _uniform_noise(np.ones(len(domain), dtype=np.bool_), epsilon), LDP(epsilon), "krr")


def _mangat_of(domain: Domain, epsilon: float, sensitive: Sequence[Item]) -> Mechanism:
    if len(sensitive) > 1 or len(domain) != 2:
        raise ParameterError("mangat needs exactly two items, one of them sensitive. Choose another mechanism.")
    return mangat(domain, epsilon, sensitive[0])


@mechanism(
    use="two answers, one sensitive",
    report="an item",
    source="Mangat 1994",
    promises=("ULDP",),
    build=_mangat_of,
    examples={"": {"domain": ["no", "yes"], "sensitive": ["yes"]}},
)
def mangat(domain: Domain, epsilon: float, sensitive: Item) -> Mechanism:
    """Mangat's randomized response (1994) for two items: the sensitive one is always reported as it is.

    Someone with the other item reports the sensitive one with probability p = e^{−ε}. The same channel as `urr`.

    >>> float(mangat(Domain(["no", "yes"]), 1.0, "yes").channel.t[1]).__round__(3)
    0.368
    """
    if len(checked_domain(domain)) != 2:
        raise DomainError(f"mangat is for two items, but the domain has {len(domain)}. Use urr.")
    return Mechanism(domain, (base := urr(domain, epsilon, [sensitive])).channel, base.claim, "mangat")


@mechanism(
    use="some answers sensitive",
    report="an item",
    source="Murakami & Kawamoto 2019, Definition 3",
    promises=("ULDP",),
    plan=("uldp", "ipldp"),
)
def urr(domain: Domain, epsilon: float, sensitive: Iterable[Item]) -> Mechanism:
    """Utility-optimized randomized response (Murakami & Kawamoto 2019, Definition 3).

    Reports the truth with probability s = (e^ε − 1)/(|S| + e^ε − 1), and a random sensitive item otherwise.

    >>> urr(Domain("abcdef"), 1.0, sensitive="abc").certify().holds
    True
    """
    epsilon, mask = positive_epsilon(epsilon), mask_of(domain, sensitive)
    return Mechanism(domain, _uniform_noise(mask, epsilon), ULDP(epsilon, domain.decode(np.flatnonzero(mask))), "urr")


def _uniform_noise(mask: np.ndarray[Any, np.dtype[np.bool_]], epsilon: float) -> DirectChannel:
    return DirectChannel.from_odds([0, noise_odds(epsilon)], mask.astype(np.intp))


@mechanism(
    use="a budget for each answer",
    report="an item",
    source="Li, Zhu, Zhang & Xie, Definition 5",
    promises=("IPLDP",),
    plan=("ipldp", "item_uldp"),
)
def iprr(domain: Domain, budgets: Mapping[Any, float]) -> Mechanism:
    """Item-oriented personalized randomized response (Li, Zhu, Zhang & Xie, Definition 5): r_x = 1/(e^{ε_x} − 1).

    Items without a budget aren't sensitive. Only people with such an item report it.

    >>> m = iprr(Domain(["hiv", "flu", "none"]), {"hiv": 0.1})
    >>> m.certify().levels
    {'hiv': 0.1}
    """
    checked = budget_map(budgets)
    distinct = sorted(set(checked.values()))
    classes = np.zeros(len(checked_domain(domain)), dtype=np.intp)
    rank = {budget: place for place, budget in enumerate(distinct, start=1)}
    for item, budget in checked.items():
        try:
            classes[domain.code(item)] = rank[budget]
        except DomainError as error:
            raise BudgetError(f"The budgets don't fit the domain. {error}") from None
    return Mechanism(domain, DirectChannel.from_odds([0, *map(noise_odds, distinct)], classes), IPLDP(checked), "iprr")


@mechanism(
    use="a known prior, or a set of them",
    report="an item",
    source="Jiang, Li & Tandon 2020, corrected",
    promises=("LIP", "BoundedPriorLIP"),
    plan=("lip",),
)
def rr_lip(domain: Domain, epsilon: float, prior: Any = None, *, priors: PriorSet | Sequence[Any] | None = None) -> Mechanism:
    """Randomized response under local information privacy, corrected: r_k = max(P_k, 1 − e^ε·P_k)/(e^ε − 1).

    Equals the printed optimum (LIP paper, Theorem 3) whenever that is private, and is always private. No private direct channel reports
    the truth more often. For a set of `priors` the first P_k is the largest in the set, and the second the smallest (with two items,
    the paper's Proposition 2, corrected).

    >>> rr_lip(Domain("abc"), 1.0, [0.1, 0.2, 0.7]).certify().level
    1.0
    """
    epsilon = positive_epsilon(epsilon)
    claim = prior_claim(checked_domain(domain), epsilon, prior, priors)
    corners = [claim.prior] if isinstance(claim, LIP) else claim.priors.corners
    scale = math.lcm(*(corner.total for corner in corners))
    weights = [[weight * (scale // corner.total) for weight in corner.weights] for corner in corners]
    most, least = zip(*((max(column), min(column)) for column in zip(*weights, strict=True)), strict=True)
    return Mechanism(domain, DirectChannel.from_odds(lip_odds(most, scale, epsilon, least)), claim, "rr_lip")


def prior_claim(domain: Domain, epsilon: float, prior: Any, priors: Any) -> LIP | BoundedPriorLIP:
    """ε-LIP for one prior over the domain's items, or for a set of them."""
    if prior is None and priors is None:
        raise PriorError("The prior is missing. Give one probability per item, or a set of priors.")
    if prior is not None and priors is not None:
        raise ParameterError("Got both a prior and a set of priors. Give one of them.")
    claim: LIP | BoundedPriorLIP = LIP(epsilon, prior) if priors is None else BoundedPriorLIP(epsilon, priors)
    for corner in [claim.prior] if isinstance(claim, LIP) else claim.priors.corners:
        corner.for_items(len(domain))
    return claim


@mechanism(
    use="comparison with the paper (it often breaks its claim and then raises `ClaimError`)",
    report="an item",
    source="Jiang, Li & Tandon 2020, Theorem 3",
    promises=("LIP",),
    examples={"": {"domain": "abc", "prior": (0.3, 0.3, 0.4)}},
)
def rr_lip_published(domain: Domain, epsilon: float, prior: Any) -> Mechanism:
    """Randomized response as printed in the LIP paper (Theorem 3): s = 1 − e^{−ε}, t = P·e^{−ε}.

    Breaks its own guarantee as soon as some P_k < 1/(e^ε + 1), and then raises `ClaimError`. Use `rr_lip` instead.

    >>> rr_lip_published(Domain("ab"), 1.0, [0.4, 0.6]).certify().holds
    True
    """
    epsilon, known = positive_epsilon(epsilon), Prior.of(prior).for_items(len(checked_domain(domain)))
    odds = [fixed_above(least_noise(epsilon) * Fraction(weight, known.total)) for weight in known.weights]
    return Mechanism(domain, DirectChannel.from_odds(odds), LIP(epsilon, known), "rr_lip_published")


@mechanism(use="people who don't want protection (ε = ∞)", report="an item", promises=(), in_studies=False)
def identity(domain: Domain) -> Mechanism:
    """No obfuscation: the channel of a person who doesn't want protection (ε = ∞).

    >>> identity(Domain("ab")).channel.s
    1.0
    """
    everything = np.zeros(len(checked_domain(domain)), dtype=np.intp)
    return Mechanism(domain, DirectChannel.from_odds([0], everything), LDP(float("inf")), "identity")
