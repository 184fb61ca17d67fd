"""The best mechanism for a known prior."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sottovoce.channels import Channel
from sottovoce.domain import Domain
from sottovoce.errors import ClaimError, ParameterError
from sottovoce.mechanisms.base import Mechanism, checked_domain
from sottovoce.mechanisms.direct import rr_lip
from sottovoce.mechanisms.lifted import from_matrix
from sottovoce.notions import LIP
from sottovoce.optima.lip import Goal, Histogram, Total, best_columns
from sottovoce.policy import Prior, positive_epsilon


@dataclass(frozen=True)
class OptimalMechanism(Mechanism):
    """A mechanism with the mean squared error that one report leaves, and a bound on how much smaller the least can be."""

    loss: float = math.nan
    gap: float = 0.0


def optimal_lip(
    domain: Domain, epsilon: float, prior: Any, utility: str = "histogram", values: ArrayLike | None = None
) -> OptimalMechanism:
    """The channel under ε-LIP whose reports leave the least mean squared error, given the prior.

    For the histogram of the people who report, or for a sum over them of numbers that stand for the items (`values`, 0, 1, … by default):
    the true optimum of the LIP paper's problem (15), which its Theorem 3 solves only among direct channels. Exact up to 12 items; `gap`
    bounds what is missing beyond.

    >>> m = optimal_lip(Domain("abc"), 1.0, [0.1, 0.2, 0.7])
    >>> m.certify().holds, round(m.loss, 4)
    (True, 0.3288)
    """
    epsilon, known = positive_epsilon(epsilon), Prior.of(prior).for_items(len(checked_domain(domain)))
    p = known.p
    if utility == "histogram" and values is None:
        goal: Goal = Histogram(p)
        spread = 1.0
    elif utility == "sum":
        numbers = _numbers(values, len(p))
        centred = numbers - float(p @ numbers)  # a shift changes no variance, and keeps the numbers small
        goal, spread = Total(p, centred), float(p @ centred**2)
    else:
        raise ParameterError(f"the utility is {utility!r}; it is 'histogram', or 'sum' with the values of the items")
    plain = rr_lip(domain, epsilon, known).channel
    columns = (plain.matrix() / (p @ plain.matrix())).T
    for margin in (1e-9, 1e-8, 1e-7, 1e-6):
        found = best_columns(p, epsilon * (1 - margin), goal, np.clip(columns, np.exp(-epsilon), np.exp(epsilon)))
        rows = (found.columns * found.chances[:, None]).T
        if rows.shape[1] < 2 or not (rows.sum(axis=1) > 0).all():
            break
        try:
            channel: Channel = from_matrix(domain, rows / rows.sum(axis=1, keepdims=True), LIP(epsilon, known)).channel
        except ClaimError:
            continue  # the solver's rounding was larger than the margin
        loss = _loss(goal, p, channel.matrix(), spread)
        return OptimalMechanism(domain, channel, LIP(epsilon, known), "optimal_lip", loss, min(found.gap, loss))
    loss = _loss(goal, p, plain.matrix(), spread)  # beyond what doubles can solve: the best direct channel
    return OptimalMechanism(domain, plain, LIP(epsilon, known), "optimal_lip", loss, loss)


def _loss(goal: Goal, p: Any, matrix: Any, spread: float) -> float:
    """What a report of the channel leaves: the loss without it, less what it tells."""
    chances = p @ matrix
    seen = chances > 0
    return max(0.0, spread - float((chances[seen] * goal.worth((matrix[:, seen] / chances[seen]).T)).sum()))


def _numbers(values: ArrayLike | None, size: int) -> Any:
    try:
        numbers = np.arange(size, dtype=np.float64) if values is None else np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError("the values are numbers, one for each item") from None
    if numbers.shape != (size,) or not np.isfinite(numbers).all() or np.ptp(numbers) == 0:
        raise ParameterError(f"the values must give each of the {size} items a finite number, not all the same")
    return numbers
