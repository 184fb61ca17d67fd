"""Unary mechanisms: each is a choice of (a_j, b_j), and a claim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.arithmetic import ONE, exp_below, threshold_above, threshold_below
from sottovoce.arrays import Floats
from sottovoce.catalogue import mechanism
from sottovoce.channels import UnaryChannel
from sottovoce.domain import Domain, Item
from sottovoce.errors import BudgetError, ClaimError, DomainError, ParameterError
from sottovoce.mechanisms.base import Mechanism
from sottovoce.mechanisms.direct import prior_claim
from sottovoce.mechanisms.encodings import MOST_SEARCHED, ue_theta
from sottovoce.notions import IDLDP, LDP, LIP, ULDP, ItemULDP
from sottovoce.optima.odds import other_bit
from sottovoce.optima.unary import BitProblem, urap_theta
from sottovoce.policy import Prior, PriorSet, budget_map, checked_domain, mask_of, positive_epsilon

#: For tests: a budget for every item, as multiples of ε, and a set of priors.
_ALL = {"a": 1, "b": 1.3, "c": 1.3, "d": 2, "e": 3}
_TWO_PRIORS = ((0.1, 0.15, 0.2, 0.25, 0.3), (0.2, 0.2, 0.2, 0.2, 0.2))
#: Different budgets that are optimised one by one.
_MOST_BUDGETS = 24


def _theta(theta: float | None, epsilon: float) -> int:
    """The probability θ of the own bit as a threshold, rounded down. By default RAPPOR's e^{ε/2}/(e^{ε/2} + 1)."""
    if theta is None:
        root = exp_below(epsilon / 2)
        return threshold_below(root / (root + 1))
    if isinstance(theta, bool) or not isinstance(theta, (int, float, Fraction, np.floating)) or not 0 < theta < 1:
        raise ParameterError(f"theta is {theta!r}. Give a probability strictly between 0 and 1.")
    threshold = threshold_below(Fraction(float(theta)))
    if not 0 < threshold < ONE:
        raise ParameterError(f"theta is {theta!r}, which is too close to 0 or 1. Give a probability in between.")
    return threshold


def _known_theta(theta: Any) -> None:
    """Refuse a name that is not one of a θ."""
    if theta is None or (isinstance(theta, str) and theta not in {"paper", "optimal"}):
        raise ParameterError(f"theta is {theta!r}. Give 'paper', 'optimal' or a probability strictly between 0 and 1.")


def _others(present: int, epsilon: float) -> int:
    """The probability of another item's bit, rounded up."""
    return threshold_above(other_bit(Fraction(present, ONE), exp_below(epsilon)))


