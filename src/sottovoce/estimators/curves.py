"""The distribution function of ordered items, with limits: by likelihood-ratio tests, or by the unbiased sums of groups of items."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from sottovoce.arrays import Floats, Mask
from sottovoce.channels.groups import Groups
from sottovoce.errors import UnsupportedError
from sottovoce.estimators.constrained import Profile
from sottovoce.estimators.decoders import project
from sottovoce.estimators.intervals import Spread, deviate
from sottovoce.estimators.places import below
from sottovoce.estimators.report_likelihood import of_blocks
from sottovoce.estimators.result import Bars, Estimate
from sottovoce.estimators.smooth import smoothed

#: Places at which the limits of sums are asked, at most.
_MOST_PLACES = 64

#: A value with its lower and upper limit.
Limited = tuple[float, float, float]


class Curve(ABC):
    """What can be said about weighted sums of the shares p."""

    def __init__(self, p: Floats) -> None:
        self.p = p

    @abstractmethod
    def share(self, weights: Floats, level: float) -> Limited:
        """A sum with weights from 0 to 1."""

    @abstractmethod
    def mean(self, values: Floats, level: float) -> Limited:
        """The mean of the items' values, which increase."""

    @abstractmethod
    def places(self, share: float, level: float) -> tuple[float, float]:
        """The first and the last place at which F may have this share."""


class LikelihoodCurve(Curve):
    """By the likelihood ratio: counts per report of channels that confuse neighbours. The mean is linear if it can be."""

    def __init__(self, p: Floats, profile: Profile, bars: Callable[[], Bars]) -> None:
        super().__init__(p)
        self.profile, self.bars = profile, bars

    def share(self, weights: Floats, level: float) -> Limited:
        return (float(weights @ self.p), *self.profile.limits(weights, deviate(level)))

    def mean(self, values: Floats, level: float) -> Limited:
        try:
            return GroupCurve(self.p, self.bars(), trusted=True).mean(values, level)
        except UnsupportedError:
            return self.share(values, level)

    def places(self, share: float, level: float) -> tuple[float, float]:
        return self.profile.places(share, deviate(level))


class GroupCurve(Curve):
    """By the unbiased sums over groups of items."""

    def __init__(self, p: Floats, bars: Bars, *, trusted: bool) -> None:
        super().__init__(p)
        self.bars, self.trusted = bars, trusted
        self._known: dict[tuple[bytes, float], Limited] = {}

    def share(self, weights: Floats, level: float) -> Limited:
        """A sum of masks, one for each distinct weight: limits add up, which can only make them wider."""
        value, low, high, before = 0.0, 0.0, 0.0, 0.0
        for weight in np.unique(weights[weights > 0]).tolist():
            one, least, most = self._group(weights >= weight, level)
            value, low, high = value + (weight - before) * one, low + (weight - before) * least, high + (weight - before) * most
            before = weight
        return (float(weights @ self.p) if self.trusted else value), low, high

    def _group(self, mask: Mask, level: float) -> Limited:
        if mask.all() or not mask.any():
            return (float(mask.all()),) * 3
        key = (mask.tobytes(), level)
        if key not in self._known:
            found = self.bars.grouped(Groups(mask.astype(np.int64), 2))
            low, high = found.interval(level)
            value = float(np.clip(found.mean[1], 0.0, 1.0)) if isinstance(found, Spread) else float(self.p[mask].sum())
            self._known[key] = value, float(low[1]), float(high[1])
        return self._known[key]

    def mean(self, values: Floats, level: float) -> Limited:
        try:
            covariance = self.bars.covariance()
        except UnsupportedError:
            return self._summed(values, level)
        if not isinstance(self.bars, Spread):
            return self._summed(values, level)
        ones = np.ones(len(values))
        whole = float(ones @ covariance @ ones)
        # what all shares miss to 1 is noise that they have in common
        shift = float(values @ covariance @ ones) / whole if whole > 1e-12 * float(np.trace(covariance)) else 0.0
        weights = values - shift
        unbiased = float(np.clip(shift + weights @ self.bars.mean, values[0], values[-1]))
        reach = deviate(level) * max(0.0, float(weights @ covariance @ weights)) ** 0.5
        low, high = max(float(values[0]), unbiased - reach), min(float(values[-1]), unbiased + reach)
        return (float(values @ self.p) if self.trusted else unbiased), low, high

    def _summed(self, values: Floats, level: float) -> Limited:
        """From the limits of F at all edges, which can only make those of the mean wider."""
        steps = np.diff(values)
        found = [self.share(below(len(values), k + 1.0), level) for k in range(len(steps))]
        one, low, high = (float(each) for each in values[-1] - steps @ np.array(found))
        return (float(values @ self.p) if self.trusted else one), high, low

    def places(self, share: float, level: float) -> tuple[float, float]:
        size = len(self.p)
        places = np.unique(np.linspace(0, size, min(size, _MOST_PLACES) + 1).round())
        limits = np.array([self.share(below(size, place), level)[1:] for place in places.tolist()])
        least, most = np.minimum.accumulate(limits[::-1, 0])[::-1], np.maximum.accumulate(limits[:, 1])
        return _first(places, most, share), size - _first(size - places[::-1], 1 - least[::-1], 1 - share)

    def fitted(self) -> Floats:
        """Shares whose sums are close to the unbiased ones: for places, where single shares don't matter."""
        return self.p if self.trusted or not isinstance(self.bars, Spread) else _isotonic(self.bars.mean)


def _first(places: Floats, limits: Floats, share: float) -> float:
    """The first place at which limits that don't fall reach the share."""
    k = int(np.searchsorted(limits, share, side="left"))
    if k == 0 or k >= len(places):
        return float(places[min(k, len(places) - 1)])
    part = (share - limits[k - 1]) / (limits[k] - limits[k - 1])
    return float(places[k - 1] + part * (places[k] - places[k - 1]))


def _isotonic(shares: Floats) -> Floats:
    """Shares that aren't negative and whose sums are nearest to those of the given ones (pools of neighbours)."""
    sums = np.clip(np.cumsum(shares) + (1 - shares.sum()) * np.arange(1, len(shares) + 1) / len(shares), 0.0, 1.0)
    levels: list[tuple[float, int]] = []
    for each in sums.tolist():
        level, count = each, 1
        while levels and levels[-1][0] > level:
            before, times = levels.pop()
            level, count = (level * count + before * times) / (count + times), count + times
        levels.append((level, count))
    rising = np.repeat([level for level, _ in levels], [count for _, count in levels])
    return project(np.diff(np.concatenate([[0.0], rising])))


def curve_of(estimate: Estimate) -> Curve:
    """The curve of an estimate: by the likelihood if reports confuse neighbours and are counted, by sums otherwise."""
    blocks = estimate.blocks
    if blocks and not estimate.additive and all(block.channel.statistic.sufficient for block in blocks):
        parts = of_blocks(blocks)
        if not all(part.separable() is not None for part in parts):
            all_seen = [(block.n, block.channel.model.of_counts(np.ones_like(block.counts))) for block in blocks if block.n]
            return LikelihoodCurve(estimate.p, Profile(parts, _smooth(estimate), all_seen), lambda: estimate.error_bars)
    return GroupCurve(estimate.p, estimate.error_bars, trusted=estimate.additive or estimate.method == "smooth")


def _smooth(estimate: Estimate) -> Floats:
    """The smooth shares, if there are enough items."""
    if estimate.method == "smooth" or not estimate.domain.smoothable:
        return estimate.p
    return smoothed(estimate.blocks, estimate.domain, lambda _: None).p
