"""The best mechanism for a known prior."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sottovoce.arrays import Floats
from sottovoce.catalogue import mechanism
from sottovoce.channels import Channel
from sottovoce.domain import Domain
from sottovoce.errors import ClaimError, ParameterError, PriorError
from sottovoce.mechanisms.base import Mechanism
from sottovoce.mechanisms.direct import krr, rr_lip
from sottovoce.mechanisms.lifted import from_matrix
from sottovoce.notions import LIP, BoundedPriorLIP, Pufferfish, Secrets
from sottovoce.optima.lip import Goal, Histogram, Total, best_columns
from sottovoce.optima.polytopes import Box, Polytope, UnsolvedError, for_priors, for_scenarios, for_secrets
from sottovoce.policy import Prior, PriorSet, checked_domain, positive_epsilon
from sottovoce.progress import Progress

#: Values are below this, so that their squares are numbers.
_LARGEST = 1e100
#: Items up to which plans search for the best channel.
_MOST_SOLVED = 20


@dataclass(frozen=True)
class OptimalMechanism(Mechanism):
    """A mechanism with the mean squared error that one report leaves, and a bound on how much smaller it could be."""

    loss: float = math.nan
    gap: float = 0.0


@mechanism(
    use='a known prior, the least error of the histogram, or of a `"sum"` of values',
    report="a column number",
    source="the LIP paper's problem (15), solved",
    see="#the-best-channel-for-a-prior",
    promises=("LIP", "BoundedPriorLIP", "Pufferfish"),
    plan={"lip": lambda promise: {} if len(promise.domain) <= _MOST_SOLVED else None},
    examples={"": {}, "sum": {"utility": "sum"}},
)
def optimal_lip(
    domain: Domain,
    epsilon: float,
    prior: Any = None,
    utility: str = "histogram",
    values: ArrayLike | None = None,
    *,
    secrets: Any = None,
    priors: PriorSet | Sequence[Any] | None = None,
    scenarios: Sequence[Any] | None = None,
    pairs: Sequence[tuple[int, int]] | None = None,
    progress: bool | None = None,
) -> OptimalMechanism:
    """The channel whose reports leave the least mean squared error under the prior: for the histogram of the people who report, or for a
    sum over them of numbers that stand for the items (`values`, 0, 1, … by default).

    It guarantees ε-LIP. With `secrets` (rows Pr(X = x | G = g)) the guarantee is about a latent secret. With `priors` it is for every
    prior of a set, and the error is that under `prior` (by default their mean). With `scenarios` and `pairs` it is local ε-Pufferfish.
    This is the true optimum of the LIP paper's problem (15), which its Theorem 3 solves only among direct channels. `gap` bounds what
    is missing: next to nothing for a dozen items (except histograms for sets of priors, where a hundredth may remain), about a
    thousandth for a hundred. If doubles aren't precise enough to solve the problem, you get a direct mechanism with the same guarantee,
    and the gap is the whole loss.

    >>> m = optimal_lip(Domain("abc"), 1.0, [0.1, 0.2, 0.7])
    >>> m.certify().holds, round(m.loss, 4)
    (True, 0.3288)
    """
    epsilon = positive_epsilon(epsilon)
    task = _Task.of(checked_domain(domain), epsilon, prior, secrets, priors, scenarios, pairs)
    goal, unit = _goal(task.prior.p, utility, values)
    plain = task.plain(domain).channel
    with Progress("finding the best channel", progress) as bar:
        found = _Search(domain, task, goal, unit, bar)
        for margin in (1e-9, 1e-8, 1e-7, 1e-6):
            best = found.at(epsilon * (1 - margin), plain)
            if best is not None:
                return best
    loss = found.loss(plain)  # beyond what doubles can solve
    return OptimalMechanism(domain, plain, task.claim, "optimal_lip", loss, loss)


@dataclass(frozen=True)
class _Task:
    """The promise, and the prior under which errors are counted."""

    claim: LIP | BoundedPriorLIP | Pufferfish
    prior: Prior

    @classmethod
    def of(cls, domain: Domain, epsilon: float, prior: Any, secrets: Any, priors: Any, scenarios: Any, pairs: Any) -> _Task:
        if sum(each is not None for each in (secrets, priors, scenarios)) > 1:
            raise ParameterError("Got more than one of secrets, priors and scenarios. Give one of them.")
        if pairs is not None and scenarios is None:
            raise ParameterError("Got pairs of secrets without scenarios. Give the scenarios too.")
        if priors is not None:
            corners = PriorSet.of(priors)
            for corner in corners.corners:
                corner.for_items(len(domain))
            known = corners.mean if prior is None else Prior.of(prior).for_items(len(domain))
            return cls(BoundedPriorLIP(epsilon, corners), known)
        if prior is None:
            raise PriorError("The prior is missing, and the best channel depends on it. Give one probability per item.")
        known = Prior.of(prior).for_items(len(domain))
        if scenarios is not None:
            claim = Pufferfish(epsilon, scenarios, pairs)
            claim.check(krr(domain, epsilon))  # which refuses tables and pairs that do not fit
            return cls(claim, known)
        lip = LIP(epsilon, known, secrets)
        if lip.secrets is not None:
            lip.secrets.for_items(len(domain))
        return cls(lip, known)

    def polytope(self, epsilon: float) -> Polytope:
        """The columns that the promise allows at a level."""
        p, claim = self.prior.p, self.claim
        if isinstance(claim, BoundedPriorLIP):
            return for_priors(p, np.array([corner.p for corner in claim.priors.corners]), epsilon)
        if isinstance(claim, Pufferfish):
            return for_scenarios(p, [_table(scenario) for scenario in claim.scenarios], claim.pairs, epsilon)
        return Box.of(p, epsilon) if claim.secrets is None else for_secrets(p, _table(claim.secrets), epsilon)

    def plain(self, domain: Domain) -> Mechanism:
        """A direct mechanism that keeps the promise: protecting the answer protects every secret behind it."""
        if isinstance(self.claim, BoundedPriorLIP):
            return rr_lip(domain, self.claim.epsilon, priors=self.claim.priors)
        return krr(domain, self.claim.epsilon) if isinstance(self.claim, Pufferfish) else rr_lip(domain, self.claim.epsilon, self.prior)


@dataclass(frozen=True)
class _Search:
    """The search for the best columns, and what becomes of them as integers. Goals are counted in a unit of the loss."""

    domain: Domain
    task: _Task
    goal: Goal
    unit: float
    bar: Progress

    def at(self, epsilon: float, plain: Channel) -> OptimalMechanism | None:
        """The mechanism found at a level a little below the promise. None if its integers don't keep the promise."""
        p, start = self.task.prior.p, np.empty((0, len(self.task.prior)))
        try:
            polytope = self.task.polytope(epsilon)
            if isinstance(polytope, Box):
                matrix = plain.matrix()
                start = np.clip((matrix / (p @ matrix)).T, polytope.low, polytope.high)
            found = best_columns(polytope, self.goal, start, self._watch)
        except UnsolvedError:
            return None
        rows = (found.columns * found.chances[:, None]).T
        if rows.shape[1] < 2 or not (rows.sum(axis=1) > 0).all():
            return None
        try:
            channel = from_matrix(self.domain, rows / rows.sum(axis=1, keepdims=True), self.task.claim).channel
        except ClaimError:
            return None  # the solver's rounding was larger than the margin
        missing = found.value + found.gap - _value(self.goal, p, channel.matrix())  # of the integers, not of the solver's numbers
        loss = self.loss(channel)
        return OptimalMechanism(self.domain, channel, self.task.claim, "optimal_lip", loss, min(max(0.0, missing) * self.unit, loss))

    def loss(self, channel: Channel) -> float:
        """What a report of the channel leaves: the loss without it, less its value."""
        return max(0.0, self.goal.whole - _value(self.goal, self.task.prior.p, channel.matrix())) * self.unit

    def _watch(self, gap: float, rounds: int) -> None:
        share = min(1.0, max(1e-9, gap / self.goal.whole))
        self.bar.at(math.log(share) / math.log(1e-6), f"{100 * share:.2g} % missing at most, {rounds + 1} rounds")