def _constant(size: int, threshold: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    return np.full(size, threshold, dtype=np.uint64)


@mechanism(
    use="every answer alike, many items",
    report="a set of items",
    source="Erlingsson, Pihur & Korolova 2014",
    promises=("LDP",),
    plan=("ldp",),
    examples={"": {}, "theta": {"theta": 0.7}},
)
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


@mechanism(
    use="the same, least variance for rare items",
    report="a set of items",
    source="Wang, Blocki, Li & Jha 2017",
    promises=("LDP",),
    plan=("ldp",),
)
def oue(domain: Domain, epsilon: float) -> Mechanism:
    """Optimized unary encoding (Wang, Blocki, Li & Jha 2017): generalized RAPPOR with θ = 1/2, so a = 1/2, b = 1/(e^ε + 1).

    >>> oue(Domain("abc"), 1.0).channel.a.tolist()
    [0.5, 0.5, 0.5]
    """
    base = rappor(domain, epsilon, theta=0.5)
    return Mechanism(domain, base.channel, base.claim, "oue")


@mechanism(
    use='some answers sensitive, small ε; `theta="optimal"` for the least worst-case error',
    report="a set of items",
    source="Murakami & Kawamoto 2019, Definition 4",
    promises=("ULDP",),
    plan={"uldp": lambda _promise: {"theta": "optimal"}},
    examples={"": {}, "theta": {"theta": 0.8}, "optimal": {"theta": "optimal"}},
    settings=("theta",),
)
def urap(domain: Domain, epsilon: float, sensitive: Iterable[Item], theta: float | str = "paper", share: float | None = None) -> Mechanism:
    """Utility-optimized RAPPOR (Murakami & Kawamoto 2019, Definition 4).

    Generalized RAPPOR on the sensitive items. A non-sensitive item sets its own bit with probability 1 − d₂, d₂ = ((1 − θ)e^ε + θ)/e^ε,
    and no other non-sensitive bit is ever set. `theta="paper"` is e^{ε/2}/(e^{ε/2} + 1). "optimal" has the least squared error for the
    worst population, or if the sensitive items together have the given `share`.

    >>> urap(Domain("abcd"), 1.0, sensitive="ab").channel.b.round(3).tolist()
    [0.378, 0.378, 0.0, 0.0]
    """
    epsilon, mask = positive_epsilon(epsilon), mask_of(domain, sensitive)
    _known_theta(theta)
    if share is not None and (
        theta != "optimal" or not isinstance(share, (int, float, np.integer, np.floating)) or not 0 <= float(share) <= 1
    ):
        raise ParameterError(f"The share is {share!r}. Give the part of people with sensitive items, between 0 and 1, and theta='optimal'.")
    if theta == "optimal":
        theta = urap_theta(int(mask.sum()), int((~mask).sum()), epsilon, share)
    present = _theta(None if isinstance(theta, str) else theta, epsilon)
    chance = Fraction(present, ONE)
    growth = exp_below(epsilon)
    own = threshold_below(1 - chance / (other_bit(chance, growth) * growth))
    channel = UnaryChannel(
        np.where(mask, np.uint64(present), np.uint64(own)), np.where(mask, np.uint64(_others(present, epsilon)), np.uint64(0))
    )
    return Mechanism(domain, channel, ULDP(epsilon, domain.decode(np.flatnonzero(mask))), "urap")


@mechanism(
    use="a budget for each answer, all of them protected",
    report="a set of items",
    source="Gu et al. 2020",
    promises=("IDLDP",),
    plan=("minid",),
    examples={"": {"budgets": _ALL}, "opt1": {"budgets": _ALL, "model": "opt1"}},
)
def idue(domain: Domain, budgets: Mapping[Any, float], model: str = "opt0") -> Mechanism:
    """Input-discriminative unary encoding (Gu et al. 2020): bits per budget, under MinID-LDP.

    The bits minimise the worst-case squared error: with a + b = 1 ("opt1"), with a = 1/2 ("opt2"), or freely ("opt0").

    >>> m = idue(Domain("abcd"), {"a": 0.5, "b": 2.0, "c": 2.0, "d": 2.0})
    >>> m.certify().holds, bool(m.channel.b[0] > m.channel.b[1])
    (True, True)
    """
    classes, distinct = _budget_classes(domain, budgets, model)
    if (classes == len(distinct)).any():
        missing = domain.item(int(np.argmax(classes == len(distinct))))
        raise BudgetError(f"Item {missing!r} has no budget. Give it one, or use ipue or iprr, which don't protect items without a budget.")
    return _unary(domain, classes, distinct, model, IDLDP(budgets), "idue")


@mechanism(
    use="a budget for some answers, the others free, small budgets",
    report="a set of items",
    see="decisions/0008-budgets-and-free-items.md",
    promises=("ItemULDP",),
    plan=("item_uldp",),
    examples={"": {}, "opt2": {"model": "opt2"}},
)
def ipue(domain: Domain, budgets: Mapping[Any, float], model: str = "opt0") -> Mechanism:
    """Item-oriented personalized unary encoding: a budget for each sensitive item, and items without one, as in `iprr`.

    Sensitive items have bits per budget, as in `idue`. An item without a budget sets its own bit with the largest probability that
    keeps the guarantee, and no other item sets it. The bits minimise the worst-case squared error. With equal budgets this is
    `urap(theta="optimal")`. It is better if only one item has a budget.

    >>> m = ipue(Domain("abcd"), {"a": 0.5, "b": 2.0})
    >>> m.certify().holds, m.channel.b.round(3).tolist()[2:]
    (True, [0.0, 0.0])
    """
    classes, distinct = _budget_classes(domain, budgets, model)
    return _unary(domain, classes, distinct, model, ItemULDP(budgets), "ipue")


def _budget_classes(domain: Domain, budgets: Mapping[Any, float], model: str) -> tuple[NDArray[np.intp], list[float]]:
    """The class of every item, by its budget (one more than there are, for items without a budget), and the distinct budgets in order.

    Of very many budgets neighbours share the smallest of them, which keeps every promise.
    """
    checked = budget_map(budgets)
    if model not in {"opt0", "opt1", "opt2"}:
        raise ParameterError(f"The model is {model!r}. Choose 'opt0', 'opt1' or 'opt2'.")
    exact = sorted(set(checked.values()))
    groups = np.array_split(np.array(exact), min(len(exact), _MOST_BUDGETS))
    distinct = [float(group[0]) for group in groups]
    classes = np.full(len(checked_domain(domain)), len(distinct), dtype=np.intp)
    places = {float(budget): place for place, group in enumerate(groups) for budget in group}
    for item, budget in checked.items():
        try:
            classes[domain.code(item)] = places[budget]
        except DomainError as error:
            raise BudgetError(f"The budgets don't fit the domain. {error}") from None
    return classes, distinct


def _unary(domain: Domain, classes: NDArray[np.intp], distinct: list[float], model: str, claim: IDLDP | ItemULDP, name: str) -> Mechanism:
    """The best of the candidates, as integers that keep the claim."""
    counts = np.bincount(classes, minlength=len(distinct) + 1).tolist()
    problem = BitProblem.of(distinct, counts[:-1], counts[-1], smaller=isinstance(claim, IDLDP))
    found = [_certified(domain, classes, distinct, bits, claim, name) for bits in problem.bits(model)]
    # the smallest budget for everybody keeps every promise
    plain = urap(domain, distinct[0], domain.decode(np.flatnonzero(classes < len(distinct)))) if counts[-1] else oue(domain, distinct[0])
    safe = [each for each in found if each is not None] or [Mechanism(domain, plain.channel, claim, name)]
    first = [int(np.argmax(classes == place)) for place in range(len(distinct) + bool(counts[-1]))]
    return min(safe, key=lambda each: problem.loss(each.channel.a[first], each.channel.b[first]))  # type: ignore[attr-defined]  # unary


def _certified(
    domain: Domain, classes: NDArray[np.intp], distinct: list[float], bits: tuple[Floats, Floats], claim: IDLDP | ItemULDP, name: str
) -> Mechanism | None:
    """Bits of the classes as integers, pulled together until the claim is true. Free items are shown as often as it allows."""
    for places in range(48, 6, -3):
        present, absent = _pulled_bits(bits[0][: len(distinct)], bits[1][: len(distinct)], Fraction(1, 1 << places))
        hidden = max(Fraction(up, down) / exp_below(budget) for up, down, budget in zip(present, absent, distinct, strict=True))
        present, absent = [*present, max(1, threshold_below(1 - min(hidden, Fraction(1))))], [*absent, 0]
        channel = UnaryChannel(np.array(present, dtype=np.uint64)[classes], np.array(absent, dtype=np.uint64)[classes])
        try:
            return Mechanism(domain, channel, claim, name)
        except ClaimError:
            continue  # the solver was less exact than that: pull the bits together a little more
    return None


def _pulled_bits(a: Floats, b: Floats, pull: Fraction) -> tuple[list[int], list[int]]:
    """Integer bits, a little closer to each other than the solver's, so that its rounding costs no privacy."""
    pairs = [(Fraction(up), Fraction(down)) for up, down in zip(a.tolist(), b.tolist(), strict=True)]
    present = [threshold_below(up - pull * (up - down)) for up, down in pairs]
    return present, [threshold_above(down + pull * (up - down)) for up, down in pairs]


@mechanism(
    use='a known prior, or a set of them; `theta="optimal"` for the least error of `mmse`',
    report="a set of items",
    source="Jiang, Li & Tandon 2020, Theorem 4 and Corollary 2",
    promises=("LIP", "BoundedPriorLIP"),
    plan={"lip": lambda promise: {"theta": "optimal" if len(promise.domain) <= MOST_SEARCHED else "paper"}},
    examples={"": {}, "bounded": {"prior": None, "priors": _TWO_PRIORS}},
    settings=("theta",),
)
def ue_lip(
    domain: Domain,
    epsilon: float,
    prior: Any = None,
    *,
    priors: PriorSet | Sequence[Any] | None = None,
    theta: float | str = "paper",
) -> Mechanism:
    """Unary encoding under local information privacy (LIP paper, Theorem 4, and Corollary 2 for a set of priors).

    a = θ and b = θ/((1 − θ)·R + θ), where R = (e^ε − P_min)/(1 − P_min) are the largest odds that keep the guarantee and P_min is the
    smallest probability of the prior, or of all priors in the set. `theta="paper"` is 1/2, which makes b = (1 − P_min)/(e^ε − 2·P_min +
    1). "optimal" leaves the least mean squared error of the histogram to the full posterior (`method="mmse"`), under the prior or the
    mean of the set.

    >>> ue_lip(Domain("abc"), 1.0, [0.1, 0.2, 0.7]).channel.b.round(4).tolist()
    [0.2558, 0.2558, 0.2558]
    """
    epsilon = positive_epsilon(epsilon)
    claim = prior_claim(checked_domain(domain), epsilon, prior, priors)
    known: Prior | PriorSet = claim.prior if isinstance(claim, LIP) else claim.priors
    odds = (exp_below(epsilon) - known.smallest) / (1 - known.smallest)
    _known_theta(theta)
    if theta == "optimal":
        theta = ue_theta((known if isinstance(known, Prior) else known.mean).p, float(odds))
    present = ONE // 2 if isinstance(theta, str) else _theta(theta, epsilon)
    absent = threshold_above(other_bit(Fraction(present, ONE), odds))
    return Mechanism(domain, UnaryChannel(_constant(len(domain), present), _constant(len(domain), absent)), claim, "ue_lip")
