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
from sottovoce.channels.inversion import Linear
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
from sottovoce.estimators.separable import maximised
from sottovoce.estimators.shrinkage import shrunk
from sottovoce.estimators.significance import CONTROLS, p_values, significant
from sottovoce.estimators.smooth import smoothed
from sottovoce.estimators.starts import observed, start_of
from sottovoce.progress import Progress
from sottovoce.sources import SeededSource, Source
from sottovoce.tallies import Block, Tally

#: Items from which on the method depends on how many of them can be told from zero.
_MANY = 1000
#: The control of 'threshold' in the paper.
_PUBLISHED = "bonferroni"
#: Passes after which a tabulated likelihood is climbed by Newton's method instead.
_PATIENCE = 100
#: The methods that weigh the inversions of several groups.
_INVERTING = ("inversion", "average", "normalized", "projected", "norm_sub", "threshold")


def estimate(
    tally: Tally,
    method: str | None = None,
    *,
    tolerance: float = 1e-3,
    iterations: int = 10_000,
    alpha: float = 0.05,
    control: str = "bonferroni",
    strength: float = 1.0,
    prior: Any = None,
    source: Source | None = None,
    progress: bool | None = None,
    start: Any = None,
    weights: str = "precision",
) -> Estimate:
    """Estimate the distribution of the population.

    Without a method you get 'smooth' for numbers, otherwise maximum likelihood if the tally supports it, otherwise the projected
    inversion. If there are 1,000 items or more without an order, and most of them can't be distinguished from zero, you get 'threshold'
    with control="fdr". `note` then mentions it.

    `tolerance` (nats) and `iterations` end 'mle', 'em' and 'map'. `alpha` is the level of 'threshold', and `control` what it bounds:
    "bonferroni" as published, "familywise" or "fdr" as in `Estimate.significant`. `strength` is the Dirichlet pseudo-count that 'map'
    gives each item. `prior` is the prior of 'mmse' (by default that of the mechanism's claim). A mapping gives each group its own.
    `source` feeds the simulation of 'corrected' (a fixed seed by default). Long work shows a bar on a terminal, unless you set
    `progress=False`.
    `start` is where 'em' begins: 'uniform' (the default), 'threshold', 'observed' or a distribution. `weights` is how methods of
    inversion weigh several groups of people: by 'precision' (the default) or 'equal'.

    >>> from sottovoce import Domain, SeededSource, krr
    >>> tally = Tally.simulate(krr(Domain("abc"), 1.0), p=[0.2, 0.3, 0.5], n=10**9, source=SeededSource(1))
    >>> estimate(tally).p.round(2).tolist()
    [0.2, 0.3, 0.5]
    """
    if not isinstance(tally, Tally):
        raise ParameterError(f"An estimate can't be made from {type(tally).__name__}. Count the reports first: Tally(m).add(reports).")
    options = _Options.checked(tolerance, iterations, strength, alpha, control)
    chosen = _chosen(tally, method)
    _check_start(chosen, start, weights)
    blocks = [block for block in tally.blocks if block.n]
    if method is None and blocks and chosen != "smooth" and _mostly_unseen(blocks, options.alpha):
        chosen, options = "threshold", replace(options, control="fdr")
    if not blocks and METHODS_DECLARED[chosen].needs is not Need.NOTHING:
        raise ParameterError("The tally has no reports. Add some first.")
    with Progress(f"estimating ({chosen})", progress) as bar:
        found = METHODS_DECLARED[chosen].thing(_Asked(tally, chosen, blocks, options, prior, source, bar, start, weights == "equal"))
    return replace(found, notes=tally.notes) if tally.notes else found


def _mostly_unseen(blocks: Sequence[Block], level: float) -> bool:
    """Whether there are many items, and most of them are indistinguishable from zero."""
    if blocks[0].channel.size < _MANY or any(block.channel.inversion is None for block in blocks):
        return False
    return float(significant(p_values(spread([block.totals() for block in blocks])), level).mean()) < 0.5


def _chosen(tally: Tally, method: str | None) -> str:
    if method is None:
        if tally.blocks[0].mechanism.inputs.edges is not None and tally.supports("smooth"):
            return "smooth"
        return "mle" if tally.supports("mle") else "projected"
    if not tally.supports(method):
        if METHODS_DECLARED[method].needs is Need.ORDER and not tally.blocks[0].mechanism.inputs.smoothable:
            raise UnsupportedError(f"{method!r} needs ordered items: numbers, a scale or a grid. Use another method, such as 'auto'.")
        if any(block.remote is not None for block in tally.blocks):
            raise UnsupportedError(f"{method!r} needs the reports on this machine. Collect them with keep=True.")
        if METHODS_DECLARED[method].needs_reports:
            raise UnsupportedError(f"{method!r} needs the reports, but this tally only kept totals. Use Tally(m, keep_reports=True).")
        raise UnsupportedError(f"{method!r} needs counts that this channel doesn't have. Use 'mle' with Tally(m, keep_reports=True).")
    return method


