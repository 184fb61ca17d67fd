"""What a known prior makes of the reports: the estimates with the least mean squared error (LIP paper, Sections 3 and 4.5).

A report y turns the prior P of its sender into Pr(R = k | y) = P_k·g_k(y)/(P·g(y)). The histogram of the people who reported is
estimated by Σ_i Pr(R_i = k | y_i), and a sum Σ_i (c_i·R_i + b_i) by Σ_i (c_i·E[R_i | y_i] + b_i). These are conditional means, so that
no estimate with the same prior has a smaller mean squared error, which is the conditional variance. If the prior is wrong, so is the
estimate.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sottovoce.arrays import Floats
from sottovoce.channels import Channel
from sottovoce.channels.groups import Groups
from sottovoce.channels.likelihood import total
from sottovoce.errors import ParameterError, PriorError, ReportError, UnsupportedError
from sottovoce.estimators.intervals import Interval, deviate
from sottovoce.estimators.report_likelihood import likelihoods
from sottovoce.estimators.result import Estimate
from sottovoce.mechanisms import Mechanism
from sottovoce.policy import Prior, is_distribution
from sottovoce.reports import Reports
from sottovoce.tallies import Block

#: Entries of likelihoods and posteriors written down at a time.
_ENTRIES = 1 << 22


@dataclass(frozen=True)
class Posterior:
    """The shares of the items among the people who reported: their mean and variance, given the reports and the prior."""

    mean: Floats
    variance: Floats

    def interval(self, level: float, *, simultaneous: bool = False, reports: int = 1) -> Interval:
        """The normal interval of the posterior, within [0, 1]."""
        reach = deviate(level, len(self.mean) if simultaneous else 1) * np.sqrt(self.variance)
        return Interval(np.clip(self.mean - reach, 0.0, 1.0), np.clip(self.mean + reach, 0.0, 1.0))

    def grouped(self, groups: Groups) -> Posterior:
        """The shares of groups of items.

        One person has one item, so variances add up at most. A group varies as all remaining items together do.
        """
        inside = groups.totals(self.variance)
        return Posterior(groups.totals(self.mean), np.minimum(inside, inside.sum() - inside))

    def itself(self) -> Posterior:
        return self

    def covariance(self) -> Floats:
        raise UnsupportedError("'mmse' has no covariance matrix. Use stderr() or interval().")


def histogram(blocks: Sequence[Block], prior: Any) -> Posterior:
    """The histogram from a tally: with one prior for each group, Σ_i P_k·g_k/(P·g) is P_k times the slope of the log-likelihood at P."""
    size, n = blocks[0].channel.size, sum(block.n for block in blocks)
    mean, variance = np.zeros(size), np.zeros(size)
    for block in blocks:
        p = _prior_of(block, prior).for_items(size).p
        slope = total(likelihoods(block), p)
        mean += p * slope.gradient
        variance += np.maximum(0.0, p * slope.gradient - p**2 * slope.squares)
    return Posterior(mean / n, variance / n**2)


def _prior_of(block: Block, prior: Any) -> Prior:
    """The prior given (for this group, if each has its own), or else the one that the mechanism's promise rests on."""
    if isinstance(prior, Mapping):
        if block.name not in prior:
            raise PriorError(f"The group {block.name!r} has no prior. Give one for each group, or one for all.")
        return Prior.of(prior[block.name])
    if prior is not None:
        return Prior.of(prior)
    return _claimed(block.mechanism)


def _claimed(mechanism: Mechanism) -> Prior:
    """The prior that a mechanism's promise rests on."""
    if not isinstance(mechanism, Mechanism):
        raise ParameterError(f"Priors don't work with {type(mechanism).__name__}. Give the reports of a single mechanism.")
    claimed = getattr(mechanism.claim, "prior", None)
    if not isinstance(claimed, Prior):
        raise PriorError(
            "A prior is needed, because this mechanism's guarantee has none. Give one probability per item, or use another method."
        )
    return claimed


@dataclass(frozen=True)
class Sum:
    """An estimated sum over people and its mean squared error: `mse` given the reports, `expected` before them (None if unknown).

    Sums over different people add up.
    """

    value: float
    mse: float
    expected: float | None

    @property
    def stderr(self) -> float:
        """The root of `mse`."""
        return math.sqrt(self.mse)

    def __radd__(self, other: int) -> Sum:
        return self if other == 0 else NotImplemented

    def __add__(self, other: Sum) -> Sum:
        if not isinstance(other, Sum):
            return NotImplemented
        expected = None if self.expected is None or other.expected is None else self.expected + other.expected
        return Sum(self.value + other.value, self.mse + other.mse, expected)


def mmse_histogram(mechanism: Mechanism, reports: Reports, prior: Any = None) -> Estimate:
    """The histogram if every person has a prior of her own:

    `prior` has a row for each report (or is one for all). With one prior for everyone, `estimate(tally, "mmse", prior=...)` needs no
    reports to be kept for direct and tabulated channels.

    >>> from sottovoce import Domain, rr_lip, SeededSource
    >>> m = rr_lip(Domain("ab"), 1.0, [0.5, 0.5])
    >>> mmse_histogram(m, m.perturb("ab", SeededSource(1)), [[0.9, 0.1], [0.1, 0.9]]).n
    2
    """
    table = _priors(mechanism, reports, prior)
    mean, variance, n = np.zeros(table.shape[1]), np.zeros(table.shape[1]), len(reports)
    for rows in _posteriors(mechanism, reports, table):
        mean += rows.sum(axis=0)
        variance += (rows * (1 - rows)).sum(axis=0)
    posterior = Posterior(mean / n, variance / n**2)
    return Estimate(mechanism.inputs, posterior.mean, n, "mmse", bars=posterior.itself)


