"""From a tally to a distribution."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sottovoce.domain import Domain, Item
from sottovoce.errors import ParameterError, UnsupportedError
from sottovoce.estimators import climb, decoders
from sottovoce.estimators.direct import direct_mle
from sottovoce.estimators.linear import Linear, invert_all
from sottovoce.estimators.model import DirectLikelihood, Likelihood, likelihoods, total
from sottovoce.tallies import Block, Tally
from sottovoce.tallies.tally import BASELINES, INVERSION, LIKELIHOOD

Floats = NDArray[np.float64]

METHODS = tuple(sorted(LIKELIHOOD | INVERSION | BASELINES))


@dataclass(frozen=True)
class Estimate:
    """An estimated distribution over `domain`, and how it came about.

    `gap` bounds the total log-likelihood that is missing to the maximum, in nats (None for methods that maximise nothing). `stderr` is the
    standard error of each entry where it is known in closed form (methods 'inversion' and 'average').
    """

    domain: Domain
    p: Floats = field(repr=False)
    n: int
    method: str
    gap: float | None = None
    iterations: int | None = None
    stderr: Floats | None = field(default=None, repr=False)

    def __getitem__(self, item: Item) -> float:
        """The estimated share of an item."""
        return float(self.p[self.domain.code(item)])


def estimate(
    tally: Tally,
    method: str | None = None,
    *,
    tolerance: float = 1e-3,
    iterations: int = 10_000,
    alpha: float = 0.05,
    strength: float = 1.0,
) -> Estimate:
    """The distribution of the population.

    Without a method: maximum likelihood where the tally supports it, otherwise the projected inversion. `tolerance` (nats) and `iterations`
    end 'mle', 'em' and 'map'; `alpha` is the level of 'threshold'; `strength` is the Dirichlet pseudo-count that 'map' gives each item.

    >>> from sottovoce import Domain, SeededSource, krr
    >>> tally = Tally.simulate(krr(Domain("abc"), 1.0), p=[0.2, 0.3, 0.5], n=10**9, source=SeededSource(1))
    >>> estimate(tally).p.round(2).tolist()
    [0.2, 0.3, 0.5]
    """
    if not isinstance(tally, Tally):
        raise ParameterError(
            f"estimates are made from a Tally, not from {type(tally).__name__}; count the reports first: Tally(m).add(reports)"
        )
    if not all(isinstance(option, (int, float)) for option in (tolerance, alpha, strength)):
        raise ParameterError("tolerance, alpha and strength are numbers")
    chosen = _chosen(tally, method)
    blocks = [block for block in tally.blocks if block.n]
    if not blocks and chosen != "uniform":
        raise ParameterError("the tally holds no reports; add some before estimating")
    domain = tally.blocks[0].mechanism.inputs
    if chosen in LIKELIHOOD:
        top = _likelihood(blocks, chosen, tolerance, iterations, strength)
        return Estimate(domain, top.p, tally.n, chosen, top.gap, top.passes)
    if chosen == "uniform":
        return Estimate(domain, np.full(len(domain), 1 / len(domain)), tally.n, chosen)
    if chosen == "observed":
        return Estimate(domain, decoders.normalized(np.sum([block.counts for block in blocks], axis=0).astype(np.float64)), tally.n, chosen)
    linear = invert_all(blocks, equal=chosen == "average")
    if chosen in {"inversion", "average"}:
        return Estimate(domain, linear.p, tally.n, chosen, stderr=np.sqrt(linear.variance))
    return Estimate(domain, _decoded(linear, chosen, alpha), tally.n, chosen)


def _chosen(tally: Tally, method: str | None) -> str:
    if method is None:
        return "mle" if tally.supports("mle") else "projected"
    if method not in METHODS:
        raise ParameterError(f"{method!r} is not a method; the methods are {', '.join(METHODS)}")
    if not tally.supports(method):
        if method in LIKELIHOOD:
            raise UnsupportedError(f"{method!r} needs the reports, this tally kept only totals; use Tally(m, keep_reports=True)")
        raise UnsupportedError(f"{method!r} needs counts that this channel does not have; use 'mle' with Tally(m, keep_reports=True)")
    return method


def _decoded(linear: Linear, method: str, alpha: float) -> Floats:
    if method == "normalized":
        return decoders.normalized(linear.p)
    if method == "threshold":
        if not 0 < alpha < 1:
            raise ParameterError(f"alpha is {alpha!r}; a significance level lies strictly between 0 and 1")
        return decoders.thresholded(linear.p, np.sqrt(linear.variance), alpha)
    return decoders.project(linear.p)


def _likelihood(blocks: list[Block], method: str, tolerance: float, iterations: int, strength: float) -> climb.Top:
    if not (tolerance > 0 and 0 <= strength < np.inf) or isinstance(iterations, bool) or not isinstance(iterations, int) or iterations < 1:
        raise ParameterError("tolerance must be positive, iterations an integer of at least 1, and strength finite and not negative")
    parts = [part for block in blocks for part in likelihoods(block)]
    size = blocks[0].mechanism.channel.size
    if method == "map" and strength > 0:
        parts.append(DirectLikelihood(np.full(size, strength), 1.0, np.zeros(size)))
    start = np.full(size, 1 / size)
    if method == "em":
        return climb.expectation_maximisation(parts, start, tolerance, iterations)
    if all(isinstance(part, DirectLikelihood) for part in parts):
        return _exact(parts)
    return climb.climb(parts, _warm(blocks, start), tolerance, iterations)


def _exact(parts: list[Likelihood]) -> climb.Top:
    direct = [part for part in parts if isinstance(part, DirectLikelihood)]
    p = direct_mle([(part.counts, part.s, part.t) for part in direct])
    weight = float(sum(part.counts.sum() for part in direct))
    return climb.Top(p, climb.deficit(total(direct, p), weight), 1)


def _warm(blocks: list[Block], start: Floats) -> Floats:
    """The projected inversion, where the counts have one: close to the top, and cheap."""
    try:
        return decoders.project(invert_all(blocks).p)
    except UnsupportedError:
        return start