def _check_start(method: str, start: Any, weights: Any) -> None:
    if start is not None and method != "em":
        raise ParameterError(f"`start` doesn't work with {method!r}. Leave it out, or use estimate(tally, 'em', start=...).")
    if weights not in ("precision", "equal"):
        raise ParameterError(f"weights is {weights!r}. Use 'precision' or 'equal'.")
    if weights == "equal" and method not in _INVERTING:
        raise ParameterError(f"weights='equal' doesn't work with {method!r}. Leave it out, or use one of {', '.join(_INVERTING)}.")


@dataclass(frozen=True)
class _Options:
    """The numbers that `estimate` takes, each in its range."""

    tolerance: float
    iterations: int
    strength: float
    alpha: float
    control: str

    @classmethod
    def checked(cls, tolerance: Any, iterations: Any, strength: Any, alpha: Any, control: Any) -> _Options:
        for name, value, low, high, rule in (
            ("tolerance", tolerance, math.ulp(0.0), math.inf, "a positive number of nats"),
            ("strength", strength, 0.0, math.nextafter(math.inf, 0), "a finite number that isn't negative"),
            ("alpha", alpha, math.ulp(0.0), math.nextafter(1, 0), "a significance level strictly between 0 and 1"),
        ):
            if isinstance(value, bool) or not isinstance(value, Real) or not low <= float(value) <= high:
                raise ParameterError(f"{name} is {value!r}. Give {rule}.")
        if isinstance(iterations, bool) or not isinstance(iterations, Integral) or iterations < 1:
            raise ParameterError(f"iterations is {iterations!r}. Give a whole number of at least 1.")
        if control not in (_PUBLISHED, *CONTROLS):
            raise ParameterError(f"control is {control!r}. Choose {_PUBLISHED!r}, 'fdr' or 'familywise'.")
        return cls(float(tolerance), int(iterations), float(strength), float(alpha), control)


class _Climber:
    """Finds the top of a likelihood, in the way of a method."""

    def __init__(self, method: str, options: _Options, bar: Progress, start: Any = None) -> None:
        self.method, self.options, self.bar, self.start = method, options, bar, start
        self._first: float | None = None

    def top(self, blocks: Sequence[Block]) -> climb.Top:
        parts = of_blocks(blocks)
        size = blocks[0].channel.size
        if self.method == "map" and self.options.strength > 0:
            parts.append(revealed(np.full(size, self.options.strength)))
        start = np.full(size, 1 / size)
        if self.method == "em":
            begin = start_of(blocks, self.start, self.options.alpha)
            return climb.expectation_maximisation(parts, begin, self.options.tolerance, self.options.iterations, self._watch)
        separable = [part for part in (each.separable() for each in parts) if part is not None]
        if len(separable) == len(parts):
            return maximised(separable)
        tolerance, most = self.options.tolerance, self.options.iterations
        if newton.narrow(parts):
            return newton.interior(parts, start, tolerance, self._watch, most)
        warm = _warm(blocks, start)
        if not newton.applies(parts, size):
            return climb.climb(parts, warm, tolerance, most, self._watch)
        top = climb.climb(parts, warm, tolerance, min(most, _PATIENCE), self._watch)
        if top.gap <= tolerance + climb.rounding(sum(part.n for part in parts)) or most <= _PATIENCE:
            return top
        inner = newton.interior(parts, top.p, tolerance, self._watch)
        return replace(min(top, inner, key=lambda found: found.gap), passes=top.passes + inner.passes)

    def _watch(self, gap: float, passes: int) -> None:
        if not 0 < gap < math.inf:
            self.bar.at(0.0)
            return
        self._first = max(self._first or gap, gap)
        way = math.log(self._first / self.options.tolerance)
        self.bar.at(math.log(self._first / gap) / way if way > 0 else 1.0, f"{gap:.2g} nats missing at most, {passes} passes")


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
    start: Any = None
    equal: bool = False

    @property
    def inputs(self) -> Domain:
        return self.tally.blocks[0].mechanism.inputs

    def found(self, p: Floats, *, bars: Callable[[], Bars] | None = None, equal: bool = False, **more: Any) -> Estimate:
        """The estimate p. Its error bars are those of the inversion of the counts, unless others are given."""
        totals = tuple(block.totals() for block in self.blocks)
        usual = partial(spread, totals, equal=equal) if totals else unknown
        return Estimate(self.inputs, p=p, n=self.tally.n, method=self.method, bars=bars or usual, blocks=totals, **more)

    def climber(self) -> _Climber:
        return _Climber(self.method, self.options, self.bar, self.start)

    def inverted(self) -> Linear:
        """The inversion of the counts of all groups."""
        return invert_all(self.blocks, equal=self.equal)


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
    about="The posterior mean under the prior of the guarantee, about the people who answered.",
    needs=Need.REPORTS,
    see="#something-is-known-already",
)
def _posterior_mean(asked: _Asked) -> Estimate:
    posterior = prior_aware.histogram(asked.blocks, asked.prior)
    return asked.found(posterior.mean, bars=posterior.itself, additive=True)


