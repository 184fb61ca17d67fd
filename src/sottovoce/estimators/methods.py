"""From a tally to a distribution."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np

from sottovoce.arrays import Floats
from sottovoce.catalogue import METHODS as METHODS_DECLARED
from sottovoce.catalogue import Need, method
from sottovoce.channels.likelihood import SeparableLikelihood, total
from sottovoce.channels.model import revealed
from sottovoce.domain import Domain
from sottovoce.errors import ParameterError, UnsupportedError
from sottovoce.estimators import correction, decoders, prior_aware
from sottovoce.estimators import interior_point as newton
from sottovoce.estimators import projected_gradient as climb
from sottovoce.estimators.intervals import spread
from sottovoce.estimators.inversion import invert_all
from sottovoce.estimators.report_likelihood import of_blocks
from sottovoce.estimators.result import Bars, Estimate, unknown
from sottovoce.estimators.separable import direct_mle
from sottovoce.estimators.shrinkage import shrunk
from sottovoce.progress import Progress
from sottovoce.sources import SeededSource, Source
from sottovoce.tallies import Block, Tally

#: Passes after which a tabulated likelihood is climbed by Newton's method instead.
_PATIENCE = 100


def estimate(
    tally: Tally,
    method: str | None = None,
    *,
    tolerance: float = 1e-3,
    iterations: int = 10_000,
    alpha: float = 0.05,
    strength: float = 1.0,
    prior: Any = None,
    source: Source | None = None,
    progress: bool | None = None,
) -> Estimate:
    """The distribution of the population.

    Without a method: maximum likelihood where the tally supports it, otherwise the projected inversion. `tolerance` (nats) and `iterations`
    end 'mle', 'em' and 'map'; `alpha` is the level of 'threshold'; `strength` is the Dirichlet pseudo-count that 'map' gives each item;
    `prior` is what 'mmse' knows beforehand (by default the prior of the mechanism's claim; a mapping gives each group its own); `source`
    feeds the simulation of 'corrected' (a fixed seed by default). Long work shows a bar on a terminal; `progress` forces or forbids it.

    >>> from sottovoce import Domain, SeededSource, krr
    >>> tally = Tally.simulate(krr(Domain("abc"), 1.0), p=[0.2, 0.3, 0.5], n=10**9, source=SeededSource(1))
    >>> estimate(tally).p.round(2).tolist()
    [0.2, 0.3, 0.5]
    """
    if not isinstance(tally, Tally):
        raise ParameterError(
            f"estimates are made from a Tally, not from {type(tally).__name__}; count the reports first: Tally(m).add(reports)"
        )
    options = _Options.checked(tolerance, iterations, strength, alpha)
    chosen = _chosen(tally, method)
    blocks = [block for block in tally.blocks if block.n]
    if not blocks and METHODS_DECLARED[chosen].needs is not Need.NOTHING:
        raise ParameterError("the tally holds no reports; add some before estimating")
    with Progress(f"estimating ({chosen})", progress) as bar:
        return METHODS_DECLARED[chosen].thing(_Asked(tally, chosen, blocks, options, prior, source, bar))


def _chosen(tally: Tally, method: str | None) -> str:
    if method is None:
        return "mle" if tally.supports("mle") else "projected"
    if not tally.supports(method):
        if any(block.remote is not None for block in tally.blocks):
            raise UnsupportedError(f"{method!r} needs the reports at hand, and these stayed where they are; collect them with keep=True")
        if METHODS_DECLARED[method].needs_reports:
            raise UnsupportedError(f"{method!r} needs the reports, this tally kept only totals; use Tally(m, keep_reports=True)")
        raise UnsupportedError(f"{method!r} needs counts that this channel does not have; use 'mle' with Tally(m, keep_reports=True)")
    return method


@dataclass(frozen=True)
class _Options:
    """The numbers that `estimate` takes, each in its range."""

    tolerance: float
    iterations: int
    strength: float
    alpha: float

    @classmethod
    def checked(cls, tolerance: Any, iterations: Any, strength: Any, alpha: Any) -> _Options:
        for name, value, low, high, rule in (
            ("tolerance", tolerance, math.ulp(0.0), math.inf, "a positive number of nats"),
            ("strength", strength, 0.0, math.nextafter(math.inf, 0), "a finite number that is not negative"),
            ("alpha", alpha, math.ulp(0.0), math.nextafter(1, 0), "a significance level strictly between 0 and 1"),
        ):
            if isinstance(value, bool) or not isinstance(value, Real) or not low <= float(value) <= high:
                raise ParameterError(f"{name} is {value!r}; it is {rule}")
        if isinstance(iterations, bool) or not isinstance(iterations, Integral) or iterations < 1:
            raise ParameterError(f"iterations is {iterations!r}; it is an integer of at least 1")
        return cls(float(tolerance), int(iterations), float(strength), float(alpha))


class _Climber:
    """Finds the top of a likelihood, in the way of a method."""

    def __init__(self, method: str, options: _Options, bar: Progress) -> None:
        self.method, self.options, self.bar = method, options, bar
        self._first: float | None = None

    def top(self, blocks: Sequence[Block]) -> climb.Top:
        parts = of_blocks(blocks)
        size = blocks[0].channel.size
        if self.method == "map" and self.options.strength > 0:
            parts.append(revealed(np.full(size, self.options.strength)))
        start = np.full(size, 1 / size)
        if self.method == "em":
            return climb.expectation_maximisation(parts, start, self.options.tolerance, self.options.iterations, self._watch)
        separable = [part for part in (each.separable() for each in parts) if part is not None]
        if len(separable) == len(parts):
            return _exact(separable)
        tolerance, most, warm = self.options.tolerance, self.options.iterations, _warm(blocks, start)
        if not newton.applies(parts, size):
            return climb.climb(parts, warm, tolerance, most, self._watch)
        top = climb.climb(parts, warm, tolerance, min(most, _PATIENCE), self._watch)
        if top.gap <= tolerance + climb.rounding(sum(part.n for part in parts)) or most <= _PATIENCE:
            return top
        inner = newton.interior(parts, top.p, tolerance, self._watch)
        return replace(min(top, inner, key=lambda found: found.gap), passes=top.passes + inner.passes)

    def _watch(self, gap: float, passes: int) -> None:
        if not 0 < gap < math.inf:
            return
        self._first = max(self._first or gap, gap)
        way = math.log(self._first / self.options.tolerance)
        self.bar.at(math.log(self._first / gap) / way if way > 0 else 1.0, f"{gap:.2g} nats missing at most, {passes} passes")


def _exact(parts: list[SeparableLikelihood]) -> climb.Top:
    p = direct_mle([(part.counts, part.s, part.t) for part in parts])
    weight = float(sum(part.counts.sum() for part in parts))
    return climb.Top(p, climb.deficit(total(parts, p), weight) + climb.rounding(weight), 1)


def _warm(blocks: Sequence[Block], start: Floats) -> Floats:
    """The inversion, where the counts have one, projected in the metric of its precision: close to the top, and cheap.

    No item starts far below its standard error, for it would have to climb through where the curvature is c/p².
    """
    try:
        linear = invert_all(blocks)
    except UnsupportedError:
        return start
    p = decoders.project(linear.p, 1 / np.maximum(linear.variance, 1e-12 * float(linear.variance.max()) or 1.0))
    p = np.maximum(p, np.minimum(np.sqrt(linear.variance) / 2, start / 10))
    return np.asarray(p / p.sum())


@dataclass(frozen=True)
class _Asked:
    """What a method works with: the tally and its blocks that have reports, and the arguments of `estimate`."""

    tally: Tally
    method: str
    blocks: list[Block]
    options: _Options
    prior: Any
    source: Source | None
    bar: Progress

    @property
    def inputs(self) -> Domain:
        return self.tally.blocks[0].mechanism.inputs

    def found(self, p: Floats, *, bars: Callable[[], Bars] | None = None, equal: bool = False, **more: Any) -> Estimate:
        """The estimate p. Its error bars are those of the inversion of the counts, unless others are given."""
        totals = tuple(block.totals() for block in self.blocks)
        usual = partial(spread, totals, equal=equal) if totals else unknown
        return Estimate(self.inputs, p=p, n=self.tally.n, method=self.method, bars=bars or usual, **more)

    def climber(self) -> _Climber:
        return _Climber(self.method, self.options, self.bar)


@method("map", about="Maximum likelihood with a Dirichlet pseudo-count for every item.", needs=Need.REPORTS)
@method("em", about="Expectation-maximisation: the published loop towards maximum likelihood.", needs=Need.REPORTS)
@method("mle", about="Maximum likelihood: the distribution under which the reports are most probable.", needs=Need.REPORTS)
def _most_likely(asked: _Asked) -> Estimate:
    top = asked.climber().top(asked.blocks)
    return asked.found(top.p, gap=top.gap, iterations=top.passes)


@method(
    "corrected",
    about="The published small-sample correction of expectation-maximisation.",
    needs=Need.REPORTS_AT_HAND,
    see="#small-samples",
)
def _corrected(asked: _Asked) -> Estimate:
    blocks, climber = asked.blocks, asked.climber()
    truth = _reported(blocks, climber)
    simulated = _simulated(blocks, truth, SeededSource(0) if asked.source is None else asked.source)
    p, weight = correction.corrected(blocks, lambda those: climber.top(those).p, simulated, truth)
    return asked.found(p, chosen={"alpha": weight})


@method(
    "mmse",
    about="The posterior mean under the prior that the promise rests on; it speaks of the people who answered.",
    needs=Need.REPORTS,
    see="#something-is-known-already",
)
def _posterior_mean(asked: _Asked) -> Estimate:
    posterior = prior_aware.histogram(asked.blocks, asked.prior)
    return asked.found(posterior.mean, bars=posterior.itself)


@method("inversion", about="Unbiased inversion of the totals; shares may be negative.", needs=Need.COUNTS)
def _inverted(asked: _Asked) -> Estimate:
    return asked.found(invert_all(asked.blocks).p)


@method("average", about="Unbiased inversion of the totals, all levels weighted alike.", needs=Need.COUNTS)
def _averaged(asked: _Asked) -> Estimate:
    return asked.found(invert_all(asked.blocks, equal=True).p, equal=True)


@method("norm_sub", about="Unbiased inversion of the totals, then the nearest distribution.", needs=Need.COUNTS)
@method("projected", about="Unbiased inversion of the totals, then the nearest distribution.", needs=Need.COUNTS)
def _projected(asked: _Asked) -> Estimate:
    return asked.found(decoders.project(invert_all(asked.blocks).p))


@method("normalized", about="Unbiased inversion of the totals, negative shares cut, divided by the sum.", needs=Need.COUNTS)
def _normalized(asked: _Asked) -> Estimate:
    return asked.found(decoders.normalized(invert_all(asked.blocks).p))


@method("threshold", about="Unbiased inversion of the totals; shares that are not significant are spread evenly.", needs=Need.COUNTS)
def _thresholded(asked: _Asked) -> Estimate:
    linear = invert_all(asked.blocks)
    return asked.found(decoders.thresholded(linear.p, np.sqrt(linear.variance), asked.options.alpha))


@method("auto", about="Shrinkage towards equal shares, as much as the reports ask for.", needs=Need.COUNTS, see="#small-samples")
def _shrunk(asked: _Asked) -> Estimate:
    found = shrunk(asked.blocks, asked.bar.at)
    return asked.found(found.p, chosen=found.chosen, note=found.note)


@method("observed", about="The reports as if they were answers: a baseline, not an estimate.", needs=Need.ITEMS)
def _as_reported(asked: _Asked) -> Estimate:
    return asked.found(_observed(asked.blocks))


@method("uniform", about="Equal shares: a baseline, not an estimate.", needs=Need.NOTHING)
def _uniform(asked: _Asked) -> Estimate:
    size = len(asked.inputs)
    return asked.found(np.full(size, 1 / size))


def _observed(blocks: Sequence[Block]) -> Floats:
    """The counts of the items."""
    counts = [block.channel.statistic.of_items(block.counts) for block in blocks]
    return decoders.normalized(np.sum(counts, axis=0).astype(np.float64))


def _reported(blocks: Sequence[Block], climber: _Climber) -> Floats:
    """The published choice of a truth to simulate from: the reports as if they were answers (the optimum, where they are no items)."""
    return _observed(blocks) if all(block.channel.statistic.counts_items for block in blocks) else climber.top(blocks).p


def _simulated(blocks: Sequence[Block], truth: Floats, source: Source) -> list[Block]:
    return [Tally.simulate(block.mechanism, truth, block.n, source, keep_reports=block.piles is not None).blocks[0] for block in blocks]


#: The names of the methods.
METHODS = tuple(sorted(METHODS_DECLARED))