def _goal(p: Floats, utility: str, values: ArrayLike | None) -> tuple[Goal, float]:
    """The goal (of numbers scaled to a variance of 1), and the loss that one unit of it stands for."""
    if utility not in {"histogram", "sum"}:
        raise ParameterError(f"The utility is {utility!r}. Choose 'histogram', or 'sum' with the values of the items.")
    if utility == "histogram":
        if values is not None:
            raise ParameterError("utility='histogram' takes no values. Leave them out, or use utility='sum'.")
        return Histogram(p), 1.0
    numbers = _numbers(values, len(p))
    largest = float(np.abs(numbers).max())
    centred = numbers / largest - float(p @ (numbers / largest))
    spread = float(p @ centred**2)
    return Total(p, centred / math.sqrt(spread)), spread * largest**2


def _table(secrets: Secrets) -> Floats:
    return np.array([[float(entry) for entry in row] for row in secrets.rows])


def _value(goal: Goal, p: Floats, matrix: Floats) -> float:
    """The value of a report of the channel."""
    chances = p @ matrix
    seen = chances > 0
    return float((chances[seen] * goal.worth((matrix[:, seen] / chances[seen]).T)).sum())


def _numbers(values: ArrayLike | None, size: int) -> Floats:
    try:
        numbers = np.arange(size, dtype=np.float64) if values is None else np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError("The values aren't numbers. Give one for each item.") from None
    if numbers.shape != (size,) or not (np.abs(numbers) < _LARGEST).all() or np.ptp(numbers) == 0:
        raise ParameterError(f"The values don't fit. Give each of the {size} items a number below {_LARGEST:g}, not all the same.")
    return numbers