@method("inversion", about="Unbiased inversion of the totals. Shares may be negative.", needs=Need.COUNTS)
def _inverted(asked: _Asked) -> Estimate:
    return asked.found(asked.inverted().p, equal=asked.equal, additive=True)


@method("average", about="Unbiased inversion of the totals, all levels weighted alike.", needs=Need.COUNTS)
def _averaged(asked: _Asked) -> Estimate:
    return asked.found(invert_all(asked.blocks, equal=True).p, equal=True, additive=True)


@method("norm_sub", about="Unbiased inversion of the totals, then the nearest distribution.", needs=Need.COUNTS)
@method("projected", about="Unbiased inversion of the totals, then the nearest distribution.", needs=Need.COUNTS)
def _projected(asked: _Asked) -> Estimate:
    return asked.found(decoders.project(asked.inverted().p), equal=asked.equal)


@method("normalized", about="Unbiased inversion of the totals, negative shares cut, divided by the sum.", needs=Need.COUNTS)
def _normalized(asked: _Asked) -> Estimate:
    return asked.found(decoders.normalized(asked.inverted().p), equal=asked.equal)


@method("threshold", about="Unbiased inversion of the totals. Shares that aren't significant are spread evenly.", needs=Need.COUNTS)
def _thresholded(asked: _Asked) -> Estimate:
    linear, level, control = asked.inverted(), asked.options.alpha, asked.options.control
    if control == _PUBLISHED:
        kept = decoders.exceeds(linear.p, np.sqrt(linear.variance), level)
    else:
        kept = significant(p_values(spread([block.totals() for block in asked.blocks], equal=asked.equal)), level, control)
    count = int(kept.sum())
    note = (
        f"{count:,} of {len(kept):,} items can be told from zero and keep their unbiased shares. The rest is spread evenly over the others."
    )
    return asked.found(decoders.thresholded(linear.p, kept), equal=asked.equal, note=note, unseen=~kept)


@method("auto", about="Shrinkage towards equal shares, as much as the reports ask for.", needs=Need.COUNTS, see="#small-samples")
def _shrunk(asked: _Asked) -> Estimate:
    found = shrunk(asked.blocks, asked.bar.at)
    return asked.found(found.p, chosen=found.chosen, note=found.note)


@method(
    "smooth",
    about="Shares of neighbours drawn together, as far as the reports support it: for numbers, scales and grids.",
    needs=Need.ORDER,
    see="#numbers",
)
def _smoothed(asked: _Asked) -> Estimate:
    found = smoothed(asked.blocks, asked.inputs, asked.bar.at)
    return asked.found(found.p, chosen=found.chosen, note=found.note)


@method("observed", about="The reports as if they were answers: a baseline, not an estimate.", needs=Need.ITEMS)
def _as_reported(asked: _Asked) -> Estimate:
    return asked.found(observed(asked.blocks), additive=True)


@method("uniform", about="Equal shares: a baseline, not an estimate.", needs=Need.NOTHING)
def _uniform(asked: _Asked) -> Estimate:
    size = len(asked.inputs)
    return asked.found(np.full(size, 1 / size), additive=True)


def _reported(blocks: Sequence[Block], climber: _Climber) -> Floats:
    """The published choice of a truth to simulate from: the reports as if they were answers (the optimum, if they aren't items)."""
    return observed(blocks) if all(block.channel.statistic.counts_items for block in blocks) else climber.top(blocks).p


def _simulated(blocks: Sequence[Block], truth: Floats, source: Source) -> list[Block]:
    return [Tally.simulate(block.mechanism, truth, block.n, source, keep_reports=block.piles is not None).blocks[0] for block in blocks]


#: The names of the methods.
METHODS = tuple(sorted(METHODS_DECLARED))