def mmse_sum(
    mechanism: Mechanism,
    reports: Reports,
    prior: Any = None,
    *,
    values: ArrayLike | None = None,
    weights: ArrayLike = 1.0,
    offsets: ArrayLike = 0.0,
) -> Sum:
    """Σ_i (c_i·R_i + b_i) over the people who reported, where R is the number that stands for an item (LIP paper, equations 36 and 37).

    `values` gives the number of each item (0, 1, … by default), `weights` the c_i and `offsets` the b_i, one for all or one for each
    person. `prior` is one for all (by default that of the mechanism's claim), or a row for each person.

    >>> from sottovoce import Domain, rr_lip, SeededSource
    >>> m = rr_lip(Domain(3), 5.0, [0.2, 0.3, 0.5])
    >>> found = mmse_sum(m, m.perturb([0, 1, 2, 2], SeededSource(1)))
    >>> round(found.value), found.mse < 0.1
    (5, True)
    """
    table = _priors(mechanism, reports, prior)
    numbers = _numbers(values if values is not None else np.arange(table.shape[1]), (table.shape[1],), "values")
    c, b = (_numbers(option, (len(reports),), name) for option, name in ((weights, "weights"), (offsets, "offsets")))
    means, squares = [], []
    for rows in _posteriors(mechanism, reports, table):
        means.append(rows @ numbers)
        squares.append(rows @ numbers**2)
    mean = np.concatenate(means)
    variance = np.maximum(0.0, np.concatenate(squares) - mean**2)
    return Sum(float((c * mean + b).sum()), float((c**2 * variance).sum()), _expected_sum(mechanism.channel, table, numbers, c))


def _expected_sum(channel: Channel, table: Floats, numbers: Floats, c: Floats) -> float | None:
    """Σ c_i²·loss_i, where the channel's reports are few enough to be listed."""
    alike = table.strides[0] == 0
    priors = table[:1] if alike else table
    if not channel.summable(len(priors)):
        return None
    try:
        losses = channel.posterior_variance_of(priors, numbers)
    except UnsupportedError:
        return None
    return float((c**2 * losses).sum())


def mmse_loss(mechanism: Mechanism, prior: Any = None, *, values: ArrayLike | None = None) -> float:
    """The mean squared error that one person's report will leave, before it is made: Var[f(R)] − Var[E[f(R) | Y]] (LIP paper, equation 13).

    For the histogram (all entries together), or for the number that `values` gives each item. The value is exact. n people leave n
    times as much in the sum, and 1/n of it in the shares.
    """
    known = _claimed(mechanism) if prior is None else Prior.of(prior)
    p = known.for_items(mechanism.channel.size).p
    if values is not None:
        return float(mechanism.channel.posterior_variance_of(p[None, :], _numbers(values, p.shape, "values"))[0])
    return max(0.0, float(mechanism.channel.posterior_variance(p).sum()))


def _priors(mechanism: Mechanism, reports: Reports, prior: Any) -> Floats:
    """A row for each report."""
    known = _claimed(mechanism) if prior is None or not isinstance(mechanism, Mechanism) else prior
    if not isinstance(reports, Reports):
        raise ReportError(f"Got {type(reports).__name__} instead of reports. For a tally, use estimate(...).")
    size, n = mechanism.channel.size, len(reports)
    if n == 0:
        raise ParameterError("There are no reports. Give at least one.")
    try:
        table = None if isinstance(known, Prior) else np.asarray(known, dtype=np.float64)
    except (TypeError, ValueError):
        raise PriorError("The priors aren't numbers. Give one for each item, or a row for each report.") from None
    if table is None or table.ndim < 2:
        return np.broadcast_to(Prior.of(known).for_items(size).p, (n, size))
    if table.shape != (n, size):
        raise PriorError(f"The priors have the shape {table.shape}. Give ({n}, {size}), for {n} reports over {size} items.")
    if not is_distribution(table):
        raise PriorError("A row of the priors isn't a distribution. Give numbers that aren't negative and sum to 1.")
    return table


def _posteriors(mechanism: Mechanism, reports: Reports, priors: Floats) -> Iterator[Floats]:
    """Pr(R_i = k | y_i), some reports at a time."""
    step = max(1, _ENTRIES // mechanism.channel.size)
    for start in range(0, len(reports), step):
        rows = mechanism.channel.likelihood(reports[slice(start, start + step)]) * priors[start : start + step]
        chances = rows.sum(axis=1, keepdims=True)
        if (chances <= 0).any():
            raise PriorError("A report is impossible under its prior. Give every possible item a positive prior.")
        yield rows / chances


def _numbers(given: ArrayLike, shape: tuple[int, ...], name: str) -> Floats:
    try:
        numbers = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"The {name} aren't numbers. Give one number, or a list of {shape[0]}.") from None
    if numbers.shape not in {(), shape} or not np.isfinite(numbers).all():
        raise ParameterError(f"The {name} have the shape {numbers.shape}. Give one finite number, or {shape[0]}.")
    return np.broadcast_to(numbers, shape)
